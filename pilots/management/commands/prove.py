"""`manage.py prove`: ledger and orders add up and every evidence archive is whole; exit 1 on any difference."""

from typing import Any

from django.core.management.base import BaseCommand

from billing.models import Journal
from pilots.tasks import reread_all
from rental.desk import books


class Command(BaseCommand):
    help = "Prove the ledger and the evidence. A line a check, the last one sums up."

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        differences = books.differences()
        self.stdout.write(f"{'ledger':<12} {Journal.objects.count():>9} journals  {len(differences)} differences")
        for difference in differences:
            self.stdout.write(f"  {difference}")
        wrong += len(differences)
        archives = files = 0
        for evidence, found in reread_all():
            archives, files = archives + 1, files + found.files
            if not found.matches:
                wrong += 1
                self.stdout.write(f"  evidence {evidence.sha256} of run {evidence.run.ref}: {found.difference}")
        self.stdout.write(f"{'evidence':<12} {archives:>9} archives  {files} files re-read")
        self.stdout.write("proved" if not wrong else f"{wrong} differences")
        if wrong:
            raise SystemExit(1)
