"""What a person enters in the memory worksheet: the fields of one method, each with its symbol in the formulas."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from rental.choosing import worksheet
from rental.choosing.worksheet import Model, Pictures, Scene, Worksheet
from rental.forms import WholeNumber

MODEL: Final = ("parameters", "batch", "sequence", "layers", "hidden", "heads", "kv_heads")
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "inference": (*MODEL[:1], "precision", *MODEL[1:], "attention"),
    "full": (*MODEL[:1], "training", "optimizer", *MODEL[1:], "vocabulary", "attention", "recompute"),
    "lora": (*MODEL[:1], "precision", "rank", *MODEL[1:], "vocabulary", "attention", "recompute"),
    "diffusion": ("parameters", "precision", "batch", "width", "height"),
    "render": ("triangles", "textures", "texture_side", "width", "height"),
}
PRECISIONS: Final = (
    ("fp32", _("32 bits")),
    ("bf16", _("16 bits")),
    ("int8", _("8 bits")),
    ("nf4", _("4 bits")),
)
TRAINING: Final = (
    ("mixed", _("mixed")),
    ("bf16", _("16 bits alone")),
    ("fp32", _("32 bits")),
)
OPTIMIZERS: Final = (
    ("adam", _("Adam")),
    ("adam8", _("Adam, 8 bits")),
    ("momentum", _("SGD with momentum")),
    ("sgd", _("SGD")),
)
ATTENTION: Final = (("fused", _("fused")), ("plain", _("plain")))
RECOMPUTE: Final = (("no", _("no")), ("yes", _("yes")))
# What an empty worksheet shows: a known model of each kind, so that every field says what it means.
EXAMPLES: Final[dict[str, dict[str, str]]] = {
    "inference": {"parameters": "8.03", "batch": "8", "sequence": "8192", "precision": "bf16"},
    "full": {"parameters": "1.24", "layers": "16", "hidden": "2048", "batch": "4", "sequence": "2048"},
    "lora": {"parameters": "8.03", "batch": "2", "sequence": "2048", "rank": "8", "recompute": "yes"},
    "diffusion": {"parameters": "3.5", "batch": "4", "precision": "bf16", "width": "1024", "height": "1024"},
    "render": {"triangles": "5", "textures": "40", "texture_side": "4096", "width": "1920", "height": "1080"},
}
COMMON: Final = {"layers": "32", "hidden": "4096", "heads": "32", "kv_heads": "8", "vocabulary": "128256"}


class Millions(forms.CharField):
    """A count in plain digits with at most three decimals, in units of a billion or a million."""

    def __init__(self, *, unit: int, **options: Any) -> None:
        super().__init__(max_length=12, error_messages={"required": options.pop("wrong")}, **options)
        self.unit = unit

    def clean(self, value: Any) -> int:  # type: ignore[override]
        text = super().clean(value).replace(",", ".")
        if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", text) or Decimal(text) == 0:
            raise forms.ValidationError(self.error_messages["required"], code="invalid")
        return int(Decimal(text) * self.unit)


def _whole(label: Any, least: int, most: int, wrong: Any) -> WholeNumber:
    return WholeNumber(label=label, least=least, most=most, wrong=wrong)


def _choice(label: Any, choices: Any, hint: Any = "") -> forms.ChoiceField:
    return forms.ChoiceField(
        label=label,
        choices=choices,
        help_text=hint,
        error_messages={"required": _("Choose one."), "invalid_choice": _("Choose one.")},
    )


_COUNT = _("Enter a whole number from 1 to 1,000,000.")
_PIXELS = _("Enter whole pixels from 1 to 65,536.")
MAKE: Final[dict[str, Callable[[], forms.Field]]] = {
    "parameters": lambda: Millions(
        label=_("Parameters N, in billions"), unit=10**9, wrong=_("Enter billions of parameters, for example 8.03.")
    ),
    "precision": lambda: _choice(_("Weights are kept in"), PRECISIONS),
    "training": lambda: _choice(_("Precision of the training"), TRAINING, _("Mixed: 16 bits with a copy in 32.")),
    "optimizer": lambda: _choice(_("Optimizer"), OPTIMIZERS),
    "batch": lambda: _whole(_("Batch b, at once on one card"), 1, 1_000_000, _COUNT),
    "sequence": lambda: _whole(
        _("Sequence s, tokens of the longest"), 1, 100_000_000, _("Enter a whole number of tokens, 1 or more.")
    ),
    "layers": lambda: _whole(_("Layers L"), 1, 1_000_000, _COUNT),
    "hidden": lambda: _whole(_("Hidden size h"), 1, 1_000_000, _COUNT),
    "heads": lambda: _whole(_("Attention heads a"), 1, 1_000_000, _COUNT),
    "kv_heads": lambda: _whole(_("Key-value heads k"), 1, 1_000_000, _COUNT),
    "vocabulary": lambda: _whole(_("Vocabulary V"), 1, 100_000_000, _("Enter a whole number of tokens, 1 or more.")),
    "rank": lambda: _whole(_("Rank r of the adapters"), 1, 1_000_000, _COUNT),
    "attention": lambda: _choice(
        _("Attention"), ATTENTION, _("Fused, as FlashAttention and SDPA are, keeps no scores.")
    ),
    "recompute": lambda: _choice(_("Recomputes activations"), RECOMPUTE, _("Also called gradient checkpointing.")),
    "width": lambda: _whole(_("Width W in pixels"), 1, 65_536, _PIXELS),
    "height": lambda: _whole(_("Height H in pixels"), 1, 65_536, _PIXELS),
    "triangles": lambda: Millions(
        label=_("Triangles T, in millions"), unit=10**6, wrong=_("Enter millions of triangles, for example 5.")
    ),
    "textures": lambda: _whole(_("Textures n"), 0, 1_000_000, _("Enter a whole number, 0 for none.")),
    "texture_side": lambda: _whole(_("Side p of a texture in pixels"), 1, 65_536, _PIXELS),
}


class MemoryForm(forms.Form):
    """The fields of one method. A first look shows an example; what was sent is what counts."""

    def __init__(self, method: str, data: Mapping[str, Any]) -> None:
        names = FIELDS[method]
        self.sent = any(name in data for name in names)
        super().__init__({name: data.get(name, "") for name in names} if self.sent else None)
        self.method = method
        self.fields = {name: MAKE[name]() for name in names}
        self.initial = COMMON | {"attention": "fused"} | EXAMPLES[method]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("kv_heads", 0) > cleaned.get("heads", 10**9):
            self.add_error("kv_heads", _("There are never more key-value heads than attention heads."))
        if cleaned.get("heads", 0) > cleaned.get("hidden", 10**9):
            self.add_error("heads", _("There are never more heads than the hidden size holds."))
        return cleaned

    @property
    def worksheet(self) -> Worksheet:
        """What was entered as a worksheet; the form is valid."""
        return sheet_of(self.method, self.cleaned_data)


def sheet_of(method: str, of: dict[str, Any]) -> Worksheet:
    if method == "diffusion":
        return worksheet.diffusion(Pictures(of["parameters"], of["batch"], of["width"], of["height"]), of["precision"])
    if method == "render":
        return worksheet.render(Scene(*(of[name] for name in FIELDS["render"])))
    model = Model(*(of[name] for name in MODEL), **({"vocabulary": of["vocabulary"]} if "vocabulary" in of else {}))
    fused = of["attention"] == "fused"
    if method == "inference":
        return worksheet.inference(model, of["precision"], fused=fused)
    again = of["recompute"] == "yes"
    if method == "full":
        return worksheet.full(model, of["training"], of["optimizer"], recomputes=again, fused=fused)
    return worksheet.lora(model, of["precision"], of["rank"], recomputes=again, fused=fused)
