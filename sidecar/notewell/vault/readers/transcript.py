"""Transcripts of recordings (`.srt`, `.vtt`): what is said, and the second at which it begins.

SubRip has no specification; WebVTT is https://www.w3.org/TR/webvtt1/. Both are read by the same
rules, because files of one kind with the habits of the other are common: cues begin with a line of
two times, and end at a blank line.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from notewell.base.types import Span
from notewell.base.types.frozen import frozen
from notewell.vault.parse import one_line_end
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text
from notewell.vault.readers.text import line_starts, text_note

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s|$)")
_SPEAKER = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]*)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>|<\d[\d:.]*>|\{\\[^{}]*\}")
_PAUSE_S = 3.0  # between two cues, after which a paragraph begins
_LONG = 400  # characters of a paragraph, after which the next cue begins another
_MOST_CUES = 50_000
# Recordings that Obsidian plays; a transcript has the name of one of them.
RECORDINGS = (".mp3", ".m4a", ".wav", ".ogg", ".opus", ".flac", ".3gp", ".webm", ".mp4", ".mov")


@frozen
class _Cue:
    """Words that are said from `start` to `end`, in seconds; their `line` in the file, from 1."""

    start: float
    end: float
    speaker: str
    text: str
    line: int


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = decode_text(raw, file.path)
    text = one_line_end(decoded.text)
    cues = list(_cues(text))
    too_many = (f"Only the first {_MOST_CUES:,} cues are searched.",) * (len(cues) > _MOST_CUES)
    return text_note(file, decoded, _paragraphs(cues[:_MOST_CUES], text), too_many)


def _cues(text: str) -> Iterator[_Cue]:
    """The cues in order; what stands outside of cues (numbers, notes, styles) is left out."""
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        times = _TIMES.match(lines[number])
        number += 1
        if times is None:
            continue
        first = number
        while number < len(lines) and lines[number].strip() and not _TIMES.match(lines[number]):
            number += 1
        shown = lines[first:number]
        if number < len(lines) and _TIMES.match(lines[number]):
            shown = shown[: -1 if shown and shown[-1].strip().isdecimal() else None]
        said = " ".join(map(_plain, shown)).strip()
        if said:
            speaker = next((name for line in shown for name in _SPEAKER.findall(line)), "")
            groups = times.groups()
            yield _Cue(_seconds(groups[:4]), _seconds(groups[4:]), speaker.strip(), said, first + 1)


def _plain(line: str) -> str:
    """The text of a line without its tags."""
    return " ".join(html.unescape(_TAG.sub("", line)).split())


def _seconds(parts: Sequence[str | None]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction}")


def _paragraphs(cues: Sequence[_Cue], text: str) -> Iterator[Span]:
    """Paragraphs of cues that follow each other closely, each by one speaker."""
    starts = line_starts(text)
    group: list[_Cue] = []
    for cue in cues:
        if group and cue.text == group[-1].text:  # rolling captions show a line twice
            continue
        if group and _begins(cue, group):
            yield _span(group, starts, len(text))
            group = []
        group.append(cue)
    if group:
        yield _span(group, starts, len(text))


def _begins(cue: _Cue, group: Sequence[_Cue]) -> bool:
    """True if a cue begins another paragraph."""
    last = group[-1]
    pauses = cue.start - last.end > _PAUSE_S or cue.start < last.start
    return pauses or cue.speaker != last.speaker or sum(len(cue.text) for cue in group) > _LONG


def _span(group: Sequence[_Cue], starts: Sequence[int], length: int) -> Span:
    rows = [cue.text for cue in group]
    if group[0].speaker:
        rows[0] = f"{group[0].speaker}: {rows[0]}"
    begin, end = starts[group[0].line - 1], starts[group[-1].line]
    return Span(
        "paragraph",
        begin,
        min(end - 1, length),
        "\n".join(rows),
        tuple(cue.line for cue in group),
        block=str(int(group[0].start)),
    )


def clock(seconds: int) -> str:
    """A time in a recording for people: 1:23, or 1:02:03."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


TRANSCRIPTS = tuple(
    Reader(suffix, "transcripts", _read, "transcript", anchor="time") for suffix in (".srt", ".vtt")
)
