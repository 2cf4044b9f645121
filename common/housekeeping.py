"""What may be forgotten after a while; the sweep calls it."""

from datetime import datetime, timedelta

from common.models import IdempotentAnswer

KEEP_ANSWERS = timedelta(days=7)


def forget(now: datetime) -> int:
    """Drop answers kept for repeated requests once nobody repeats them any more; how many went."""
    gone, _by_model = IdempotentAnswer.objects.filter(created_at__lt=now - KEEP_ANSWERS).delete()
    return gone
