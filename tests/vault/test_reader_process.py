"""Files that crash, hang or exhaust their parser: a reason for the ledger, and no harm beyond."""

from __future__ import annotations

import struct
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import PropertyValue
from notewell.vault.readers.process import ReaderProcess, warn
from notewell.vault.readers.reader import FileFacts
from tests.vault.pdf_files import pdf
from tests.waiting import until

HOSTILE = Path(__file__).with_name("hostile_reader.py")


def command() -> tuple[str, ...]:
    return (sys.executable, str(HOSTILE), "1")


def facts(name: str) -> FileFacts:
    return FileFacts(name, modified=2.0, created=1.0)


def shown(process: ReaderProcess, raw: bytes = b"", name: str = "A.who") -> str:
    return process.read(raw, facts(name)).note.spans[0].text


@pytest.fixture
def process() -> Iterator[ReaderProcess]:
    made = ReaderProcess(command())
    yield made
    made.close()


def test_reads_what_the_reader_reads(process: ReaderProcess) -> None:
    found = process.read("Bees dance.\n\nÄhren too.\n".encode(), facts("A.txt"))

    assert [span.text for span in found.note.spans] == ["Bees dance.", "Ähren too."]
    assert [span.lines for span in found.note.spans] == [(1,), (3,)]
    assert (found.note.modified, found.note.created) == (2.0, 1.0)
    assert found.text.startswith("Bees")


def test_a_page_is_drawn_where_no_file_can_be_opened() -> None:
    raw = pdf([["One."], ["Two.", "And more."]])
    with closing(ReaderProcess()) as confined:
        first, second = (confined.picture(raw, facts("A.pdf"), page) for page in (1, 2))
        with pytest.raises(UnreadableNoteError, match=r"A\.pdf has 2 pages, no page 3"):
            confined.picture(raw, facts("A.pdf"), 3)
        assert confined.read(raw, facts("A.pdf")).note.spans[0].text == "One."  # the same child

    assert first[:8] == second[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", first[16:24])
    assert (width, height) == (1075, 1521)  # 595 by 842 points at 130 to the inch
    assert first != second
    rows = zlib.decompress(second[41 : 41 + struct.unpack(">I", second[33:37])[0]])
    assert len(rows) == height * (1 + 3 * width)
    assert set(rows[1:100]) == {255}  # white paper, and letters on it
    assert min(rows) < 100


def test_one_child_reads_all_files(process: ReaderProcess) -> None:
    assert len({shown(process) for _ in range(3)}) == 1


def test_threads_take_turns(process: ReaderProcess) -> None:
    seen: list[str] = []

    def read(number: int) -> None:
        seen.append(shown(process, str(number).encode(), "A.txt"))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(seen) == [str(number) for number in range(8)]


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("A.crash", "unreadable", "crashed"),
        ("A.grow", "too_large", "memory"),
        ("A.refuse", "encrypted", "password"),
        ("A.babble", "unreadable", "makes no sense"),
        ("A.unknown", "unreadable", "Nothing reads"),
    ],
)
def test_a_hostile_file_has_a_reason_and_the_next_is_read(
    process: ReaderProcess, name: str, code: str, reason: str
) -> None:
    with pytest.raises(UnreadableNoteError, match=reason) as refused:
        process.read(b"x" * 100_000, facts(name))

    assert refused.value.code == code
    assert name in refused.value.message
    assert shown(process, b"Bees", "B.txt") == "Bees"


def test_a_file_that_takes_too_long_is_stopped() -> None:
    process = ReaderProcess(command(), seconds=1)
    with pytest.raises(UnreadableNoteError, match="longer than 1 second") as refused:
        process.read(b"", facts("A.hang"))

    assert refused.value.code == "too_slow"
    process.close()


def test_nobody_waits_long_behind_a_slow_file(process: ReaderProcess) -> None:
    def hang() -> None:
        with suppress(UnreadableNoteError):
            process.read(b"", facts("A.hang"))

    slow = threading.Thread(target=hang)
    slow.start()
    until(lambda: process.child)

    assert shown(process, b"Bees", "B.txt") == "Bees"
    assert slow.is_alive()
    process.close()
    slow.join()


def test_an_idle_child_ends_and_the_next_file_starts_another() -> None:
    process = ReaderProcess(command(), idle_s=0.3)
    first = shown(process)
    child = process.child
    assert child is not None
    child.wait()

    assert shown(process) != first
    process.close()


def test_a_child_that_cannot_be_started_is_a_reason() -> None:
    with pytest.raises(UnreadableNoteError, match="no process can be started"):
        ReaderProcess(("/nowhere/at/all",)).read(b"", facts("A.txt"))
    with pytest.raises(UnreadableNoteError, match="crashed"):
        ReaderProcess((sys.executable, "-c", "raise SystemExit(3)")).read(b"", facts("A.txt"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux confines it")
def test_a_reader_that_was_taken_over_can_do_nothing(
    process: ReaderProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    secret = tmp_path / "Secret.md"
    secret.write_text("Not this file's business.", encoding="utf-8")

    assert shown(process, str(secret).encode(), "A.escape") == "could:"
    assert [each.name for each in tmp_path.iterdir()] == ["Secret.md"]
    assert "not confined" not in caplog.text


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux confines it")
def test_where_it_is_not_confined_files_are_read_and_the_log_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    warn.cache_clear()
    unconfined = (
        "import sys; from notewell.base.support import confine;"
        " confine._install = lambda *given: None;"
        " from notewell.vault.readers.child import main; main()"
    )
    for _ in range(2):
        process = ReaderProcess((sys.executable, "-P", "-c", unconfined))
        assert shown(process, b"Bees", "B.txt") == "Bees"
        process.close()

    (logged,) = (each for each in caplog.messages if "not confined" in each)
    assert "it could still open a file" in logged


def test_the_child_ends_with_its_owner() -> None:
    process = ReaderProcess(command())
    shown(process)
    child = process.child
    assert child is not None
    del process

    assert child.poll() is not None


def test_properties_arrive_as_the_reader_gave_them() -> None:
    process = ReaderProcess()
    raw = b"---\nnames: [a, [b, 1]]\nyear: 2026\nnested: {x: [1]}\n---\nText\n"
    properties: dict[str, PropertyValue] = dict(process.read(raw, facts("A.md")).note.properties)
    process.close()

    assert properties == {"names": ("a", ("b", 1)), "year": 2026, "nested": {"x": (1,)}}
