"""A decision on a pilot: what follows, why, and on which evidence."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots.models import Decision, Evidence, Pilot
from rental.models import User

MOST_REASON = 4000


def decide(pilot: Pilot, by: User, *, choice: str, reason: str, evidence_sha256: str) -> Decision:
    """Record it; an earlier one is superseded, never edited. The same word again changes nothing.

    Raises:
        Refusal: `evidence_unknown` when the hash is of no evidence of this pilot, `reason_missing`, `choice_unknown`.
    """
    reason = reason.strip()
    if choice not in Decision.Choice.values:
        raise Refusal("choice_unknown", _("Choose launch, fix or revise."), status=422, field="choice")
    if not reason or len(reason) > MOST_REASON or "\0" in reason:
        words = _("Write the reason of your decision, in at most 4,000 characters.")
        raise Refusal("reason_missing", words, status=422, field="reason")
    evidence = Evidence.objects.filter(run__pilot=pilot, sha256=evidence_sha256.strip().lower()).first()
    if evidence is None:
        words = _("No evidence of this pilot has this SHA-256. Copy the one shown on the run's page.")
        raise Refusal("evidence_unknown", words, field="evidence_sha256")
    with transaction.atomic():
        Pilot.objects.select_for_update().get(pk=pilot.pk)  # one decision after the other
        inforce = pilot.decisions.filter(superseded_at=None)
        known = inforce.first()
        said = (choice, reason, evidence.pk, by.pk)
        if known is not None and (known.choice, known.reason, known.evidence_id, known.by_id) == said:
            return known
        now = timezone.now()
        inforce.update(superseded_at=now)
        return Decision.objects.create(
            pilot=pilot, choice=choice, reason=reason, evidence=evidence, evidence_sha256=evidence.sha256, by=by, at=now
        )
