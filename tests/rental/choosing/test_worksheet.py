"""Laws of the worksheet: more of anything never takes less, parts add up, and nonsense is refused by name."""

from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rental.choosing import worksheet
from rental.choosing.worksheet import GB, Model, Pictures, Scene, Unusable, Worksheet

count = st.integers(1, 10**9)
models = st.builds(
    lambda n, b, s, layers, size, groups, group, v: Model(
        n, b, s, layers, size * groups * group, groups * group, groups, v
    ),
    count,
    st.integers(1, 10**4),
    st.integers(1, 10**6),
    st.integers(1, 500),
    st.integers(1, 256),
    st.integers(1, 64),
    st.integers(1, 16),
    st.integers(1, 10**6),
)
pictures = st.builds(Pictures, count, st.integers(1, 10**4), st.integers(1, 10**5), st.integers(1, 10**5))
scenes = st.builds(Scene, count, st.integers(0, 10**5), st.integers(1, 10**5), st.integers(1, 10**5), count)
bools = st.booleans()
MAKE: dict[str, Any] = {
    "inference": lambda of, way, fused, again: worksheet.inference(of, way, fused=fused),
    "full": lambda of, way, fused, again: worksheet.full(of, "mixed", way, fused=fused, recomputes=again),
    "lora": lambda of, way, fused, again: worksheet.lora(of, way, 16, fused=fused, recomputes=again),
}
WAYS = {"inference": worksheet.WEIGHTS, "full": worksheet.STATES, "lora": worksheet.WEIGHTS}
ways = st.sampled_from([(method, way) for method in MAKE for way in WAYS[method]])


def sound(sheet: Worksheet) -> None:
    assert sheet.low == sum(part.low for part in sheet.parts)
    assert sheet.high == sum(part.high for part in sheet.parts)
    for part in sheet.parts:
        assert type(part.low) is int
        assert type(part.high) is int
        assert 0 <= part.low <= part.high, part
        assert part.source in worksheet.SOURCES
    assert len({part.code for part in sheet.parts}) == len(sheet.parts)


def no_less(more: Worksheet, less: Worksheet) -> None:
    for one, other in zip(more.parts, less.parts, strict=True):
        assert one.code == other.code
        assert one.low >= other.low, one
        assert one.high >= other.high, one


@given(models, ways, bools, bools)
def test_a_model_adds_up(model: Model, way: tuple[str, str], fused: bool, again: bool) -> None:
    sound(MAKE[way[0]](model, way[1], fused, again))


@given(models, ways, bools, bools, st.integers(1, 1000), st.data())
def test_more_of_a_model_never_takes_less(
    model: Model, way: tuple[str, str], fused: bool, again: bool, more: int, data: st.DataObject
) -> None:
    # More heads at the same hidden size are narrower heads: a cache of the same k may shrink, see below.
    names = [field.name for field in fields(Model) if field.name not in ("heads", "kv_heads")]
    name = data.draw(st.sampled_from(names))
    larger = replace(model, **{name: getattr(model, name) + more})
    no_less(MAKE[way[0]](larger, way[1], fused, again), MAKE[way[0]](model, way[1], fused, again))


@given(models, st.integers(1, 64))
def test_grouped_queries_shrink_the_cache_and_nothing_else(model: Model, fewer: int) -> None:
    grouped = replace(model, kv_heads=max(1, model.kv_heads - fewer))
    no_less(worksheet.inference(model, "bf16"), worksheet.inference(grouped, "bf16"))
    every = replace(model, kv_heads=model.heads)
    ratio = worksheet.inference(every, "bf16").part("cache").low * model.kv_heads
    assert ratio == worksheet.inference(model, "bf16").part("cache").low * model.heads


@given(models, st.integers(1, 64), bools)
def test_more_heads_keep_more_scores(model: Model, more: int, again: bool) -> None:
    if model.heads + more <= model.hidden:
        many = replace(model, heads=model.heads + more)
        no_less(
            worksheet.full(many, "mixed", "adam", fused=False, recomputes=again),
            worksheet.full(model, "mixed", "adam", fused=False, recomputes=again),
        )


@given(models, bools)
def test_a_narrower_way_never_takes_more(model: Model, fused: bool) -> None:
    order = ["nf4", "int8", "bf16", "fp32"]
    for narrow, wide in pairwise(order):
        no_less(worksheet.inference(model, wide, fused=fused), worksheet.inference(model, narrow, fused=fused))
    for light, heavy in (("sgd", "adam8"), ("adam8", "momentum"), ("momentum", "adam")):
        no_less(worksheet.full(model, "mixed", heavy), worksheet.full(model, "mixed", light))
    no_less(worksheet.lora(model, "bf16", 17), worksheet.lora(model, "bf16", 16))
    kept = worksheet.full(replace(model, layers=model.layers + 1), "mixed", "adam")
    again = worksheet.full(replace(model, layers=model.layers + 1), "mixed", "adam", recomputes=True)
    assert again.low <= kept.low
    assert again.part("activations").high <= kept.part("activations").high


@given(pictures, st.integers(1, 1000), st.data())
def test_more_pictures_never_take_less(of: Pictures, more: int, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([field.name for field in fields(of)]))
    larger = replace(of, **{name: getattr(of, name) + more})
    for precision in worksheet.WEIGHTS:
        sound(worksheet.diffusion(of, precision))
        no_less(worksheet.diffusion(larger, precision), worksheet.diffusion(of, precision))


@given(scenes, st.integers(1, 1000), st.data())
def test_more_of_a_scene_never_takes_less(of: Scene, more: int, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([field.name for field in fields(of)]))
    sound(worksheet.render(of))
    no_less(worksheet.render(replace(of, **{name: getattr(of, name) + more})), worksheet.render(of))


@pytest.mark.parametrize("name", [field.name for field in fields(Model)])
@pytest.mark.parametrize("value", [0, -1, True, 1.5])
def test_nothing_is_no_model(name: str, value: Any) -> None:
    model = replace(Model(10**9, 1, 128, 2, 64, 4, 4), **{name: value})
    for make in MAKE.values():
        with pytest.raises(Unusable) as refused:
            make(model, "adam" if make is MAKE["full"] else "bf16", True, False)
        assert refused.value.field == name


def test_more_key_value_heads_than_heads_are_refused() -> None:
    with pytest.raises(Unusable, match="kv_heads: more_than_heads"):
        worksheet.inference(Model(10**9, 1, 128, 2, 64, 4, 8), "bf16")
    with pytest.raises(Unusable, match="heads: more_than_hidden"):
        worksheet.inference(Model(10**9, 1, 128, 2, 64, 65, 8), "bf16")


def test_huge_numbers_stay_exact() -> None:
    sheet = worksheet.inference(Model(10**30, 10**9, 10**9, 10**6, 10**6, 10**6, 10**6), "bf16")
    sound(sheet)
    assert sheet.part("weights").low == 2 * 10**30


@given(st.integers(0, 10**4), st.integers(0, 10**4), st.integers(1, 10**4))
def test_a_verdict_never_says_below_before_the_whole_range_is(low: int, width: int, memory: int) -> None:
    sheet = Worksheet("x", (worksheet.Part("weights", low * GB, (low + width) * GB, "", "ours"),), ())
    side, least, most = worksheet.verdict(sheet, memory * GB)
    assert 0 <= least <= most or side == "spans"
    assert (side == "below") == (low + width <= memory)
    assert (side == "above") == (low > memory)
