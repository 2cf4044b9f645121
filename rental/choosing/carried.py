"""The chooser's own choices, which travel through the sheets beside it and come back unchanged."""

from collections.abc import Mapping
from typing import Any

from rental.catalogue.chooser import DEFAULTS, LONGEST


def carried(data: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(data[name])[:LONGEST] for name in DEFAULTS if data.get(name)}
