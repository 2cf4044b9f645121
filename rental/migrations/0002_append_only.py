"""SQLite's half of the append-only rules; PostgreSQL's are the models' own triggers."""

from django.db import migrations

TABLES = ("rental_price", "rental_stockchange", "rental_ordermove", "rental_accessreveal")


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

    dependencies = [("rental", "0001_initial")]

    operations = [migrations.RunPython(install, elidable=False)]
