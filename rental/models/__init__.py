"""The tables of the rental room."""

from rental.models.user import User

__all__ = ["User"]
