"""Images: their captions in every format, and their text by OCR."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import zlib
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS
from notewell.vault.readers.process import ReaderProcess, Tesseract
from notewell.vault.readers.reader import FileFacts, ReadNote
from tests.vault.image_files import iptc, jpeg, png, tiff, webp, xmp
from tests.vault.pdf_files import pdf
from tests.vault.reading import check, read

# Prints the size that the header of the image states, and refuses an image of another size.
FAKE = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys
if "--list-langs" in sys.argv:
    print("List of available languages (3):\\nosd\\ndeu\\neng")
    raise SystemExit
assert sys.argv[1:4] == ["stdin", "stdout", "-l"], sys.argv
raw = sys.stdin.buffer.read()
kind, width, height, most, pixels = raw.split(maxsplit=4) if raw[:2] == b"P5" else [b""] * 5
assert not kind or (int(most) == 255 and len(raw) - raw.index(b"255") - 4 == int(width) * int(height))
print("Bees dance", "in", sys.argv[4])
print("for clover.\\n\\nAnd rest." if kind else "for clover.")
"""


def read_image(suffix: str, raw: bytes) -> ReadNote:
    found = read(READERS[suffix], raw)
    check(found)
    return found


def shown(found: ReadNote) -> list[str]:
    return [span.text for span in found.note.spans]


@pytest.mark.parametrize("order", ["<", ">"])
def test_tags_of_exif_are_captions(order: str) -> None:
    tags = {
        270: b"Bees on clover\x00",
        315: b"Quill\x00",
        0x9003: b"2024:01:31 11:00:00\x00",
        0x9286: b"ASCII\x00\x00\x00At noon",
        0x9C9B: "Ährenfeld".encode("utf-16-le"),
    }
    plain = tiff(tags, order)
    files = {
        ".tif": plain,
        ".jpg": jpeg((0xE0, b"JFIF\x00"), (0xE1, b"Exif\x00\x00" + plain)),
        ".png": png((b"IHDR", b""), (b"eXIf", plain)),
        ".webp": webp((b"VP8X", b"x"), (b"EXIF", plain)),
    }

    for suffix, raw in files.items():
        found = read_image(suffix, raw)
        assert shown(found) == ["Bees on clover", "At noon"], suffix
        assert found.note.title == "Ährenfeld"
        assert found.note.properties == {"author": "Quill"}
        assert found.note.created == 1706698800.0


def test_captions_of_iptc_and_xmp_are_read_once() -> None:
    press = iptc([(5, "On bees"), (25, "bees"), (25, "clover"), (120, "Bees on clover")])
    raw = jpeg(
        (0xED, b"Photoshop 3.0\x00" + press),
        (0xE1, b"http://ns.adobe.com/xap/1.0/\x00" + xmp("Bees on clover", "clover", "sun")),
        (0xFE, b"A comment"),
    )

    found = read_image(".jpeg", raw)

    assert shown(found) == ["Bees on clover", "A comment"]
    assert found.note.title == "On bees"
    assert found.note.properties == {"keywords": ("bees", "clover", "sun")}


def test_texts_of_png_are_captions() -> None:
    packed = b"Comment\x00\x00" + zlib.compress("Später".encode())
    raw = png(
        (b"tEXt", b"Title\x00On bees"),
        (b"iTXt", b"Description\x00\x00\x00de\x00\x00Bienen im Klee"),
        (b"zTXt", packed),
        (b"tEXt", b"Software\x00Painter"),
        (b"zTXt", b"Comment\x00\x00broken"),
    )

    found = read_image(".png", raw)

    assert (found.note.title, shown(found)) == ("On bees", ["Bienen im Klee", "Später"])


def test_an_image_without_captions_is_found_by_its_name() -> None:
    found = read_image(".png", png())

    assert (found.note.title, shown(found)) == ("A note", [])
    with pytest.raises(UnreadableNoteError, match="no image"):
        read_image(".png", b"GIF89a")


@settings(deadline=None, max_examples=200)
@given(cut=st.integers(0, 400), at=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_damaged_image_is_read_or_refused(cut: int, at: int, byte: int) -> None:
    press = iptc([(5, "On bees"), (120, "Bees on clover")])
    whole = jpeg((0xE1, b"Exif\x00\x00" + tiff({270: b"Bees", 0x9286: b"x" * 20})), (0xED, press))
    for suffix, raw in ((".jpg", whole), (".tif", tiff({270: b"Bees on clover"}))):
        damaged = bytearray(raw)
        damaged[min(at, len(raw) - 1)] = byte
        try:
            read_image(suffix, bytes(damaged[: cut or None]))
        except UnreadableNoteError as error:
            assert error.code == "unreadable"  # noqa: PT017 - both ends are right


# --- OCR -----------------------------------------------------------------------------------------


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that answers as tesseract does, and checks what it gets."""
    if os.name == "nt":
        pytest.skip("the fake program is a script")
    program = tmp_path / "tesseract"
    program.write_text(FAKE.format(python=sys.executable), encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))


def with_ocr(suffix: str, raw: bytes) -> ReadNote:
    found = READERS[suffix].read(raw, FileFacts(f"Scan{suffix}", 1.0, ocr=Tesseract()))
    check(found)
    return found


@pytest.mark.usefixtures("tesseract")
def test_text_of_images_and_of_pages_without_text_is_read() -> None:
    image = with_ocr(".png", png())
    pages = with_ocr(".pdf", pdf([["With text."], []]))

    assert shown(image) == ["Bees dance in eng+deu\nfor clover."]
    assert [(span.block, span.text) for span in pages.note.spans] == [
        ("1", "With text."),
        ("2", "Bees dance in eng+deu for clover."),
        ("2", "And rest."),
    ]
    assert image.note.warnings == pages.note.warnings == ()


@pytest.mark.usefixtures("tesseract")
def test_the_process_that_reads_files_gets_the_text_of_images_from_this_one() -> None:
    process = ReaderProcess()
    for suffix, raw in ((".png", png()), (".pdf", pdf([["With text."], [], []]))):
        facts = FileFacts(f"Scan{suffix}", 1.0, ocr=Tesseract())
        assert process.read(raw, facts) == with_ocr(suffix, raw)
    process.close()


def test_the_process_that_reads_files_says_if_the_program_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    process = ReaderProcess()
    process.read(b"", FileFacts("A.md", 1.0))  # started with the PATH that there is
    monkeypatch.setenv("PATH", str(tmp_path))
    found = process.read(png(), FileFacts("Scan.png", 1.0, ocr=Tesseract()))
    process.close()

    assert "tesseract" in found.note.warnings[0]


def test_ocr_without_its_program_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    for suffix, raw in ((".png", png()), (".pdf", pdf([[]]))):
        assert "tesseract" in with_ocr(suffix, raw).note.warnings[0]
    assert with_ocr(".pdf", pdf([["Text"]])).note.warnings == ()


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="needs the program tesseract")
def test_tesseract_itself_reads_a_page() -> None:
    with pypdfium2.PdfDocument(pdf([["Bees dance for clover."]])) as document:
        bitmap = document[0].render(scale=3, grayscale=True)
        pixels = bytes(bitmap.buffer)
        rows = (pixels[at * bitmap.stride :][: bitmap.width] for at in range(bitmap.height))
        raw = b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + b"".join(rows)
    assert "Bees dance for clover." in Tesseract().read(raw)
