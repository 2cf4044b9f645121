"""Parts of the pages by themselves: text made visible, lines of logs, the strip, lists of names."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilots import vocabulary
from pilots.models import Rung
from pilots.presenters import balance, criteria, logs
from pilots.presenters.ladder import ladder
from pilots.presenters.text import decoded, is_text, names, visible
from pilots.spec import codes, config, reasons, results
from pilots.spec import criteria as judged


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("plain\ttext\nhere", "plain\ttext\nhere"),
        ("\x1b[31mred\x1b[0m\x07", "␛[31mred␛[0m␇"),
        ("invoice\u202egpj.exe", "invoice⟨U+202E⟩gpj.exe"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("line\u2028end\x85", "line⟨U+2028⟩end⟨U+0085⟩"),
        ("windows\r\nends", "windows\nends"),
    ],
)
def test_hidden_characters_are_written_out_and_ordinary_ones_stay(given_: str, shown: str) -> None:
    assert visible(given_) == shown


@given(st.text())
def test_nothing_that_steers_a_screen_is_left(text: str) -> None:
    shown = visible(text)
    assert not any(ord(character) < 32 and character not in "\n\t" for character in shown)
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\x7f")


def test_bytes_that_are_no_text_are_known_and_never_hidden() -> None:
    assert is_text("häuser".encode())
    assert is_text("häuser".encode()[:2]), "a character cut by the size limit is forgiven"
    assert not is_text(b"PK\x03\x04\x00")
    assert not is_text("häuser".encode("latin-1"))
    assert decoded(b"caf\xe9") == "caf\ufffd"


def test_a_page_of_a_log_reads_only_what_it_shows(tmp_path: Path) -> None:
    path = tmp_path / "stderr.log"
    path.write_bytes(b"".join(b"%d\n" % number for number in range(1, 1202)) + b"last without an end")
    page = logs.page_of(path, 600)
    assert (page.first, page.last, page.total) == (501, 1000, 1202)
    assert (page.previous, page.next) == (1, 1001)
    assert [line.text for line in logs.lines_between(path, 1201, 1300)] == ["1201", "last without an end"]
    path.write_bytes(b"x" * 1_000_000 + b"\nsecond\n")
    cut, second = logs.lines_between(path, 1, 2)
    assert (len(cut.text), cut.is_cut) == (logs.LINE_BYTES, True)
    assert second.text == "second"
    path.write_bytes(b"")
    assert logs.page_of(path, 5).lines == []


def test_tiles_hide_what_all_ids_share_and_count_when_a_name_is_long() -> None:
    cells = [balance.Cell(f"doc-{number:02d}", "accepted", "x", f"#{number}") for number in range(1, 13)]
    tiles = balance.strip(declared=12, accepted=12, refused=0, is_final=True, cells=cells).tiles
    assert (tiles[6].before, tiles[6].label, tiles[6].after) == ("doc-", "07", "")
    long = [balance.Cell(name, "missing", "x", "#") for name in ("contract-of-2024", "letter-of-thanks")]
    tiles = balance.strip(declared=2, accepted=0, refused=0, is_final=True, cells=long).tiles
    assert (tiles[1].label, tiles[1].after) == ("2", " letter-of-thanks")


@given(st.integers(201, 10**7), st.floats(0, 1), st.floats(0, 1))
def test_a_bar_adds_up_and_draws_every_share_that_exists(declared: int, part: float, refused_part: float) -> None:
    accepted = int(declared * part)
    refused = int((declared - accepted) * refused_part)
    strip = balance.strip(declared=declared, accepted=accepted, refused=refused, is_final=True)
    assert strip.bar is not None
    assert strip.accepted + strip.refused + strip.missing == declared
    assert bool(strip.bar.hatched) == bool(refused)
    assert len(strip.bar.hatch) < 20_000


def test_long_lists_are_cut_and_counted() -> None:
    assert names(["a", "b"]) == "a, b"
    assert names([f"d{number}" for number in range(20)], 3) == "d0, d1, d2 and 17 more"


def test_whatever_a_host_says_of_a_rung_the_page_stays_up() -> None:
    odd = [None, [], "text", {"devices": 5}, {"devices": [7]}, {"cards": {"a": 1}}, {"extensions": [None]}]
    rungs = [Rung(number=number, name="?", verdict="passed", facts=facts) for number in range(13) for facts in odd]
    assert len(ladder(rungs).rows) == len(rungs)


def test_every_code_has_its_words() -> None:
    assert set(reasons.REASONS) <= set(vocabulary.REASONS)
    assert set(codes.PREFLIGHT) - {"config_"} <= set(vocabulary.FINDINGS)
    assert set(results.MALFORMED) <= set(vocabulary.criteria.MALFORMED)
    raw = {
        "kind": "training", "command": ["python"], "inputs": "data", "resume": {"interrupt_at": 1, "until": 2},
        "criteria": {"items": 1, "max_minutes": 1, "max_gpu_memory_gb": 1},
    }  # fmt: skip
    said = {verdict.code for verdict in judged.judge(config.from_dict(raw), None, {})}
    assert said <= set(vocabulary.CRITERIA)
    assert {code for code, _value in criteria.fixed_of(raw)} == said
