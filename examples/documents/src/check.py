"""Checks the encoder against figures that the library it stands in for gave: transformers 5.24.0 on torch 2.13.0."""

import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from encoder import Encoder, model_folder

# First six numbers of BertModel's output, mean of the tokens, unit length. The largest difference seen was 1.5e-8.
REFERENCE = {
    "The quick brown fox jumps over the lazy dog.": [0.043934, 0.058934, 0.048178, 0.077548, 0.026744, -0.03763],
    "Une facture de 12 € à payer": [-0.042868, 0.111243, -0.016776, -0.054792, -0.020149, 0.016034],
    "ışık ĞÜŞ 2026": [-0.150777, 0.02432, -0.00137, 0.014408, -0.130373, -0.023882],
}
TOLERANCE = 5e-5


def main() -> int:
    encoder = Encoder(model_folder(), "cuda" if torch.cuda.is_available() else "cpu")
    worst = 0.0
    for text, wanted in REFERENCE.items():
        vector, _ = encoder.encode(text)
        worst = max(worst, max(abs(float(seen) - number) for seen, number in zip(vector[:6], wanted, strict=True)))
    print(f"largest difference from the reference: {worst:.1e} (allowed {TOLERANCE:.0e}) on {encoder.device}")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
