"""The arithmetic of a late delivery: whole hours, no database, no clock."""

from datetime import datetime, timedelta

HOUR = timedelta(hours=1)


def hours_late(promised_at: datetime, delivered_at: datetime) -> int:
    """Started hours between the promise and the handover; a handover in time, to the instant, is not late."""
    over = delivered_at - promised_at
    return -(-over // HOUR) if over > timedelta(0) else 0


def first_end(delivered_at: datetime, term: timedelta, hours: int) -> datetime:
    """The end of a term that begins at the handover, with the hours that a late one adds."""
    return delivered_at + term + hours * HOUR
