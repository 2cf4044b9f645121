"""The only doors to a customer's rows of this room: a stranger gets 404."""

from django.db import models
from django.http import Http404

from billing.models import PaymentRequest


def request_for(user: models.Model, request_id: str) -> PaymentRequest:
    """The customer's own payment request, or Http404."""
    found = (
        PaymentRequest.objects.select_related("address", "rate", "customer")
        .filter(customer_id=user.pk, pk=request_id)
        .first()
    )
    if found is None:
        raise Http404
    return found
