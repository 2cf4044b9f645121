"""`manage.py enrolment NAME`: a one-time word that lets one machine become the host NAME, printed once."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from pilots import fleet


class Command(BaseCommand):
    help = "Print a one-time enrolment word for a host."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="lower-case letters, figures and hyphens")
        parser.add_argument("--days", type=int, default=7, help="days until the word expires")
        parser.add_argument("--plain", action="store_true", help="the word alone, for scripts")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            word = fleet.invite(options["name"], days=options["days"])
        except ValidationError:
            raise CommandError(
                "A host's name has lower-case letters, figures and hyphens, and begins with a letter."
            ) from None
        if options["plain"]:
            self.stdout.write(word)
            return
        self.stdout.write(f"Valid once, for {options['days']} days. On the machine:")
        self.stdout.write(f"  kernodeck host enrol --url {settings.SITE_URL} --token-stdin   (then paste the word)")
        self.stdout.write(word)
