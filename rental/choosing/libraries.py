"""Libraries that tie a program to a kind of card: what each points to, and what its own pages say of ROCm."""

import re
from typing import Final, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

PYTORCH: Final = "https://pytorch.org/get-started/locally/"
ROCM: Final = "https://rocm.docs.amd.com/projects/ai-ecosystem/en/latest/index.html"
RAPIDS: Final = "https://docs.rapids.ai/install/"


class Sign(NamedTuple):
    """Something a project's file can show.

    `points`: `cuda` or `rocm` (built for nothing else), `leans` (its usual package is built for CUDA), `either`,
    `cpu` (built without any card), `check` (may use a card; says nothing alone).
    `rocm`: how it stands on an AMD card: `none`, `swap`, `same`, `source`, `fork`, `unknown`, or empty.
    """

    name: str | Promise
    points: str
    rocm: str = ""
    instead: str = ""
    source: str = ""
    packages: tuple[str, ...] = ()
    pattern: str = ""
    ticked: bool = False


# Looked up at the addresses in the table, in their words as of the end of 2026; none is a promise.
SIGNS: Final[dict[str, Sign]] = {
    "torch": Sign("PyTorch", "either", "swap", "torch from download.pytorch.org/whl/rocm6.4", PYTORCH,
                  ("torch", "torchvision", "torchaudio", "pytorch"), ticked=True),
    "torch-cuda": Sign("PyTorch (+cu)", "cuda", "swap", "torch from download.pytorch.org/whl/rocm6.4", PYTORCH,
                       ("pytorch-cuda", "pytorch-gpu"), ticked=True),
    "torch-rocm": Sign("PyTorch (+rocm)", "rocm", source=PYTORCH,
                       packages=("pytorch-triton-rocm", "triton-rocm", "torch-rocm"), ticked=True),
    "torch-cpu": Sign("PyTorch (+cpu)", "cpu", source=PYTORCH, packages=("cpuonly", "pytorch-cpu")),
    "index-cuda": Sign(_("CUDA package index"), "cuda", "swap", "download.pytorch.org/whl/rocm6.4", PYTORCH),
    "index-rocm": Sign(_("ROCm package index"), "rocm", source=PYTORCH),
    "index-cpu": Sign(_("CPU package index"), "cpu", source=PYTORCH),
    "flash-attn": Sign("flash-attn", "leans", "source", source="https://github.com/Dao-AILab/flash-attention",
                       packages=("flash-attn", "flash-attn-3"), ticked=True),
    "bitsandbytes": Sign("bitsandbytes", "leans", "same",
                         source="https://huggingface.co/docs/bitsandbytes/main/en/installation",
                         packages=("bitsandbytes",), ticked=True),
    "xformers": Sign("xformers", "leans", "swap", "xformers from download.pytorch.org/whl/rocm6.4",
                     "https://github.com/facebookresearch/xformers", ("xformers",), ticked=True),
    "triton": Sign("Triton", "leans", "same", source="https://github.com/triton-lang/triton",
                   packages=("triton", "pytorch-triton"), ticked=True),
    "cupy": Sign("CuPy", "leans", "swap", "cupy-rocm-7-0", "https://docs.cupy.dev/en/stable/install.html",
                 ("cupy",), ticked=True),
    "cupy-cuda": Sign("CuPy (CUDA)", "cuda", "swap", "cupy-rocm-7-0", "https://docs.cupy.dev/en/stable/install.html",
                      pattern=r"cupy-cuda\w*"),
    "tensorrt": Sign("TensorRT", "cuda", "none", source="https://docs.nvidia.com/deeplearning/tensorrt/",
                     pattern=r"tensorrt(-.*)?|torch-tensorrt|tensorrt-llm", ticked=True),
    "deepspeed": Sign("DeepSpeed", "leans", "same", source="https://pypi.org/project/deepspeed/",
                      packages=("deepspeed",), ticked=True),
    "vllm": Sign("vLLM", "leans", "swap", "wheels.vllm.ai/rocm",
                 "https://docs.vllm.ai/en/latest/getting_started/installation/gpu.html", ("vllm",), ticked=True),
    "sglang": Sign("SGLang", "leans", "swap", "lmsysorg/sglang (rocm)", "https://docs.sglang.ai/platforms/amd_gpu.html",
                   ("sglang",)),
    "jax": Sign("JAX", "either", "swap", "jax[rocm7-local]", "https://docs.jax.dev/en/latest/installation.html",
                ("jax", "jaxlib"), ticked=True),
    "jax-cuda": Sign("JAX (CUDA)", "cuda", "swap", "jax[rocm7-local]",
                     "https://docs.jax.dev/en/latest/installation.html", pattern=r"jax-cuda\d+-\w+", ticked=True),
    "jax-rocm": Sign("JAX (ROCm)", "rocm", source="https://docs.jax.dev/en/latest/installation.html",
                     pattern=r"jax-rocm\d*-\w+", ticked=True),
    "tensorflow": Sign("TensorFlow", "either", "swap", "tensorflow-rocm", ROCM,
                       ("tensorflow", "tensorflow-gpu"), ticked=True),
    "tensorflow-cuda": Sign("TensorFlow (CUDA)", "cuda", "swap", "tensorflow-rocm",
                            "https://www.tensorflow.org/install/pip"),
    "tensorflow-rocm": Sign("TensorFlow (ROCm)", "rocm", source=ROCM, packages=("tensorflow-rocm", "rocm-tensorflow"),
                            ticked=True),
    "onnxruntime-gpu": Sign("onnxruntime-gpu", "cuda", "swap", "onnxruntime-migraphx",
                            "https://pypi.org/project/onnxruntime-migraphx/", ("onnxruntime-gpu",), ticked=True),
    "onnxruntime-rocm": Sign("ONNX Runtime (AMD)", "rocm", source="https://pypi.org/project/onnxruntime-migraphx/",
                             packages=("onnxruntime-rocm", "onnxruntime-migraphx")),
    "faiss-gpu": Sign("faiss-gpu", "cuda", "source",
                      source="https://github.com/facebookresearch/faiss/blob/main/INSTALL.md",
                      pattern=r"faiss-gpu(-.*)?", ticked=True),
    "rapids": Sign("RAPIDS", "cuda", "none", source=RAPIDS,
                   pattern=r"(dask-)?(cudf|cuml|cugraph|cuspatial|cuvs|rmm|pylibraft|raft-dask|rapids|cuxfilter)"
                           r"(-cu\d+)?", ticked=True),
    "apex": Sign("NVIDIA Apex", "leans", "fork", "ROCm/apex", "https://github.com/ROCm/apex", ("apex", "nvidia-apex")),
    "transformer-engine": Sign("Transformer Engine", "leans", "fork", "ROCm/TransformerEngine",
                               "https://github.com/ROCm/TransformerEngine", pattern=r"transformer-engine(-.*)?",
                               ticked=True),
    "flashinfer": Sign("FlashInfer", "leans", "fork", "ROCm/flashinfer",
                       "https://rocm.docs.amd.com/projects/flashinfer/en/latest/", pattern=r"flashinfer(-.*)?"),
    "ctranslate2": Sign("CTranslate2", "leans", "swap", "github.com/OpenNMT/CTranslate2/releases",
                        "https://pypi.org/project/ctranslate2/", ("ctranslate2", "faster-whisper")),
    "mamba": Sign("mamba-ssm", "leans", "source", source="https://pypi.org/project/mamba-ssm/",
                  packages=("mamba-ssm", "causal-conv1d")),
    "llama-cpp": Sign("llama-cpp-python", "check", "source", source="https://pypi.org/project/llama-cpp-python/",
                      packages=("llama-cpp-python",)),
    "numba": Sign("Numba", "check", "swap", "numba-hip", "https://pypi.org/project/numba-hip/", ("numba",)),
    "numba-cuda": Sign("numba-cuda", "cuda", "swap", "numba-hip", "https://pypi.org/project/numba-hip/",
                       ("numba-cuda",)),
    "pynvml": Sign("pynvml", "check", "swap", "amdsmi", "https://rocm.docs.amd.com/projects/amdsmi/en/latest/",
                   ("pynvml", "nvidia-ml-py", "nvidia-ml-py3", "gputil")),
    "extension": Sign(_("CUDA extension"), "leans", "unknown",
                      packages=("exllamav2", "auto-gptq", "autoawq", "torch-scatter", "torch-sparse", "torch-cluster",
                                "pytorch3d", "nvdiffrast", "gsplat", "tiny-cuda-nn", "tinycudann", "warp-lang")),
    "pycuda": Sign("PyCUDA", "cuda", "none", source="https://documen.tician.de/pycuda/",
                   packages=("pycuda", "cuda-python", "cuda-bindings", "cuda-core")),
    "nvidia": Sign(_("NVIDIA libraries"), "cuda", "none", source="https://docs.nvidia.com/cuda/",
                   packages=("cudatoolkit", "cuda-version", "cuda", "cudnn", "nccl", "cutensor"),
                   pattern=r"(nvidia-(?!ml-py).+|cuda-.+|libcudnn.*|libnccl.*|libcu(blas|fft|rand|sparse|solver).*)"),
    "cuda-wheel": Sign(_("package built for CUDA"), "cuda", "unknown", pattern=r".+-cu(da)?1\d\w*"),
    "rocm-wheel": Sign(_("package built for ROCm"), "rocm",
                       pattern=r"rocm|rocm-.+|.+-rocm(-?\d.*)?|hip-python|hip-dev|hipcc|hipify.*|amdsmi|aiter|amd-aiter|"
                               r"miopen.*|migraphx|rccl.*|rocblas.*|numba-hip"),
    "image-cuda": Sign(_("CUDA base image"), "cuda", "swap", "rocm/pytorch",
                       "https://hub.docker.com/u/rocm"),
    "image-rocm": Sign(_("ROCm base image"), "rocm", source="https://hub.docker.com/u/rocm"),
    "tool-cuda": Sign(_("CUDA compiler or setting"), "cuda", "source",
                      source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/"),
    "tool-rocm": Sign(_("ROCm compiler or setting"), "rocm", source="https://rocm.docs.amd.com/projects/HIPIFY/en/latest/",
                      ticked=True),
    "blender": Sign("Blender", "either", "hip",
                    source="https://docs.blender.org/manual/en/latest/render/cycles/gpu_rendering.html",
                    packages=("bpy", "blender"), ticked=True),
    "blender-cuda": Sign(_("Blender with CUDA or OptiX"), "cuda", "hip",
                         source="https://docs.blender.org/manual/en/latest/render/cycles/gpu_rendering.html",
                         ticked=True),
    "blender-hip": Sign(_("Blender with HIP"), "rocm", "hip",
                        source="https://docs.blender.org/manual/en/latest/render/cycles/gpu_rendering.html",
                        ticked=True),
}  # fmt: skip

_BY_NAME: Final = {name: slug for slug, sign in SIGNS.items() for name in sign.packages}
_PATTERNS: Final = [(re.compile(sign.pattern), slug) for slug, sign in SIGNS.items() if sign.pattern]
_EXTRAS: Final = (  # package, its extra, and the sign of both together
    ("jax", r"cuda\d*.*", "jax-cuda"),
    ("jax", r"rocm\d*.*", "jax-rocm"),
    ("tensorflow", r"and-cuda", "tensorflow-cuda"),
)
_TAG: Final = re.compile(r"(?:\+|%2b)(cu\d{2,3}|rocm|cpu)(?![a-z])", re.IGNORECASE)
_TORCH: Final = frozenset(("torch", "torchvision", "torchaudio", "pytorch"))
_INDEXES: Final = (
    (re.compile(r"/whl/\S*?rocm|repo\.radeon\.com|rocm\.\w+\.amd\.com/|wheels\.vllm\.ai/rocm", re.I), "index-rocm"),
    (re.compile(r"/whl/(?:[\w-]+/)*cu\d{2,3}\b|pypi\.(?:ngc\.)?nvidia\.com|/whl/cuda", re.I), "index-cuda"),
    (re.compile(r"/whl/(?:[\w-]+/)*cpu\b", re.I), "index-cpu"),
)  # fmt: skip
_IMAGES: Final = (
    (re.compile(r"rocm", re.I), "image-rocm"),
    (re.compile(r"(?:^|[/=])nvidia/|nvcr\.io/|(?:^|[/=])pytorch/pytorch\b|vllm/vllm-openai|tensorflow/tensorflow:\S*gpu|"
                r"[:/-]\S*(?:cuda|cu1\d)", re.I), "image-cuda"),
)  # fmt: skip
_WORDS: Final = (
    (re.compile(r"\b(?:hipcc|hipify(?:-\w+)?|PYTORCH_ROCM_ARCH|HSA_OVERRIDE_GFX_VERSION|HIP_VISIBLE_DEVICES|ROCM_HOME|"
                r"ROCM_PATH|GGML_HIP|CUPY_INSTALL_USE_HIP|FLASH_ATTENTION_TRITON_AMD_ENABLE)\b"), "tool-rocm"),
    (re.compile(r"\b(?:nvcc|TORCH_CUDA_ARCH_LIST|CUDA_HOME|CUDA_PATH|CUDACXX|NVIDIA_DRIVER_CAPABILITIES|GGML_CUDA|"
                r"NVIDIA_VISIBLE_DEVICES|CMAKE_CUDA_\w+)\b"), "tool-cuda"),
    (re.compile(r"--cycles-device[ =]+(?:CUDA|OPTIX)", re.I), "blender-cuda"),
    (re.compile(r"--cycles-device[ =]+HIP", re.I), "blender-hip"),
    (re.compile(r"\bblender\b", re.I), "blender"),
)  # fmt: skip
CAVEATS: Final = ("own-code", "includes", "unpinned", "unread", "not-linux")


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def of_package(name: str, text: str, extras: frozenset[str] = frozenset()) -> str | None:
    """The sign of a package; `text` is its whole line, whose build tag (+cu130, +rocm6.4, +cpu) decides first."""
    name = plain(name)
    tag = _TAG.search(text)
    if tag:
        kind = "cuda" if tag[1].lower().startswith("cu") else tag[1].lower()
        if name in _TORCH:
            return f"torch-{kind}"
        return {"cuda": _known(name) or "cuda-wheel", "rocm": "rocm-wheel", "cpu": None}[kind]
    for package, pattern, slug in _EXTRAS:
        if name == package and any(re.fullmatch(pattern, plain(extra)) for extra in extras):
            return slug
    return _known(name)


def _known(name: str) -> str | None:
    return _BY_NAME.get(name) or next((slug for pattern, slug in _PATTERNS if pattern.fullmatch(name)), None)


def of_conda(name: str, build: str) -> str | None:
    """The sign of a conda package; its build string says cuda, rocm or cpu where there is one."""
    if plain(name) in _TORCH:
        for kind in ("cuda", "rocm", "cpu"):
            if kind in build.lower():
                return f"torch-{kind}"
    return of_package(name, "")


def of_address(text: str) -> list[str]:
    """Signs of the package indexes and wheels that a line addresses."""
    return [slug for pattern, slug in _INDEXES if pattern.search(text)]


def of_image(name: str) -> str | None:
    return next((slug for pattern, slug in _IMAGES if pattern.search(name)), None)


def of_words(text: str) -> list[str]:
    """Signs among compilers, settings and commands; a more exact one stands for the general one."""
    found = [slug for pattern, slug in _WORDS if pattern.search(text)]
    return [slug for slug in found if slug != "blender" or not {"blender-cuda", "blender-hip"} & set(found)]
