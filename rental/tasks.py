"""What time brings: each task calls one act; `manage.py sweep` calls them in turn."""

from datetime import datetime

from rental.desk import books
from rental.letters import emails, outbox
from rental.models import Order, User
from rental.orders import arrivals, ordering, terms, waiting


def pay_arrived(now: datetime) -> int:
    """Pay orders whose money was credited while nobody listened (a process ended between credit and payment)."""
    customers: dict[int, User] = {order.customer_id: order.customer for order in arrivals.waiting_orders()}
    return sum(len(ordering.pay_waiting(customer)) for customer in customers.values())


def lapse_orders(now: datetime) -> int:
    return ordering.lapse_due(now)


def end_terms(now: datetime) -> int:
    return terms.end_due(now)


def offer_waiting(now: datetime) -> int:
    return waiting.offer_due(now)


def write_letters(now: datetime) -> int:
    """Letters that no act writes: ends that come near, deliveries that are late, receipts."""
    late = sum(emails.order_overdue(order) for order in Order.objects.overdue(now).select_related("card", "customer"))
    return terms.remind_due(now) + late + arrivals.tell(arrivals.of_late(now))


def send_letters(now: datetime) -> int:
    return outbox.send_due(now)


def prove_books(now: datetime) -> int:
    return books.prove_due(now)


# In this order: money first, then what a deadline takes, then what is said of it; the slow look last.
ALL = (pay_arrived, lapse_orders, end_terms, offer_waiting, write_letters, send_letters, prove_books)
