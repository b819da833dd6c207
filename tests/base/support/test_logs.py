"""Log lines: one per event, as text or JSON, without text of notes and secrets."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from notewell.base.support import log_files
from notewell.base.support.log_files import delete_logs, logging_to_files
from notewell.base.support.logs import AboutFiles, log_to_terminal
from notewell.base.types import LogRules
from tests.waiting import until

log = logging.getLogger("notewell.test")


@pytest.fixture(autouse=True)
def quiet_again() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(folder: Path) -> list[str]:
    return (folder / "notewell.log").read_text(encoding="utf-8").splitlines()


def test_an_event_is_one_line_of_text(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules()):
        log.warning("Früh: %s", "a\nb\u2028c\x1b[2J")

    [line] = lines(tmp_path)
    assert line.endswith("WARNING notewell.test: Früh: a\\nb\\u2028c\\x1b[2J")


def test_json_lines_are_for_programs(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules(format="json")):
        log.info("two\nlines")

    [line] = lines(tmp_path)
    found = json.loads(line)
    assert set(found) == {"time", "level", "logger", "message"}
    assert (found["level"], found["message"]) == ("info", "two\nlines")


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_unexpected_error_logs_type_and_place_without_its_message(
    tmp_path: Path, form: str
) -> None:
    with logging_to_files(tmp_path, LogRules(format=form)):
        try:
            int("a secret thought")
        except ValueError:
            log.exception("indexing failed")

    [line] = lines(tmp_path)
    assert "ValueError" in line
    assert "test_logs.py" in line
    assert "secret thought" not in line


def test_tokens_are_not_logged(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules()):
        log.warning("GET /?token=abc123&x=1 with Authorization: Bearer abc123")

    [line] = lines(tmp_path)
    assert "abc123" not in line
    assert "x=1" in line


def test_the_level_applies_and_other_libraries_log_warnings_only(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules(level="info")):
        log.debug("not this")
        log.info("this")
        logging.getLogger("asyncio").info("nor this")
        logging.getLogger("asyncio").warning("but this")

    assert [line.split(": ")[1] for line in lines(tmp_path)] == ["this", "but this"]
    log.warning("the files are closed")
    assert len(lines(tmp_path)) == 2


def test_files_rotate_within_their_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "FILE_BYTES", 2000)
    with logging_to_files(tmp_path, LogRules()):
        for number in range(400):
            log.warning("event %d", number)

    files = sorted(tmp_path.glob("notewell.log*"))
    assert len(files) == log_files.FILES
    assert all(file.stat().st_size <= 2000 for file in files)
    assert lines(tmp_path)[-1].endswith("event 399")


def test_lines_are_written_in_order_while_the_server_runs(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules()):
        for number in range(50):
            log.info("request %d", number)
        log.warning("attention")
        until(lambda: len(lines(tmp_path)) == 51)
        at_once = lines(tmp_path)
        log.info("after it")

    expected = [f"request {number}" for number in range(50)] + ["attention"]
    assert [line.split(": ")[1] for line in at_once] == expected
    assert [line.split(": ")[1] for line in lines(tmp_path)] == [*expected, "after it"]


def test_lines_are_written_soon_without_a_warning(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules()):
        for text in ("first", "second"):
            log.info(text)
            until(lambda text=text: any(text in line for line in lines(tmp_path)))


def test_threads_log_every_line_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_files, "FILE_BYTES", 20_000)

    def work(thread: int) -> None:
        for number in range(100):
            log.log(logging.WARNING if number % 10 == 0 else logging.INFO, "%d-%d", thread, number)

    with logging_to_files(tmp_path, LogRules()), ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))

    written = [
        line.split(": ")[1]
        for file in tmp_path.glob("notewell.log*")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert sorted(written) == sorted(
        f"{each}-{number}" for each in range(4) for number in range(100)
    )


def test_a_second_server_writes_files_of_its_own(tmp_path: Path) -> None:
    with (
        logging_to_files(tmp_path, LogRules()) as first,
        logging_to_files(tmp_path, LogRules()) as second,
    ):
        assert (first, second) == (tmp_path / "notewell.log", tmp_path / "notewell-2.log")
    with logging_to_files(tmp_path, LogRules()) as third:
        assert third == first


def test_the_audit_log_has_its_own_file_at_any_level(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules(level="error")):
        logging.getLogger(log_files.AUDIT).info("signed in")
        log.warning("not of the audit")

    audit = tmp_path / "audit.log"
    assert audit.read_text().rstrip().endswith("signed in")
    assert audit.stat().st_mode & 0o077 == 0
    delete_logs(tmp_path)
    assert not audit.exists()


def test_a_server_runs_without_writable_logs(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    with logging_to_files(tmp_path / "file", LogRules()) as file:
        assert file is None
    assert "nothing is logged" in caplog.text


def test_each_line_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        log_to_terminal(lambda: "json", level=logging.WARNING)
    log.warning("once")
    log.info("not this")

    [line] = capsys.readouterr().err.splitlines()
    assert json.loads(line)["message"] == "once"


def test_logs_are_deleted_except_those_in_use(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules()):
        with logging_to_files(tmp_path, LogRules()):
            log.warning("somewhere")
        (tmp_path / "notewell-2.log.1").touch()
        delete_logs(tmp_path)
        assert {file.name for file in tmp_path.glob("note*")} == {"notewell.log"}
    delete_logs(tmp_path)
    assert not list(tmp_path.glob("note*"))


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_log_files_are_private_also_after_a_rotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_files, "FILE_BYTES", 500)
    before = os.umask(0o022)
    try:
        with logging_to_files(tmp_path / "logs", LogRules()):
            for number in range(20):
                logging.getLogger("notewell.test").info("line %d of a log that grows", number)
    finally:
        os.umask(before)
    files = list((tmp_path / "logs").iterdir())
    assert len(files) > 2
    assert [file for file in files if file.stat().st_mode & 0o077] == []


def test_files_of_a_vault_are_named_at_a_terminal_alone(tmp_path: Path) -> None:
    with logging_to_files(tmp_path, LogRules()):
        log.warning("%s: not everything is read: %s", "Home", AboutFiles("Diary/Secret.md links"))
    assert "Diary" not in "\n".join(lines(tmp_path))
    assert "Home: not everything is read: …" in lines(tmp_path)[-1]
    record = logging.LogRecord("n", 30, "f", 1, "about %s", (AboutFiles("Diary.md"),), None)
    assert "Diary.md" in log_files.Lines(lambda: "text", names_files=True).format(record)
