"""A run begins, is asked to stop, or goes on with what is missing."""

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots import drafts
from pilots.models import Declared, Host, Item, Pilot, Run
from pilots.runs import moves
from rental.models import User

COPIED = 5_000


def start(pilot: Pilot, by: User, *, host: Host | None = None) -> Run:
    """The next try of a frozen pilot, queued for its host (or for `host`, of the same customer's orders).

    Raises:
        Refusal: `not_frozen`; `run_open` while another try has no outcome; `order_not_delivered`, `host_not_yours`.
    """
    return _queue(pilot, by, host=host)


def resume(run: Run, by: User, *, host: Host | None = None) -> Run:
    """A new try that finishes only the ids without a line in `run`, which keeps its own outcome.

    Raises:
        Refusal: `run_not_over`; `nothing_missing`; `cannot_resume` when the program does not take `{remaining}`.
    """
    if not run.is_final:
        raise Refusal("run_not_over", _("This run is not over yet. Wait for its end, or cancel it."))
    if not takes_remaining(run):
        raise Refusal(
            "cannot_resume",
            _("This program takes no list of what remains: add {remaining} to its command, as a new pilot."),
        )
    missing = missing_ids(run)
    if not missing:
        raise Refusal("nothing_missing", _("Every declared id has its line: there is nothing to finish."))
    return _queue(run.pilot, by, host=host, resumes=run, remaining=missing)


def cancel(run: Run, by: User) -> Run:
    """Ask for the end: a queued run ends at once, a claimed one when its host has stopped the program."""
    now = timezone.now()
    with transaction.atomic():
        run = moves.locked(run.pk)
        if run.outcome or run.cancel_asked_at:
            return run
        Run.objects.filter(pk=run.pk).update(cancel_asked_at=now)
        reason = "cancelled_by_customer" if by.pk == run.pilot.customer_id else "cancelled_by_operator"
        if run.stage == Run.Stage.QUEUED and run.attempt == 1:
            moves.end(run, Run.Outcome.CANCELLED, reason=reason, fault=None, at=now, by=by, checked_at=now)
        else:
            moves.record(run, old=run.stage, new=run.stage, code="cancel_asked", at=now, by=by)
    run.refresh_from_db()
    return run


def takes_remaining(run: Run) -> bool:
    """Whether the program can be told to finish only some of its inputs."""
    config = run.pilot.spec.config if run.pilot.spec else {}
    return config.get("kind") == "documents" and any("{remaining}" in part for part in config.get("command", ()))


def missing_ids(run: Run) -> list[str]:
    """Declared ids that have no counted line in the run, in the manifest's order."""
    done = Item.objects.filter(run=run, kind=Item.Kind.RESULT).values("position")
    rows = Declared.objects.filter(spec=run.pilot.spec).exclude(position__in=done).order_by("position")
    return list(rows.values_list("item_id", flat=True))


def _queue(
    pilot: Pilot, by: User, *, host: Host | None, resumes: Run | None = None, remaining: list[str] | None = None
) -> Run:
    with transaction.atomic():
        pilot = Pilot.objects.select_for_update(of=("self",)).select_related("spec", "order", "host").get(pk=pilot.pk)
        if pilot.spec is None:
            raise Refusal("not_frozen", _("This pilot is a draft. Give it a project first: that freezes its spec."))
        opened = pilot.runs.filter(outcome="").first()
        if opened is not None:
            raise Refusal(
                "run_open",
                _("Try %(number)s has not ended yet. Wait for its end, or cancel it.") % {"number": opened.number},
                data={"run": opened.ref},
            )
        _order, target = drafts.where(pilot.customer, None if host else pilot.order, host or pilot.host)
        now = timezone.now()
        number = (pilot.runs.aggregate(last=Max("number"))["last"] or 0) + 1
        run = Run.objects.create(
            pilot=pilot, number=number, host=target, asked_by=by, queued_at=now, declared=pilot.spec.declared,
            resumes=resumes, remaining=remaining,
        )  # fmt: skip
        moves.record(
            run, old="", new=Run.Stage.QUEUED, code="resume_asked" if resumes else "start_asked", at=now, by=by
        )
        if resumes is not None:
            _carry(resumes, run)
    return run


def _carry(before: Run, run: Run) -> None:
    """The lines that count in the earlier try count in this one; they stay marked as carried."""
    batch: list[Item] = []
    for item in before.items.filter(kind=Item.Kind.RESULT).order_by("position").iterator(COPIED):
        item.pk, item.run, item.attempt, item.carried = None, run, 0, True
        batch.append(item)
        if len(batch) == COPIED:
            Item.objects.bulk_create(batch)
            batch = []
    Item.objects.bulk_create(batch)
    Run.objects.filter(pk=run.pk).update(accepted=before.accepted, refused=before.refused)
    run.refresh_from_db()
