"""The promises of every reader of a file type, tested for all that are registered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import FileRef, VaultRules
from notewell.vault import walker
from notewell.vault.paths import load_rules
from notewell.vault.read_notes import is_ordinary, read_note
from notewell.vault.readers import (
    READERS,
    describe_types,
    is_readable,
    link_name,
    readable,
    reader_of,
    spellings,
)
from notewell.vault.readers.process import ReaderProcess
from notewell.vault.readers.reader import FileFacts, Reader
from tests.vault.image_files import jpeg, png, tiff, webp
from tests.vault.packed_files import docx, epub, paragraph, table
from tests.vault.pdf_files import pdf
from tests.vault.reading import canvas, check, drawing, node, read


@dataclass(frozen=True)
class Sample:
    """A file of a type, and what a reader has to find in it. `linked` are the targets of links.

    A type that is text has text as its `source`; it may be encoded in any way.
    """

    source: str | bytes
    shown: tuple[str, ...]
    linked: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def raw(self) -> bytes:
        return self.source if isinstance(self.source, bytes) else self.source.encode()


WEB_PAGE = Sample(
    "<!doctype html><html><head><title>A note</title><style>p {color: red}</style></head><body>"
    "<nav>Home</nav><h1>Bees</h1>\n<p>They <b>dance</b> for\n<a href='Fields/Grass.md'>grass</a>."
    "<script>alert('x')</script><ul><li>sun<ul><li>rain</ul><li>Ähren</ul>"
    "<table><tr><th>Month<th>Flower<tr><td>May<td>Lilac</table><pre>a\n  b</pre></body></html>",
    (
        "They dance for grass.",
        "- sun\n  - rain\n- Ähren",
        "Month | Flower\nMay | Lilac",
        "a\n  b",
    ),
    ("Fields/Grass.md",),
)
CODE = Sample("dance = 1\n\nrest = 2\n", ("dance = 1", "rest = 2"))
IMAGES = {
    ".png": png((b"tEXt", b"Description\x00They dance.")),
    ".tif": tiff({270: b"They dance."}),
    ".jpg": jpeg((0xFE, b"They dance.")),
    ".webp": webp((b"EXIF", tiff({270: b"They dance."}))),
}
IMAGES |= {".jpeg": IMAGES[".jpg"], ".tiff": IMAGES[".tif"]}
SAMPLES: Mapping[str, Sample] = {
    **{suffix: Sample(raw, ("They dance.",)) for suffix, raw in IMAGES.items()},
    **dict.fromkeys((reader.suffix for reader in READERS.values() if reader.kind == "code"), CODE),
    ".docx": Sample(
        docx(
            paragraph("Bees", style="Heading1"),
            paragraph("They dance for clover."),
            paragraph("sun", level=0),
            paragraph("rain", level=1),
            table(("Month", "Flower"), ("May", "Lilac")),
        ),
        ("They dance for clover.", "- sun\n  - rain", "Month | Flower\nMay | Lilac"),
    ),
    ".epub": Sample(
        epub("<h1>Bees</h1><p>They dance for clover.</p>", "<p>And rest.</p>", title="A note"),
        ("They dance for clover.", "And rest."),
    ),
    ".srt": Sample(
        "1\n00:00:01,000 --> 00:00:03,500\n<i>They dance</i>\n\n2\n"
        "00:00:04,000 --> 00:00:06,000\nfor clover &amp; sun.\n",
        ("They dance\nfor clover & sun.",),
    ),
    ".vtt": Sample(
        "WEBVTT\n\nNOTE of nobody\n\nSTYLE\n::cue { color: red }\n\n"
        "00:01.000 --> 00:03.000 align:start\n<v Ada>They <c.loud>all</c> dance too </v>\n\n"
        "01:00:10.000 --> 01:00:12.000\n<v Bob>But why now </v>\n",
        ("Ada: They all dance too", "Bob: But why now"),
    ),
    ".csv": Sample(
        "Month, Flower\nMay, Lilac\nJuly, Ähren\n", ("Month | Flower\nMay | Lilac\nJuly | Ähren",)
    ),
    ".tsv": Sample("Month\tFlower\nMay\tLilac\n", ("Month | Flower\nMay | Lilac",)),
    **dict.fromkeys((".html", ".htm", ".xhtml"), WEB_PAGE),
    ".md": Sample(
        "# Bees\n\nThey dance for [[Clover]].\n\nSee [grass](Fields/Grass.md) #garden\n",
        ("They dance for Clover.", "See grass #garden"),
        ("Clover", "Fields/Grass.md"),
        ("garden",),
    ),
    ".txt": Sample(
        "Bees dance.\nFor clover.\n\n\nÄhren too.\n", ("Bees dance.\nFor clover.", "Ähren too.")
    ),
    ".canvas": Sample(
        canvas(
            node("a", text="They dance for [[Clover]].\n\nAnd rest. #garden"),
            node("b", "file", file="Fields/Grass.md", y=20),
            edges=({"id": "e", "fromNode": "a", "toNode": "b", "label": "feed on"},),
        ),
        ("They dance for Clover.", "And rest. #garden", "feed on", "Grass"),
        ("Clover", "Fields/Grass.md", "Fields/Grass.md"),
        ("garden",),
    ),
    ".markdown": Sample(
        "# Bees\n\nThey dance for [[Clover]].\n", ("They dance for Clover.",), ("Clover",)
    ),
    ".base": Sample(
        "filters:\n  and:\n    - file.hasTag('bees')\nformulas:\n  age: now() - file.ctime\n"
        "views:\n  - type: table\n    name: Ähren\n    order: [file.name, age]\n",
        (
            "and: file.hasTag('bees')",
            "age: now() - file.ctime",
            "type: table\norder: file.name, age",
        ),
    ),
    ".excalidraw": Sample(
        drawing(
            {"id": "b", "type": "text", "text": "And rest.", "y": 20, "link": "[[Fields/Grass]]"},
            {"id": "a", "type": "text", "text": "They dance for [[Clover]].", "y": 10},
            {"id": "c", "type": "text", "text": "Gone.", "isDeleted": True},
        ),
        ("They dance for Clover.", "And rest."),
        ("Clover", "Fields/Grass"),
    ),
    ".pdf": Sample(
        pdf([["They dance for clo-", "ver."], ["And rest."]]),
        ("They dance for clover.", "And rest."),
    ),
}

# Readers of code differ by their parser: three stand for all.
_TESTED = [
    reader
    for reader in READERS.values()
    if reader.kind != "code" or reader.suffix in {".py", ".js", ".sh"}
]
every_reader = pytest.mark.parametrize("reader", _TESTED, ids=lambda one: one.suffix)
every_text_reader = pytest.mark.parametrize(
    "reader",
    [reader for reader in _TESTED if not reader.binary],
    ids=lambda one: one.suffix,
)


def title_of(reader: Reader) -> str:
    """Of `A note` with its ending, which only code keeps."""
    return f"A note{reader.suffix}" if reader.kind == "code" else "A note"


@every_reader
def test_has_a_sample_and_a_plain_suffix(reader: Reader) -> None:
    assert {*SAMPLES} == {*READERS}
    assert reader.suffix == reader.suffix.lower()
    assert reader_of(f"Folder/NOTE{reader.suffix.upper()}") is reader


@every_reader
def test_finds_text_links_and_tags(reader: Reader) -> None:
    sample = SAMPLES[reader.suffix]

    found = read(reader, sample.raw)

    check(found)
    assert [span.text for span in found.note.spans if span.kind != "heading"] == list(sample.shown)
    assert [link.target for link in found.note.links] == list(sample.linked)
    assert found.note.tags == sample.tags
    assert found.note.title == title_of(reader)
    assert (found.note.created, found.note.modified) == (1.0, 2.0)


@every_reader
def test_line_numbers_point_to_the_text(reader: Reader) -> None:
    found = read(reader, SAMPLES[reader.suffix].raw)

    lines = found.text.split("\n")
    for span in found.note.spans:
        for row, number in zip(span.text.split("\n"), span.lines, strict=True):
            assert set(row.split()) & set(lines[number - 1].replace("[", " ").split()) or (
                row in lines[number - 1]
            )


@every_reader
def test_gives_the_anchors_it_declares(reader: Reader) -> None:
    found = read(reader, SAMPLES[reader.suffix].raw)

    named = [span.block is not None for span in found.note.spans]
    assert all(named) if reader.anchor != "line" else not any(named)


@every_text_reader
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_reads_every_encoding_equally(reader: Reader, encoding: str) -> None:
    source = SAMPLES[reader.suffix].source
    assert isinstance(source, str)

    found = read(reader, source.encode(encoding))

    assert found.note.spans == read(reader, source.encode()).note.spans


@every_text_reader
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_reads_every_line_ending_equally(reader: Reader, line_end: str) -> None:
    source = SAMPLES[reader.suffix].source
    assert isinstance(source, str)

    found = read(reader, source.replace("\n", line_end).encode())

    check(found)
    expected = read(reader, source.encode()).note
    assert [span.text for span in found.note.spans] == [span.text for span in expected.spans]
    assert [span.lines for span in found.note.spans] == [span.lines for span in expected.spans]


@every_text_reader
@pytest.mark.parametrize("raw", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_a_note_without_text(reader: Reader, raw: bytes) -> None:
    note = read(reader, raw).note

    assert note.title == title_of(reader)
    assert not (note.spans)
    assert not (note.links)
    assert not note.headings


@every_text_reader
def test_bytes_that_are_not_text_are_refused(reader: Reader) -> None:
    with pytest.raises(UnreadableNoteError, match="binary"):
        read(reader, b"a\x00b\x00\x00c")


@every_reader
@settings(deadline=None, max_examples=30)
@given(raw=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(reader: Reader, raw: bytes) -> None:
    try:
        found = read(reader, raw)
    except UnreadableNoteError as error:
        assert error.code in {"binary", "unreadable", "too_large", "encrypted"}  # noqa: PT017 - both ends are right
        assert "A note" in error.message  # noqa: PT017
    else:
        check(found)
        assert found == read(reader, raw)


@every_reader
@settings(deadline=None, max_examples=30)
@given(cut=st.integers(0, 400))
def test_a_truncated_file_is_read_or_refused(reader: Reader, cut: int) -> None:
    raw = SAMPLES[reader.suffix].raw[:cut]
    try:
        check(read(reader, raw))
    except UnreadableNoteError as error:
        assert error.code in {"unreadable", "binary"}  # noqa: PT017 - both ends are right


@every_reader
def test_limits_are_enforced_before_reading(reader: Reader, tmp_path: Path) -> None:
    name = f"Large{reader.suffix}"
    (tmp_path / name).write_bytes(SAMPLES[reader.suffix].raw)
    rules = VaultRules(types=(reader.suffix,))
    (file,) = walker.walk(tmp_path, rules).files

    assert read_note(file, rules).note.spans
    with pytest.raises(UnreadableNoteError) as refused:
        read_note(file, VaultRules(max_note_bytes=10, max_document_bytes=10))
    assert refused.value.code == "too_large"


def test_the_error_about_a_readers_limit_names_the_type(tmp_path: Path) -> None:
    limit = READERS[".canvas"].max_bytes
    assert limit is not None
    (tmp_path / "Large.canvas").write_bytes(b" " * (limit + 1))
    rules = VaultRules(types=(".canvas",), max_note_bytes=2 * limit)
    (file,) = walker.walk(tmp_path, rules).files

    with pytest.raises(UnreadableNoteError, match="for canvases"):
        read_note(file, rules)


# --- which are on --------------------------------------------------------------------------------


def test_the_types_that_obsidian_shows_are_on_by_default(tmp_path: Path) -> None:
    for suffix, sample in SAMPLES.items():
        (tmp_path / f"Note{suffix}").write_bytes(sample.raw)

    on = {".md", ".markdown", ".canvas", ".base", ".txt", ".pdf"}
    walk = walker.walk(tmp_path, VaultRules())
    assert {file.disk_path.suffix for file in walk.files} == on
    assert {item.rule for item in walk.others} <= {"file_type"}
    assert len(walk.files) + len(walk.others) == len(SAMPLES)
    rule, reason = walker.decide(tmp_path, VaultRules(types=(".md",)), "Note.canvas") or ("", "")
    assert (rule, reason) == ("file_type", "Only Markdown files (.md) become notes.")


def test_a_type_is_enabled_by_one_setting(tmp_path: Path) -> None:
    rules = VaultRules(types=(".md", "CANVAS"))
    (tmp_path / "Board.CANVAS").write_text("{}", encoding="utf-8")

    assert [file.path for file in walker.walk(tmp_path, rules).files] == ["Board.CANVAS"]
    assert walker.decide(tmp_path, rules, "Board.canvas") is None
    assert walker.decide(tmp_path, rules, "Note.txt") == (
        "file_type",
        "Only Markdown files (.md), canvases (.canvas) become notes.",
    )


def test_a_type_without_a_reader_is_a_warning(tmp_path: Path) -> None:
    (warning,) = load_rules(tmp_path, VaultRules(types=(".md", ".xyz"))).warnings

    assert ".xyz" in warning
    assert ".canvas" in warning
    assert readable((".xyz",))[0] == ()
    assert not is_readable("a.xyz", ())


def test_only_markdown_is_linked_without_its_ending() -> None:
    assert link_name("Folder/Bees.md") == "Folder/Bees"
    assert link_name("Folder/Bees.canvas") == "Folder/Bees.canvas"
    assert spellings("Bees") == ("Bees", "Bees.md")
    assert describe_types((".md",)) == "Markdown files (.md)"


def test_a_markdown_link_to_an_enabled_type_is_a_link() -> None:
    raw = b"[board](Board.canvas) and [plan](Plan.txt)"
    markdown = READERS[".md"]

    off = markdown.read(raw, FileFacts("A.md", 1.0, types=(".md",)))
    on = markdown.read(raw, FileFacts("A.md", 1.0, types=(".md", ".canvas")))

    assert [link.target for link in off.note.links] == []
    assert [link.target for link in on.note.links] == ["Board.canvas"]


def test_a_large_file_of_any_type_is_read_in_a_process_that_can_be_ended(tmp_path: Path) -> None:
    nowhere = ReaderProcess(("/nowhere/at/all",))
    for size, is_read in ((200_000, True), (300_000, False)):
        place = tmp_path / f"{size}.md"
        place.write_text("word " * (size // 5), encoding="utf-8")
        file = FileRef(place.name, place, size, 1)
        assert is_ordinary(file) == is_read
        if is_read:
            assert read_note(file, VaultRules(), nowhere).note.title == str(size)
        else:
            with pytest.raises(UnreadableNoteError, match="no process can be started"):
                read_note(file, VaultRules(), nowhere)
            assert read_note(file, VaultRules()).note.title == str(size)
