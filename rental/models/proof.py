"""Which card with which preparation was last seen to work here, and on which run."""

from typing import ClassVar

import pgtrigger
from django.db import models

from rental.models.catalogue import Card, Preparation
from rental.models.order import Order


class PreparationProof(models.Model):
    """A run's diagnostic passed on a machine of this order: what was ordered was there, at that time."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="preparation_proofs")
    card = models.ForeignKey(Card, on_delete=models.PROTECT, related_name="preparation_proofs")
    preparation = models.CharField(max_length=16, choices=Preparation.choices)
    run_ref = models.CharField(max_length=40, unique=True)
    proved_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-proved_at", "-pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["card", "preparation", "-proved_at"], name="preparation_proved_last")
        ]
        triggers: ClassVar = [
            pgtrigger.Protect(name="preparation_proof_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.card_id} {self.preparation} on {self.run_ref}"
