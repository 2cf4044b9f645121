"""The memory worksheet in words: its methods, its parts, why each range is open, and what it does not know."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

METHODS: Final[dict[str, tuple[Promise, Promise]]] = {
    "inference": (_("Inference"), _("a language model answers, with its KV cache")),
    "full": (_("Full training"), _("every parameter learns, with Adam or SGD")),
    "lora": (_("LoRA or QLoRA"), _("adapters learn beside frozen weights")),
    "diffusion": (_("Diffusion"), _("pictures out of noise")),
    "render": (_("Rendering"), _("a scene by path tracing, as Blender’s Cycles does")),
}
PARTS: Final[dict[str, Promise]] = {
    "weights": _("Weights"),
    "adapters": _("Adapters"),
    "gradients": _("Gradients"),
    "optimizer": _("Optimizer states"),
    "activations": _("Activations"),
    "outputs": _("Scores over the vocabulary"),
    "cache": _("KV cache"),
    "geometry": _("Geometry"),
    "textures": _("Textures"),
    "frame": _("The picture and its passes"),
    "overhead": _("Framework"),
}
WHY: Final[dict[str, Promise]] = {
    "quantized": _("Scales and layers left in 16 bits come on top of the quantized weights."),
    "pages": _("A cache kept in pages wastes up to 4 %."),
    "prefill": _("The prompt passes through one layer at a time; how many copies live at once differs."),
    "gradients": _("Some frameworks keep gradients in 32 bits."),
    "states": _("Two moments with Adam, one with momentum; in mixed precision a copy of the weights in 32 bits too."),
    "adapters": _("From two matrices in each layer to all seven, in 16 or 32 bits."),
    "layer": _("The published layer keeps 34: less without dropout or when compiled, more with gated layers."),
    "one": _("Only each layer’s input stays; one layer at a time is computed again."),
    "loss": _("A fused loss keeps none of them; a plain one keeps them, their shares and their gradients."),
    "decoder": _("The decoder holds 128 channels for every pixel, two to eight times at once."),
    "geometry": _("Vertices and the tree that rays search. Wide on purpose: we know no published figure."),
    "textures": _("From 8 bits a channel to 32."),
    "frame": _("From the picture alone to thirty passes."),
    "allocator": _("Context, libraries and kernels; then what the allocator reserves beyond A, the activations."),
}
UNKNOWN: Final[dict[str, Promise]] = {
    "kernels": _("The workspace of single kernels, and what else runs on the card."),
    "tokens": _("The real lengths: it counts every sequence as long as the longest."),
    "server": _("A server that takes most of the card for its cache by its own setting, as vLLM does."),
    "steps": _("Peaks of a moment: loading, saving, evaluating."),
    "cards": _("Several cards: it counts one, and nothing is split or joined."),
    "accumulation": _("Offloading to the machine’s memory, and gradients freed while they are computed."),
    "targets": _("Which layers your adapters really join."),
    "training": _("Training a diffusion model: this counts making pictures only."),
    "extras": _("Control networks, adapters and upscalers loaded beside it."),
    "volumes": _("Volumes, hair and instances."),
    "subdivision": _("Subdivision and displacement at render time: count the triangles after them."),
}
OURS: Final = _("our own assumption")
