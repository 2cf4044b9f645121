"""`manage.py token EMAIL --scope SCOPE`: a bearer token for the API, printed once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from common.models import SCOPES, ApiToken
from rental.models import User


class Command(BaseCommand):
    help = "Issue an API token with the scopes given; only its plain text is printed, and only now."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--scope", action="append", choices=SCOPES, required=True, help="may be given many times")
        parser.add_argument("--days", type=int, default=90, help="days until it expires (1 to 365)")
        parser.add_argument("--name", default="command line")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email__iexact=options["email"], is_active=True).first()
        if user is None:
            raise CommandError(f"No active account has the email {options['email']!r}. Check it, or sign up first.")
        scopes = sorted(set(options["scope"]), key=SCOPES.index)
        if "desk" in scopes and not user.is_staff:
            raise CommandError("Only operators get the scope desk. Run `manage.py operator EMAIL` first.")
        if not 1 <= options["days"] <= 365:
            raise CommandError("--days goes from 1 to 365.")
        _row, plain = ApiToken.issue(user, options["name"], scopes, options["days"])
        self.stdout.write(plain)
