"""SQLite's half of the append-only rules of downtimes, wipes, acts and proofs; PostgreSQL's are the models' own triggers."""

from django.db import migrations

TABLES = ("rental_downtime", "rental_wipe", "rental_operatoract", "rental_proofrecord")


def install(apps, schema_editor):
    if schema_editor.connection.vendor != "sqlite":
        return
    for table in TABLES:
        for verb in ("update", "delete"):
            schema_editor.execute(
                f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table}: rows are added, never changed'); END"
            )


class Migration(migrations.Migration):

    dependencies = [("rental", "0005_desk")]

    operations = [migrations.RunPython(install, elidable=False)]
