"""The forms of the room: only what a person may choose or write; every act checks again."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pilots.models import Decision, Review

STATUSES = (
    ("", _("all")),
    ("accepted", _("accepted")),
    ("refused", _("refused")),
    ("missing", _("missing")),
)
REVIEWED = (
    ("", _("all")),
    ("none", _("not looked at")),
    ("right", _("right")),
    ("wrong", _("wrong")),
    ("unsure", _("unsure")),
)


class ProjectForm(forms.Form):
    archive = forms.FileField(
        label=_("Project archive"),
        help_text=_("A zip or tar.gz of the whole folder, with config/pilote.json in it."),
        error_messages={"required": _("Choose the archive of your project folder."), "empty": _("The file is empty.")},
    )


class PilotForm(forms.Form):
    """Title and place of a pilot; `places` are (value, words) of the customer's own delivered orders."""

    title = forms.CharField(
        label=_("Title"),
        max_length=120,
        help_text=_("A few words by which you will find it again."),
        error_messages={"required": _("Give the pilot a title.")},
    )
    place = forms.ChoiceField(
        label=_("Where to run"),
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choose the machine it runs on."),
            "invalid_choice": _("Choose a machine of yours."),
        },
    )

    def __init__(self, *args: Any, places: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["place"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 (for the type checker)
        field.choices = places
        field.required = bool(places)
        if len(places) == 1:
            field.initial = places[0][0]


class ObjectiveForm(forms.Form):
    """Which pilot shall measure the peak: one of the customer's own, or a new draft with a title."""

    NEW = "new"

    pilot = forms.ChoiceField(
        label=_("Pilot"),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a pilot."), "invalid_choice": _("Choose a pilot.")},
    )
    title = forms.CharField(
        label=_("Title of the new draft"),
        max_length=120,
        required=False,
        help_text=_("A few words by which you will find it again."),
    )

    def __init__(self, *args: Any, pilots: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["pilot"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 (for the type checker)
        field.choices = [*pilots, (self.NEW, _("A new draft: nothing to rent yet"))]
        field.initial = pilots[0][0] if pilots else self.NEW

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("pilot") == self.NEW and not cleaned.get("title"):
            self.add_error("title", _("Give the pilot a title."))
        return cleaned


class FilterForm(forms.Form):
    """Filters of the item list, all in the address."""

    status = forms.ChoiceField(label=_("Status"), choices=STATUSES, required=False)
    category = forms.CharField(label=_("Category"), max_length=200, required=False)
    reason = forms.CharField(label=_("Reason of refusal"), max_length=300, required=False)
    reviewed = forms.ChoiceField(label=_("Looked at"), choices=REVIEWED, required=False)
    disagreement = forms.BooleanField(label=_("Only where it differs from the expected answer"), required=False)

    def chosen(self) -> dict[str, Any]:
        """The filters given; what cannot be read is left out and the form says so."""
        self.is_valid()
        return {key: value for key, value in self.cleaned_data.items() if value}


class ReviewForm(forms.Form):
    verdict = forms.ChoiceField(
        label=_("Is this result right?"),
        choices=Review.Verdict.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Say whether it is right, wrong, or unsure.")},
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=2000, widget=forms.Textarea(attrs={"rows": 3}))


class DecisionForm(forms.Form):
    choice = forms.ChoiceField(
        label=_("What follows from this pilot"),
        choices=Decision.Choice.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what follows from this pilot.")},
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("A few sentences that somebody else will understand next year."),
        error_messages={"required": _("Give the reason: it is kept with the evidence.")},
    )
    # Which figures were looked at: the try, and what was measured and reviewed of it.
    try_number = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    figures = forms.RegexField(r"\A[0-9a-f]{64}\Z", widget=forms.HiddenInput)


class VerifyForm(forms.Form):
    archive = forms.FileField(
        label=_("Evidence archive"),
        help_text=_("The zip that you downloaded from a run page, as you kept it."),
        error_messages={"required": _("Choose the evidence archive to read again."), "empty": _("The file is empty.")},
    )


class EnrolForm(forms.Form):
    name = forms.RegexField(
        r"\A[a-z][a-z0-9-]{0,39}\Z",
        label=_("Name of the host"),
        help_text=_("Small letters, figures and hyphens. It is shown on pages and in orders."),
        error_messages={"invalid": _("Begin with a small letter; use small letters, figures and hyphens, at most 40.")},
    )
