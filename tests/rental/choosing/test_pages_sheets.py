"""The two sheets beside the chooser, as pages without scripts."""

from typing import Any

import pytest
from django.test import Client

from tests.rental.pages import text_of, title_of

pytestmark = pytest.mark.django_db
LLAMA = "parameters=8.03&precision=bf16&batch=1&sequence=8192&layers=32&hidden=4096&heads=32&kv_heads=8&attention=fused"


@pytest.mark.parametrize("method", ["", "inference", "full", "lora", "diffusion", "render", "nonsense"])
def test_a_method_asks_for_its_own_figures(catalogue: Any, method: str) -> None:
    response = Client().get("/rent/memory", {"method": method})
    assert response.status_code == 200
    names = set(response.context["form"].fields)
    assert ("rank" in names) == (method == "lora")
    assert ("triangles" in names) == (method == "render")
    assert response.context["page"].sheet is None
    example = {
        name: response.context["form"].get_initial_for_field(field, name)
        for name, field in response.context["form"].fields.items()
    }
    sent = {name: value or response.context["form"].fields[name].choices[0][0] for name, value in example.items()}
    computed = Client().get("/rent/memory", {"method": method} | sent)
    assert computed.context["form"].errors == {}
    assert computed.context["page"].sheet.low > 0
    assert "unmeasured" in text_of(computed)


def test_parts_sources_cards_and_the_way_on(catalogue: Any) -> None:
    response = Client().get(f"/rent/memory?method=inference&{LLAMA}&card=h100&days=3")
    text = text_of(response)
    assert "16.1 GB" in text
    assert "2·L·k·(h÷a)·s·b·2" in text
    assert "https://arxiv.org/abs/2305.13245" in response.content.decode()
    larger = Client().get(f"/rent/memory?{LLAMA.replace('8.03', '11')}")
    assert "the range spans the card’s memory: only a run tells" in text_of(larger)
    assert "below the card’s memory by" in text
    assert "fits" not in text.lower()
    html = response.content.decode()
    assert "/rent/?card=h100&amp;days=3&amp;memory=" in html
    assert "/pilots/objective?method=inference&amp;parameters=8.03&amp;" in html


def test_what_cannot_be_is_said_at_its_field(catalogue: Any) -> None:
    response = Client().get(f"/rent/memory?{LLAMA.replace('batch=1', 'batch=0')}")
    assert title_of(response)
    assert response.context["page"].sheet is None
    assert "batch" in response.context["form"].errors
    wrong = Client().get(f"/rent/memory?{LLAMA.replace('kv_heads=8', 'kv_heads=64')}")
    assert "never more key-value heads" in text_of(wrong)


def test_huge_figures_are_above_every_card(catalogue: Any) -> None:
    query = (
        "parameters=999999&precision=fp32&batch=1000000&sequence=99999999&layers=999999"
        "&hidden=999999&heads=99&kv_heads=99&attention=plain"
    )
    response = Client().get(f"/rent/memory?{query}")
    assert response.status_code == 200
    assert "above the card’s memory by" in text_of(response)
    assert response.context["page"].chooser == ""
    assert response.context["page"].objective == ""


def test_the_planner_names_a_term_and_never_a_shorter_one(catalogue: Any) -> None:
    assert Client().get("/rent/plan").status_code == 200
    query = "install=2&checks=1&pilot=1&items=20000&seconds=6&cards_used=1&export=50&speed=20&margin=25&card=h100"
    response = Client().get(f"/rent/plan?{query}")
    assert "3 days" in text_of(response)
    assert "/rent/?card=h100&amp;days=3" in response.content.decode()
    assert "Twelve documents prove the procedure" in text_of(response)
    longer = Client().get(f"/rent/plan?{query.replace('20000', '2000000')}")
    assert "Longer than 30 days" in text_of(longer)
    assert "chooser" not in longer.context
    brought = Client().get("/rent/plan?rate=215.5")
    assert 'value="215.5"' in brought.content.decode()
    assert "plan" not in brought.context
    rated = Client().get(f"/rent/plan?{query}&rate=1000")
    assert "20,000 items ÷ 1,000 an hour, measured" in text_of(rated)
    wrong = Client().get(f"/rent/plan?{query.replace('speed=20', 'speed=0')}")
    assert "speed" in wrong.context["form"].errors


def test_the_chooser_and_the_guide_lead_there(catalogue: Any) -> None:
    html = Client().get("/rent/?card=h100&days=30").content.decode()
    assert "/rent/memory?card=h100&amp;days=30" in html
    assert "/rent/plan?card=h100&amp;days=30" in html
    guide = Client().get("/guide/").content.decode()
    assert 'href="/rent/memory"' in guide
    assert 'href="/rent/plan"' in guide
