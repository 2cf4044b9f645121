"""What a method holds in a card's memory, part by part: formulas with their source, a range instead of a number.

Bytes are whole numbers, a GB is 10⁹ of them. Nothing here knows Django, the clock or a card that was measured.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Final

GB: Final = 10**9
GIB: Final = 2**30

METHODS: Final = ("inference", "full", "lora", "diffusion", "render")
# Bytes a parameter, least and most. Quantized models keep scales, and often embeddings in 16 bits.
WEIGHTS: Final = {
    "fp32": (Fraction(4), Fraction(4)),
    "bf16": (Fraction(2), Fraction(2)),
    "int8": (Fraction(1), Fraction(115, 100)),
    "nf4": (Fraction(1, 2), Fraction(3, 4)),
}
# Full training, bytes a parameter: weights, gradients; then each optimizer's own states.
TRAINED: Final = {
    "fp32": ((4, 4), (4, 4)),
    "mixed": ((2, 2), (2, 4)),
    "bf16": ((2, 2), (2, 2)),
}
STATES: Final = {
    # A copy of the weights in 32 bits belongs to the optimizer in mixed precision, as ZeRO counts it.
    "adam": {"fp32": (8, 8), "mixed": (12, 12), "bf16": (4, 8)},
    "adam8": {"fp32": (2, 2), "mixed": (6, 6), "bf16": (2, 2)},
    "momentum": {"fp32": (4, 4), "mixed": (8, 8), "bf16": (2, 4)},
    "sgd": {"fp32": (0, 0), "mixed": (4, 4), "bf16": (0, 0)},
}
# Bytes a token and hidden unit that one layer keeps for its way back, in 16 bits; 34 is the published layer.
LAYER: Final = (24, 46)
# A context, its libraries and kernels; and what the allocator reserves beyond what tensors hold.
CONTEXT: Final = (3 * GB // 10, 2 * GIB)
FRAGMENTS: Final = 10  # one part in ten, at most

SOURCES: Final = {
    "zero": ("Rajbhandari et al., ZeRO (2019), section 3.1", "https://arxiv.org/abs/1910.02054"),
    "anatomy": (
        "Hugging Face Transformers, GPU memory usage",
        "https://huggingface.co/docs/transformers/model_memory_anatomy",
    ),
    "activations": ("Korthikanti et al., Reducing Activation Recomputation (2022)", "https://arxiv.org/abs/2205.05198"),
    "paged": ("Kwon et al., PagedAttention (2023)", "https://arxiv.org/abs/2309.06180"),
    "gqa": ("Ainslie et al., Grouped-query attention (2023)", "https://arxiv.org/abs/2305.13245"),
    "lora": ("Hu et al., LoRA (2021)", "https://arxiv.org/abs/2106.09685"),
    "qlora": ("Dettmers et al., QLoRA (2023)", "https://arxiv.org/abs/2305.14314"),
    "adam8": ("Dettmers et al., 8-bit Optimizers (2021)", "https://arxiv.org/abs/2110.02861"),
    "sdxl": ("Hugging Face, Simple SDXL optimizations", "https://huggingface.co/blog/simple_sdxl_optimizations"),
    "blender": (
        "Blender manual, GPU rendering",
        "https://docs.blender.org/manual/en/latest/render/cycles/gpu_rendering.html",
    ),
    "context": ("VRAM Estimator: 300 MiB to 2 GiB at first use of CUDA", "https://vram.asmirnov.xyz"),
    "ours": ("", ""),  # our own assumption: no published figure that we know
}


class Unusable(ValueError):
    """An input that no formula can take: which one, and by which rule."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field, self.rule = field, rule


@dataclass(frozen=True)
class Part:
    """One line of the worksheet in bytes; `why` says what opens the range, as a code."""

    code: str
    low: int
    high: int
    formula: str
    source: str
    why: str = ""


@dataclass(frozen=True)
class Worksheet:
    method: str
    parts: tuple[Part, ...]
    unknown: tuple[str, ...]

    @property
    def low(self) -> int:
        return sum(part.low for part in self.parts)

    @property
    def high(self) -> int:
        return sum(part.high for part in self.parts)

    def part(self, code: str) -> Part:
        return next(part for part in self.parts if part.code == code)


@dataclass(frozen=True)
class Model:
    """A transformer as its configuration file names it."""

    parameters: int  # N
    batch: int  # b, sequences at once
    sequence: int  # s, tokens of the longest one
    layers: int  # L
    hidden: int  # h
    heads: int  # a
    kv_heads: int  # k, equal to `heads` without grouped queries
    vocabulary: int = 32_000  # V


@dataclass(frozen=True)
class Pictures:
    parameters: int
    batch: int
    width: int
    height: int


@dataclass(frozen=True)
class Scene:
    triangles: int
    textures: int
    texture_side: int
    width: int
    height: int


def inference(model: Model, precision: str, *, fused: bool = True) -> Worksheet:
    """A language model that answers: its weights, and keys and values of every token it has in view."""
    _check(model)
    wide = 4 if precision == "fp32" else 2
    m, tokens = model, model.sequence * model.batch
    head = -(-m.hidden // m.heads)
    cache = 2 * m.layers * m.kv_heads * head * tokens * wide
    passing = 2 * tokens * m.hidden * wide
    scores = 0 if fused else m.heads * m.sequence * tokens * wide
    return _sum(
        "inference",
        [
            _weights(m.parameters, precision),
            Part("cache", cache, _up(cache, 104, 100), f"2·L·k·(h÷a)·s·b·{wide}", "gqa", "pages"),
            Part(
                "activations",
                passing + scores,
                6 * passing + 2 * scores,
                f"(2…12)·s·b·h·{wide}" + ("" if fused else f" + (1…2)·a·s²·b·{wide}"),
                "ours",
                "prefill",
            ),
        ],
        ("tokens", "server", "steps", "cards"),
    )


def full(model: Model, precision: str, optimizer: str, *, recomputes: bool = False, fused: bool = True) -> Worksheet:
    """Training of every parameter."""
    _check(model)
    (weights, gradients), states = TRAINED[precision], STATES[optimizer][precision]
    n = model.parameters
    source = "adam8" if optimizer == "adam8" else "zero"
    return _sum(
        "full",
        [
            Part("weights", n * weights[0], n * weights[1], f"{_span(weights)}·N", "zero"),
            Part("gradients", n * gradients[0], n * gradients[1], f"{_span(gradients)}·N", "anatomy", "gradients"),
            Part("optimizer", n * states[0], n * states[1], f"{_span(states)}·N", source, "states"),
            _activations(model, precision, recomputes=recomputes, fused=fused),
            _losses(model),
        ],
        ("tokens", "accumulation", "steps", "cards"),
    )


def lora(model: Model, precision: str, rank: int, *, recomputes: bool = False, fused: bool = True) -> Worksheet:
    """Adapters beside frozen weights; with weights of 4 bits it is QLoRA."""
    _check(model)
    _least("rank", rank)
    # The paper adapts two square matrices a layer; libraries often adapt all seven, feed-forward ones included.
    few = model.layers * rank * 4 * model.hidden
    many = model.layers * rank * 23 * model.hidden
    return _sum(
        "lora",
        [
            _weights(model.parameters, precision, "qlora" if precision == "nf4" else "lora"),
            Part("adapters", 2 * few, 4 * many, "(2…4)·L·r·(4…23)·h", "lora", "adapters"),
            Part("gradients", 2 * few, 4 * many, "(2…4)·L·r·(4…23)·h", "lora", "adapters"),
            Part("optimizer", 2 * few, 12 * many, "(2…12)·L·r·(4…23)·h", "lora", "states"),
            _activations(model, precision, recomputes=recomputes, fused=fused),
            _losses(model),
        ],
        ("tokens", "targets", "steps", "cards"),
    )


def diffusion(pictures: Pictures, precision: str) -> Worksheet:
    """Pictures out of noise: all networks loaded, and the decoder that widens every pixel."""
    _check(pictures)
    pixels = pictures.width * pictures.height * pictures.batch
    # 128 channels of 32 bits at full size in the decoder, two to eight such tensors at once.
    return _sum(
        "diffusion",
        [
            _weights(pictures.parameters, precision, "sdxl"),
            Part("activations", 1024 * pixels, 4096 * pixels, "(2…8)·128·4·W·H·b", "sdxl", "decoder"),
        ],
        ("training", "extras", "steps", "cards"),
    )


def render(scene: Scene) -> Worksheet:
    """A picture of a scene by path tracing, everything it needs on one card."""
    _check(scene, {"textures": 0})
    pixels = scene.width * scene.height
    texels = scene.textures * scene.texture_side**2
    return _sum(
        "render",
        [
            Part("geometry", 100 * scene.triangles, 400 * scene.triangles, "(100…400)·T", "ours", "geometry"),
            Part("textures", 4 * texels, 16 * texels, "(4…16)·n·p²", "blender", "textures"),
            Part("frame", 16 * pixels, 16 * 30 * pixels, "16·(1…30)·W·H", "ours", "frame"),
        ],
        ("volumes", "subdivision", "cards"),
    )


def verdict(sheet: Worksheet, memory: int) -> tuple[str, int, int]:
    """A card's memory beside the range: `below` by least and most, `above` by least and most, or `spans`."""
    if sheet.high <= memory:
        return "below", memory - sheet.high, memory - sheet.low
    if sheet.low > memory:
        return "above", sheet.low - memory, sheet.high - memory
    return "spans", memory - sheet.low, sheet.high - memory


def whole_gb(count: int) -> int:
    """The next whole GB, for a field that takes whole ones."""
    return -(-count // GB)


def _weights(parameters: int, precision: str, source: str = "anatomy") -> Part:
    low, high = WEIGHTS[precision]
    return Part(
        "weights",
        parameters * low.numerator // low.denominator,
        _up(parameters, high.numerator, high.denominator),
        f"{_span((float(low), float(high)))}·N",
        source,
        "" if low == high else "quantized",
    )


def _activations(model: Model, precision: str, *, recomputes: bool, fused: bool) -> Part:
    """What the way back needs. With recomputation only each layer's input stays, and one layer at a time is redone."""
    twice = 2 if precision == "fp32" else 1
    unit = model.sequence * model.batch * model.hidden * twice
    scores = 0 if fused else 5 * model.heads * model.sequence**2 * model.batch * twice
    least, most = LAYER[0] * unit + scores, LAYER[1] * unit + scores
    layer = f"(24…46)·s·b·h{'' if fused else ' + 5·a·s²·b'}"
    if recomputes:
        kept = 2 * unit * model.layers
        return Part(
            "activations", kept, kept + most, _twice(f"2·s·b·h·L + (0…1)·[{layer}]", twice), "activations", "one"
        )
    return Part(
        "activations", least * model.layers, most * model.layers, _twice(f"L·[{layer}]", twice), "activations", "layer"
    )


def _losses(model: Model) -> Part:
    """The answer's scores over the vocabulary in 32 bits; a fused loss never holds them."""
    scores = 4 * model.sequence * model.batch * model.vocabulary
    return Part("outputs", 0, 3 * scores, "(0…3)·4·s·b·V", "activations", "loss")


def _sum(method: str, parts: list[Part], unknown: tuple[str, ...]) -> Worksheet:
    moving = sum(part.high for part in parts if part.code in ("activations", "outputs", "frame"))
    overhead = Part(
        "overhead",
        CONTEXT[0],
        CONTEXT[1] + -(-moving // FRAGMENTS),
        "0.3…2.1 GB + (0…0.1)·A",
        "context",
        "allocator",
    )
    return Worksheet(method, (*parts, overhead), ("kernels", *unknown))


def _check(inputs: Model | Pictures | Scene, least: dict[str, int] | None = None) -> None:
    for field in fields(inputs):
        _least(field.name, getattr(inputs, field.name), (least or {}).get(field.name, 1))
    if isinstance(inputs, Model):
        if inputs.kv_heads > inputs.heads:
            raise Unusable("kv_heads", "more_than_heads")
        if inputs.heads > inputs.hidden:
            raise Unusable("heads", "more_than_hidden")


def _least(field: str, value: int, least: int = 1) -> None:
    if type(value) is not int or value < least:
        raise Unusable(field, "too_small")


def _up(value: int, numerator: int, denominator: int) -> int:
    return -(-value * numerator // denominator)


def _span(pair: Iterable[float]) -> str:
    low, high = (f"{value:g}" for value in pair)
    return low if low == high else f"({low}…{high})"


def _twice(formula: str, twice: int) -> str:
    return formula if twice == 1 else f"2·({formula})"
