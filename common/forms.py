"""What pages' forms share: a refused act shown at its field."""

from django import forms

from common.refusals import Refusal


def show_refusal(form: forms.BaseForm, refusal: Refusal) -> None:
    """Put a refusal's sentence where it belongs, so that nothing typed is lost."""
    field = refusal.field if refusal.field in form.fields else None
    form.add_error(field, str(refusal.sentence))
