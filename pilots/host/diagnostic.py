"""The diagnostic ladder of a GPU machine: one file without dependencies, for Python >= 3.9.

Run it alone: `python diagnostic.py --help`. It is longer than this house's files are, because it is one download.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

# number: (name, seconds allowed, proves, does not prove). A plain table: the file must stay one download.
LADDER: dict[int, tuple[str, int, str, str]] = {
    0: ("host", 60, "the driver answers and lists these cards",
        "that a framework can use them; nvidia-smi's CUDA version is only the driver's ceiling"),
    1: ("interpreter", 30, "which Python and which packages are really used", "that they import"),
    2: ("import", 180, "the framework loads, and its build is cuda, rocm or cpu", "that a GPU is there"),
    3: ("device", 120, "the framework opens the driver and carries code for this card", "that a kernel runs"),
    4: ("memory", 180, "context, allocator and copies work; memory is not held by a neighbour", "arithmetic"),
    5: ("compute", 240, "matrix products are right for this shape", "other kernels, sustained load"),
    6: ("libraries", 240, "convolution, attention and a falling loss (cuDNN or MIOpen, autograd)", "extensions"),
    7: ("compiler", 300, "Triton, a compiler and a writable cache work together", "other graphs"),
    8: ("extensions", 300, "each declared extension imports, and its kernel runs where exercised", "your sizes"),
    9: ("cards", 300, "each card alone, and the collective's value", "bandwidth, long stability"),
    11: ("blender", 300, "the renderer uses the named card", "your scene"),
}  # fmt: skip
BEHAVIOUR = ("CUDA_", "NVIDIA_", "HIP_", "ROCR_", "HSA_", "AMD_", "NCCL_", "RCCL_", "TORCH", "PYTORCH_", "OMP_", "MKL_",
             "OPENBLAS_", "TRITON_", "HF_", "PYTHON", "LD_", "XLA_", "MIOPEN_")  # fmt: skip
NEED_TORCH = (3, 4, 5, 6, 7, 9)
Facts = dict[str, Any]


class Failed(Exception):
    """A rung that does not hold: what was seen, and what to do next."""

    def __init__(self, message: str, next_: str, **facts: Any) -> None:
        super().__init__(message)
        self.next, self.facts = next_, dict(facts, error=message)


class NotApplicable(Failed):
    """A rung that this machine or project has nothing for."""


def say(argv: list[str], seconds: float = 20) -> tuple[int, str]:
    """A tool's exit code and words; 127 when it is not there, 124 when it does not answer."""
    if not shutil.which(argv[0]):
        return 127, ""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return 124, argv[0] + " did not answer"
    except OSError as error:
        return 126, str(error)
    return done.returncode, done.stdout if done.returncode == 0 else (done.stderr or done.stdout).strip()


def number(text: Any) -> float | None:
    try:
        return float(str(text).split()[0])
    except (ValueError, IndexError):
        return None


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


def memory_limit() -> int | None:
    """What the cgroup allows, in bytes; None without a limit."""
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path) as file:
                value = file.read().strip()
            return int(value) if value != "max" and int(value) < 1 << 60 else None
        except (OSError, ValueError):
            continue
    return None


def rung_host(want: argparse.Namespace) -> Facts:
    shm = shutil.disk_usage("/dev/shm").total if os.path.isdir("/dev/shm") else None  # noqa: S108
    facts: Facts = {
        "cards": [],
        "backend": "cpu",
        "cpus": len(os.sched_getaffinity(0)),
        "disk_free_bytes": shutil.disk_usage(".").free,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "memory_limit_bytes": memory_limit(),
        "shm_bytes": shm,
        "kernel": os.uname().release,
        "hostname": os.uname().nodename,
    }
    try:
        facts["cards"] = found = cards()
    except Failed as error:
        raise Failed(str(error), error.next, **dict(facts, **error.facts)) from error
    if found:
        facts["backend"] = found[0]["backend"]
    elif os.path.exists("/dev/nvidia0"):
        raise Failed(
            "/dev/nvidia0 is there but nvidia-smi lists no card", "Install the driver's own nvidia-smi.", **facts
        )
    if want.backend in ("cuda", "rocm") and facts["backend"] != want.backend:
        raise Failed(
            f"no {want.backend} card is listed", "Run on a machine with such a card, or set backend to any.", **facts
        )
    if want.cards is not None and len(found) != want.cards:
        raise Failed(f"{want.cards} cards expected, {len(found)} listed", "Compare with what was ordered.", **facts)
    if not found:
        facts["note"] = "no card is listed: this machine proves no GPU"
    return facts


def rung_interpreter(want: argparse.Namespace) -> Facts:
    import site
    from importlib import metadata

    names = sorted({f"{(d.metadata['Name'] or '?').lower()}=={d.version}" for d in metadata.distributions()})
    return {
        "executable": sys.executable,
        "real_path": os.path.realpath(sys.executable),
        "version": sys.version.split()[0],
        "prefix": sys.prefix,
        "base_prefix": sys.base_prefix,
        "venv": sys.prefix != sys.base_prefix,
        "user_site": bool(site.ENABLE_USER_SITE) and os.path.isdir(site.getusersitepackages()),
        "pythonpath": os.environ.get("PYTHONPATH"),
        "packages": len(names),
        "packages_sha256": hashlib.sha256("\n".join(names).encode()).hexdigest(),
        "variables": {k: v for k, v in sorted(os.environ.items()) if k.startswith(BEHAVIOUR) and k != "PYTHONPATH"},
    }


def load_torch(want: argparse.Namespace) -> Any:
    try:
        return importlib.import_module("torch")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        if want.need_torch or want.seen:
            raise Failed(
                "torch is not installed in this interpreter",
                "Pin torch in requirements-rebuild.txt, with the build for this card.",
                torch=None,
                executable=sys.executable,
            ) from error
        raise NotApplicable(
            "torch is not installed, no card is listed and nothing here asks for it",
            "Give --torch-python the interpreter of an environment with torch to prove more.",
            torch=None,
        ) from error


def rung_import(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    build = "cuda" if torch.version.cuda else "rocm" if getattr(torch.version, "hip", None) else "cpu"
    facts = {
        "torch": torch.__version__,
        "build": build,
        "cuda": torch.version.cuda,
        "hip": getattr(torch.version, "hip", None),
        "git": getattr(torch.version, "git_version", None),
        "file": torch.__file__,
    }
    if want.backend in ("cuda", "rocm") and build != want.backend:
        raise Failed(
            f"a {build} build of torch, and {want.backend} is asked for",
            f"Install the {want.backend} wheel of torch.",
            **facts,
        )
    return facts


def rung_device(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    if not torch.version.cuda and not getattr(torch.version, "hip", None):
        if want.seen:
            raise Failed(
                f"{want.seen} cards are listed but this torch is a CPU build",
                "Install the wheel for this backend.",
                device="cpu",
            )
        raise NotApplicable(
            "CPU build, no card listed: no GPU was proved",
            "Nothing to do on a CPU machine.",
            device="cpu",
            gpu_proved=False,
        )
    facts: Facts = {
        "available": torch.cuda.is_available(),
        "count": torch.cuda.device_count(),
        "arch_list": torch.cuda.get_arch_list(),
    }
    if not facts["available"]:
        if not want.seen and want.backend not in ("cuda", "rocm"):
            raise NotApplicable(
                "no card listed: no GPU was proved", "Nothing to do on a CPU machine.", gpu_proved=False, **facts
            )
        raise Failed(
            "torch sees no device",
            "Compare the driver's version with the wheel's CUDA or ROCm; look at *_VISIBLE_DEVICES.",
            **facts,
        )
    facts["devices"] = []
    for index in range(facts["count"]):
        got = torch.cuda.get_device_properties(index)
        arch = getattr(got, "gcnArchName", "") or f"sm_{got.major}{got.minor}"
        known = [a.split("_")[-1].split(":")[0] for a in facts["arch_list"]]
        # A wheel runs on a card of its own architecture, an older minor of the same major, or through PTX (compute_*).
        fits = (
            not known
            or arch.split(":")[0].split("_")[-1] in known
            or (
                arch.startswith("sm_")
                and any(
                    a.startswith("compute_")
                    or (a.startswith("sm_") and a[3:-1] == str(got.major) and a[-1:] <= str(got.minor))
                    for a in facts["arch_list"]
                )
            )
        )
        facts["devices"].append(
            {
                "index": index,
                "name": got.name,
                "memory_bytes": got.total_memory,
                "arch": arch,
                "carried": fits,
                "uuid": str(getattr(got, "uuid", "")),
            }
        )
    if want.cards is not None and facts["count"] != want.cards:
        raise Failed(
            f"{want.cards} cards expected, torch sees {facts['count']}", "Look at *_VISIBLE_DEVICES and MIG.", **facts
        )
    if not all(device["carried"] for device in facts["devices"]):
        raise Failed(
            "this wheel carries no code for the card", "Install a torch wheel built for this architecture.", **facts
        )
    return facts


def devices(torch: Any) -> Iterator[str]:
    yield from [f"cuda:{i}" for i in range(torch.cuda.device_count())] if torch.cuda.is_available() else ["cpu"]


def each(want: argparse.Namespace, test: Callable[[Any, str], Facts]) -> Facts:
    """The same test on every device; what ran on the CPU never counts as a GPU proved."""
    torch = load_torch(want)
    torch.manual_seed(0)
    seen = [dict(test(torch, device), device=device) for device in devices(torch)]
    return {"devices": seen, "device": seen[0]["device"], "gpu_proved": seen[0]["device"] != "cpu"}


def settle(torch: Any, device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize(device)


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


def rung_compiler(want: argparse.Namespace) -> Facts:
    torch = load_torch(want)
    if not torch.cuda.is_available() and not want.compile:
        raise NotApplicable("asked only of a GPU (or with --compile)", "Nothing to do.", device="cpu")

    def plain(x: Any) -> Any:
        return torch.nn.functional.gelu(x * 2 + 1).sum(-1)

    compiled = torch.compile(plain)

    def test(torch: Any, device: str) -> Facts:
        x = torch.randn(64, 64, device=device)
        error = float((compiled(x) - plain(x)).abs().max())
        if error > 1e-3:
            raise Failed(
                f"compiled and eager differ by {error:.2e} on {device}",
                "Run eager, and report the versions.",
                device=device,
            )
        return {"error": error}

    return each(want, test)


def exercise(name: str, torch: Any) -> bool:
    """Runs a known extension's kernel on the first card; False where there is nothing to run it on or with."""
    if not torch.cuda.is_available():
        return False

    def half(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda", dtype=torch.float16)

    if name == "flash_attn":
        importlib.import_module("flash_attn").flash_attn_func(
            half(1, 64, 4, 64), half(1, 64, 4, 64), half(1, 64, 4, 64)
        )
    elif name == "xformers":
        importlib.import_module("xformers.ops").memory_efficient_attention(
            half(1, 64, 4, 64), half(1, 64, 4, 64), half(1, 64, 4, 64)
        )
    elif name == "bitsandbytes":
        bnb = importlib.import_module("bitsandbytes.functional")
        bnb.dequantize_4bit(*bnb.quantize_4bit(half(256, 256)))
    else:
        return False
    torch.cuda.synchronize()
    return True


def rung_extensions(want: argparse.Namespace) -> Facts:
    names = [name for name in want.extensions.split(",") if name]
    if not names:
        raise NotApplicable("no extension is declared", "Declare them under extensions in config/pilote.json.")
    torch, seen = load_torch(want), []
    for name in names:
        sys.stderr.write(f"extension {name}\n")  # a crash leaves this as its last words
        try:
            module = importlib.import_module(name.replace("-", "_"))
            seen.append(
                {"name": name, "version": getattr(module, "__version__", None), "exercised": exercise(name, torch)}
            )
        except Exception as error:
            raise Failed(
                f"{name}: {type(error).__name__}: {error}",
                f"Rebuild {name} against this torch and this card.",
                extensions=seen,
            ) from error
    return {"extensions": seen}


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


BLENDER = """
import bpy, sys
s=bpy.context.scene; s.render.engine='CYCLES'; s.cycles.samples=4; s.render.resolution_x=s.render.resolution_y=64
p=bpy.context.preferences.addons['cycles'].preferences; used=[]
for kind in ('OPTIX','CUDA','HIP'):
    try:
        p.compute_device_type=kind; p.get_devices()
    except TypeError: continue
    used=[d for d in p.devices if d.type==kind]
    for d in p.devices: d.use=d in used
    if used: break
def frame(device):
    s.cycles.device=device; s.render.filepath=sys.argv[-1]+device+'.png'; bpy.ops.render.render(write_still=True)
    i=bpy.data.images.load(s.render.filepath); return list(i.pixels)
a=frame('CPU'); b=frame('GPU') if used else a
print('KERNODECK', [d.name for d in used], sum(abs(x-y) for x,y in zip(a,b))/len(a), max(a))
"""


def rung_blender(want: argparse.Namespace) -> Facts:
    if not want.blender:
        raise NotApplicable("Blender was not asked for", "Give --blender PATH.")
    with tempfile.TemporaryDirectory() as folder:
        code, text = say([want.blender, "-b", "--python-expr", BLENDER, "--", folder + "/"], 280)
    line = next((line for line in text.splitlines() if line.startswith("KERNODECK")), "")
    if code or not line:
        raise Failed(f"blender ended with {code}: {text[-300:]}", "Install Blender with its libraries (GL, X11).")
    names, (error, light) = line[10 : line.index("]") + 1], map(float, line[line.index("]") + 1 :].split())
    facts = {"gpu_devices": names, "difference_from_cpu": error, "brightest": light, "gpu_proved": names != "[]"}
    if error > 0.05 or light == 0 or (want.seen and names == "[]"):
        raise Failed(
            "the frame is empty, differs from the CPU's, or no GPU device was offered",
            "Update Blender or the driver.",
            **facts,
        )
    return facts


TESTS: dict[int, Callable[[argparse.Namespace], Facts]] = {
    0: rung_host, 1: rung_interpreter, 2: rung_import, 3: rung_device, 4: rung_memory, 5: rung_compute,
    6: rung_libraries, 7: rung_compiler, 8: rung_extensions, 9: rung_cards, 11: rung_blender,
}  # fmt: skip


def line_of(rung: int, verdict: str, facts: Facts, seconds: float, next_: str) -> Facts:
    name, _, proves, not_proves = LADDER[rung]
    return {
        "rung": rung,
        "name": name,
        "verdict": verdict,
        "facts": facts,
        "seconds": round(seconds, 3),
        "proves": proves if verdict == "passed" else "",
        "does_not_prove": not_proves,
        "next": next_,
    }


def inside(rung: int, want: argparse.Namespace) -> None:
    """The child's side: one rung, its outcome left as JSON in a file (stdout belongs to noisy libraries)."""
    try:
        told = {"verdict": "passed", "facts": TESTS[rung](want), "next": ""}
    except NotApplicable as error:
        told = {"verdict": "not_applicable", "facts": error.facts, "next": error.next}
    except Failed as error:
        told = {"verdict": "failed", "facts": error.facts, "next": error.next}
    except BaseException as error:
        told = {
            "verdict": "failed",
            "facts": {"error": f"{type(error).__name__}: {error}"[:2000]},
            "next": "Read the error: it is the first one.",
        }
    if want.result:
        with open(want.result, "w") as file:
            json.dump(told, file)
    sys.exit(0 if told["verdict"] == "passed" else 1)


def again(rung: int, want: argparse.Namespace) -> list[str]:
    python = want.torch_python if want.torch_python and rung else sys.executable
    argv = [
        python,
        os.path.abspath(__file__),
        "--rung",
        str(rung),
        "--seen",
        str(want.seen),
        "--fill",
        str(want.fill),
        "--extensions",
        want.extensions,
    ]
    for flag, value in (("--backend", want.backend), ("--cards", want.cards), ("--blender", want.blender)):
        argv += [flag, str(value)] if value is not None else []
    return argv + ["--need-torch"] * bool(want.need_torch or want.torch_python) + ["--compile"] * bool(want.compile)


def climb(rung: int, want: argparse.Namespace) -> Facts:
    """The parent's side: a process and a session of its own, with a time limit; a hang or a crash is a verdict."""
    start, allowed = time.monotonic(), want.time_limit or LADDER[rung][1]
    env = dict(os.environ, CUDA_LAUNCH_BLOCKING="1", AMD_SERIALIZE_KERNEL="3")
    with (
        tempfile.TemporaryDirectory(prefix="diagnostic-") as folder,
        open(os.path.join(folder, "words"), "w+b") as words,
    ):
        result = os.path.join(folder, "result")
        try:
            child = subprocess.Popen(
                [*again(rung, want), "--result", result],
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                start_new_session=True,
                env=env,
            )
        except OSError as error:
            return line_of(rung, "failed", {"error": str(error)}, 0, "Give --torch-python an interpreter that starts.")
        try:
            code: int | None = child.wait(allowed)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        seconds = time.monotonic() - start
        if code is None:
            return line_of(
                rung,
                "failed",
                {"error": f"no answer in {allowed} s", "hang": True},
                seconds,
                "A hang is a verdict: look at the kernel's log (dmesg) and restart the driver or the machine.",
            )
        try:
            with open(result) as file:
                told = json.load(file)
        except (OSError, ValueError):
            words.seek(0)
            tail = words.read()[-2000:].decode("utf-8", "replace").splitlines()[-10:]
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return line_of(
                rung,
                "failed",
                {"error": f"crashed with {how}", "crash": how, "last_words": tail},
                seconds,
                "A crash is a verdict: reinstall the package that crashed in the last words.",
            )
    return line_of(rung, told["verdict"], told["facts"], seconds, told["next"])


def ladder(want: argparse.Namespace) -> Iterator[Facts]:
    """Rung after rung; after the first failure the rest is `not_run`, unless asked to go on."""
    stopped = False
    unasked: dict[int, tuple[Facts, str]] = {}  # rungs that an earlier one has answered already
    for rung in sorted(LADDER) if not want.only else sorted(set(map(int, want.only.split(",")))):
        if stopped:
            yield line_of(rung, "not_run", {}, 0, "Repair the first failed rung, or use --keep-going.")
            continue
        if rung in unasked:
            yield line_of(rung, "not_applicable", dict(unasked[rung][0]), 0, unasked[rung][1])
            continue
        told = climb(rung, want)
        if rung == 0:
            want.seen = len(told["facts"].get("cards", []))
        if rung == 2 and told["verdict"] == "not_applicable":
            unasked = dict.fromkeys(NEED_TORCH, (told["facts"], told["next"]))
        elif rung == 2 and told["facts"].get("build") == "cpu" and not want.seen:
            facts = {"error": "CPU build, no card listed: no GPU was proved", "device": "cpu", "gpu_proved": False}
            unasked = dict.fromkeys((3, 9) if want.compile else (3, 7, 9), (facts, "Nothing to do on a CPU machine."))
        stopped = told["verdict"] == "failed" and not want.keep_going
        yield told


def parser() -> argparse.ArgumentParser:
    make = argparse.ArgumentParser(description="Climb the diagnostic ladder; exit 0 when nothing failed, 1 otherwise.")
    make.add_argument("--json", action="store_true", help="one JSON line a rung, nothing else")
    make.add_argument("--keep-going", action="store_true", help="go on after a failure")
    make.add_argument(
        "--torch-python", metavar="PATH", help="interpreter of the environment to judge; it must have torch"
    )
    make.add_argument("--need-torch", action="store_true", help="a missing torch is a failure even without a card")
    make.add_argument("--backend", choices=["any", "cpu", "cuda", "rocm"], help="what must be there")
    make.add_argument("--cards", type=int, help="how many cards were ordered")
    make.add_argument(
        "--extensions", default="", metavar="A,B", help="extensions to import and, where known, to exercise"
    )
    make.add_argument("--fill", type=float, default=0.9, help="share of free memory to fill (0.9)")
    make.add_argument("--compile", action="store_true", help="try torch.compile on a CPU too")
    make.add_argument("--blender", metavar="PATH", help="also render a small frame with this Blender")
    make.add_argument("--only", metavar="0,1,2", help="these rungs only")
    make.add_argument("--time-limit", type=float, metavar="SECONDS", help="for every rung, instead of its own")
    for hidden in ("--rung", "--rank", "--seen"):
        make.add_argument(hidden, type=int, default=0 if hidden == "--seen" else None, help=argparse.SUPPRESS)
    make.add_argument("--result", help=argparse.SUPPRESS)
    return make


def main(argv: list[str] | None = None) -> int:
    want = parser().parse_args(argv)
    if want.rung is not None:
        inside(want.rung, want)
    failed, proved = False, False
    for told in ladder(want):
        failed, proved = failed or told["verdict"] == "failed", proved or bool(told["facts"].get("gpu_proved"))
        print(
            json.dumps(told)
            if want.json
            else f"{told['rung']:>2} {told['name']:<14} {told['verdict']:<15} {told['seconds']:>7.2f} s  "
            + (told["facts"].get("error") or told["proves"])
            + (f"\n   next: {told['next']}" if told["verdict"] == "failed" else ""),
            flush=True,
        )
    if not want.json:
        print(
            "A GPU was proved." if proved else "No GPU was proved.", "A rung failed." if failed else "Nothing failed."
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
