"""Items of a run: the list by filters, one beside its input, a person's verdict on it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from pilots import guards, items
from pilots.forms import FilterForm, ReviewForm
from pilots.models import Run
from pilots.presenters import itempage
from pilots.presenters.text import visible
from pilots.views.common import attempt, download_bytes, person, sent

LARGEST_INPUT = 64 * 1024 * 1024


def _position(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


@require_GET
@login_required
def index(request: HttpRequest, ref: str) -> HttpResponse:
    run = guards.run_for(request.user, ref)
    form = FilterForm(request.GET)
    after, before = _position(request, "after"), _position(request, "before")
    page = itempage.listing(run, form.chosen(), after=-1 if after is None else after, before=before)
    return render(request, "pilots/items.html", {"run": run, "filter": form, "page": page})


@require_GET
@login_required
def sample(request: HttpRequest, ref: str) -> HttpResponse:
    """Every refusal, the longest, the shortest, disagreements and a random few."""
    run = guards.run_for(request.user, ref)
    rows = itempage.to_rows(run, items.sample(run))
    return render(request, "pilots/sample.html", {"run": run, "rows": rows, "query": "sample=1"})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def item(request: HttpRequest, ref: str, item: str) -> HttpResponse:
    run = guards.run_for(request.user, ref)
    chosen, in_sample = FilterForm(request.GET).chosen(), "sample" in request.GET
    page = itempage.one(run, item, chosen, in_sample=in_sample)
    form = ReviewForm(sent(request), initial=_said(page.found.review))
    if request.method == "POST" and form.is_valid():
        return _reviewed(request, run, page, form)
    return render(request, "pilots/item.html", {"run": run, "page": page, "row": page.row, "form": form})


def _said(review: Any) -> dict[str, str]:
    return {"verdict": review.verdict, "note": review.note} if review else {}


def _reviewed(request: HttpRequest, run: Run, page: itempage.ItemPage, form: ReviewForm) -> HttpResponse:
    """Record the verdict, then go on to the next item of the same filter, or stay."""
    item_id = page.found.declared.item_id
    made = attempt(request, lambda: items.review(run, item_id, by=person(request), **form.cleaned_data))
    goes_on = made is not None and "next" in request.POST
    if made is not None:
        words = {"id": visible(item_id), "verdict": made.get_verdict_display()}
        messages.success(request, _("%(id)s: “%(verdict)s” was written down.") % words)
    if goes_on and page.next is None:
        return redirect(reverse("run_sample" if page.mode == "sample=1" else "run_items", args=[run.ref]))
    address = reverse("run_item", args=[run.ref, page.next if goes_on else item_id])
    return redirect(f"{address}?{page.mode}" if page.mode else address)


@require_GET
@login_required
def input_file(request: HttpRequest, ref: str, item: str) -> StreamingHttpResponse:
    """The input as a file to save: whatever it holds, the browser does not run it."""
    run = guards.run_for(request.user, ref)
    found = items.one(run, item)
    data, _whole = items.content(run, found.declared, LARGEST_INPUT)
    name = found.declared.path.partition("#")[0].rsplit("/", 1)[-1] or "input"
    return download_bytes(data, name, "application/octet-stream")
