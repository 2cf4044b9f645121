"""From a project's file to marked cards, through the pages; what is kept of the file, and what was proved here."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from rental.choosing import proofs
from rental.models import Card, PreparationProof, User
from tests.rental.choosing.test_project import CUDA, ROCM
from tests.rental.conftest import Place
from tests.rental.pages import signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def cards(catalogue: dict[str, Card]) -> dict[str, Card]:
    return catalogue


def row_of(html: str, slug: str) -> str:
    return html.split(f'name="card" value="{slug}"')[1].split("</label>")[0]


def test_a_cuda_project_pasted_marks_the_cards() -> None:
    client = Client()
    assert 'href="/rent/project' in client.get("/rent/").content.decode()
    assert 'action="/rent/project?days=30"' in client.get("/rent/project?days=30&libs=jax").content.decode()
    answer = client.post("/rent/project?days=30", {"text": CUDA})
    where = answer["Location"]
    assert where == "/rent/project?libs=bitsandbytes.flash-attn.index-cuda.torch-cuda&unsure=unpinned&days=30"
    page = client.get(where)
    words = text_of(page)
    assert "This points to CUDA: NVIDIA cards." in words
    assert "3 torch==2.9.0+cu130" in words
    assert "secret" not in page.content.decode()
    assert "To be compiled with ROCm on the machine." in words
    assert "A library without an exact version" in words
    # Another browser sees the result, never the lines.
    other = text_of(Client().get(where))
    assert "This points to CUDA" in other
    assert "torch==2.9.0" not in other
    chooser = "/rent/?days=30&amp;libs=bitsandbytes.flash-attn.index-cuda.torch-cuda&amp;backend=cuda#card"
    assert chooser in page.content.decode()
    html = client.get(chooser.replace("&amp;", "&")).content.decode()
    assert "Recommended" in row_of(html, "h100")
    assert "Blocked" in row_of(html, "mi300x")
    assert "As it stands, built for CUDA: CUDA package index, PyTorch (+cu)." in row_of(html, "mi300x")
    assert "To be checked" in row_of(html, "cpu")
    assert 'name="libs" value="bitsandbytes.flash-attn.index-cuda.torch-cuda"' in html
    assert 'value="mi300x" disabled' not in html


def test_a_rocm_project_uploaded_marks_the_cards() -> None:
    client = Client()
    answer = client.post("/rent/project", {"file": SimpleUploadedFile("Dockerfile", ROCM.encode())})
    page = client.get(answer["Location"])
    words = text_of(page)
    assert "This points to ROCm: AMD cards." in words
    assert "It was read as a Dockerfile." in words
    assert "4 && pip install --no-cache-dir torch==2.9.0+rocm6.4" in words
    found = "libs=image-rocm.rocm-wheel.tool-rocm.torch-rocm.vllm&amp;backend=rocm"
    assert f'href="/rent/?{found}#card"' in page.content.decode()
    html = client.get("/rent/?" + found.replace("&amp;", "&")).content.decode()
    assert "To be checked" in row_of(html, "mi300x")
    assert "Look at ROCm support first: vLLM." in row_of(html, "mi300x")
    assert "Blocked" in row_of(html, "h200")


def test_ticks_alone_are_enough_and_nothing_is_not() -> None:
    answer = Client().post("/rent/project", {"libs": ["tensorrt", "torch"]})
    assert answer["Location"] == "/rent/project?libs=tensorrt.torch"
    assert "We know of no build for AMD cards." in text_of(Client().get(answer["Location"]))
    empty = Client().post("/rent/project", {})
    assert empty.status_code == 422
    assert "Paste a file, send one, or tick at least one library." in text_of(empty)
    assert Client().post("/rent/project", {"libs": ["windows"]}).status_code == 422


@pytest.mark.parametrize("data", [b"\0\0", b"PK\x03\x04\xff\xfe", b"a" * 200_001])
def test_what_is_no_list_is_refused_at_its_field(data: bytes) -> None:
    answer = Client().post("/rent/project", {"file": SimpleUploadedFile("a.txt", data)})
    assert answer.status_code == 422
    assert "This was not sent. Please correct:" in text_of(answer)
    assert 'id="id_file_error"' in answer.content.decode()


def test_an_empty_or_unknown_file_says_that_nothing_can_be_told() -> None:
    answer = Client().post("/rent/project", {"text": "numpy==2\nrequests==2"})
    assert answer["Location"] == "/rent/project?libs="
    assert "We cannot tell a backend from this." in text_of(Client().get(answer["Location"]))


def test_the_session_holds_few_lines_and_no_file() -> None:
    client = Client()
    client.post("/rent/project", {"text": "\n".join(f"torch=={n}.0+cu130 # note {n}" for n in range(4_000))})
    kept = Session.objects.get().get_decoded()["project_lines"]
    assert len(kept["lines"]) == 60
    assert "3940 more lines count and are not shown." in text_of(client.get("/rent/project?libs=torch-cuda")).replace(
        ",", ""
    )


@pytest.mark.parametrize("query", ["libs=" + "a." * 3000, "libs=torch&unsure=x.own-code", "libs=torch~.torch"])
def test_any_address_is_answered(query: str) -> None:
    assert Client().get(f"/rent/project?{query}").status_code == 200
    assert Client().get(f"/rent/?{query}").status_code == 200


def test_last_proved_here_names_the_run_to_its_owner_only(deliver: Place, customer: User, stranger: User) -> None:
    order = deliver(card="h100", preparation="pytorch")
    facts: dict[str, Any] = {"cards": [order.card], "run_ref": "R" * 26, "at": datetime(2026, 11, 3, 9, tzinfo=UTC)}
    assert not proofs.record(order, rungs={0: "passed", 2: "failed"}, **facts)
    assert not proofs.record(order, rungs={0: "passed"}, **facts)
    assert not proofs.record(order, rungs={0: "passed", 2: "passed"}, **facts | {"cards": []})
    assert proofs.record(order, rungs={0: "passed", 2: "passed"}, **facts)
    assert not proofs.record(order, rungs={0: "passed", 2: "passed"}, **facts)
    assert PreparationProof.objects.count() == 1
    own = signed_in(customer).get("/rent/?preparation=pytorch").content.decode()
    assert "Last proved on a run here" in row_of(own, "h100")
    assert "/runs/" + "R" * 26 in row_of(own, "h100")
    for client in (signed_in(stranger), Client()):
        html = client.get("/rent/?preparation=pytorch").content.decode()
        assert "Last proved on a run here" in row_of(html, "h100")
        assert "R" * 26 not in html
        # Nothing was observed of another card or another preparation.
        assert "Last proved" not in row_of(html, "h200")
        assert "Last proved" not in row_of(client.get("/rent/?preparation=ubuntu").content.decode(), "h100")
