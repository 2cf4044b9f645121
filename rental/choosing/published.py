"""Published figures beside the worksheet's own: what `docs/worksheet.md` shows and a test computes again."""

from dataclasses import dataclass
from typing import Final

from rental.choosing.worksheet import (
    GB,
    GIB,
    Model,
    Pictures,
    Scene,
    Worksheet,
    diffusion,
    full,
    inference,
    lora,
    render,
)

BILLION: Final = 10**9
LLAMA_8B: Final = Model(8_030_000_000, 1, 1, 32, 4096, 32, 8, 128_256)
LLAMA_70B: Final = Model(70_600_000_000, 1, 1, 80, 8192, 64, 8, 128_256)
LLAMA_405B: Final = Model(405_850_000_000, 1, 1, 126, 16_384, 128, 16, 128_256)
GPT3: Final = Model(175 * BILLION, 1, 2048, 96, 12_288, 96, 96, 50_257)
TUNED: Final = Model(8_030_000_000, 2, 2048, 32, 4096, 32, 8, 128_256)


def of(model: Model, *, sequence: int = 1, batch: int = 1) -> Model:
    return Model(
        model.parameters,
        batch,
        sequence,
        model.layers,
        model.hidden,
        model.heads,
        model.kv_heads,
        model.vocabulary,
    )


@dataclass(frozen=True)
class Row:
    """One comparison in bytes. `seen`: the source was read while this was written; else it is quoted from memory."""

    what: str
    published: int
    low: int
    high: int
    source: str
    seen: bool
    measured: bool
    note: str = ""

    @property
    def error(self) -> float:
        """How far the published figure lies outside the range, as a share of it; zero inside."""
        nearest = min(max(self.published, self.low), self.high)
        return (nearest - self.published) / self.published

    @property
    def middle(self) -> float:
        """How far the middle of the range lies from the published figure."""
        return ((self.low + self.high) / 2 - self.published) / self.published


HF_LLAMA: Final = "https://huggingface.co/blog/llama31"
TORCHTUNE: Final = "https://github.com/pytorch/torchtune (README, “Memory and training speed”)"
SDXL: Final = "https://huggingface.co/blog/simple_sdxl_optimizations"
PAGED: Final = "https://arxiv.org/abs/2309.06180"
ZERO: Final = "https://arxiv.org/abs/1910.02054"
ANATOMY: Final = "https://huggingface.co/docs/transformers/model_memory_anatomy"
QLORA: Final = "https://arxiv.org/abs/2305.14314"
LORA: Final = "https://arxiv.org/abs/2106.09685"
KEPT: Final = "https://arxiv.org/abs/2205.05198"
BLENDER: Final = "https://docs.blender.org/manual/en/latest/render/cycles/gpu_rendering.html"
READING: Final = "rank 8 and recomputation are our reading of its configuration"
PEFT: Final = "https://github.com/huggingface/peft (README of 2023)"


def _parts(sheet: Worksheet, *codes: str) -> tuple[int, int]:
    chosen = [part for part in sheet.parts if not codes or part.code in codes]
    return sum(part.low for part in chosen), sum(part.high for part in chosen)


STATES: Final = ("weights", "gradients", "optimizer")
TENSORS: Final = ("weights", "adapters", "gradients", "optimizer", "activations", "outputs")


def rows() -> list[Row]:
    small = Model(1_500_000_000, 1, 1, 48, 1600, 25, 25)
    opt = Model(13 * BILLION, 1, 2048, 40, 5120, 40, 40)
    one = Model(BILLION, 1, 1, 24, 2048, 16, 16)
    guanaco = {n: Model(n * 10**8, 1, 1, 80, 8192, 64, 64) for n in (325, 652)}
    t0 = Model(2_850_000_000, 1, 1, 48, 2048, 32, 32)
    layer = full(Model(BILLION, 1, 2048, 1, 12_288, 96, 96), "mixed", "adam", fused=False)
    fused = full(Model(BILLION, 1, 2048, 1, 12_288, 96, 96), "mixed", "adam")
    unit = 2048 * 12_288
    xl = {batch: Pictures(3_500_000_000, batch, 1024, 1024) for batch in (1, 4)}
    long = 128_000
    return [
        Row(
            "Llama 3.1 8B, weights in 16 bits",
            16 * GB,
            *_parts(inference(LLAMA_8B, "bf16"), "weights"),
            HF_LLAMA,
            True,
            False,
        ),
        Row(
            "Llama 3.1 70B, weights in 16 bits",
            140 * GB,
            *_parts(inference(LLAMA_70B, "bf16"), "weights"),
            HF_LLAMA,
            True,
            False,
        ),
        Row(
            "Llama 3.1 405B, weights in 8 bits",
            405 * GB,
            *_parts(inference(LLAMA_405B, "int8"), "weights"),
            HF_LLAMA,
            True,
            False,
        ),
        Row(
            "Llama 3.1 8B, cache of 128,000 tokens",
            1562 * GIB // 100,
            *_parts(inference(of(LLAMA_8B, sequence=long), "bf16"), "cache"),
            HF_LLAMA,
            True,
            False,
            "printed as GB, computed in GiB",
        ),
        Row(
            "Llama 3.1 70B, cache of 128,000 tokens",
            3906 * GIB // 100,
            *_parts(inference(of(LLAMA_70B, sequence=long), "bf16"), "cache"),
            HF_LLAMA,
            True,
            False,
            "printed as GB, computed in GiB",
        ),
        Row(
            "Llama 3.1 405B, cache of 128,000 tokens",
            12305 * GIB // 100,
            *_parts(inference(of(LLAMA_405B, sequence=long), "bf16"), "cache"),
            HF_LLAMA,
            True,
            False,
            "agrees with 16 key-value heads; with the 8 of later configurations it is half",
        ),
        Row(
            "OPT 13B, cache of 2,048 tokens (800 kB a token)",
            2048 * 800 * 1024,
            *_parts(inference(opt, "bf16"), "cache"),
            PAGED,
            False,
            False,
        ),
        Row(
            "GPT-2 1.5B, states of mixed training with Adam",
            24 * GB,
            *_parts(full(small, "mixed", "adam"), *STATES),
            ZERO,
            False,
            False,
        ),
        Row(
            "1B, states of mixed training with Adam, gradients in 32 bits (18 bytes)",
            18 * GB,
            *_parts(full(one, "mixed", "adam"), *STATES),
            ANATOMY,
            True,
            False,
        ),
        Row(
            "LLaMA 65B, training in 16 bits with Adam (“more than 780 GB”)",
            780 * GB,
            *_parts(full(guanaco[652], "bf16", "adam"), *STATES),
            QLORA,
            True,
            False,
        ),
        Row("Guanaco 33B in 4 bits", 21 * GB, *_parts(lora(guanaco[325], "nf4", 64), "weights"), QLORA, False, False),
        Row("Guanaco 65B in 4 bits", 41 * GB, *_parts(lora(guanaco[652], "nf4", 64), "weights"), QLORA, False, False),
        Row("GPT-3 175B under LoRA, weights", 350 * GB, *_parts(lora(GPT3, "bf16", 4), "weights"), LORA, False, False),
        Row(
            "GPT-3, one layer's activations, s·b·h·(34 + 80)",
            114 * unit,
            *_parts(layer, "activations"),
            KEPT,
            False,
            False,
        ),
        Row(
            "GPT-3, one layer's activations without scores, 34·s·b·h",
            34 * unit,
            *_parts(fused, "activations"),
            KEPT,
            False,
            False,
        ),
        Row(
            "T0 3B, full training in 32 bits with Adam",
            4714 * GB // 100,
            *_parts(full(t0, "fp32", "adam")),
            PEFT,
            True,
            True,
            "batch and lengths are not published: we take one token",
        ),
        Row(
            "Llama 3.1 8B, LoRA, recomputing",
            162 * GIB // 10,
            *_parts(lora(TUNED, "bf16", 8, recomputes=True), *TENSORS),
            TORCHTUNE,
            True,
            True,
            READING,
        ),
        Row(
            "Llama 3.1 8B, LoRA, not recomputing",
            303 * GIB // 10,
            *_parts(lora(TUNED, "bf16", 8), *TENSORS),
            TORCHTUNE,
            True,
            True,
            "that it does not recompute is our reading",
        ),
        Row(
            "Llama 3.1 8B, QLoRA, recomputing",
            74 * GIB // 10,
            *_parts(lora(TUNED, "nf4", 8, recomputes=True), *TENSORS),
            TORCHTUNE,
            True,
            True,
            READING,
        ),
        Row(
            "SDXL, 4 pictures of 1024 px, 32 bits",
            2809 * GB // 100,
            *_parts(diffusion(xl[4], "fp32")),
            SDXL,
            True,
            True,
        ),
        Row(
            "SDXL, 4 pictures of 1024 px, 16 bits",
            2172 * GB // 100,
            *_parts(diffusion(xl[4], "bf16")),
            SDXL,
            True,
            True,
        ),
        Row(
            "SDXL, 4 pictures of 1024 px, 16 bits, decoded one by one",
            1540 * GB // 100,
            *_parts(diffusion(xl[4], "bf16")),
            SDXL,
            True,
            True,
        ),
        Row(
            "Blender, one 8k texture of 8 bits",
            256 * 2**20,
            *_parts(render(Scene(1, 1, 8192, 1, 1)), "textures"),
            BLENDER,
            False,
            False,
        ),
    ]


def table() -> str:
    """The rows as Markdown, as the document holds them."""
    lines = [
        "| what | published | ours, low – high | outside the range by | middle of the range | kind | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows():
        kind = ("measured" if row.measured else "computed") + (", read" if row.seen else ", from memory")
        what = f"{row.what}; {row.note}" if row.note else row.what
        lines.append(
            f"| {what} | {_gb(row.published)} | {_gb(row.low)} – {_gb(row.high)} | {row.error:+.1%} "
            f"| {row.middle:+.0%} | {kind} | {row.source} |"
        )
    return "\n".join(lines).replace("+0.0%", "0%").replace("-0.0%", "0%")


def _gb(count: int) -> str:
    return f"{count / GB:,.2f} GB"


if __name__ == "__main__":
    print(table())  # noqa: T201
