"""The tables behind the desk: Django's admin, for operators with their second factor, to read."""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode

from rental.guards import is_operator, second_factor_url


class TablesSite(AdminSite):
    site_header = site_title = "Kernodeck tables"

    def has_permission(self, request: HttpRequest) -> bool:
        return is_operator(request)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The site's own sign-in and second factor; there is no other door."""
        if request.user.is_authenticated:
            if not request.user.is_staff:
                raise Http404
            return HttpResponseRedirect(second_factor_url(request))
        target = urlencode({"next": request.GET.get("next", reverse("admin:index"))})
        return HttpResponseRedirect(f"{reverse('account_login')}?{target}")
