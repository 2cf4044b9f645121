"""A customer's ledger, as a page and as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from billing import ledger, statements
from billing.guards import person
from common.api.cursor import page
from common.refusals import Refusal


@require_safe
@login_required
def account_ledger(request: HttpRequest) -> HttpResponse:
    """The lines of one's own balance, newest first, fifty a page."""
    customer, after = person(request), request.GET.get("after", "")
    try:
        rows, older = page(statements.postings_of(customer), after)
    except Refusal:
        raise Http404 from None
    context = {
        "balance": ledger.balance_of(customer),
        "terms": statements.terms_of(customer),
        "entries": [statements.entry(row, customer) for row in rows],
        "older": older,
        "after": after,
        "now": timezone.now(),
    }
    return render(request, "billing/ledger.html", context)


@require_safe
@login_required
def account_statement(request: HttpRequest) -> StreamingHttpResponse:
    """The whole ledger as CSV."""
    name = f"kernodeck-ledger-{timezone.now():%Y-%m-%d}.csv"
    lines = statements.csv_lines(person(request))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)
