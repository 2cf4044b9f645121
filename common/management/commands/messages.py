"""`manage.py messages`: collect what the source says into each language's file; `--compile` makes them readable."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from common import catalogues


class Command(BaseCommand):
    help = "Update locale/*/LC_MESSAGES/django.po from the source and compile them; with --compile, compile only."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own declaration

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--compile", action="store_true", help="compile only, what is not compiled yet")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["compile"]:
            for code in catalogues.LOCALES:
                count, empty = catalogues.update(code)
                self.stdout.write(f"{code}: {count} messages, {empty} without an answer")
        for code in catalogues.compile_all():
            self.stdout.write(f"{code}: compiled")
