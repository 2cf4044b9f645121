"""The desk's lists of hosts and runs: the silent and the lost before all others."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from common import formats
from pilots import vocabulary
from pilots.models import Enrolment, Host, Run
from pilots.models.run import SILENT_AFTER
from pilots.presenters import verdict
from pilots.presenters.machine import Machine, machine_of_host
from rental.models import CardProof

Text = str | Promise
MOST = 200
LATELY = timedelta(days=7)


@dataclass(frozen=True)
class HostRow:
    host: Host
    shape: str
    word: Text
    machine: Machine
    running: int
    proof: str
    agent: str
    disk: str


@dataclass(frozen=True)
class RunRow:
    run: Run
    shape: str
    word: Text
    why: Text
    report: str


def hosts() -> list[HostRow]:
    """Silent ones first, then the rest by name, revoked ones last; two queries."""
    rows = Host.objects.annotate(running=Count("runs", filter=Q(runs__outcome=""))).order_by("name")[:MOST]
    proofs: dict[str, CardProof] = {}
    for proof in (
        CardProof.objects.select_related("card").filter(host_ref__in=[row.name for row in rows]).order_by("pk")
    ):
        proofs[proof.host_ref] = proof
    found = [_host(row, proofs.get(row.name)) for row in rows]
    order = {"late": 0, "missing": 1, "confirmed": 2, "told": 3}
    return sorted(found, key=lambda row: (order[row.shape], row.host.last_seen_at or row.host.enrolled_at))


def _host(host: "Host", proof: CardProof | None) -> HostRow:
    if host.revoked_at:
        shape, word = "told", _("revoked")
    elif host.is_silent:
        shape, word = "late", _("silent")
    else:
        shape, word = "confirmed", _("heard")
    free = host.facts.get("disk_free_bytes")
    return HostRow(
        host=host,
        shape=shape,
        word=word,
        machine=machine_of_host(host),
        running=getattr(host, "running", 0),
        proof=_proof(proof),
        agent=str(host.facts.get("agent") or ""),
        disk=formats.size(free) if isinstance(free, int) else "",
    )


def _proof(proof: CardProof | None) -> str:
    if proof is None:
        return _("no card proved")
    return _("%(count)s × %(card)s, %(at)s") % {
        "count": proof.count,
        "card": proof.card.name if proof.card else proof.model,
        "at": formats.when(proof.proved_at),
    }


def enrolments() -> list[Enrolment]:
    return list(Enrolment.objects.filter(used_at=None, expires_at__gt=timezone.now())[:MOST])


def runs() -> tuple[list[RunRow], list[RunRow]]:
    """Runs that need a look (silent, or lost lately) oldest first; and those that go on; two queries."""
    now = timezone.now()
    rows = Run.objects.select_related("pilot", "pilot__customer", "host").defer("sheet", "manifest", "verdicts")
    silent = Q(outcome="", last_report_at__lt=now - SILENT_AFTER)
    lost = Q(outcome=Run.Outcome.LOST, ended_at__gt=now - LATELY) | Q(
        outcome=Run.Outcome.FAILED, fault__in=("host", "platform"), ended_at__gt=now - LATELY
    )
    wanting = [_run(run) for run in rows.filter(silent | lost).order_by("last_report_at", "pk")[:MOST]]
    going = [_run(run) for run in rows.filter(outcome="").exclude(silent).order_by("-pk")[:MOST]]
    return wanting, going


def _run(run: Run) -> RunRow:
    shape, word = verdict.short(run)
    if run.outcome:
        shape, word = "stopped", vocabulary.outcome(run.outcome).word
    told = formats.when(run.last_report_at) if run.last_report_at else _("never")
    why = vocabulary.reason(run.reason) if run.reason else vocabulary.stage(run.stage).sentence
    return RunRow(run, shape, word, why, told)
