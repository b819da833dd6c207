"""Downloads files of a pinned revision from the Hugging Face hub, within a bounded time.

huggingface_hub knows the address (mirrors included) and brings a client with the right
certificates and proxies. Its own downloader retries for a minute where nothing answers, and a name
look-up cannot be interrupted at all; so the transfer runs in a thread that is left behind when its
time is over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from notewell.errors import ModelUnavailableError

ANSWER_WITHIN_S = 2.8  # with what surrounds it, an unreachable hub costs less than 3 s
STALL_S = 15.0
_POLL_S = 0.05
_HTTP_OK = 200


def download(
    repo: str,
    revision: str,
    names: Sequence[str],
    into: Path,
    *,
    endpoint: str | None = None,
    answer_within_s: float = ANSWER_WITHIN_S,
    stall_s: float = STALL_S,
) -> None:
    """Put the named files of `repo` at `revision` into the folder `into`.

    Raises ModelUnavailableError when the hub does not begin to answer within `answer_within_s`
    seconds in total, then pauses for `stall_s`, or answers with an error.
    """
    transfer = _Transfer(repo, revision, names, into, endpoint)
    threading.Thread(target=transfer.run, name="hub-download", daemon=True).start()
    transfer.wait(answer_within_s, stall_s)


class _Transfer:
    """One download in its own thread, and the patience of the thread that waits for it."""

    def __init__(
        self, repo: str, revision: str, names: Sequence[str], into: Path, endpoint: str | None
    ) -> None:
        self._repo = repo
        self._revision = revision
        self._names = names
        self._into = into
        self._endpoint = endpoint
        self._started = time.monotonic()
        self._last_block: float | None = None  # None until the hub has begun to answer
        self._finished = threading.Event()
        self._abandoned = threading.Event()
        self._error: Exception | None = None

    def run(self) -> None:
        try:
            for name in self._names:
                self._file(name)
        # A boundary: whatever the transport raises is this source's answer, told by wait().
        except Exception as error:  # noqa: BLE001
            self._error = error
        finally:
            self._finished.set()

    def _file(self, name: str) -> None:
        # Slow to import, and that counts against the patience of whoever waits.
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
                    self._last_block = time.monotonic()

    def wait(self, answer_within_s: float, stall_s: float) -> None:
        while not self._finished.is_set():
            last_block = self._last_block
            deadline = (
                self._started + answer_within_s if last_block is None else last_block + stall_s
            )
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                self._abandoned.set()
                silence = answer_within_s if last_block is None else stall_s
                raise ModelUnavailableError(f"it did not answer for {silence:.0f} s")
            self._finished.wait(min(remaining, _POLL_S))
        if isinstance(self._error, ModelUnavailableError):
            raise self._error
        if self._error is not None:
            raise ModelUnavailableError(
                f"{type(self._error).__name__}: {self._error}"
            ) from self._error
