"""Writes the 64 items of this example: noisy spirals of two classes, from a fixed seed."""

import json
import math
import random
from pathlib import Path


def main() -> None:
    draw = random.Random(20260301)  # noqa: S311
    target = Path(__file__).resolve().parent.parent / "data/pilote/items.jsonl"
    with target.open("w", encoding="utf-8") as file:
        for number in range(64):
            label = number % 2
            turn = draw.uniform(0.2, 1.2)
            angle = turn * math.pi + label * math.pi
            point = [round(turn * wave(angle) / 3 + draw.gauss(0, 0.03), 6) for wave in (math.cos, math.sin)]
            file.write(json.dumps({"id": f"point-{number + 1:02d}", "point": point, "label": label}) + "\n")


if __name__ == "__main__":
    main()
