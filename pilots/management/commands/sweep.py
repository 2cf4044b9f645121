"""`manage.py sweep`: verifies what ended, renews evidence, ends terms, sends letters; ends on TERM or Ctrl-C."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from pilots.loops import run_until_stopped
from pilots.sweeping import Sweep


class Command(BaseCommand):
    help = "What time brings, each part on its own."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="every part once, then end; exit 1 when one failed")
        parser.add_argument("--every", type=float, default=1.0, help="seconds between turns")

    def handle(self, *args: Any, **options: Any) -> None:
        sweep = Sweep()
        if not options["once"]:
            run_until_stopped(sweep.turn, options["every"])
            return
        did = sweep.turn()
        for name, count in did.items():
            self.stdout.write(f"{name:<28} {'failed' if count < 0 else count}")
        if min(did.values()) < 0:
            raise SystemExit(1)
