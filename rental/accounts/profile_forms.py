"""Forms of the account page: name, time zone, API token."""

from functools import lru_cache
from typing import Any, ClassVar
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext_lazy as _

from common.models import ApiToken
from rental.accounts.forms import name_field
from rental.models import User

# Names that are old, or no place: a person looks for a city.
ODD = ("Etc/", "SystemV/", "US/", "posix/", "right/")


@lru_cache(maxsize=1)
def zones() -> tuple[tuple[str, str], ...]:
    places = sorted(name for name in available_timezones() if "/" in name and not name.startswith(ODD))
    return (("UTC", "UTC"), *((name, name.replace("_", " ")) for name in places))


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    first_name = name_field(_("First name"), "given-name")
    last_name = name_field(_("Last name"), "family-name")

    class Meta:
        model = User
        fields: ClassVar = ["first_name", "last_name"]


class ZoneForm(forms.ModelForm):  # type: ignore[type-arg]
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=zones,
        help_text=_("Deadlines are in UTC everywhere; the time in your zone is added beside them."),
    )

    class Meta:
        model = User
        fields: ClassVar = ["time_zone"]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("So that you recognise it later, for example the machine that uses it."),
        error_messages={"required": _("Give the token a name.")},
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one right.")},
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        initial="90",
        choices=(("30", _("30 days")), ("90", _("90 days")), ("365", _("365 days"))),
        widget=forms.RadioSelect,
    )

    RIGHTS = (
        ("read", _("Read orders, balance, pilots and runs")),
        ("order", _("Place, pay, cancel and extend orders")),
        ("pilot", _("Upload projects, start runs, review, decide")),
    )
    DESK = ("desk", _("Act at the operators' desk"))

    def __init__(self, *args: Any, owner: User, at_desk: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner
        rights: Any = self.fields["scopes"]
        rights.choices = [*self.RIGHTS, self.DESK] if at_desk else self.RIGHTS

    def issue(self) -> tuple[ApiToken, str]:
        data = self.cleaned_data
        return ApiToken.issue(self.owner, data["name"], data["scopes"], data["days"])
