"""Rung 9: several cards, each alone and all in one collective."""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess

from pilots.host.rungs.asking import again
from pilots.host.rungs.base import Facts, Failed, NotApplicable
from pilots.host.rungs.framework import load_torch


def rung_cards(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if want.rank is not None:
        dist = importlib.import_module("torch.distributed")
        torch.cuda.set_device(want.rank)
        dist.init_process_group("nccl", rank=want.rank, world_size=count)
        value = torch.full((1024,), float(want.rank + 1), device="cuda")
        dist.all_reduce(value)
        if not bool((value == count * (count + 1) / 2).all()):
            raise Failed(
                "all_reduce gave a wrong value",
                "Look at NCCL_DEBUG=INFO, the topology and IOMMU settings.",
                rank=want.rank,
            )
        dist.destroy_process_group()
        return {"rank": want.rank}
    if count < 2:
        raise NotApplicable(f"{count} cards: nothing to compare", "Nothing to do.", count=count)
    peers = [[a == b or torch.cuda.can_device_access_peer(a, b) for b in range(count)] for a in range(count)]
    env = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT="29571")
    ranks = [
        subprocess.Popen([*again(9, want), "--rank", str(i)], env=env, stdout=subprocess.DEVNULL) for i in range(count)
    ]
    codes = [rank.wait() for rank in ranks]
    if any(codes):
        raise Failed("the collective failed", "Look at NCCL_DEBUG=INFO, the topology and IOMMU settings.", peers=peers)
    return {"count": count, "peers": peers, "all_reduce": count * (count + 1) / 2}
