"""A run's evidence: a BagIt folder in a zip, signed, and each copy of it read again byte by byte."""

from pilots.evidence.building import Prepared, build, due, prepare
from pilots.evidence.keys import public_pem
from pilots.evidence.reading import Found, read, reread

__all__ = ["Found", "Prepared", "build", "due", "prepare", "public_pem", "read", "reread"]
