"""How allauth keeps a second factor: its secret sealed like every other secret on disk."""

from allauth.mfa.adapter import DefaultMFAAdapter

from rental.delivery.sealing import seal, unseal


class SealingAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    def encrypt(self, text: str) -> str:
        return seal(text).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text.encode())
