"""`manage.py prepare`: database, cache table, messages and static files, each only when something changed."""

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


class Command(BaseCommand):
    help = "Bring the database, the message catalogues and the static files up to date."
    requires_system_checks: list[str] = []  # noqa: RUF012 (Django's own declaration)

    def handle(self, *args: Any, **options: Any) -> None:
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", interactive=False, verbosity=0)
            call_command("createcachetable", verbosity=0)
        call_command("messages", compile=True)
        self.collect_static()

    def collect_static(self) -> None:
        """Collect when a file's name, size or time changed; the stamp lies beside the collected files."""
        digest = hashlib.sha256()
        for finder in finders.get_finders():
            for path, storage in finder.list([]):
                stat = Path(storage.path(path)).stat()
                digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
        stamp = settings.STATIC_ROOT / ".collected"
        if stamp.is_file() and stamp.read_text() == digest.hexdigest():
            return
        call_command("collectstatic", interactive=False, verbosity=0)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest.hexdigest())
