"""The house's one signal: money came in."""

from django.dispatch import Signal

# Sent on commit after a customer's balance grew; kwargs: `customer_id`.
balance_credited = Signal()
