"""The rental app, and the admin site that it keeps behind the desk."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class TablesConfig(admin_apps.AdminConfig):
    default = False
    default_site = "rental.admin_site.TablesSite"


class RentalConfig(AppConfig):
    default = True
    name = "rental"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models are ready only now.
        from billing.signals import balance_credited
        from rental.orders.reactions import money_came_in

        balance_credited.connect(money_came_in, dispatch_uid="rental.money_came_in")
