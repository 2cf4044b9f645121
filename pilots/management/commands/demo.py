"""`manage.py demo`: the example catalogue, people, rates and addresses of a trial; never in production."""

import json
import os
import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from billing import ledger, rates, receiving
from common.models import ApiToken
from pilots.models import Host
from rental.accounts.people import make_customer, make_operator
from rental.catalogue import book
from rental.models import User

OPENING_CENTS = 2_500_00
CUSTOMER, OPERATOR = "customer@example.org", "operator@example.org"


class Command(BaseCommand):
    help = "Load the trial's examples (idempotent) and print its sign-ins as one JSON line."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the sign-ins; made once, kept in DATA_DIR")
        parser.add_argument("--host-ready", metavar="HOST", help="exit 0 once this host has proved its card")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION or not settings.DEMO:
            raise CommandError("The demo is for trials only. Unset KERNODECK_MODE=production and set DEMO=on.")
        if options["host_ready"]:
            raise SystemExit(0 if self.is_ready(options["host_ready"]) else 1)
        now = timezone.now()
        book.load_examples()
        receiving.ensure_examples()
        rates.renew_examples(now)
        people = self.people()
        if options["json"]:
            self.stdout.write(json.dumps(people))

    def is_ready(self, name: str) -> bool:
        return Host.objects.filter(name=name, proved_at__isnull=False, revoked_at=None).exists()

    def people(self) -> dict[str, Any]:
        """The demo's customer and operator; their plain words are kept beside the database, for its owner alone."""
        path = Path(settings.DATA_DIR) / "demo-people.json"
        if path.exists():
            known: dict[str, Any] = json.loads(path.read_text())
            return known
        # A start that was cut short may have made them without writing the file: then their words are made again.
        Authenticator.objects.filter(user__email=OPERATOR).delete()
        words = {email: secrets.token_urlsafe(12) for email in (CUSTOMER, OPERATOR)}
        customer = make_customer(CUSTOMER, first_name="Carla", last_name="Customer", password=words[CUSTOMER]).user
        made = make_operator(OPERATOR, first_name="Olga", last_name="Operator", password=words[OPERATOR])
        operator = made.user
        for user in (customer, operator):
            user.set_password(words[user.email])
            user.save(update_fields=["password"])
        ledger.adjust(
            customer, OPENING_CENTS, key="demo-opening-balance", by=operator, reason="opening balance of the demo"
        )
        people = {
            "customer": {
                "email": CUSTOMER,
                "password": words[CUSTOMER],
                "token": self.token(customer, ["read", "order", "pilot"]),
            },
            "operator": {
                "email": OPERATOR,
                "password": words[OPERATOR],
                "token": self.token(operator, ["read", "order", "pilot", "desk"]),
                "totp_secret": made.totp_secret,
            },
        }
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump(people, file, indent=1)
        return people

    def token(self, owner: User, scopes: list[str]) -> str:
        _row, plain = ApiToken.issue(owner, "demo", scopes, days=timedelta(days=365).days)
        return plain
