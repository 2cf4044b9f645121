"""What a project's file shows: line by line, whatever the text, the same with and without comments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.refusals import Refusal
from rental.choosing import reading, verdicts
from rental.choosing.libraries import SIGNS
from rental.choosing.verdicts import LEVELS, Shown

CUDA = """# made on the workstation
--extra-index-url https://bot:secret@download.pytorch.org/whl/cu130
torch==2.9.0+cu130
flash-attn==2.8.3 \\
    --hash=sha256:aa
bitsandbytes>=0.48
numpy==2.2
"""
ROCM = """FROM rocm/pytorch:rocm7.0_ubuntu24.04
RUN apt-get update && apt-get install -y rocm-dev \\
    # the wheels of the same version
    && pip install --no-cache-dir torch==2.9.0+rocm6.4 \\
       "vllm==0.14"
ENV PYTORCH_ROCM_ARCH=gfx942
"""
CONDA = """name: work
channels: [nvidia, conda-forge]
dependencies:
  - python=3.12
  - pytorch=2.5=py3.12_cuda12.4
  - pip:
    - xformers==0.0.35
"""
TOML = """[project]
name = "work"
dependencies = [
  "torch>=2",  # any build
  'deepspeed==0.19',
]
[project.optional-dependencies]
nvidia = ["cupy-cuda12x"]
amd = ["cupy-rocm-7-0"]
"""
FILES = (CUDA, ROCM, CONDA, TOML)


def shown(text: str, name: str = "") -> list[tuple[int, str]]:
    return [(finding.number, finding.slug) for finding in reading.read(text, name).found]


def backend(text: str) -> str:
    return verdicts.backend_of(verdicts.signs_of(reading.read(text).found))


def test_each_file_is_known_by_its_content_and_read_with_its_lines() -> None:
    assert [reading.read(text).kind for text in FILES] == ["requirements", "dockerfile", "environment", "pyproject"]
    assert shown(CUDA) == [
        (2, "index-cuda"), (3, "torch-cuda"), (4, "flash-attn"), (6, "bitsandbytes"), (6, "unpinned"),
    ]  # fmt: skip
    assert shown(ROCM) == [(1, "image-rocm"), (2, "rocm-wheel"), (4, "torch-rocm"), (5, "vllm"), (6, "tool-rocm")]
    assert shown(CONDA) == [(5, "torch-cuda"), (7, "xformers")]
    assert [pair for pair in shown(TOML) if pair[1] != "unpinned"] == [
        (4, "torch"), (5, "deepspeed"), (8, "cupy-cuda"), (9, "rocm-wheel"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CUDA, "cuda"), (ROCM, "rocm"), (CONDA, "cuda"), (TOML, "either"),
        ("torch==2.9.0", "either"), ("numpy\nrequests==2", "unknown"), ("", "unknown"), ("flash-attn==2", "cuda"),
        ("torch==2.9+cu130\ntensorflow-rocm==2.14", "contradictory"), ("jax[cuda13]==0.8", "cuda"),
        ("jax[rocm7-local]==0.8", "rocm"), ("cupy-rocm-7-0==14", "rocm"), ("nvidia-cublas-cu12==12.4", "cuda"),
        ("cudf-cu12==25.2", "cuda"), ("tensorrt==10", "cuda"), ("onnxruntime-gpu==1.20", "cuda"),
        ("tensorflow[and-cuda]==2.19", "cuda"), ("torch==2.9+cu130; sys_platform == 'win32'", "unknown"),
        ("-i https://download.pytorch.org/whl/rocm6.4\ntorch==2.9", "rocm"), ("torch==2.9+cpu", "unknown"),
        ("torch @ https://x.test/torch-2.9.0%2Bcu130-cp312-cp312-linux_x86_64.whl", "cuda"),
        ("FROM nvidia/cuda:13.0.0-devel\nRUN pip install torch", "cuda"),
        ("FROM ubuntu\nRUN blender -b a.blend -f 1 -- --cycles-device OPTIX", "cuda"),
        ("FROM ubuntu\nRUN blender -b a.blend -f 1 -- --cycles-device HIP", "rocm"),
        ("FROM ubuntu\nRUN hipify-perl a.cu > a.hip && hipcc a.hip", "rocm"),
    ],
)  # fmt: skip
def test_backends(text: str, expected: str) -> None:
    assert backend(text) == expected


@pytest.mark.parametrize(
    ("line", "caveat"),
    [
        ("-e .", "own-code"), ("./kernels", "own-code"), ("git+https://x.test/a", "own-code"), ("torch", "unpinned"),
        ("-r base.txt", "includes"), ("?? !!", "unread"), ("x" * 3000, "unread"),
        ("torch==2; sys_platform=='darwin'", "not-linux"),
    ],
)  # fmt: skip
def test_what_it_cannot_tell(line: str, caveat: str) -> None:
    assert (1, caveat) in shown(line)


def test_a_line_is_shown_without_its_password_and_no_longer_than_needed() -> None:
    texts = [finding.text for finding in reading.read(CUDA).found]
    assert texts[0] == "--extra-index-url https://…@download.pytorch.org/whl/cu130"
    assert all(len(finding.text) <= 120 for finding in reading.read("torch==2+cu130 " + "x" * 900).found)


@pytest.mark.parametrize(
    ("text", "code"),
    [("torch\0", "file_not_text"), ("a" * 200_001, "file_too_large"), ("\n" * 5_001, "file_too_large")],
)
def test_what_is_too_large_or_no_text_is_refused(text: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        reading.read(text)
    assert refused.value.code == code


@pytest.mark.parametrize("data", [b"\xff\xfe\x00t", b"PK\x03\x04\xff", b"\x80" * 9])
def test_a_binary_upload_is_refused(data: bytes) -> None:
    with pytest.raises(Refusal):
        reading.read(reading.text_of(data))


NAMES = st.sampled_from(("", "requirements.txt", "pyproject.toml", "environment.yml", "Dockerfile"))
# Text out of the words that files are made of finds more corners than letters alone.
WORDS = st.lists(
    st.sampled_from(
        ("torch", "==", "2.9", "+cu130", "+rocm6.4", "\n", " ", "[", "]", '"', "'", "#", "\\\n", "- ", "pip:", ":", "=",
         "FROM ", "RUN ", "pip install ", "&&", "dependencies", "[project]", "-r", "-e", ";", "jax[cuda12]", "{", ",",
         "https://x/whl/cu130", "@", "\t", "sys_platform", "é", "(")
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), WORDS), NAMES)
def test_any_text_is_read_or_refused_and_its_lines_exist(text: str, name: str) -> None:
    try:
        found = reading.read(text, name).found
    except Refusal:
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for finding in found:
        assert 1 <= finding.number <= len(lines)
        assert finding.text.rstrip("…")[:20] in " ".join(lines[finding.number - 1].split()) or "//…@" in finding.text
    assert verdicts.backend_of(verdicts.signs_of(found)) in ("cuda", "rocm", "either", "contradictory", "unknown")


@given(st.data(), st.sampled_from(FILES), st.sampled_from(("# torch==2+rocm6.4", "#", "  # nvidia/cuda tensorrt")))
def test_comments_change_no_verdict_and_move_the_lines_as_they_should(
    data: st.DataObject, file: str, mark: str
) -> None:
    lines = file.split("\n")
    place = data.draw(st.integers(0, len(lines)))
    commented = "\n".join([*lines[:place], mark, *lines[place:]])
    before, after = shown(file), shown(commented)
    assert after == [(number + (number > place), slug) for number, slug in before]
    assert backend(commented) == backend(file)


SHOWN = st.frozensets(st.builds(Shown, st.sampled_from(sorted(SIGNS)), st.booleans()), max_size=12)


@given(SHOWN)
def test_an_address_brings_the_same_signs_back(signs: frozenset[Shown]) -> None:
    once = verdicts.parse(verdicts.write(signs))
    assert verdicts.parse(verdicts.write(once)) == once
    assert {sign.slug for sign in once} == {sign.slug for sign in signs}
    assert verdicts.backend_of(once) == verdicts.backend_of(
        [sign for sign in signs if not (sign.optional and Shown(sign.slug) in signs)]
    )


@given(st.text())
def test_any_address_is_read(text: str) -> None:
    assert all(sign.slug in SIGNS for sign in verdicts.parse(text))


@given(SHOWN, st.sampled_from(("cuda", "rocm", "cpu")), st.sampled_from(("ubuntu", "pytorch", "blender", "custom")),
       st.sampled_from(("", "cuda", "rocm")))  # fmt: skip
def test_a_verdict_is_never_kinder_than_what_speaks_against_it(
    signs: frozenset[Shown], card: str, preparation: str, backend: str
) -> None:
    cell = verdicts.cell(card, preparation, signs, backend)
    assert cell.level in LEVELS
    # To be checked and blocked always say why.
    assert cell.level == "compatible" or cell.reasons
    if cell.level == "recommended":
        assert card in (verdicts.backend_of(signs), backend)
        assert cell.reasons == (("points_here", ()),)
    other = {"cuda": "rocm", "rocm": "cuda"}.get(card, "")
    needed = {sign.points for sign in signs if not sign.optional}
    if card != "cpu" and other in needed and card not in needed:
        assert cell.level == "blocked"
    if card == "rocm" and {"leans", "check"} & needed:
        assert cell.level in ("to_check", "blocked")


def test_the_table_of_signs_is_whole() -> None:
    for slug, sign in SIGNS.items():
        assert slug == slug.lower()
        assert "." not in slug
        assert "~" not in slug
        assert sign.points in ("cuda", "leans", "rocm", "either", "cpu", "check"), slug
        assert sign.rocm in ("", "none", "swap", "same", "source", "fork", "unknown", "hip"), slug
        assert sign.source.startswith("https://") or sign.rocm == "unknown" or slug == "rocm-wheel", slug
        assert bool(sign.instead) == (sign.rocm in ("swap", "fork")), slug
