"""SQLite's side of what PostgreSQL's triggers (in the models) keep: frozen, append-only, never edited."""

from django.db import migrations

ONLY_SUPERSEDED = {
    "pilots_review": ("run_id", "declared_id", "verdict", "note", "by_id", "at"),
    "pilots_decision": ("pilot_id", "choice", "reason", "evidence_id", "evidence_sha256", "by_id", "at"),
}
APPEND_ONLY = ("pilots_spec", "pilots_declared", "pilots_runevent", "pilots_evidence")


def _refusal(name, when, table, condition=""):
    return (
        f"CREATE TRIGGER {name} BEFORE {when} ON {table} {condition} "
        f"BEGIN SELECT RAISE(ABORT, '{name}: this row is kept as it is'); END"
    )


def statements():
    for table in APPEND_ONLY:
        for act in ("UPDATE", "DELETE"):
            yield _refusal(f"{table}_no_{act.lower()}", act, table)
    for table, columns in ONLY_SUPERSEDED.items():
        yield _refusal(f"{table}_no_delete", "DELETE", table)
        changed = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in columns)
        yield _refusal(f"{table}_never_edited", "UPDATE", table, f"WHEN {changed}")
    yield _refusal(
        "pilots_pilot_frozen", "UPDATE", "pilots_pilot",
        "WHEN OLD.spec_id IS NOT NULL AND (OLD.spec_id IS NOT NEW.spec_id OR OLD.project_id IS NOT NEW.project_id)",
    )
    yield _refusal(
        "pilots_run_outcome_final", "UPDATE", "pilots_run", "WHEN OLD.outcome <> '' AND OLD.outcome <> NEW.outcome"
    )


def make(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for statement in statements():
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("pilots", "0001_initial")]
    operations = [migrations.RunPython(make, migrations.RunPython.noop)]
