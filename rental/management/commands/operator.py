"""`manage.py operator EMAIL`: an operator of the desk, with the second factor it needs."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email

from rental.accounts.people import make_operator


class Command(BaseCommand):
    help = "Make an account an operator; a new account's password and second factor are printed once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--first-name", default="Operator")
        parser.add_argument("--last-name", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        email = str(options["email"])
        try:
            validate_email(email)
        except ValidationError:
            raise CommandError(f"{email!r} is not an email address. Give one, e.g. ana@example.org.") from None
        made = make_operator(email, first_name=options["first_name"], last_name=options["last_name"])
        self.stdout.write(f"operator: {made.user.email}")
        if made.password:
            self.stdout.write(f"password: {made.password}")
        if made.totp_secret:
            self.stdout.write(f"totp_secret: {made.totp_secret}")
        if not made.password and not made.totp_secret:
            self.stdout.write("This account had its password and second factor before; both are unchanged.")
