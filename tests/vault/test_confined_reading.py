"""Files of every type are read in the confined process as they are read in this one.

Nothing can be loaded there any more, so a module that is imported late shows as a difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS
from notewell.vault.readers.process import ReaderProcess
from notewell.vault.readers.reader import FileFacts, ReadNote
from tests.faults.hostile_folder import BYTES, TEXTS
from tests.fuzz.files import SEEDS
from tests.fuzz.markdown import SEEDS as NOTES
from tests.vault.image_files import jpeg, tiff
from tests.vault.packed_files import docx, epub, paragraph
from tests.vault.pdf_files import pdf
from tests.vault.test_code import SAMPLES as CODE
from tests.vault.test_readers import SAMPLES

CORE = (
    '<c:core xmlns:c="c" xmlns:dc="d" xmlns:t="t"><dc:title>Bees</dc:title>'
    "<t:created>2024-01-31T12:00:00Z</t:created></c:core>"
)
CHARSETS = ("shift_jis", "gb18030", "koi8-r", "euc-kr", "big5", "iso-8859-8", "x-no-such", "utf-7")
SLOW = {"no such code.c", "zip bomb.docx", "bomb.png"}


def files() -> Iterator[tuple[str, bytes]]:
    for suffix, sample in SAMPLES.items():
        yield suffix, sample.raw
    for suffix, seeds in SEEDS.items():
        yield from ((suffix, seed) for seed in seeds)
    for note in NOTES:
        yield from ((suffix, note) for suffix in (".md", ".txt", ".html", ".csv"))
    for suffix, (source, _) in CODE.items():
        yield suffix, source.encode()
    for charset in CHARSETS:
        page = f"<meta charset={charset}><p>".encode() + "Ähre \u3042".encode("cp932", "ignore")
        yield ".html", page + b"\x82\xa0\xc3\xff"
    yield ".docx", docx(paragraph("Bees", style="Heading1"), core=CORE)
    yield ".epub", epub("<h1>Bees &eacute;&#x110000;</h1>", title="Hives")
    yield ".jpg", jpeg((0xE1, b"Exif\0\0" + tiff({306: b"2024:01:31 12:00:00\0"})))
    yield ".pdf", pdf([["Déjà vu"], []], title="Hives", created="D:20240131120000+01'00'")
    for name, text in TEXTS.items():
        if len(text) < 150_000:
            yield name, text.encode()
    for name, made in BYTES.items():
        yield name, made()


def outcome(read: object, raw: bytes, facts: FileFacts) -> ReadNote | tuple[str, str]:
    assert callable(read)
    try:
        found = read(raw, facts)
    except UnreadableNoteError as error:
        return error.code, error.message
    assert isinstance(found, ReadNote)
    return found


def test_every_type_is_read_alike(caplog: pytest.LogCaptureFixture) -> None:
    process = ReaderProcess()
    try:
        for number, (name, raw) in enumerate(files()):
            suffix = name[name.rindex(".") :]
            reader = READERS.get(suffix)
            if reader is None or name in SLOW:
                continue
            facts = FileFacts(f"Folder/{number}{suffix}", 2.0, 1.0, types=tuple(READERS))
            here = outcome(reader.read, raw, facts)
            assert outcome(process.read, raw, facts) == here, name
    finally:
        process.close()
    assert "not confined" not in caplog.text
