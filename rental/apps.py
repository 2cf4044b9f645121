"""The rental app."""

from django.apps import AppConfig


class RentalConfig(AppConfig):
    name = "rental"
    default_auto_field = "django.db.models.BigAutoField"
