"""`config/expected.json`: the answers written before the launch, used by the sheet and shown to no program."""

import json
from pathlib import Path
from typing import Any

from pilots.spec.config import EXPECTED_FILE, Config
from pilots.spec.manifest import clean_id


class ExpectedError(ValueError):
    """Expected answers that cannot be used: a stable code and what in plain English."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def load(folder: Path, config: Config) -> dict[str, str]:
    """The expected answers of a project folder; empty when there are none."""
    path = folder / EXPECTED_FILE
    return parse(path.read_bytes(), config) if path.is_file() else {}


def parse(data: bytes, config: Config) -> dict[str, str]:
    """Id to category; raises ExpectedError."""
    try:
        value: Any = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ExpectedError("expected_not_json", f"{EXPECTED_FILE} is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise ExpectedError("expected_not_object", f"{EXPECTED_FILE} must be an object of id and category.")
    answers: dict[str, str] = {}
    for identity, category in value.items():
        if not isinstance(category, str) or category not in config.criteria.categories:
            message = f"{EXPECTED_FILE}: the answer for “{identity}” is not among the categories."
            raise ExpectedError("expected_category", message)
        answers[clean_id(identity)] = category
    both = sorted(set(answers) & set(map(clean_id, config.criteria.must_refuse)))
    if both:
        message = f"{EXPECTED_FILE}: “{both[0]}” must be refused and cannot have an expected category."
        raise ExpectedError("expected_refused", message)
    return answers
