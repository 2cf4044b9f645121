"""Letters: written with the act, once, in the reader's language, and sent until they are gone."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.utils import timezone

from rental import tasks
from rental.letters import emails, outbox
from rental.models import Letter, Order, User
from rental.orders import ordering, terms

Place = Callable[..., Order]
Put = Callable[[User, int], None]


def events() -> list[str]:
    """The outbox in the order it was written, codes left out."""
    return [re.sub(r"[0-9A-Z]{4}-[0-9A-Z]{4}", "CODE", event) for event in
            Letter.objects.order_by("pk").values_list("event", flat=True)]  # fmt: skip


def test_an_orders_life_is_told_step_by_step(deliver: Place, put: Put, customer: User) -> None:
    order = deliver()
    put(customer, order.total_cents)
    order = ordering.extend(order, customer)
    assert order.ends_at is not None
    terms.end_due(order.ends_at)
    assert events() == [
        "order:CODE:placed", "order:CODE:paid", "order:CODE:delivered",
        f"order:CODE:extended:{order.extensions.get().pk}", "order:CODE:ended",
    ]  # fmt: skip
    for letter in Letter.objects.all():
        assert letter.to == customer.email
        assert order.code in letter.subject
        assert letter.text.startswith("Hello Ana,")
        assert letter.html.startswith("<!doctype html>")
        assert "203.0.113.7" not in letter.text + letter.html  # the access is never sent
    paid = Letter.objects.get(event__endswith=":paid")
    assert "not delivered yet" in paid.text
    assert f"http://127.0.0.1:8000/orders/{order.code}" in paid.text


def test_an_unpaid_orders_end_is_told(place: Place, customer: User) -> None:
    cancelled, lapsed = place(), place()
    ordering.cancel(cancelled, customer)
    ordering.lapse_due(lapsed.pay_until)
    assert events()[2:] == ["order:CODE:cancelled", "order:CODE:lapsed"]
    for letter in Letter.objects.order_by("-pk")[:2]:
        assert "Your balance was not charged" in letter.text
        assert "Do not send again" in letter.text


def test_what_was_not_done_is_not_told(place: Place) -> None:
    order = place()
    with transaction.atomic():
        emails.order_paid(order)
        transaction.set_rollback(True)
    assert events() == ["order:CODE:placed"]


def test_the_same_event_is_told_once(place: Place) -> None:
    order = place()
    assert [emails.order_paid(order) for _ in range(3)] == [True, False, False]


def test_text_is_text_and_html_is_escaped(place: Place, customer: User) -> None:
    customer.first_name = "<b>A & B</b>"
    customer.save()
    place(card="h100")
    letter = Letter.objects.get()
    assert "Hello <b>A & B</b>," in letter.text
    assert "Hello &lt;b&gt;A &amp; B&lt;/b&gt;," in letter.html


def test_times_are_utc_with_the_readers_own_beside(place: Place, customer: User) -> None:
    customer.time_zone = "Europe/Paris"
    customer.save()
    place()
    assert re.search(r"Pay until: \d+ \w+ \d{4}, \d\d:\d\d UTC \(.+ Europe/Paris\)", Letter.objects.get().text)


def test_money_is_written_in_the_readers_format(place: Place, customer: User) -> None:
    customer.language = "tr"
    customer.save()
    place(card="b200", days=7, lots=2)
    letter = Letter.objects.get()
    assert letter.language == "tr"
    assert "4.200,00\u00a0USD" in letter.text


@pytest.mark.parametrize(("days", "hours"), [(3, [24, 1]), (7, [72, 24, 1]), (30, [72, 24, 1])])
def test_the_end_is_told_before_it_comes(deliver: Place, days: int, hours: list[int]) -> None:
    order = deliver(days=days)
    assert order.delivered_at is not None
    assert order.ends_at is not None
    Letter.objects.all().delete()
    step, now = timedelta(minutes=30), order.delivered_at
    while now < order.ends_at + timedelta(hours=2):
        terms.remind_due(now)
        now += step
    end = f"{order.ends_at:%Y%m%dT%H%M%S}"
    assert events() == [f"order:CODE:ending:{hour}:{end}" for hour in hours]


def test_after_a_pause_only_the_nearest_reminder_is_written(deliver: Place) -> None:
    order = deliver(days=7)
    assert order.ends_at is not None
    Letter.objects.all().delete()
    assert terms.remind_due(order.ends_at - timedelta(minutes=20)) == 1
    assert events() == [f"order:CODE:ending:1:{order.ends_at:%Y%m%dT%H%M%S}"]


def test_an_extended_term_is_reminded_again(deliver: Place, put: Put, customer: User) -> None:
    order = deliver(days=7)
    assert order.ends_at is not None
    terms.remind_due(order.ends_at - timedelta(hours=20))
    put(customer, order.total_cents)
    order = ordering.extend(order, customer)
    assert order.ends_at is not None
    assert terms.remind_due(order.ends_at - timedelta(hours=20)) == 1


def test_a_late_delivery_is_told_once_and_not_before(place: Place, put: Put, customer: User) -> None:
    order = place()
    put(customer, order.total_cents)
    order = ordering.pay_from_balance(order, customer)
    assert order.promised_at is not None
    assert tasks.write_letters(order.promised_at) == 0
    assert not order.is_overdue(order.promised_at)
    late = order.promised_at + timedelta(seconds=1)
    assert tasks.write_letters(late) == 1
    assert tasks.write_letters(late) == 0
    assert order.is_overdue(late)
    assert list(Order.objects.overdue(late)) == [order]


def test_letters_are_sent_with_text_and_html(place: Place, customer: User) -> None:
    place()
    assert tasks.send_letters(timezone.now()) == 1
    assert tasks.send_letters(timezone.now()) == 0
    (sent,) = mail.outbox
    assert sent.to == [customer.email]
    assert sent.extra_headers["Message-ID"]
    assert sent.alternatives[0].mimetype == "text/html"
    assert Letter.objects.get().sent_at is not None


class Broken(EmailBackend):
    """A mail server that does not answer."""

    def send_messages(self, messages: Any) -> int:
        raise ConnectionRefusedError("no mail server here")


def test_a_letter_that_cannot_be_sent_is_tried_again_and_then_given_up(place: Place, settings: Any) -> None:
    place()
    settings.EMAIL_BACKEND = f"{__name__}.Broken"
    now = timezone.now()
    for attempt, pause in enumerate(outbox.PAUSES, 1):
        assert outbox.send_due(now) == 0
        letter = Letter.objects.get()
        assert (letter.attempts, letter.sent_at) == (attempt, None)
        assert "no mail server here" in letter.last_error
        assert letter.next_attempt_at == now + timedelta(minutes=pause)
        assert outbox.send_due(now + timedelta(minutes=pause) - timedelta(seconds=1)) == 0
        assert Letter.objects.get().attempts == attempt
        now += timedelta(minutes=pause)
    outbox.send_due(now)
    assert Letter.objects.get().next_attempt_at is None


def test_a_mended_mail_server_gets_the_letter(place: Place, settings: Any) -> None:
    place()
    backend, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, f"{__name__}.Broken"
    now = timezone.now()
    outbox.send_due(now)
    settings.EMAIL_BACKEND = backend
    assert outbox.send_due(now + timedelta(minutes=1)) == 1
    assert Letter.objects.get().last_error == ""


def test_a_sweep_that_finds_nothing_new_stays_cheap(
    deliver: Place, place: Place, django_assert_max_num_queries: Any
) -> None:
    order = deliver(days=3)
    assert order.ends_at is not None
    for _ in range(5):
        place(card="cpu")
    soon = order.ends_at - timedelta(hours=2)
    for task in tasks.ALL:
        task(soon)
    with django_assert_max_num_queries(12):
        for task in tasks.ALL:
            task(soon)
