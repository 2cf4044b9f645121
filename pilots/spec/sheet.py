"""The balance sheet: every declared id exactly once, accepted with a category or refused with a reason.

A pure function of manifest and results, the same on the host, on the server and in the offline command. Memory is
bounded by the declared ids: lists of what was never declared are cut at `MAX_LISTED`, their counts stay exact.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TypedDict

from pilots.spec.config import Config
from pilots.spec.lines import LineFeed, blocks
from pilots.spec.manifest import clean_id
from pilots.spec.results import USUAL, Line, read_line, usual
from pilots.spec.words import Item

MAX_LISTED: Final = 10_000
MAX_REASONS: Final = 1_000
_SHOWN: Final = 300  # characters kept of a text that the program chose
_OTHER: Final = "…"

# What is known of one declared id, as bits of a small integer: ten million ids stay under two gibibytes.
_SEEN, _ACCEPTED, _DUPLICATED, _BAD_CATEGORY, _WITHOUT_REASON, _MUST_REFUSE, _DISAGREES = 1, 2, 4, 8, 16, 32, 64


class Classified(NamedTuple):
    """What the sheet made of one line. Only a `counted` line is the item's; the others are strays, kept and shown."""

    kind: str  # "accepted", "refused", "duplicated", "invented", "malformed", "blank"
    counted: bool
    line: Line
    bad_category: bool = False
    without_reason: bool = False


class MustRefuse(TypedDict):
    expected: list[str]
    refused: list[str]
    accepted: list[str]
    missing: list[str]
    undeclared: list[str]


class Agreement(TypedDict):
    expected: int  # ids with an expected answer
    agreed: int
    share: float | None  # None: nothing was expected, so nothing was measured
    disagreements: list[str]  # answered otherwise; what is missing is listed as missing


class MalformedLine(TypedDict):
    line: int
    code: str


class SheetDict(TypedDict):
    """The sheet as JSON; the lists hold ids in the manifest's order, strays in the order of their lines."""

    declared: int
    accepted: int
    refused: int
    missing: list[str]
    duplicated: list[str]
    invented: list[str]
    bad_category: list[str]
    without_reason: list[str]
    malformed_lines: list[int]
    must_refuse_accepted: list[str]
    holds: bool
    must_refuse: MustRefuse
    agreement: Agreement
    categories: dict[str, int]
    reasons: dict[str, int]
    malformed: list[MalformedLine]
    lines: int
    duplicated_lines: int
    invented_lines: int
    malformed_count: int


class Sheet:
    """Fed line by line; `as_dict` at any moment. The same classification on the server as offline."""

    def __init__(self, ids: Iterable[str], config: Config, expected: Mapping[str, str] | None = None) -> None:
        criteria = config.criteria
        self._state: dict[str, int] = dict.fromkeys(ids, 0)
        self._expected = {key: value for key, value in (expected or {}).items() if key in self._state}
        self._must_refuse = list(map(clean_id, criteria.must_refuse))
        for identity in self._must_refuse:
            if identity in self._state:
                self._state[identity] = _MUST_REFUSE
        self._categories: dict[str, int] = {clean_id(name): 0 for name in criteria.categories}
        self._reasons: dict[str, int] = {}
        self._counts = {"accepted": 0, "refused": 0, "duplicated": 0, "invented": 0, "malformed": 0, "blank": 0}
        self._agreed = 0
        self._flawed = 0  # none: the lists are empty and need no look at every id
        self._invented: dict[str, None] = {}
        self._malformed: list[MalformedLine] = []

    @classmethod
    def build(
        cls,
        manifest: Iterable[Item],
        lines: Iterable[bytes],
        config: Config,
        expected: Mapping[str, str] | None = None,
    ) -> Self:
        """The sheet of a manifest and the lines of results.jsonl."""
        sheet = cls((item["id"] for item in manifest), config, expected)
        for number, line in enumerate(lines, 1):
            sheet.feed(number, line)
        return sheet

    @classmethod
    def of_file(
        cls, manifest: Iterable[Item], results: Path, config: Config, expected: Mapping[str, str] | None = None
    ) -> Self:
        """The sheet of a results file, read in blocks; a file that does not exist holds no line."""
        sheet = cls((item["id"] for item in manifest), config, expected)
        if results.exists():
            with results.open("rb") as file:
                sheet.feed_blocks(blocks(file))
        return sheet

    def feed_blocks(self, blocks: Iterable[bytes]) -> None:
        """Take a whole file in blocks cut anywhere: the same as feeding its lines, several times faster."""
        feed = LineFeed()
        for block in blocks:
            first, last = block.find(b"\n"), block.rfind(b"\n")
            if first == last:
                self._feed_each(feed.push(block))
                continue
            self._feed_each(feed.push(block[: first + 1]))
            number = feed.number
            feed.number += self._feed_lines(number, block[first + 1 : last])
            self._feed_each(feed.push(block[last + 1 :]))
        self._feed_each(feed.end())

    def _feed_each(self, lines: Iterable[tuple[int, bytes]]) -> None:
        for number, line in lines:
            self.feed(number, line)

    def _feed_lines(self, number: int, data: bytes) -> int:
        """Take whole lines after line `number`, the last one without its newline; how many they were."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            lines = data.split(b"\n")
            self._feed_each(enumerate(lines, number + 1))
            return len(lines)
        state, categories, reasons, expected = self._state, self._categories, self._reasons, self._expected
        start, accepted, refused = number, 0, 0
        for identity, category, reason, other in USUAL.findall(text):
            number += 1
            if identity:
                known = state.get(identity, _SEEN)
                if known & _SEEN or identity in expected:
                    pass
                elif category in categories:
                    state[identity] = known | _SEEN | _ACCEPTED
                    categories[category] += 1
                    accepted += 1
                    continue
                elif reason in reasons:
                    state[identity] = known | _SEEN
                    reasons[reason] += 1
                    refused += 1
                    continue
                self._take(usual(identity, category, reason))
            else:
                self.feed(number, other.encode())
        self._counts["accepted"] += accepted
        self._counts["refused"] += refused
        return number - start

    def feed(self, number: int, data: bytes) -> Classified:
        """Take one line (with or without its newline) and say what it is."""
        line = read_line(data, number)
        said = line.said
        if said == "accepted" or said == "refused":
            return self._take(line)
        self._counts[said] += 1
        if said == "malformed" and len(self._malformed) < MAX_LISTED:
            self._malformed.append({"line": number, "code": line.code})
        return Classified(said, False, line)

    def _take(self, line: Line) -> Classified:
        state = self._state.get(line.id)
        if state is None:
            self._counts["invented"] += 1
            if len(self._invented) < MAX_LISTED:
                self._invented[line.id[:_SHOWN]] = None
            return Classified("invented", False, line)
        if state & _SEEN:
            self._counts["duplicated"] += 1
            self._flawed += not state & _DUPLICATED
            self._state[line.id] = state | _DUPLICATED
            return Classified("duplicated", False, line)
        return self._count(line, state | _SEEN)

    def _count(self, line: Line, state: int) -> Classified:
        self._counts[line.said] += 1
        flaw = False
        if line.said == "accepted":
            state |= _ACCEPTED
            if flaw := line.category not in self._categories:
                state |= _BAD_CATEGORY
            else:
                self._categories[str(line.category)] += 1
        elif flaw := line.reason is None:
            state |= _WITHOUT_REASON
        else:
            self._add_reason(str(line.reason)[:_SHOWN])
        self._flawed += flaw
        answer = self._expected.get(line.id)
        if answer is not None:
            if line.said == "accepted" and line.category == clean_id(answer):
                self._agreed += 1
            else:
                state |= _DISAGREES
        self._state[line.id] = state
        accepted = line.said == "accepted"
        return Classified(line.said, True, line, accepted and flaw, not accepted and flaw)

    def _add_reason(self, reason: str) -> None:
        key = reason if reason in self._reasons or len(self._reasons) < MAX_REASONS else _OTHER
        self._reasons[key] = self._reasons.get(key, 0) + 1

    def missing(self) -> list[str]:
        """Declared ids that no line answers yet: what a resumed try has to finish."""
        if self._counts["accepted"] + self._counts["refused"] == len(self._state):
            return []
        return [identity for identity, state in self._state.items() if not state & _SEEN]

    def as_dict(self) -> SheetDict:
        """The sheet as it stands."""
        listed = self._listed(_DUPLICATED, _BAD_CATEGORY, _WITHOUT_REASON)
        duplicated, bad_category, without_reason = listed
        missing, counts, must_refuse = self.missing(), self._counts, self._must_refused()
        flawless = not (missing or duplicated or bad_category or without_reason or must_refuse["accepted"])
        return {
            "declared": len(self._state),
            "accepted": counts["accepted"],
            "refused": counts["refused"],
            "missing": missing,
            "duplicated": duplicated,
            "invented": list(self._invented),
            "bad_category": bad_category,
            "without_reason": without_reason,
            "malformed_lines": [row["line"] for row in self._malformed],
            "must_refuse_accepted": must_refuse["accepted"],
            "holds": flawless
            and not (counts["invented"] or counts["malformed"] or must_refuse["undeclared"])
            and bool(self._state),
            "must_refuse": must_refuse,
            "agreement": self._agreement(),
            "categories": dict(self._categories),
            "reasons": dict(sorted(self._reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
            "malformed": list(self._malformed),
            "lines": sum(counts.values()) - counts["blank"],
            "duplicated_lines": counts["duplicated"],
            "invented_lines": counts["invented"],
            "malformed_count": counts["malformed"],
        }

    def _listed(self, *bits: int) -> tuple[list[str], ...]:
        lists: tuple[list[str], ...] = tuple([] for _ in bits)
        flagged = sum(bits)
        for identity, state in self._state.items() if self._flawed else ():
            if state & flagged:
                for bit, ids in zip(bits, lists, strict=True):
                    if state & bit:
                        ids.append(identity)
        return lists

    def _must_refused(self) -> MustRefuse:
        told: MustRefuse = {
            "expected": self._must_refuse,
            "refused": [],
            "accepted": [],
            "missing": [],
            "undeclared": [],
        }
        for identity in self._must_refuse:
            state = self._state.get(identity)
            if state is None:
                told["undeclared"].append(identity)
            elif not state & _SEEN:
                told["missing"].append(identity)
            elif state & _ACCEPTED:
                told["accepted"].append(identity)
            else:
                told["refused"].append(identity)
        return told

    def _agreement(self) -> Agreement:
        expected = len(self._expected)
        disagreements = [identity for identity in self._expected if self._state[identity] & _DISAGREES]
        share = self._agreed / expected if expected else None
        return {"expected": expected, "agreed": self._agreed, "share": share, "disagreements": disagreements}


def holds(sheet: Mapping[str, Any]) -> bool:
    """Whether a sheet read back from JSON holds, computed from its figures and not from its word."""
    keys = ("missing", "duplicated", "invented", "bad_category", "without_reason", "malformed_lines")
    adds_up = sheet["accepted"] + sheet["refused"] == sheet["declared"] > 0
    return adds_up and not any(sheet[key] for key in (*keys, "must_refuse_accepted"))
