"""A project folder, the spec frozen from it, and the pilot that is tried with it."""

from typing import Any, ClassVar

import pgtrigger
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.codes import reference
from pilots.models.host import Host
from rental.models import Order


class Project(models.Model):
    """An archive as received. The host never gets it: it gets the copy without the expected answers."""

    ref = models.CharField(max_length=26, unique=True, default=reference, editable=False)
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="projects")
    name = models.CharField(max_length=200)  # the uploaded file's name
    sha256 = models.CharField(max_length=64)
    size = models.BigIntegerField()
    path = models.CharField(max_length=120)  # under DATA_DIR/files
    host_sha256 = models.CharField(max_length=64, blank=True)
    host_size = models.BigIntegerField(default=0)
    host_path = models.CharField(max_length=120, blank=True)
    config = models.JSONField(null=True, blank=True)  # config/pilote.json; None when it could not be read
    expected = models.JSONField(null=True, blank=True)  # {"doc-01": "invoice"}, never sent to a host
    findings = models.JSONField(default=list)  # [{code, level, path, line, message}]
    declared = models.PositiveIntegerField(default=0)
    received_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name

    @property
    def errors(self) -> list[dict[str, Any]]:
        return [finding for finding in self.findings if finding["level"] == "error"]

    @property
    def can_be_frozen(self) -> bool:
        return self.config is not None and bool(self.host_sha256) and not self.errors


class Spec(models.Model):
    """What was fixed before launch. Written once; a change is another spec with another hash."""

    sha256 = models.CharField(max_length=64, unique=True)
    canonical = models.TextField()  # the canonical JSON whose SHA-256 it is (wire.FrozenSpec)
    config = models.JSONField()
    declared = models.PositiveIntegerField()
    frozen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="spec_is_frozen", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return self.sha256

    @property
    def criteria(self) -> dict[str, Any]:
        return dict(self.config.get("criteria") or {})


class Declared(models.Model):
    """One declared input of a spec, in the manifest's order."""

    spec = models.ForeignKey(Spec, on_delete=models.PROTECT, related_name="inputs")
    position = models.PositiveIntegerField()
    item_id = models.CharField(max_length=200)
    path = models.CharField(max_length=400)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    must_refuse = models.BooleanField(default=False)
    # The expected category: the project's hash covers it, the canonical text does not hold it, no host sees it.
    expected = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["spec", "position"], name="declared_position_once"),
            models.UniqueConstraint(fields=["spec", "item_id"], name="declared_id_once"),
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(name="declared_is_frozen", operation=pgtrigger.Update | pgtrigger.Delete)
        ]

    def __str__(self) -> str:
        return self.item_id


class Pilot(models.Model):
    """A declared trial. It is a draft until its spec is frozen; then only its title and its host may change."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        FROZEN = "frozen", _("frozen")

    ref = models.CharField(max_length=26, unique=True, default=reference, editable=False)
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="pilots")
    title = models.CharField(max_length=120)
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    project = models.ForeignKey(Project, null=True, blank=True, on_delete=models.PROTECT, related_name="pilots")
    spec = models.ForeignKey(Spec, null=True, blank=True, on_delete=models.PROTECT, related_name="pilots")
    host = models.ForeignKey(Host, null=True, blank=True, on_delete=models.PROTECT, related_name="pilots")
    # The delivered order whose host it uses.
    order = models.ForeignKey(Order, null=True, blank=True, on_delete=models.PROTECT, related_name="pilots")
    previous = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="versions")
    version = models.PositiveSmallIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                name="pilot_frozen_has_spec",
                condition=models.Q(state="draft", spec__isnull=True)
                | models.Q(state="frozen", spec__isnull=False, project__isnull=False, frozen_at__isnull=False),
            ),
        ]
        triggers: ClassVar[list[pgtrigger.Trigger]] = [
            pgtrigger.Protect(
                name="pilot_spec_is_frozen",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__spec__isnull=False)
                & (
                    pgtrigger.Q(old__spec__df=pgtrigger.F("new__spec"))
                    | pgtrigger.Q(old__project__df=pgtrigger.F("new__project"))
                ),
            )
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def spec_sha256(self) -> str:
        return self.spec.sha256 if self.spec else ""
