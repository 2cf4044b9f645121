"""Home, guide and the files to take home: real figures or none, the same bytes for everyone."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from pilots.host import diagnostic
from rental.guide import downloads, exhibit
from tests.rental.pages import text_of

pytestmark = pytest.mark.django_db


def test_the_exhibit_is_what_was_recorded_and_nothing_without_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = json.loads(exhibit.RECORD.read_text(encoding="utf-8"))
    page = text_of(Client().get("/"))
    assert f"{kept['sheet']['declared']} declared = {kept['sheet']['accepted']} accepted" in page
    for item in kept["items"]:
        assert item["what"] in page
    exhibit.recorded.cache_clear()
    monkeypatch.setattr(exhibit, "RECORD", Path("/nowhere"))
    assert "declared =" not in text_of(Client().get("/"))
    exhibit.recorded.cache_clear()


def test_the_record_is_a_whole_sheet() -> None:
    kept = json.loads(exhibit.RECORD.read_text(encoding="utf-8"))
    assert kept["sheet"]["declared"] == len(kept["items"]) == kept["sheet"]["accepted"] + kept["sheet"]["refused"]
    assert kept["holds"] is True


def test_the_mini_project_is_a_project_and_always_the_same_file() -> None:
    body = Client().get("/downloads/mini-pilot.zip").content
    downloads.packed.cache_clear()
    assert body == Client().get("/downloads/mini-pilot.zip").content
    names = zipfile.ZipFile(io.BytesIO(body)).namelist()
    assert {"mini-pilot/README.md", "mini-pilot/config/pilote.json", "mini-pilot/runs/.gitkeep"} <= set(names)
    assert sum(name.startswith("mini-pilot/data/pilote/") for name in names) == 12
    assert not [name for name in names if "__pycache__" in name or ".." in name]


def test_the_diagnostic_is_the_hosts_own_file() -> None:
    answer = Client().get("/downloads/kernodeck-diagnose.py")
    assert answer.content == diagnostic.source().encode()
    assert answer["Content-Disposition"] == 'attachment; filename="kernodeck-diagnose.py"'
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", ["settings.py", "..%2Fsettings.py", "%2Fetc%2Fpasswd"])
def test_nothing_else_can_be_downloaded(name: str) -> None:
    assert Client().get(f"/downloads/{name}").status_code == 404


def test_the_home_page_names_the_real_sizes() -> None:
    page = Client().get("/").content.decode()
    for file in downloads.offered():
        assert f'href="/downloads/{file.name}"' in page


@pytest.mark.parametrize("path", ["/", "/guide/", "/help/", "/terms/", "/keep/", "/count/"])
def test_a_page_is_small_and_needs_no_query(path: str, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        answer = Client().get(path)
    assert answer.status_code == 200
    assert len(answer.content) < 60_000


def test_the_look_stays_light() -> None:
    folder = Path(downloads.PROJECT).parents[1] / "rental" / "static" / "look"
    assert sum(sheet.stat().st_size for sheet in folder.glob("*.css")) < 30_000


def test_links_of_the_explaining_pages_lead_somewhere() -> None:
    client, dead = Client(), []
    for page in ("/", "/guide/", "/help/", "/terms/", "/keep/", "/count/"):
        for link in set(re.findall(r'href="(/[^"#?]*)', client.get(page).content.decode())):
            if not link.startswith("/static/") and client.get(link).status_code >= 400:
                dead.append((page, link))
    assert not dead
