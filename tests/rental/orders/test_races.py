"""Many at once, with real threads and connections: one order, one last lot, one charge, one host, one letter."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from billing import ledger, payments, rates, receiving
from common.refusals import Refusal
from rental.catalogue.book import load_examples, stock
from rental.delivery import handover
from rental.desk import books
from rental.letters import outbox
from rental.models import Card, Letter, Order, OrderHost, OrderMove, Quote, User
from rental.orders import ordering
from tests.rental.conftest import person, show

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def cards(transactional_db: None) -> None:
    load_examples()


def at_once(count: int, act: Callable[[int], Any]) -> Counter[str]:
    """Run `act` in threads that start together; how often each answer (or refusal's code) came."""
    gate, answers = threading.Barrier(count), []

    def run(number: int) -> None:
        gate.wait()
        try:
            answers.append(str(act(number)))
        except Refusal as error:
            answers.append(error.code)
        except Exception as error:
            answers.append(repr(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Counter(answers)


def quoted(user: User | None, card: str = "h100", lots: int = 1) -> Quote:
    return ordering.quote(user, card=card, days=3, lots=lots, preparation="ubuntu")


def funded(user: User, cents: int) -> None:
    ledger.adjust(user, cents, key=f"fund:{user.pk}:{cents}", by=person("boss@example.org"), reason="for a test")


def test_twenty_identical_posts_give_one_order() -> None:
    user = person("a@example.org")
    quote = quoted(user)
    answers = at_once(20, lambda _n: ordering.place(user, quote.pk, form_id="one-form").code)
    assert len(answers) == 1, answers
    assert Order.objects.count() == OrderMove.objects.count() == Letter.objects.count() == 1


def test_one_form_over_many_quotes_gives_one_order() -> None:
    user = person("a@example.org")
    quotes = [quoted(user) for _ in range(8)]
    answers = at_once(8, lambda n: ordering.place(user, quotes[n].pk, form_id="one-form").code)
    assert len(answers) == 1, answers
    assert Order.objects.count() == 1


def test_forty_people_want_the_last_lot() -> None:
    Card.objects.filter(slug="h100").update(lots=1)
    users = [person(f"u{n}@example.org") for n in range(40)]
    answers = at_once(40, lambda n: quoted(users[n]).lots)
    assert answers == {"1": 1, "no_stock": 39}, answers
    assert stock.free_lots(Card.objects.get(slug="h100"), timezone.now()) == 0


def test_stock_of_seven_is_sold_seven_times() -> None:
    Card.objects.filter(slug="b200").update(lots=7)
    users = [person(f"u{n}@example.org") for n in range(40)]
    answers = at_once(40, lambda n: ordering.place(users[n], quoted(users[n], "b200").pk).state)
    assert answers == {"placed": 7, "no_stock": 33}, answers
    assert Order.objects.count() == 7


def test_an_anonymous_quote_is_claimed_by_one() -> None:
    quote = quoted(None)
    users = [person(f"u{n}@example.org") for n in range(10)]
    answers = at_once(10, lambda n: ordering.place(users[n], quote.pk).state)
    assert answers == {"placed": 1, "quote_not_found": 9}, answers


def test_forty_payments_from_a_balance_for_one() -> None:
    user = person("a@example.org")
    orders = [ordering.place(user, quoted(user, "cpu").pk) for _ in range(4)]
    funded(user, orders[0].total_cents)
    answers = at_once(40, lambda n: ordering.pay_from_balance(orders[n % 4], user).state)
    assert set(answers) == {"paid", "insufficient_balance"}, answers
    assert Order.objects.filter(state="paid").count() == 1
    assert ledger.balance_of(user).cents == 0


def test_paying_and_cancelling_at_once_end_in_one_of_both() -> None:
    user = person("a@example.org")
    order = ordering.place(user, quoted(user, "cpu").pk)
    funded(user, order.total_cents)

    def act(number: int) -> str:
        done = ordering.cancel(order, user) if number % 2 else ordering.pay_from_balance(order, user)
        return str(done.state)

    answers = at_once(12, act)
    order.refresh_from_db()
    # Once cancelled it stays so; one that was paid first is refunded whole by the next who cancels.
    assert set(answers) <= {"paid", str(order.state), "wrong_state"}, answers
    assert order.state in ("cancelled", "refunded")
    assert ledger.balance_of(user).cents == order.total_cents
    assert order.moves.count() == (2 if order.state == "cancelled" else 3)
    assert books.differences() == []


@pytest.mark.parametrize("act_of_desk", ["prepare", "hand over"])
def test_cancelling_and_the_desks_act_at_once_end_in_one_of_both(act_of_desk: str) -> None:
    user, boss = person("a@example.org"), person("boss@example.org")
    order = ordering.place(user, quoted(user, "h100").pk)
    funded(user, order.total_cents)
    ordering.pay_from_balance(order, user)
    show("host-1", order.card, 1)

    def act(number: int) -> str:
        if number % 2:
            return str(ordering.cancel(order, user).state)
        if act_of_desk == "prepare":
            return str(handover.start_preparation(order, boss).state)
        return str(handover.hand_over(order, hosts=["host-1"], access="x", by=boss).state)

    answers = at_once(12, act)
    order.refresh_from_db()
    assert set(answers) == {str(order.state), "wrong_state"}, answers
    assert ledger.balance_of(user).cents == (order.total_cents if order.state == "refunded" else 0)
    assert OrderHost.objects.count() == (order.state == "delivered")
    assert books.differences() == []


def test_money_arriving_and_a_payment_at_once_pay_once() -> None:
    rates.renew_examples(timezone.now())
    receiving.ensure_examples()
    user, boss = person("a@example.org"), person("boss@example.org")
    order = ordering.place(user, quoted(user, "cpu").pk)
    funded(user, order.total_cents)
    request = ordering.ask_payment(order, network="bitcoin", asset="BTC")

    def act(number: int) -> str:
        if number % 2:
            return str(ordering.pay_from_balance(order, user).state)
        receipt = payments.record_receipt(
            network="bitcoin",
            transaction=f"{number:064x}",
            output=0,
            address=request.address.address,
            amount=request.due_units,
            evidence="a block explorer",
            confirmed=True,
            by=boss,
        )
        return str(receipt.state)

    answers = at_once(16, act)
    assert answers == {"paid": 8, "confirmed": 8}, answers
    assert order.moves.count() == 2
    assert ledger.balance_of(user).cents == order.total_cents * 8


def test_one_host_is_handed_over_once() -> None:
    user, boss = person("a@example.org"), person("boss@example.org")
    orders = [ordering.place(user, quoted(user, "h100").pk) for _ in range(6)]
    funded(user, sum(order.total_cents for order in orders))
    for order in orders:
        ordering.pay_from_balance(order, user)
    show("host-1", orders[0].card, 1)
    answers = at_once(6, lambda n: handover.hand_over(orders[n], hosts=["host-1"], access="x", by=boss).state)
    assert answers == {"delivered": 1, "cards_not_proved": 5}, answers
    assert OrderHost.objects.count() == 1


def test_one_extension_however_often_it_is_pressed() -> None:
    user, boss = person("a@example.org"), person("boss@example.org")
    order = ordering.place(user, quoted(user, "h100").pk)
    funded(user, order.total_cents * 5)
    ordering.pay_from_balance(order, user)
    show("host-1", order.card, 1)
    order = handover.hand_over(order, hosts=["host-1"], access="x", by=boss)
    end = order.ends_at
    answers = at_once(12, lambda _n: ordering.extend(order, user, seen_ends_at=end).ends_at)
    assert len(answers) == 1, answers
    assert order.extensions.count() == 1
    assert ledger.balance_of(user).cents == order.total_cents * 3


def test_eight_senders_send_each_letter_once(mailoutbox: list[Any]) -> None:
    for number in range(20):
        outbox.write(event=f"e{number}", to="a@example.org", language="en", subject=f"s{number}", text="t", html="")
    now = timezone.now()
    at_once(8, lambda _n: outbox.send_due(now))
    assert sorted(mail.subject for mail in mailoutbox) == sorted(f"s{number}" for number in range(20))
    assert Letter.objects.filter(sent_at=None).count() == 0
