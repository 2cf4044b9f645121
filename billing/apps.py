"""The billing app."""

from importlib import import_module

from django.apps import AppConfig


class BillingConfig(AppConfig):
    name = "billing"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        import_module("billing.checks")  # it needs the models, which are ready only now
