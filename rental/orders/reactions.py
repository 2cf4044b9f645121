"""Money came in: waiting orders that it covers are paid, and the customer is told what arrived."""

from typing import Any

from rental.models import User
from rental.orders import arrivals
from rental.orders.ordering import pay_waiting


def money_came_in(sender: object, customer_id: int, **rest: Any) -> None:
    """Receives `billing.signals.balance_credited`, after the credit is committed."""
    customer = User.objects.get(pk=customer_id)
    pay_waiting(customer)
    arrivals.tell(arrivals.of_customer(customer))
