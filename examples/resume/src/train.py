"""A small training that stops and goes on bit by bit: whatever draws or counts is in its checkpoint."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

# cuBLAS gives the same sums only with a fixed workspace; it is read when CUDA starts
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
from torch import nn


class Order:
    """The order of the data: each epoch a new permutation, drawn by a generator of its own."""

    def __init__(self, size: int, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.size, self.at, self.read = size, 0, 0
        self.permutation = torch.randperm(size, generator=self.generator)

    def next(self, count: int) -> torch.Tensor:
        if self.at + count > self.size:
            self.permutation = torch.randperm(self.size, generator=self.generator)
            self.at = 0
        chosen = self.permutation[self.at : self.at + count]
        self.at += count
        self.read += count
        return chosen

    def state(self) -> dict[str, Any]:
        return {"rng": self.generator.get_state(), "permutation": self.permutation, "at": self.at, "read": self.read}

    def load(self, state: dict[str, Any]) -> None:
        self.generator.set_state(state["rng"])
        self.permutation, self.at, self.read = state["permutation"], state["at"], state["read"]


class Training:
    """Model, optimizer, schedule, order of the data and random state: one thing, saved and loaded as one."""

    def __init__(self, inputs: Path, parameters: dict[str, Any]) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.batch_size, self.step = parameters["batch_size"], 0
        torch.manual_seed(parameters["seed"])
        self.points, self.labels = self._data(inputs)
        width, drop = parameters["width"], parameters["dropout"]
        self.model = nn.Sequential(
            nn.Linear(2, width), nn.GELU(), nn.Dropout(drop), nn.Linear(width, width), nn.GELU(), nn.Dropout(drop),
            nn.Linear(width, 2),
        ).to(self.device)  # fmt: skip
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=parameters["learning_rate"])
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=parameters["steps"])
        self.order = Order(len(self.points), parameters["seed"] + 1)

    def _data(self, inputs: Path) -> tuple[torch.Tensor, torch.Tensor]:
        file = inputs / "items.jsonl" if inputs.is_dir() else inputs
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        points = torch.tensor([row["point"] for row in rows], device=self.device)
        return points, torch.tensor([row["label"] for row in rows], device=self.device)

    def update(self) -> dict[str, Any]:
        """One step; its loss is printed with all its figures, so that two runs can be compared bit by bit."""
        chosen = self.order.next(self.batch_size).to(self.device)
        rate = self.schedule.get_last_lr()[0]
        loss = nn.functional.cross_entropy(self.model(self.points[chosen]), self.labels[chosen])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        self.step += 1
        return {
            "step": self.step,
            "loss": loss.item(),
            "learning_rate": rate,
            "items": min(self.order.read, len(self.points)),
        }

    def save(self, output: Path) -> None:
        """Write a checkpoint whole or not at all: beside the folder first, then moved under its name."""
        state = {
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "order": self.order.state(),
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all() if self.device.type == "cuda" else [],
        }
        folder = output / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        beside = output / "checkpoint.part"
        with beside.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(folder / f"step-{self.step:06d}.pt")

    def load(self, checkpoint: Path) -> None:
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.order.load(state["order"])
        torch.set_rng_state(state["rng"])
        if self.device.type == "cuda":
            torch.cuda.set_rng_state_all(state["cuda_rng"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--params", type=Path, required=True)
    parser.add_argument("--checkpoint", default="", help="go on from this file; empty: from the beginning")
    parser.add_argument("--until-step", default="", help="stop after this step; empty: all steps of the parameters")
    arguments = parser.parse_args()

    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)  # sums in another order would differ in their last bits
    parameters = json.loads(arguments.params.read_text(encoding="utf-8"))["parameters"]
    until = int(arguments.until_step or parameters["steps"])
    training = Training(arguments.inputs, parameters)
    if arguments.checkpoint:
        training.load(Path(arguments.checkpoint))
    print(f"from step {training.step} to {until} on {training.device}, torch {torch.__version__}", flush=True)

    arguments.output.mkdir(parents=True, exist_ok=True)
    with (arguments.output / "metrics.jsonl").open("a", encoding="utf-8") as file:
        while training.step < until:
            file.write(json.dumps(training.update()) + "\n")
            file.flush()
            if training.step % parameters["checkpoint_every"] == 0 or training.step == until:
                training.save(arguments.output)
    print(f"done at step {training.step}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
