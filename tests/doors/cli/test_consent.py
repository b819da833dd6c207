"""The question before notes are first sent to a service, at a real terminal."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.doors.cli.support import CommandLine
from tests.models.embedding_server import EmbeddingServer, serving
from tests.waiting import PROCESS_S

pty = pytest.importorskip("pty", reason="terminals of this kind are POSIX's")

HOST = "127.1"  # this computer, under a name that does not say so


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A service that is configured and that nobody has allowed yet."""
    with serving(EmbeddingServer(key="", max_texts=64, max_tokens=10_000)) as server:
        port = urlsplit(server.url).port
        monkeypatch.setenv("NOTEWELL_OFFLINE", "false")
        monkeypatch.setenv("NOTEWELL_MODEL_PROVIDER", "openai")
        monkeypatch.setenv("NOTEWELL_MODEL_NAME", "words")
        monkeypatch.setenv("NOTEWELL_MODEL_BASE_URL", f"http://{HOST}:{port}/v1")
        yield server


def at_a_terminal(answer: str, *args: object) -> str:
    """Run `notewell` at a terminal, where `answer` is typed to its question; gives what it shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "notewell", *map(str, args)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb", "COLUMNS": "200"},
    )
    os.close(theirs)
    shown = b""
    try:
        while select.select([ours], [], [], PROCESS_S)[0]:
            try:
                some = os.read(ours, 4096)
            except OSError:  # how Linux tells that the other end is closed
                break
            if not some:
                break
            asked = b"[y/N]" in shown
            shown += some
            if b"[y/N]" in shown and not asked:
                os.write(ours, f"{answer}\n".encode())
        assert process.wait(PROCESS_S) == 0, shown
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return shown.decode()


def test_a_person_is_asked_once_and_nothing_is_sent_before_a_yes(
    notewell: CommandLine, vault: Path, service: EmbeddingServer
) -> None:
    without = notewell("index", vault)
    assert "May they be sent" not in without.output
    assert service.requests == []

    refused = at_a_terminal("n", "index", vault)
    assert "the text of every indexed note" in refused
    assert f"of every search is sent to {HOST}" in refused
    assert "3 passages takes about" in refused
    assert "tokens; price: unknown" in refused
    assert f"notewell models allow {HOST}" in refused
    assert service.requests == []

    allowed = at_a_terminal("y", "index", vault)
    assert f"May they be sent to {HOST}?" in allowed
    assert sum(len(texts) for texts in service.requests) >= 3
    assert notewell.json("status")["vectors"] == 3

    asked_again = notewell("index", vault)
    assert "May they be sent" not in asked_again.output
