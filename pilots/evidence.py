"""A run's evidence: a BagIt folder in a zip, signed, and each copy of it read again byte by byte."""

from typing import BinaryIO

from pilots.models import Evidence, Reread, Run
from rental.models import User


def build(run: Run) -> Evidence:
    """Build the archive of an ended run from the site's own copy."""
    raise NotImplementedError


def reread(evidence: Evidence, copy: BinaryIO | None = None, *, by: User | None = None) -> Reread:
    """Read the site's archive, or a copy that was brought back, and record whether every file matches."""
    raise NotImplementedError
