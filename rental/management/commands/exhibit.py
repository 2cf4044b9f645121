"""`manage.py exhibit RUN`: put a real run of the example on the home page."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rental.guide import exhibit


class Command(BaseCommand):
    help = "Record the folder that `kernodeck run examples/documents --output RUN` left as the home page's exhibit."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        if not (options["run"] / "verdict.json").is_file():
            raise CommandError(f"{options['run']} holds no verdict.json. Give the folder of a run that has ended.")
        kept = exhibit.record(options["run"])
        exhibit.RECORD.parent.mkdir(exist_ok=True)
        exhibit.RECORD.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        self.stdout.write(f"{exhibit.RECORD}: {kept['sheet']}")
