"""Watches over a command and all processes that it starts: what they send, which files they change.

strace sees every call of the system, also those of native code. A network of its own sees packets
alone, but nothing that is sent can escape it. An audit hook sees only what Python does, and works
everywhere. `strongest` takes what this computer allows.
"""

from __future__ import annotations

import codecs
import ipaddress
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.outside.own_network import DNS, LOOPBACK
from tests.waiting import PROCESS_S

HERE = Path(__file__).parent


@dataclass
class Seen:
    """How often each address was sent to, the paths that were changed, the programs that ran."""

    sent: Counter[str] = field(default_factory=Counter)
    changed: set[Path] = field(default_factory=set)
    ran: set[Path] = field(default_factory=set)

    @property
    def outside(self) -> dict[str, int]:
        """What is not this computer's loopback, and what looks names up."""
        return {target: count for target, count in self.sent.items() if target != LOOPBACK}


class Watch(Protocol):
    name: str

    def around(self, command: Sequence[str], report: Path) -> list[str]:
        """The command that runs a command under this watch, and writes into the folder `report`."""
        ...

    def seen(self, report: Path, folder: Path) -> Seen:
        """What was seen of the command, which was started in `folder` and has ended."""
        ...


class Traced:
    name = "strace"
    _CALLS = (
        "connect,sendto,sendmsg,sendmmsg,open,openat,creat,truncate,mkdir,mkdirat,mknod,mknodat,"
        "rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,execve"
    )
    _CALL = re.compile(rb"(\w+)\((.*)\) += (-?\d+)(?:<(.*)>)?")
    _INET = re.compile(rb'sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|AF_INET6, )"([^"]+)"')
    # Programs that look names up for others, so that the process itself sends nothing.
    _RESOLVER = re.compile(rb'sun_path="([^"]*(?:resolve|nscd|avahi)[^"]*)"')
    _PATH = re.compile(rb'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
    _CHANGING = re.compile(rb"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")

    def around(self, command: Sequence[str], report: Path) -> list[str]:
        options = ["--seccomp-bpf", "-ff", "-qq", "-y", "-e", "signal=none"]
        return [
            *("strace", *options, "-e", f"trace={self._CALLS}", "-o", str(report / "calls")),
            *command,
        ]

    def seen(self, report: Path, folder: Path) -> Seen:
        seen = Seen()
        calls = (self._CALL.match(line) for file in report.iterdir() for line in _lines(file))
        for name, arguments, result, opened in (call.groups() for call in calls if call):
            if name.startswith((b"connect", b"send")):
                seen.sent.update(self._targets(arguments, int(result)))
            elif name == b"execve":
                program = self._PATH.search(arguments)
                if program is not None and int(result) == 0:
                    seen.ran.add(folder / _decoded(program[2]))
            elif int(result) >= 0:
                seen.changed.update(
                    folder / path for path in self._changed(name, arguments, opened)
                )
        return seen

    def _targets(self, arguments: bytes, result: int) -> Iterator[str]:
        for port, address in self._INET.findall(arguments):
            yield _target(address.decode(), int(port))
        if result == 0 and (resolver := self._RESOLVER.search(arguments)):
            yield f"a resolver at {_decoded(resolver[1])}"

    def _changed(self, name: bytes, arguments: bytes, opened: bytes | None) -> list[Path]:
        if name in {b"open", b"openat"}:
            return [_decoded(opened)] if opened and self._CHANGING.search(arguments) else []
        found = self._PATH.findall(arguments)
        paths = [_decoded(base) / _decoded(path) for base, path in found]
        # A link changes its own place, not the one that it leads to.
        return paths[-1:] if b"link" in name and b"unlink" not in name else paths


class OwnNetwork:
    name = "a network of its own"

    def around(self, command: Sequence[str], report: Path) -> list[str]:
        script = str(HERE / "own_network.py")
        return [sys.executable, script, str(report / "sent.json"), *command]

    def seen(self, report: Path, folder: Path) -> Seen:
        found = json.loads((report / "sent.json").read_bytes())
        assert found["lost"] == 0, "packets came faster than they were read"
        return Seen(Counter(found["sent"]))


class Hooked:
    name = "an audit hook"

    def around(self, command: Sequence[str], report: Path) -> list[str]:
        told = report / "told.jsonl"
        return ["env", f"PYTHONPATH={HERE / 'hook'}", f"NOTEWELL_TEST_TOLD={told}", *command]

    def seen(self, report: Path, folder: Path) -> Seen:
        told = [json.loads(line) for line in _lines(report / "told.jsonl")]
        return Seen(
            Counter(_target(*rest) for kind, *rest in told if kind == "sent"),
            {Path(*rest) for kind, *rest in told if kind == "changed"},
            {Path(*rest) for kind, *rest in told if kind == "ran"},
        )


STRACE, OWN_NETWORK, HOOK = Traced(), OwnNetwork(), Hooked()


def is_possible(watch: Watch) -> bool:
    """Whether this computer allows it."""
    with tempfile.TemporaryDirectory() as report:
        command = watch.around([sys.executable, "-c", ""], Path(report))
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            return False


def strongest() -> list[Watch]:
    """All that see native code; with the audit hook, where there is no other that sees files."""
    first: Watch = STRACE if is_possible(STRACE) else HOOK
    return [first, OWN_NETWORK] if is_possible(OWN_NETWORK) else [first]


def watch_over(
    command: Sequence[str],
    watches: Sequence[Watch],
    *,
    reports: Path,
    folder: Path,
    environment: Mapping[str, str],
) -> dict[str, Seen]:
    """Run a command in `folder`, and return what each of the watches saw, the innermost first."""
    for number, watch in enumerate(watches):
        (reports / str(number)).mkdir(parents=True)
        command = watch.around(command, reports / str(number))
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**environment},
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return {
        watch.name: watch.seen(reports / str(number), folder)
        for number, watch in enumerate(watches)
    }


def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines()


def _decoded(path: bytes) -> Path:
    """The path that strace has written."""
    return Path(os.fsdecode(codecs.escape_decode(path)[0]))


def _target(host: str, port: int | str | None) -> str:
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name; the empty one is this computer
        is_here = host in {"", "localhost"}
    return LOOPBACK if is_here and port not in DNS else f"{host} port {port}"
