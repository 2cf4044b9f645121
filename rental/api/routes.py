"""Renting by API: the same acts as the pages."""

from ninja import Router

router = Router()
