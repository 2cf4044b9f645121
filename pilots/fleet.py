"""Hosts: their one-time enrolment, their hello, what their diagnostic proves, their end."""

import logging
import secrets
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from common.refusals import Refusal
from pilots import broker, proofs
from pilots.host import wire
from pilots.ingest.rows import stored
from pilots.ingest.telling import rung_of
from pilots.models import Enrolment, Host, Run, Rung
from pilots.models.host import NAME, hash_token
from pilots.runs import moves
from rental.models import User

log = logging.getLogger(__name__)
HELLO_SECONDS = 10.0
SEEN_EVERY = timedelta(seconds=5)  # one write for many words
MOST_RUNGS = 50


def invite(name: str, *, days: int = 7) -> str:
    """A one-time word that lets a machine enrol under `name`; only its hash is kept."""
    NAME(name)
    plain = "ke_" + secrets.token_urlsafe(32)
    Enrolment.objects.create(name=name, digest=hash_token(plain), expires_at=timezone.now() + timedelta(days=days))
    return plain


def enrol(token: str, name: str, facts: dict[str, Any]) -> wire.Enrolled:
    """A machine becomes a host: a token and a queue user of its own, both shown once.

    A name that has a host already gets its new machine: the old token and queue password end with it.

    Raises:
        Refusal: `enrolment_refused` for a word that is unknown, used, too old or meant for another name.
    """
    now = timezone.now()
    with transaction.atomic():
        row = Enrolment.objects.select_for_update().filter(digest=hash_token(token), used_at=None).first()
        if row is None or row.expires_at < now or (name and name != row.name):
            raise Refusal("enrolment_refused", _("This enrolment word is not valid. Ask for a new one."), status=403)
        plain = "kh_" + secrets.token_urlsafe(32)
        host, _made = Host.objects.update_or_create(
            name=row.name,
            defaults={
                "token_digest": hash_token(plain),
                "facts": told(facts),
                "enrolled_at": now,
                "last_seen_at": now,
                "revoked_at": None,
            },
        )
        Enrolment.objects.filter(pk=row.pk).update(used_at=now, host=host)
        # The user is made last: when that fails, nothing of the enrolment stays and the word can be used again.
        url = broker.give(host.name)
    return {
        "host": host.name,
        "token": plain,
        "broker_url": url,
        "key_prefix": broker.prefix_of(host.name),
        "hello_seconds": HELLO_SECONDS,
    }


def told(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts that the wire names, and no others."""
    kept = stored({key: facts[key] for key in wire.Facts.__annotations__ if key in facts})
    return kept if isinstance(kept, dict) else {}


def hello(host: Host, facts: dict[str, Any]) -> float:
    """The host lives and says what it is; answers when to say so again (seconds)."""
    Host.objects.filter(pk=host.pk).update(facts=told(facts), last_seen_at=timezone.now())
    return HELLO_SECONDS


def seen(host: Host) -> None:
    """Any word of a host is a sign of life."""
    now = timezone.now()
    before = Q(last_seen_at__isnull=True) | Q(last_seen_at__lt=now - SEEN_EVERY)
    Host.objects.filter(before, pk=host.pk).update(last_seen_at=now)


def diagnose(host: Host, report: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep a host's own diagnostic; what it proves is told to the rental room, which may then deliver it."""
    now = timezone.now()
    with transaction.atomic():
        rungs = [rung_of(value) for value in report[:MOST_RUNGS]]
        for rung in rungs:
            rung.host, rung.reported_at = host, now
        Rung.objects.bulk_create(rungs)
        proved = proofs.keep(host, rungs, now)
        Host.objects.filter(pk=host.pk).update(last_seen_at=now, **({"proved_at": now} if proved else {}))
    return proved


def revoke(host: Host, *, by: User | None = None) -> None:
    """The host is off the fleet: its token and its queue user end, its open runs are lost."""
    now = timezone.now()
    with transaction.atomic():
        Host.objects.filter(pk=host.pk).update(revoked_at=now, token_digest=f"revoked {host.pk} {now.timestamp()}")
        for run in Run.objects.filter(host=host, outcome=""):
            moves.end(moves.locked(run.pk), Run.Outcome.LOST, reason="host_revoked", fault="host", at=now, by=by)
    broker.take(host.name)
