"""The rental room's tables in the admin: to look at, never to write. The acts of the desk write."""

from typing import ClassVar

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from rental.models import (
    Access,
    AccessReveal,
    Card,
    CardProof,
    Extension,
    Letter,
    Order,
    OrderHost,
    OrderMove,
    PreparationProof,
    Price,
    Quote,
    StockChange,
    User,
)


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """A table that operators read."""

    show_full_result_count = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(ReadOnly):
    list_display = ("email", "first_name", "last_name", "language", "is_staff", "is_active", "date_joined")
    list_filter = ("is_staff", "is_active", "language")
    search_fields = ("email", "first_name", "last_name")
    exclude = ("password", "groups", "user_permissions")


@admin.register(Card)
class CardAdmin(ReadOnly):
    list_display = ("slug", "name", "vendor", "backend", "memory_gb", "cards_per_lot", "lots", "on_sale")


@admin.register(Price)
class PriceAdmin(ReadOnly):
    list_display = ("card", "days", "cents", "valid_from", "example", "set_by")
    list_filter = ("card", "days", "example")
    list_select_related: ClassVar = ("card", "set_by")


@admin.register(StockChange)
class StockChangeAdmin(ReadOnly):
    list_display = ("card", "old", "new", "by", "at", "reason")
    list_select_related: ClassVar = ("card", "by")


@admin.register(Quote)
class QuoteAdmin(ReadOnly):
    list_display = ("id", "customer", "card", "days", "lots", "total_cents", "created_at", "expires_at", "released_at")
    list_filter = ("card", "days")
    list_select_related: ClassVar = ("card", "customer")


@admin.register(Order)
class OrderAdmin(ReadOnly):
    list_display = ("code", "customer", "state", "card", "days", "lots", "total_cents", "placed_at", "ends_at")
    list_filter = ("state", "card", "days")
    search_fields = ("code", "customer__email")
    list_select_related: ClassVar = ("card", "customer")


@admin.register(OrderMove)
class OrderMoveAdmin(ReadOnly):
    list_display = ("order", "old", "new", "code", "actor", "at", "note")
    list_filter = ("code",)
    search_fields = ("order__code",)
    list_select_related: ClassVar = ("order", "actor")


@admin.register(Extension)
class ExtensionAdmin(ReadOnly):
    list_display = ("order", "days", "cents", "old_ends_at", "new_ends_at", "by", "at")
    list_select_related: ClassVar = ("order", "by")


@admin.register(PreparationProof)
class PreparationProofAdmin(ReadOnly):
    list_display = ("card", "preparation", "run_ref", "order", "proved_at")


@admin.register(CardProof)
class CardProofAdmin(ReadOnly):
    list_display = ("host_ref", "card", "backend", "model", "count", "memory_gb", "proved_at")
    search_fields = ("host_ref", "model")
    list_select_related: ClassVar = ("card",)


@admin.register(OrderHost)
class OrderHostAdmin(ReadOnly):
    list_display = ("order", "host_ref", "exclusive", "attached_at", "released_at")
    list_select_related: ClassVar = ("order",)


@admin.register(Access)
class AccessAdmin(ReadOnly):
    """Times only: the sealed bytes are nobody's to look at."""

    list_display = ("order", "created_at", "revoked_at")
    exclude = ("sealed",)
    list_select_related: ClassVar = ("order",)


@admin.register(AccessReveal)
class AccessRevealAdmin(ReadOnly):
    list_display = ("access", "by", "at")
    list_select_related: ClassVar = ("access__order", "by")


@admin.register(Letter)
class LetterAdmin(ReadOnly):
    list_display = ("event", "to", "language", "created_at", "sent_at", "attempts", "last_error")
    list_filter = ("language",)
    search_fields = ("event", "to")
