"""No code is said that the list of codes does not hold."""

import re
from pathlib import Path

from pilots.spec import codes

SOURCE = [path.read_text() for path in (Path(codes.__file__).parent).glob("*.py")]


def said(pattern: str) -> set[str]:
    return {code for text in SOURCE for code in re.findall(pattern, text)}


def test_every_refusal_is_listed() -> None:
    assert said(r'Refused\(\s*"([a-z_]+)"') <= set(codes.ARCHIVE)


def test_every_finding_is_listed() -> None:
    found = said(r'Finding\(\s*"([a-z_]+)"') | said(r'(?:Manifest|Expected)Error\(\s*"([a-z_]+)"')
    assert found | said(r'[pP]roblem\(\s*"(config[a-z_]*)"') <= set(codes.PREFLIGHT)
    assert len(set(codes.FINDINGS)) == len(codes.FINDINGS)
