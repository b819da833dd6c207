"""Reads the lines of a PDF's pages with pypdfium2, with their places and sizes.

pypdfium2 is not thread-safe, and a hostile PDF may crash it or keep it busy: it is called only in
the child process, which has one thread that reads (`child.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from notewell.base.errors import UnreadableNoteError
from notewell.base.types.frozen import frozen
from notewell.vault.readers.ocr import Ocr

MAX_PAGES = 3000
_MAX_LINES = 5000  # of a page
_DPI = 300  # of the images that are read by OCR
_MAX_PIXELS = 16_000_000.0
_WRONG_PASSWORD, _UNKNOWN_SECURITY = 4, 5  # FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of PDFium


@frozen
class Line:
    """A line of text; places are in points from the lower edge of the page, sizes in points.

    A word that is hyphenated at the end of a line goes on behind U+FFFE, as PDFium has it, so one
    `Line` may be several printed ones.
    """

    text: str
    size: float = 0.0  # height of the font; 0 if it is unknown
    top: float = 0.0
    bottom: float = 0.0  # of its end


@frozen
class Pages:
    """The lines of each page, what the file says about itself, and what could not be read.

    `count` is the number of all pages; at most MAX_PAGES are read.
    """

    lines: tuple[tuple[Line, ...], ...]
    metadata: dict[str, str]
    count: int
    damaged: int


def read_pages(raw: bytes, path: str, ocr: Ocr | None = None) -> Pages:
    """Read a PDF; UnreadableNoteError with code "encrypted" or "unreadable" if that is impossible.

    Pages without text are read by `ocr`.

    Imports pypdfium2, which a process that reads no PDF should not load.
    """
    import pypdfium2  # noqa: PLC0415 - see above

    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        if error.err_code in {_WRONG_PASSWORD, _UNKNOWN_SECURITY}:
            raise UnreadableNoteError(
                f"{path} is encrypted and needs a password, so it is not read.", code="encrypted"
            ) from error
        raise UnreadableNoteError(
            f"{path} is not a PDF that can be read; it may be damaged or incomplete.",
            code="unreadable",
        ) from error
    with document:
        pages: list[tuple[Line, ...]] = []
        damaged = 0
        for number in range(min(len(document), MAX_PAGES)):
            try:
                page = document[number]
                with_text = page.get_textpage()
                lines = tuple(_lines(with_text))
                with_text.close()
                if ocr is not None and not lines:
                    lines = tuple(_scanned(page, ocr))
                pages.append(lines)
                page.close()
            except pypdfium2.PdfiumError:
                pages.append(())
                damaged += 1
        metadata = {key: value.strip() for key, value in document.get_metadata_dict().items()}
        return Pages(tuple(pages), metadata, len(document), damaged)


def _scanned(page: Any, ocr: Ocr) -> Iterator[Line]:
    """The lines of a page (PdfPage) that is an image; blank lines between them are gaps."""
    width, height = page.get_size()
    scale = min(_DPI / 72, (_MAX_PIXELS / max(width * height, 1.0)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=True)
    pixels, stride = bytes(bitmap.buffer), bitmap.stride
    rows = (pixels[at * stride : at * stride + bitmap.width] for at in range(bitmap.height))
    image = b"P5 %d %d 255\n" % (bitmap.width, bitmap.height) + b"".join(rows)
    bitmap.close()
    for number, row in enumerate(ocr.read(image).split("\n")):
        if row.strip() and number < _MAX_LINES:
            yield Line(row.strip(), 0.0, -2.0 * number, -2.0 * number - 1)


def _lines(page: Any) -> Iterator[Line]:
    """The lines of a text page (PdfTextPage; the library has no types) that are not blank."""
    from pypdfium2 import raw as pdfium  # noqa: PLC0415

    box = pdfium.FS_RECTF()

    def edges(at: int) -> tuple[float, float]:
        """Bottom and top of the font at an offset of the text; zeros if they are unknown."""
        char = pdfium.FPDFText_GetCharIndexFromTextIndex(page, at)
        if char < 0 or not pdfium.FPDFText_GetLooseCharBox(page, char, box):
            return 0.0, 0.0
        return box.bottom, box.top

    start = 0
    text = page.get_text_range()
    for number, line in enumerate(text.split("\n")):
        shown = line.strip()
        if shown and number < _MAX_LINES:
            first = start + len(line) - len(line.lstrip())
            bottom, top = edges(first)
            end = edges(first + len(shown) - 1)[0]
            yield Line(shown, abs(top - bottom), top, end)
        start += len(line) + 1
