"""Payment URIs, and QR codes read back by another program."""

import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from billing.networks import NETWORKS
from billing.qr import Code, code_of
from billing.uris import payment_uri

BITCOIN, ETHEREUM = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
WANTED = {
    ("bitcoin", "BTC", BITCOIN, 1_424_900): f"bitcoin:{BITCOIN}?amount=0.014249&label=Kernodeck%207Q4M-2X9F",
    ("litecoin", "LTC", "ltc1q", 10**8): "litecoin:ltc1q?amount=1&label=Kernodeck%207Q4M-2X9F",
    ("ethereum", "ETH", ETHEREUM, 433_334 * 10**12): f"ethereum:{ETHEREUM}@1?value=433334000000000000",
    ("ethereum", "USDC", ETHEREUM, 1_300_000_000): (
        f"ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer?address={ETHEREUM}&uint256=1300000000"
    ),
    ("tron", "USDT", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", 1): "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
    ("solana", "USDC", "7v91N7", 1_500_000): (
        "solana:7v91N7?amount=1.5&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v&label=Kernodeck%207Q4M-2X9F"
    ),
    (
        "monero",
        "XMR",
        "44AFF",
        4_333_340_000_000,
    ): "monero:44AFF?tx_amount=4.33334&tx_description=Kernodeck%207Q4M-2X9F",
}


@pytest.mark.parametrize("facts", WANTED)
def test_each_network_has_its_own_writing(facts: tuple[str, str, str, int]) -> None:
    network, asset, address, units = facts
    spec = NETWORKS[network]
    assert payment_uri(spec, spec.asset(asset), address, units, "Kernodeck 7Q4M-2X9F") == WANTED[facts]


def test_a_label_cannot_add_to_the_uri() -> None:
    spec = NETWORKS["bitcoin"]
    uri = payment_uri(spec, spec.asset("BTC"), BITCOIN, 1, "a&amount=9#x y/é")
    assert uri.endswith("&label=a%26amount%3D9%23x%20y%2F%C3%A9")
    assert uri.count("&") == 1


def picture(code: Code, path: Path, scale: int = 6) -> None:
    """The code's path drawn as a PNG, the way a browser fills it: strokes of one module, black on white."""
    size = code.size
    dark = [[False] * size for _ in range(size)]
    x, y = 0.0, 0.0
    for stroke in code.path.lstrip("Mm").split("m"):
        move, _h, length = stroke.partition("h")
        dx, dy = (float(part) for part in move.split(" "))
        x, y = x + dx, y + dy
        for step in range(int(length)):
            dark[int(y)][int(x) + step] = True
        x += int(length)
    rows = b"".join((b"\0" + b"".join((b"\0" if cell else b"\xff") * scale for cell in row)) * scale for row in dark)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    side = (size * scale).to_bytes(4, "big")
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", side + side + bytes([8, 0, 0, 0, 0]))
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def read_back(code: Code, path: Path) -> str:
    picture(code, path)
    command = ["zbarimg", "-q", "--raw", "--nodbus", str(path)]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


needs_zbar = pytest.mark.skipif(shutil.which("zbarimg") is None, reason="zbarimg (Debian's zbar-tools) is not here")


@needs_zbar
@pytest.mark.parametrize(
    "text", [*WANTED.values(), BITCOIN, "This is a demo: do not send any coin.", "gönderme: ödeme"]
)
def test_another_program_reads_the_code(text: str, tmp_path: Path) -> None:
    assert read_back(code_of(text), tmp_path / "code.png") == text


def test_a_code_has_its_quiet_zone_and_holds_no_markup() -> None:
    code = code_of(BITCOIN)
    assert code.path.startswith("M4 4.5h7")
    assert set(code.path) <= set("Mmh-. 0123456789")
