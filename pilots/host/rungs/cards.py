"""The cards as the driver lists them, NVIDIA's and AMD's."""

from __future__ import annotations

import json
import os
from typing import Any

from pilots.host.rungs.base import Facts, Failed, number, say


def nvidia_cards() -> list[Facts]:
    fields = "index,uuid,name,memory.total,memory.used,driver_version,temperature.gpu,power.draw,utilization.gpu"
    code, text = say(["nvidia-smi", "--query-gpu=" + fields, "--format=csv,noheader,nounits"])
    if code == 127:
        return []
    if code != 0:
        raise Failed(
            "nvidia-smi: " + text[:300], "Repair or reload the NVIDIA driver; a reboot is the usual cure.", exit=code
        )
    cards = []
    for line in filter(None, map(str.strip, text.splitlines())):
        row = [part.strip() for part in line.split(",")]
        if len(row) == 9:
            cards.append(
                {
                    "uuid": row[1],
                    "model": row[2],
                    "memory_bytes": int((number(row[3]) or 0) * 1024**2),
                    "memory_used_bytes": int((number(row[4]) or 0) * 1024**2),
                    "driver": row[5],
                    "backend": "cuda",
                    "temperature_c": number(row[6]),
                    "power_w": number(row[7]),
                    "utilisation_percent": number(row[8]),
                }
            )
    return cards


def named(row: Facts, words: str) -> Any:
    """The first value whose name holds these words: rocm-smi's names change with its version."""
    return next((value for name, value in row.items() if words in name), None)


def amd_cards() -> list[Facts]:
    if not os.path.exists("/dev/kfd"):
        return []
    code, text = say(
        [
            "rocm-smi",
            "--showproductname",
            "--showuniqueid",
            "--showmeminfo",
            "vram",
            "--showdriverversion",
            "--showtemp",
            "--showpower",
            "--showuse",
            "--json",
        ]
    )
    if code != 0:
        raise Failed(
            "rocm-smi: " + (text[:300] or "not there"),
            "Install or repair ROCm's tools and the amdgpu driver.",
            exit=code,
        )
    told = json.loads(text[text.index("{") :])
    driver = str(told.get("system", {}).get("Driver version", ""))
    cards = []
    for key in sorted((k for k in told if k.startswith("card")), key=lambda k: int(k[4:] or 0)):
        row = {name.lower(): value for name, value in told[key].items()}
        cards.append(
            {
                "uuid": str(named(row, "unique id")),
                "model": str(named(row, "card series") or named(row, "card model")),
                "memory_bytes": int(number(named(row, "vram total memory")) or 0),
                "memory_used_bytes": int(number(named(row, "vram total used")) or 0),
                "driver": driver,
                "backend": "rocm",
                "temperature_c": number(named(row, "temperature")),
                "power_w": number(named(row, "power")),
                "utilisation_percent": number(named(row, "gpu use")),
            }
        )
    return cards


def cards() -> list[Facts]:
    """The cards as the driver lists them; raises Failed when a driver is there and does not answer."""
    return nvidia_cards() + amd_cards()
