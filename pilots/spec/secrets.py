"""Secrets and paths of one machine in a project's text files: named by kind and line, their values never printed."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_SECRETS: Final[tuple[tuple[str, str, str], ...]] = (
    ("private_key", "a private key", r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----"),
    ("aws", "an AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("github", "a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("gitlab", "a GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    ("hugging_face", "a Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("anthropic", "an Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    ("openai", "an OpenAI key", r"\bsk-(?:proj-)?[A-Za-z0-9_-]{32,}"),
    ("google", "a Google key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("slack", "a Slack token", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("stripe", "a Stripe key", r"\b[sr]k_live_[A-Za-z0-9]{16,}"),
    ("wandb", "a Weights & Biases key", r"(?i:wandb[_-]?(?:api[_-]?)?key)\W{1,4}[0-9a-f]{40}\b"),
    ("pypi", "a package index token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("jwt", "a signed web token", r"\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{20,}"),
    ("url", "a password inside an address", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'{}$<]{1,60}:[^\s/:@\"'{}$<]{3,100}@[\w.-]+"),
)  # fmt: skip
_TOKENS: Final = re.compile("|".join(f"(?P<{code}>{pattern})" for code, _, pattern in _SECRETS))
_NAMES: Final = {code: name for code, name, _ in _SECRETS}
_ASSIGNED: Final = re.compile(
    r"""(?i)["']?\b[\w-]{0,40}?(?P<word>pass(?:word|wd|phrase)|secret|token|api[_-]?key|access[_-]?key|credential)s?["']?"""
    r"""\s{0,4}[:=]\s{0,4}["'](?P<value>[^"'\s]{8,500})["']"""
)
# What stands where a secret will be put, or is no secret: variables, markers, a tokenizer's words.
_PLACEHOLDER: Final = re.compile(
    r"(?i)^(?:[<\[{$%(]|\*{3}|x{4,}|your|change|example|dummy|none$|null$|env[:.])|\.{3}$|…$"
)

SECRET_FILES: Final = re.compile(
    r"(?i)(^|/)(\.env(\.[^/]*)?|\.netrc|_netrc|\.pypirc|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)"
    r"|kaggle\.json|credentials(\.json)?|service[-_]?account[^/]*\.json|[^/]+\.(pem|p12|pfx|ppk|keystore|jks|kdbx)"
    r"|(\.ssh|\.aws|\.gnupg|\.docker|\.kube)/.*)$"
)
_NO_SECRET_FILES: Final = re.compile(r"(?i)(^|/)\.env\.(example|sample|template|dist)$|\.pub$|(^|/)ca[^/]*\.pem$")

_HOME: Final = re.compile(
    r"(?<![\w.])(?:/home/[\w.-]+|/Users/[\w.-]+|/root/[\w.-]+"
    r"|[A-Za-z]:(?:\\\\?|/)(?:Users|Documents and Settings)(?:\\\\?|/)[\w.-]+)"
)
_TILDE: Final = re.compile(r"""["'\s=(]~/[\w.]|expanduser\(|Path\.home\(""")
_ABSOLUTE: Final = re.compile(
    r"""(?<![\w./:}>-])(?:/(?:mnt|data|datasets|models|workspace|content|opt|srv|media|var|tmp|scratch|gpfs|lustre|nfs"""
    r"""|storage|Volumes|etc|usr/local)/[\w.-]+|[A-Za-z]:(?:\\\\?|/)[\w.-]{2,})"""
)


class Seen(NamedTuple):
    """`code`: secret, home_path, tilde_path or absolute_path; `kind` and `what` say more of a secret."""

    code: str
    line: int
    what: str


def secret_file(path: str) -> bool:
    """Whether a file's name says that it holds secrets."""
    return bool(SECRET_FILES.search(path)) and not _NO_SECRET_FILES.search(path)


def scan(text: str, *, assignments: bool = True, paths: bool = True) -> Iterator[Seen]:
    """Secrets and machine-bound paths, line by line, one finding of each code a line."""
    for number, line in enumerate(text.split("\n"), 1):
        line = line[:20_000]
        if (token := _TOKENS.search(line)) and token.lastgroup:
            yield Seen("secret", number, _NAMES[token.lastgroup])
        elif assignments and (found := _ASSIGNED.search(line)) and _is_secret(found.group("value")):
            yield Seen("secret", number, f"a value for “{found.group('word')}”")
        if paths and (code := _path(line)):
            yield Seen(code, number, "")


def _is_secret(value: str) -> bool:
    if _PLACEHOLDER.search(value) or "/" in value[:2]:
        return False
    return any(character.isdigit() for character in value) or len(value) >= 20


def _path(line: str) -> str:
    if _HOME.search(line):
        return "home_path"
    if _TILDE.search(line):
        return "tilde_path"
    return "absolute_path" if _ABSOLUTE.search(line) and not line.startswith("#!") else ""
