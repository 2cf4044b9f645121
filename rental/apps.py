"""The rental app."""

from django.apps import AppConfig


class RentalConfig(AppConfig):
    name = "rental"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models are ready only now.
        from billing.signals import balance_credited
        from rental.reactions import money_came_in

        balance_credited.connect(money_came_in, dispatch_uid="rental.money_came_in")
