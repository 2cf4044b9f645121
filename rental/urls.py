"""Every address of the site, by room."""

from django.contrib import admin
from django.urls import include, path

from rental.api import api
from rental.views import account

urlpatterns = [
    path("", include("rental.views.urls")),
    path("", include("billing.urls")),
    path("", include("pilots.urls")),
    # Before allauth's own: an operator keeps a second factor.
    path("accounts/2fa/webauthn/keys/<int:pk>/remove/", account.remove_passkey),
    path("accounts/", include("allauth.urls")),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
]
handler400 = "common.views.bad_request"
handler403 = "common.views.forbidden"
handler404 = "common.views.not_found"
handler500 = "common.views.server_error"
handler429 = "common.views.too_many"
