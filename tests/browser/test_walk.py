"""The main job in a browser, whole, in French: account, order, payment, delivery, pilot, evidence, decision."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.api import pack
from tests.browser.house import ROOT, House
from tests.browser.people import confirm_email, press, sign_in
from tests.browser.test_walk_api import change_one_byte, verify

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAME = {"first_name": "Margaux", "last_name": "Lefèvre"}
PASSWORD = "quatre-vingt-douze documents"


@dataclass
class People:
    """Two browsers: the customer's in French, the operator's in English."""

    customer: Page
    operator: Page
    email: str


@pytest.fixture(scope="module")
def people(browser: Browser, house: House) -> People:
    def context(locale: str) -> BrowserContext:
        made = browser.new_context(base_url=house.url, locale=locale, accept_downloads=True)
        made.set_default_timeout(15_000)
        return made

    customer, operator = context("fr-FR").new_page(), context("en-GB").new_page()
    sign_in(operator, house.demo["operator"])
    return People(customer, operator, f"margaux-{time.time_ns()}@example.org")


def cents(text: str) -> int:
    """The cents of a figure in French or English: `4 200,00 USD`, `4,200.00 USD`."""
    figure = re.search(r"-?\d[\d\s\u202f\u00a0.,]*\d", text)
    assert figure, text
    return int(re.sub(r"\D", "", figure.group()))


def code_of(page: Page) -> str:
    found = re.search(r"/orders/([0-9A-Z]{4}-[0-9A-Z]{4})", page.url)
    assert found, page.url
    return found.group(1)


def balance(page: Page) -> int:
    page.goto("/account/")
    return cents(page.locator(".money").first.inner_text())


def choose(page: Page, card: str, days: int, lots: int, preparation: str) -> None:
    page.goto("/rent/")
    page.check(f"[name=card][value={card}]")
    page.check(f"[name=days][value='{days}']")
    page.fill("[name=lots]", str(lots))
    page.check(f"[name=preparation][value={preparation}]")
    press(page, "main .stub button.primary")


def record_receipt(operator: Page, address: str, amount: str, transaction: str) -> None:
    operator.goto("/desk/receipts/new")
    operator.locator("[name=network]").first.wait_for()
    select(operator, "network", "bitcoin")
    select(operator, "asset", "BTC")
    operator.fill("[name=transaction]", transaction)
    operator.fill("[name=address]", address)
    operator.fill("[name=amount]", amount)
    operator.fill("[name=evidence]", "seen in a node of ours")
    operator.check("[name=confirmed]")
    press(operator)
    assert not operator.locator(".errors").count(), operator.locator(".errors").inner_text()


def select(page: Page, name: str, value: str) -> None:
    field = page.locator(f"[name={name}]")
    if field.first.evaluate("element => element.tagName") == "SELECT":
        field.first.select_option(value)
    else:
        page.check(f"[name={name}][value={value}]")


def test_a_newcomer_signs_up_in_the_middle_of_an_order(people: People) -> None:
    page = people.customer
    choose(page, "b200", 7, 2, "pytorch")
    text = page.locator("main").inner_text()
    assert page.locator("html").get_attribute("lang") == "fr"
    assert re.search(r"4\scartes", text), text
    page.locator("main a[href*='signup']").first.click()
    page.wait_for_load_state()
    for name, value in NAME.items():
        page.fill(f"[name={name}]", value)
    page.fill("[name=email]", people.email)
    page.fill("[name=password1]", PASSWORD)
    press(page)
    assert "/rent/check/" in page.url, "the order in the middle of which the account was made is kept"
    main = page.locator("main")
    assert re.search(r"4\scartes", main.inner_text())
    total = cents(page.locator("button.primary").inner_text())
    unit = next(
        cents(row.inner_text().split("\n", 1)[1])
        for row in main.locator(".waybill > div").all()
        if "USD" in row.inner_text() and cents(row.inner_text().split("\n", 1)[1]) * 2 == total
    )
    assert total == unit * 2
    press(page)
    assert page.url.endswith("/pay"), page.url
    here = page.url
    confirm_email(page, people.email)
    page.goto(here)


def test_two_notices_are_one_and_move_nothing(people: People) -> None:
    page = people.customer
    code = code_of(page)
    page.check("[name=network][value=bitcoin]")
    press(page)
    if page.locator("[name=asset]").count():
        page.check("[name=asset][value=BTC]")
        press(page)
    assert page.locator("svg.qr").count() >= 1
    before = balance(page)
    for _ in range(2):
        page.goto(f"/orders/{code}/pay")
        form = page.locator("form[action$='/paid']").first
        with page.expect_navigation():
            form.locator("button").first.click()
    notices = page.locator(".trail li").filter(has_text="J’ai payé")
    assert notices.count() == 1, "one notice, however often it is pressed"
    assert balance(page) == before
    page.goto(f"/orders/{code}")
    assert page.locator(".state .confirmed").count() == 0, "no green before anything was confirmed"


def test_partial_then_whole_receipt_pays_the_order_once(people: People) -> None:
    page, operator = people.customer, people.operator
    page.goto("/orders/")
    page.locator("main a[href*='/orders/']").first.click()
    page.wait_for_load_state()
    code = code_of(page)
    page.goto(f"/orders/{code}/pay")
    address = page.locator(".address").first.inner_text().replace("\n", "").replace(" ", "")
    amount = page.locator(".money").first.inner_text().split()[0].replace("\u00a0", "")
    assert re.fullmatch(r"\d+\.\d+", amount), "an amount to copy is plain in every language"
    record_receipt(operator, address, "0.01", "c" * 64)
    assert balance(page) > 0
    page.goto(f"/orders/{code}/pay")
    rest = page.locator(".money").first.inner_text().split()[0].replace("\u00a0", "")
    assert 0 < float(rest) < float(amount)
    record_receipt(operator, address, rest, "d" * 64)
    page.goto(f"/orders/{code}")
    assert page.locator("main").inner_text().count("payée") >= 1
    page.goto("/account/ledger")
    paid = page.locator("tr").filter(has_text=code).filter(has_text="−")
    assert paid.count() == 1, "paid once"


def test_a_cpu_order_is_paid_from_the_balance_and_delivered_after_proof(people: People, house: House) -> None:
    page, operator = people.customer, people.operator
    operator.goto("/desk/adjust")
    operator.fill("[name=email]", people.email)
    operator.fill("[name=amount]", "50.00")
    operator.fill("[name=reason]", "a gift for the walk")
    press(operator)
    press(operator)
    choose(page, "cpu", 3, 1, "ubuntu")
    page.check("[name=pay_with][value=balance]")
    press(page)
    code = code_of(page)
    if page.url.endswith("/balance"):
        press(page)
    operator.goto(f"/desk/orders/{code}")
    operator.fill("[name=access]", "ssh essai@cette-machine")
    press(operator)
    assert operator.locator(".errors").count() == 1, "no hand-over without a host that showed the card"
    operator.check(f"[name=hosts][value={house.demo['host']}]")
    operator.fill("[name=access]", "ssh essai@cette-machine")
    press(operator)
    assert operator.locator(".errors").count() == 0
    page.goto(f"/orders/{code}")
    assert "ssh essai@cette-machine" not in page.locator("main").inner_text(), "sealed until revealed"
    press(page)
    assert "ssh essai@cette-machine" in page.locator("main").inner_text()


def test_the_documents_pilot_is_run_reviewed_proved_and_decided(people: People, tmp_path: Path) -> None:
    page = people.customer
    archive = tmp_path / "documents.tar.gz"
    archive.write_bytes(pack(ROOT / "examples" / "documents"))
    page.goto("/pilots/new")
    page.set_input_files("[name=archive]", str(archive))
    press(page)
    page.fill("[name=title]", "Courrier des fournisseurs")
    place = page.locator("[name=place]")
    if place.count() and not place.first.is_checked():
        place.first.check()
    press(page)
    assert re.search(r"[0-9a-f]{64}|[0-9a-f]{6}…[0-9a-f]{4}", page.locator("main").inner_text())
    press(page, "main form[action$='/runs'] button, main form[action$='/start'] button")
    assert re.search(r"/runs/[0-9A-Z]{26}", page.url), page.url
    run = page.url.split("/runs/")[1].split("/")[0]

    # The page follows the run by itself until its copy was re-read.
    expect(page.locator(".state svg.confirmed")).to_be_visible(timeout=420_000)
    equation = page.locator(".equation").inner_text()
    assert [int(figure) for figure in re.findall(r"\d+", equation)] == [12, 11, 1, 0]
    page.reload()
    assert page.locator(".tile.accepted").count() == 11
    assert page.locator(".tile.refused").count() == 1

    for item in ("doc-01", "doc-12"):
        page.goto(f"/runs/{run}/items/{item}")
        page.check("[name=verdict][value=right]")
        press(page)
    page.goto(f"/runs/{run}")
    with page.expect_download() as download:
        page.locator("a[href*='evidence']").first.click()
    evidence = tmp_path / "evidence.zip"
    download.value.save_as(evidence)
    assert verify(evidence).returncode == 0
    name = change_one_byte(evidence, tmp_path / "forged.zip")
    answer = verify(tmp_path / "forged.zip")
    assert answer.returncode == 1
    assert name in answer.stdout + answer.stderr

    page.goto(f"/runs/{run}")
    page.locator("a[href*='/decision']").first.click()
    page.wait_for_load_state()
    page.check("[name=choice][value=launch]")
    page.fill("[name=reason]", "Tous les critères sont remplis et le refus est juste.")
    press(page)
    press(page)
    assert "/decisions/" in page.url
    assert "Tous les critères sont remplis" in page.locator("main").inner_text()
