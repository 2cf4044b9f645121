"""Proofs that a person or a timer may ask for: evidence read again from the disk."""

from collections.abc import Iterator

from pilots import evidence
from pilots.models import Evidence, Reread


def reread_all() -> Iterator[tuple[Evidence, Reread]]:
    """Every archive that the site keeps, read again byte by byte."""
    for row in Evidence.objects.select_related("run", "run__pilot").order_by("pk").iterator(200):
        yield row, evidence.reread(row)
