"""Rungs 4 to 6: memory, matrix products, and what a training leans on."""

from __future__ import annotations

import argparse
import time
from typing import Any

from pilots.host.rungs.base import Facts, Failed
from pilots.host.rungs.framework import each, settle


def rung_memory(want: argparse.Namespace) -> Facts:
    def test(torch: Any, device: str) -> Facts:
        free, total = torch.cuda.mem_get_info(int(device[5:])) if device != "cpu" else (512 * 1024**2, None)
        back = (sample := torch.randn(1 << 20)).to(device).cpu()
        if not torch.equal(sample, back):
            raise Failed(
                f"a copy to {device} and back differs", "Test the card's memory; do not use it.", device=device
            )
        held: list[Any] = []
        step = 256 * 1024**2
        share = want.fill if device != "cpu" else 0.5
        try:
            while sum(block.numel() for block in held) + step <= free * share:
                held.append(torch.full((step,), len(held) % 251, dtype=torch.uint8, device=device))
        except RuntimeError as error:
            raise Failed(
                f"memory ran out before {share:.0%} of free: {error}",
                "Look for a neighbour that holds memory.",
                free_bytes=free,
            ) from error
        wrong = [n for n, block in enumerate(held) if not bool((block[:: 1 << 16] == n % 251).all())]
        if wrong:
            raise Failed(
                f"{len(wrong)} filled blocks read back wrong on {device}",
                "Test the card's memory; do not use it.",
                device=device,
            )
        return {"free_bytes": free if device != "cpu" else None, "total_bytes": total, "filled_bytes": step * len(held)}

    return each(want, test)


def rung_compute(want: argparse.Namespace) -> Facts:
    def test(torch: Any, device: str) -> Facts:
        torch.backends.cuda.matmul.allow_tf32 = False
        size, facts = (1024 if device != "cpu" else 256), {}
        left, right = torch.randn(size, size, dtype=torch.float64), torch.randn(size, size, dtype=torch.float64)
        for name, bound in (("float32", 1e-5), ("float16", 5e-3), ("bfloat16", 3e-2)):
            kind = getattr(torch, name)
            a, b = left.to(kind), right.to(kind)
            truth = a.double() @ b.double()
            got, again = a.to(device) @ b.to(device), a.to(device) @ b.to(device)
            error = float((got.cpu().double() - truth).norm() / truth.norm())
            if not error <= bound or not torch.equal(got, again):
                raise Failed(
                    f"{name} product on {device}: relative error {error:.2e}, twice equal {torch.equal(got, again)}",
                    "The card computes wrongly: do not use it.",
                    device=device,
                )
            big = torch.randn(*(2 * [8192 if device != "cpu" else 512]), device=device).to(kind)
            big @ big
            settle(torch, device)
            start, turns = time.perf_counter(), 10
            for _ in range(turns):
                big @ big
            settle(torch, device)
            facts[name] = {
                "relative_error": error,
                "tflops": round(2 * len(big) ** 3 * turns / (time.perf_counter() - start) / 1e12, 3),
            }
        block = torch.empty((1 << 30) if device != "cpu" else (1 << 26), dtype=torch.uint8, device=device)
        block.clone()
        settle(torch, device)
        start = time.perf_counter()
        for _ in range(5):
            block.clone()
        settle(torch, device)
        facts["copy_gb_per_s"] = round(2 * block.numel() * 5 / (time.perf_counter() - start) / 1e9, 1)
        return facts

    return each(want, test)


def rung_libraries(want: argparse.Namespace) -> Facts:
    def test(torch: Any, device: str) -> Facts:
        call = torch.nn.functional

        def close(a: Any, b: Any) -> float:
            return float((a.cpu() - b).abs().max())

        x, w = torch.randn(2, 8, 32, 32), torch.randn(16, 8, 3, 3)
        torch.backends.cudnn.allow_tf32 = False
        conv = close(call.conv2d(x.to(device), w.to(device)), call.conv2d(x, w))
        q, k, v = (torch.randn(1, 4, 64, 32) for _ in range(3))
        truth = torch.softmax(q @ k.transpose(-1, -2) / 32**0.5, -1) @ v
        attention = close(call.scaled_dot_product_attention(q.to(device), k.to(device), v.to(device)), truth)
        net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).to(device)
        steps, xs = torch.optim.AdamW(net.parameters(), lr=1e-2), torch.randn(256, 16, device=device)
        losses = []
        for _ in range(30):
            steps.zero_grad()
            loss = ((net(xs) - xs.sum(1, keepdim=True)) ** 2).mean()
            loss.backward()
            steps.step()
            losses.append(float(loss))
        facts = {"conv2d_error": conv, "attention_error": attention, "loss_first": losses[0], "loss_last": losses[-1]}
        if conv > 1e-3 or attention > 1e-3 or not losses[-1] < losses[0]:
            raise Failed(
                f"wrong results on {device}",
                "Reinstall the framework with its own libraries; then suspect the card.",
                device=device,
                **facts,
            )
        return dict(facts, cudnn=torch.backends.cudnn.version() if device != "cpu" else None)

    return each(want, test)
