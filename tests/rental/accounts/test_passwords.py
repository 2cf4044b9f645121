"""The rules for a password speak this site's words, and every one of them is asked."""

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from rental.models import User

CASES = {
    "zoe@example.org": "too close to your name or your email",
    "k7#q": "Use at least 10 characters",
    "password1234": "Many people use this password",
    "8461937520": "has digits only",
}


@pytest.mark.parametrize("password", CASES)
def test_each_rule_says_what_to_do(password: str) -> None:
    user = User(email="zoe@example.org", first_name="Zoë", last_name="Ø")
    with pytest.raises(ValidationError) as refused:
        validate_password(password, user)
    assert any(CASES[password] in sentence for sentence in refused.value.messages), refused.value.messages


def test_a_good_one_passes() -> None:
    validate_password("correct horse battery", User(email="zoe@example.org"))
