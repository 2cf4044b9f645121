"""`manage.py dispatch`: offers queued runs to their hosts, gives up silent ones; ends on TERM or Ctrl-C."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from pilots.loops import run_until_stopped
from pilots.runs.offering import dispatch_due


class Command(BaseCommand):
    help = "The dispatcher. Any number of them may run at once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one turn, then end")
        parser.add_argument("--every", type=float, default=0.25, help="seconds between turns")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(f"{dispatch_due(timezone.now())} offered")
        else:
            run_until_stopped(lambda: dispatch_due(timezone.now()), options["every"])
