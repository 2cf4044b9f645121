"""The only doors to a customer's rows of this room: a stranger gets 404."""

from typing import Any

from django.db import models
from django.http import Http404, HttpRequest

from billing.models import PaymentRequest


def person(request: HttpRequest) -> Any:
    """The signed-in person behind a request that passed `login_required` or a bearer token."""
    if not request.user.is_authenticated:
        raise Http404
    return request.user


def request_for(user: models.Model, request_id: str) -> PaymentRequest:
    """The customer's own payment request, or Http404."""
    mine = PaymentRequest.objects.filter(customer_id=user.pk, pk=request_id)
    found = mine.select_related("address", "rate", "customer").first()
    if found is None:
        raise Http404
    return found
