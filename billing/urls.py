"""The addresses of the billing room."""

from django.urls import path

from billing import views

urlpatterns = [
    path("account/ledger", views.account_ledger, name="ledger"),
    path("account/ledger.csv", views.account_statement, name="ledger_csv"),
]
