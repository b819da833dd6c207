"""Runs the command lines of README and docs/install.md as they stand, as somebody new would.

    python3 release/try_lines.py [--home FOLDER] [--log FILE]

In a copy of the repository that nothing was built in, best in a fresh system and as an ordinary
user. It needs what the pages ask for and the standard library alone. Home is a new folder whose
`Notes` is a copy of the sample vault, with Obsidian's folder. Lines that serve run in the
background until the next one of them, or the end of the page; what is not run, and why, is in
`NOT_RUN`. The log has each line with the end of what it printed and its exit code. The exit code is
1 if a line failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "docs/install.md")
SAMPLE = ROOT / "sidecar" / "notewell" / "doors" / "sample" / "vault"
# Beginnings of lines that are not run, each with its reason.
NOT_RUN = {
    "make test": "what CI runs, in half an hour",
    "notewell ask": "needs a language model that the reader chooses",
    "docker": "needs a container engine",
    "systemctl": "needs a session of systemd",
}
SERVES = re.compile(r"(?:make run|notewell serve|notewell demo)\b")
_BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+#\s.*$")
_LONGEST_S, _SERVING_S = 1200, 900
_PORT = 8765
_KEPT_LINES = 6  # of what a line printed


@dataclass
class _OpenPage:
    """What the lines of a page leave for those after them: a server, an activated environment."""

    server: subprocess.Popen[bytes] | None = None
    before: str = ""

    def close(self) -> None:
        """End the server."""
        if self.server is not None and self.server.poll() is None:
            os.killpg(self.server.pid, signal.SIGINT)
            try:
                self.server.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.server.pid, signal.SIGKILL)
        self.server = None


def main() -> None:
    """Run all lines, write the log, and fail if one of them failed."""
    options = _options()
    home = options.home or Path(tempfile.mkdtemp(prefix="notewell-new-"))
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "Notes").exists():
        shutil.copytree(SAMPLE, home / "Notes")
    failed = 0
    log: list[str] = []
    for page in PAGES:
        log.append(f"\n== {page} ==\n")
        opened = _OpenPage()
        for line in lines_of((ROOT / page).read_text("utf-8")):
            code, told = _run(line, home, opened)
            failed += code not in {0, None}
            log.append(f"$ {line}\n{told}")
            print(f"{'not run' if code is None else code}\t{line}", flush=True)
        opened.close()
    options.log.write_text("".join(log), "utf-8") if options.log else print("".join(log))
    sys.exit(1 if failed else 0)


def lines_of(page: str) -> Iterator[str]:
    """The command lines of a page's shell blocks, without their comments."""
    for block in _BLOCK.findall(page):
        for line in block.splitlines():
            command = _COMMENT.sub("", line).strip()
            if command and not command.startswith("#"):
                yield command


def _run(line: str, home: Path, page: _OpenPage) -> tuple[int | None, str]:
    """Run one line: its exit code, None where it is not run, and the end of what it printed."""
    for beginning, reason in NOT_RUN.items():
        if line.startswith(beginning):
            return None, f"  (not run: {reason})\n\n"
    if line.startswith("source "):
        page.before = f"{line}; "
    command = ["bash", "-c", page.before + line]
    environment = _environment(home)
    if SERVES.match(line):
        page.close()  # they want one port
        page.server = subprocess.Popen(  # noqa: S603 - a line of a page of this repository
            command,
            cwd=ROOT,
            env=environment,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        answers = _answers(page.server)
        return (0, "  (serves)\n\n") if answers else (1, "  (did not answer)\n\n")
    done = subprocess.run(  # noqa: S603 - a line of a page of this repository
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_LONGEST_S,
        check=False,
    )
    printed = done.stdout.decode("utf-8", "replace").replace(str(home), "~").splitlines()
    shown = "".join(f"  {each[:160]}\n" for each in printed[-_KEPT_LINES:])
    return done.returncode, f"{shown}  -> {done.returncode}\n\n"


def _environment(home: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "UV_", "npm_", "SSL_", "LANG", "LC_"))
    }
    path = f"{home}/.local/bin:{os.environ.get('PATH', os.defpath)}"
    return kept | {"HOME": str(home), "PATH": path, "NO_COLOR": "1"}


def _answers(server: subprocess.Popen[bytes]) -> bool:
    """Wait until the server that a line started answers; False if it ends before."""
    until = time.monotonic() + _SERVING_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{_PORT}/api/health", timeout=2):
                return True
        except OSError:
            time.sleep(0.5)
    return False


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="try_lines.py")
    parser.add_argument("--home", type=Path, help="an empty folder; a temporary one otherwise")
    parser.add_argument("--log", type=Path, help="where the log is written; printed otherwise")
    return parser.parse_args()


if __name__ == "__main__":
    main()
