"""What the pages of an order can do, the API can: cancel with the money back, change before payment."""

from typing import Any

import pytest

from billing import ledger
from rental.delivery import handover
from rental.models import Order, User
from rental.orders import ordering
from tests.rental.conftest import Place
from tests.rental.test_api import CHOICE, Caller, ordered

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(catalogue: Any, customer: User) -> Caller:
    return Caller(customer, "read", "order")


def test_a_paid_order_is_cancelled_with_its_price_back(api: Caller, put: Any, customer: User, staff: User) -> None:
    put(customer, 10_000_00)
    code = ordered(api)["code"]
    api("POST", f"/orders/{code}/pay-from-balance")
    for _time in range(2):
        status, body = api("POST", f"/orders/{code}/cancel", {"reason": "later"})
        assert (status, body["state"], body["moves"][-1]["code"]) == (200, "refunded", "cancelled_paid")
    assert ledger.balance_of(customer).cents == 10_000_00
    begun = ordered(api)["code"]
    api("POST", f"/orders/{begun}/pay-from-balance")
    handover.start_preparation(Order.objects.get(code=begun), staff)
    status, problem = api("POST", f"/orders/{begun}/cancel")
    assert (status, problem["code"]) == (409, "wrong_state")
    assert problem["cancellable_from"]


def test_an_unpaid_order_is_changed(api: Caller, place: Place, stranger: User) -> None:
    old = ordered(api)
    status, quote = api("POST", "/quotes", CHOICE | {"lots": 1, "changes": old["code"]})
    assert status == 201
    status, new = api("POST", "/orders", {"quote": quote["id"]})
    assert (status, new["replaces"], new["lots"]) == (201, old["code"], 1)
    assert api("GET", f"/orders/{old['code']}")[1]["state"] == "cancelled"
    assert api("POST", "/quotes", CHOICE | {"changes": old["code"]})[1]["code"] == "wrong_state"
    theirs = place(who=stranger)
    assert api("POST", "/quotes", CHOICE | {"changes": theirs.code})[0] == 404
    assert ordering.cancel(theirs, stranger).state == "cancelled"
