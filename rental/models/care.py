"""What happens to a machine in and after its term: keys, faults, time it was down, and its wiping."""

from typing import ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from rental.models.access import OrderHost
from rental.models.order import Order


class SshKey(models.Model):
    """A public key of a customer. The private one stays with them and never comes here."""

    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="ssh_keys")
    label = models.CharField(max_length=60)
    kind = models.CharField(max_length=60, help_text="as OpenSSH names it, e.g. ssh-ed25519")
    line = models.TextField(help_text="kind and key in OpenSSH's one-line form, without a comment")
    fingerprint = models.CharField(max_length=60)
    added_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["customer", "fingerprint"], condition=Q(removed_at=None), name="ssh_key_once"
            ),
        ]

    def __str__(self) -> str:
        return self.fingerprint


class FaultReport(models.Model):
    """A customer's word that the machine does not work. It moves nothing until an operator answers."""

    class State(models.TextChoices):
        OPEN = "open", _("reported")
        CONFIRMED = "confirmed", _("confirmed")
        REFUSED = "refused", _("not confirmed")

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="faults")
    text = models.TextField(max_length=2000)
    since = models.DateTimeField()
    reported_at = models.DateTimeField(default=timezone.now)
    reported_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=12, choices=State.choices, default=State.OPEN)
    answer = models.TextField(blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["order"], condition=Q(state="open"), name="fault_one_open"),
        ]

    def __str__(self) -> str:
        return f"{self.order_id}: {self.state}"


class Downtime(models.Model):
    """A time in which lots of an order did not work, as an operator found it, and what was credited for it."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="downtimes")
    report = models.OneToOneField(FaultReport, on_delete=models.PROTECT, null=True, related_name="downtime")
    begins = models.DateTimeField()
    ends = models.DateTimeField()
    lots = models.PositiveSmallIntegerField()
    cents = models.PositiveBigIntegerField(help_text="credited for it; 0 when it was too short or counted already")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(ends__gt=F("begins")), name="downtime_ends_after_it_begins"),
            models.CheckConstraint(condition=Q(lots__gte=1), name="downtime_of_a_lot"),
        ]
        triggers: ClassVar = [
            pgtrigger.Protect(name="downtime_append_only", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return f"{self.order_id}: {self.begins:%Y-%m-%d %H:%M} to {self.ends:%Y-%m-%d %H:%M}"

    @property
    def key(self) -> str:
        """The ledger's key of its credit."""
        return f"order:{self.order_id}:downtime:{self.pk}"


class Wipe(models.Model):
    """A host was wiped after it had served an order: how, by whom, when."""

    class Method(models.TextChoices):
        ERASE = "erase", _("the drives’ own secure erase")
        OVERWRITE = "overwrite", _("overwritten, and read back")
        KEY = "key", _("encrypted drives, their key destroyed")
        REINSTALL = "reinstall", _("new file systems and a new installation")

    host = models.OneToOneField(OrderHost, on_delete=models.PROTECT, related_name="wipe")
    method = models.CharField(max_length=12, choices=Method.choices)
    note = models.CharField(max_length=300, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar[list[str]] = ["pk"]
        triggers: ClassVar = [pgtrigger.Protect(name="wipe_append_only", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.host_id}: {self.method}"
