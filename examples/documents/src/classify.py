"""Sorts documents into invoices, contracts and letters: a line for each in results.jsonl, accepted or refused."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is fetched: the weights come with the environment

import torch
from encoder import Encoder, file_sha256, model_folder

PROJECT = Path(__file__).resolve().parent.parent


class Unreadable(Exception):
    """A document without a category: its stable reason."""


def read(path: Path, min_characters: int) -> str:
    """A document's text, or why there is none."""
    data = path.read_bytes()
    if b"\0" in data:
        raise Unreadable("not a text: the file holds binary data")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("not a text: the file is not UTF-8") from None
    letters = sum(character.isalnum() for character in text)
    if letters == 0:
        raise Unreadable("no text: the pages are blank, as a scan without a text layer is")
    if letters < min_characters:
        raise Unreadable(f"too little text: {letters} letters and figures, {min_characters} are needed")
    return text


class Classifier:
    """Documents to the category of the nearest prototype: small examples of each, in several languages."""

    def __init__(self, encoder: Encoder, prototypes: Path, min_characters: int) -> None:
        self.encoder, self.min_characters = encoder, min_characters
        self.known = {
            folder.name: torch.stack(
                [encoder.encode(path.read_text(encoding="utf-8"))[0] for path in sorted(folder.iterdir())]
            )
            for folder in sorted(prototypes.iterdir())
        }

    def line(self, identity: str, path: Path) -> dict[str, Any]:
        """What is to be said of one document."""
        try:
            text = read(path, self.min_characters)
        except Unreadable as reason:
            return {"id": identity, "status": "refused", "reason": str(reason)}
        vector, pieces = self.encoder.encode(text)
        scores = {name: round(float((known @ vector).max()), 4) for name, known in self.known.items()}
        best, second = sorted(scores, key=lambda name: -scores[name])[:2]
        return {
            "id": identity,
            "status": "accepted",
            "category": best,
            "margin": round(scores[best] - scores[second], 4),
            "scores": scores,
            "characters": len(text),
            "pieces": pieces,
        }


def documents(inputs: Path, remaining: str) -> list[tuple[str, Path]]:
    """The documents to do, in the order of their names; all of them, or those that a file of ids names."""
    found = {path.stem: path for path in sorted(inputs.iterdir()) if path.is_file() and not path.name.startswith(".")}
    if not remaining:
        return list(found.items())
    wanted = Path(remaining).read_text(encoding="utf-8").split("\n")
    return [(identity, found[identity]) for identity in wanted if identity in found]


def mend(results: Path) -> None:
    """End the line that a killed try left open, so that the next one stands by itself."""
    if results.exists() and not results.read_bytes().endswith(b"\n") and results.stat().st_size:
        with results.open("ab") as file:
            file.write(b"\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--params", type=Path, required=True)
    parser.add_argument("--remaining", default="")
    arguments = parser.parse_args()

    config = json.loads(arguments.params.read_text(encoding="utf-8"))
    parameters, wanted = config["parameters"], config["references"]["model"]["sha256"]
    folder = model_folder()
    if (seen := file_sha256(folder / "model.safetensors")) != wanted:
        raise SystemExit(f"The model's weights are not the ones referred to: {seen}.")

    torch.use_deterministic_algorithms(True, warn_only=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = Encoder(folder, device, parameters["chunk_tokens"], parameters["batch_size"])
    classifier = Classifier(encoder, PROJECT / parameters["prototypes"], parameters["min_characters"])
    todo = documents(arguments.inputs, arguments.remaining)
    print(f"{len(todo)} documents on {device}, torch {torch.__version__}", flush=True)

    arguments.output.mkdir(parents=True, exist_ok=True)
    results = arguments.output / "results.jsonl"
    mend(results)
    with results.open("a", encoding="utf-8") as file:
        for identity, path in todo:
            line = classifier.line(identity, path)
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            print(f"{identity}: {line.get('category') or line['reason']}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
