"""The chooser's own choices, which travel through the sheets beside it and come back unchanged."""

from collections.abc import Mapping
from typing import Any

from rental.catalogue.chooser import DEFAULTS, LONGEST


def carried(data: Mapping[str, Any]) -> dict[str, str]:
    """What was really chosen: the chooser takes a number of lots that it is sent for a form to correct."""
    return {
        name: str(data[name])[:LONGEST] for name, usual in DEFAULTS.items() if data.get(name) not in (None, "", usual)
    }
