"""Transcripts of recordings: cues of real habits, and the place in the recording."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import ModelRules, Note, Settings, VaultRecord, VaultRules
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.vault.readers.reader import FileFacts
from notewell.vault.readers.transcript import TRANSCRIPTS, clock
from notewell.vault.sources import recording_of

SRT, VTT = (reader.read for reader in TRANSCRIPTS)


def note(text: str, path: str = "Talk.srt") -> Note:
    return SRT(text.encode(), FileFacts(path, modified=0.0)).note


def shown(text: str) -> list[tuple[str, str]]:
    return [(span.block or "", span.text) for span in note(text).spans]


def cue(start: str, end: str, text: str) -> str:
    return f"{start} --> {end}\n{text}\n\n"


def test_a_paragraph_ends_with_a_pause_a_speaker_or_when_it_is_long() -> None:
    text = (
        cue("00:00:01,000", "00:00:02,000", "One")
        + cue("00:00:02,500", "00:00:03,000", "two.")
        + cue("00:00:09,000", "00:00:10,000", "Three.")
        + cue("00:00:10,000", "00:00:11,000", "<v Ada>Four.")
        + "".join(cue(f"00:01:{n:02},000", f"00:01:{n:02},900", f"word{n} " * 20) for n in range(9))
    )
    found = shown(text)
    assert found[:3] == [("1", "One\ntwo."), ("9", "Three."), ("10", "Ada: Four.")]
    assert len(found) == 6


def test_habits_of_programs_are_read() -> None:
    found = shown(
        "\ufeff1\r\n00:00:01,5 --> 00:00:02,000 X1:40 X2:600\r\n{\\an8}Up.\r\n\r\n"
        "2\r\n00:00:02,100-->00:00:02,900\r\nNo blank line after it\r\n"
        "3\r\n0:00:03.000 --> 0:00:04.000\r\nDown &lt;here&gt;\r\n"
    )
    assert found == [("1", "Up.\nNo blank line after it\nDown <here>")]


def test_lines_that_rolling_captions_repeat_are_read_once() -> None:
    text = "".join(cue(f"00:00:0{n}.000", f"00:00:0{n}.900", "Again") for n in range(1, 4))
    assert shown("WEBVTT\n\n" + text) == [("1", "Again")]


def test_lines_are_those_of_the_file() -> None:
    (span,) = note(
        "1\n00:00:01,000 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 --> 00:00:04,000\nTwo\n"
    ).spans
    assert span.lines == (3, 7)


LETTERS = st.characters(codec="utf-8", exclude_characters="\x00")  # many NULs are no text


@given(st.text(LETTERS, max_size=300), st.binary(max_size=200))
def test_any_text_is_read(text: str, raw: bytes) -> None:
    for read in (SRT, VTT):
        read(text.encode(), FileFacts("a.vtt", modified=0.0))
        with suppress(UnreadableNoteError):
            read(raw, FileFacts("a.vtt", modified=0.0))
    found = note(f"00:00:01,000 --> 00:00:02,000\n{text}")
    assert all(len(span.lines) == span.text.count("\n") + 1 for span in found.spans)


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (83, "1:23"), (3723, "1:02:03")])
def test_times_are_written_for_people(seconds: int, text: str) -> None:
    assert clock(seconds) == text


def test_a_result_opens_the_recording_at_its_time(tmp_path: Path) -> None:
    folder = tmp_path / "Notes"
    folder.mkdir()
    (folder / "Talk.srt").write_text(cue("00:01:23,000", "00:01:25,000", "Bees dance for clover."))
    (folder / "Talk.m4a").write_bytes(b"sound")
    (folder / "Alone.vtt").write_text("WEBVTT\n\n" + cue("00:05.000", "00:06.000", "A clover."))
    settings = Settings(
        data_dir=tmp_path / "data",
        model_dir=tmp_path / "models",
        state_dir=tmp_path,
        offline=True,
        model=ModelRules(folder=str(tmp_path / "none")),
        vault=VaultRules(types=(".md", ".srt", ".vtt")),
    )
    record = VaultRecord("v1", "Notes", folder)
    with closing(Engine.open(record, tmp_path / "index", settings, writable=True)) as engine:
        engine.index_now()
        reply = engine.search(SearchRequest("clover", mode="keyword"))
    found = {result.path: result for result in reply.results}
    talk, alone = found["Talk.srt"], found["Alone.vtt"]
    assert (talk.seconds, talk.heading, talk.block) == (83, "1:23", None)
    assert talk.uri == "obsidian://open?vault=Notes&file=Talk.m4a%23t%3D83"
    assert (alone.seconds, alone.uri) == (5, "obsidian://open?vault=Notes&file=Alone.vtt")


def test_plain_text_beside_a_recording_opens_it(tmp_path: Path) -> None:
    for name in ("Talk.mp3", "Talk.txt", "Note.md", "Note.mp3", "Other.txt"):
        (tmp_path / name).touch()
    assert recording_of(tmp_path, "Talk.txt") == "Talk.mp3"
    assert recording_of(tmp_path, "Note.md") is None
    assert recording_of(tmp_path, "Other.txt") is None
