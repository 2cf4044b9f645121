"""The four rules for a password, each saying what to do in this site's own words."""

from typing import Any

from django.contrib.auth import password_validation as rules
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext


class Worded:
    """A rule of Django's whose refusal is said by `words`."""

    def words(self) -> str:
        raise NotImplementedError

    def validate(self, password: str, user: Any = None) -> None:
        try:
            super().validate(password, user)  # type: ignore[misc]
        except ValidationError as error:
            raise ValidationError(self.words(), code=error.code) from error

    def get_help_text(self) -> str:
        return self.words()


class NotAboutYou(Worded, rules.UserAttributeSimilarityValidator):
    def words(self) -> str:
        return _("This password is too close to your name or your email. Choose one that says nothing about you.")


class LongEnough(Worded, rules.MinimumLengthValidator):
    def words(self) -> str:
        shortest = self.min_length
        return ngettext(
            "This password is too short. Use at least %(shortest)d character.",
            "This password is too short. Use at least %(shortest)d characters.",
            shortest,
        ) % {"shortest": shortest}


class NotCommon(Worded, rules.CommonPasswordValidator):
    def words(self) -> str:
        return _("Many people use this password, so it is tried first. Choose another one.")


class NotOnlyDigits(Worded, rules.NumericPasswordValidator):
    def words(self) -> str:
        return _("This password has digits only. Add letters or other signs.")
