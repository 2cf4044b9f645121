"""Rung 11: a small frame by Blender, on the processor and on the card."""

from __future__ import annotations

import argparse
import tempfile

from pilots.host.rungs.base import Facts, Failed, NotApplicable, say

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
