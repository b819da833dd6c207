"""PDF files (`.pdf`): their text page by page, and pictures of pages.

A passage is named by the number of its page.

pypdfium2 gives the lines of a page with their places and sizes; paragraphs and headings are made of
them by distance and size.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from statistics import median
from typing import Any

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import PropertyValue
from notewell.base.types.frozen import frozen
from notewell.vault.parse import file_title
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.reader import NO_OCR, FileFacts, Ocr, Reader, ReadNote

MAX_PAGES = 3000
_MAX_LINES = 5000  # of a page
_DPI = 300  # of the images that are read by OCR
_MAX_PIXELS = 16_000_000.0
_PICTURE_DPI = 130  # of a page that is shown
_MAX_PICTURE = 4_000_000.0  # pixels
_WRONG_PASSWORD, _UNKNOWN_SECURITY = 4, 5  # FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of PDFium
_HYPHENATED = re.compile("[\ufffe\u00ad\x02]")
_BROKEN_WORD = re.compile(r"[^\W\d_]-\Z")
_ENDS_SENTENCE = re.compile(r"[.!?…:;。！？][\"'”’»)\]]*\Z")  # noqa: RUF001 - of other scripts
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*(?=\s)|[。！？]")  # noqa: RUF001 - as above
_ITEM = re.compile(r"(?:[•‣▪●○–—*]|-|\d{1,3}[.)]|\(?[a-z]\))\s")  # noqa: RUF001 - dashes as bullets
_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b")
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]")
_LEADERS = re.compile(r"(?:[.·…] ?){4,}")  # between an entry of a table of contents and its page
_LARGER = 1.12  # a heading's font is at least this many times that of the text
_ALIKE = 0.1  # sizes that differ by less are one
_GAP = 0.6  # of the font's height: a larger gap between lines is one between paragraphs
_MAX_HEADING = 200  # characters
_MAX_SHARE = 0.3  # if more lines than this have large fonts, sizes do not tell headings
_LEVELS = 4
_MAX_MOVED = 600  # characters of a sentence that are moved to the page where it begins
_EDGE_LINES = 2  # lines at the top and bottom of a page that may be running heads or page numbers
_FEWEST_PAGES = 4  # with fewer, nothing tells a running head
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_MOST_DIGITS = 12
_REPEATED = 0.5  # share of the pages on which a running head is
_SUFFIX = ".pdf"
NO_TEXT = "no text (scanned)"
# Titles that programs put there without being told one.
_NO_TITLE = re.compile(
    r"untitled|unknown|unbenannt|sans titre|(?:microsoft )?(?:word|powerpoint|excel) -|"
    r"(?:document|slide|layout)\s?\d*\Z|[\w .-]+\.(?:docx?|pptx?|xlsx?|indd|tex|dvi|qxd|pdf|rtf)\Z",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?'?)?", re.ASCII
)
_MAX_TITLE = 300


@frozen
class PdfLine:
    """A line of text; places are in points from the lower edge of the page, sizes in points.

    A word that is hyphenated at the end of a line goes on behind U+FFFE, as PDFium has it, so one
    `PdfLine` may be several printed ones.
    """

    text: str
    size: float = 0.0  # height of the font; 0 if it is unknown
    top: float = 0.0
    bottom: float = 0.0  # of its end


@frozen
class PdfPages:
    """The lines of each page, what the file says about itself, and what could not be read.

    `count` is the number of all pages; at most MAX_PAGES are read.
    """

    lines: tuple[tuple[PdfLine, ...], ...]
    metadata: dict[str, str]
    count: int
    damaged: int


def read_pages(raw: bytes, path: str, ocr: Ocr | None = None) -> PdfPages:
    """Read a PDF; UnreadableNoteError with code "encrypted" or "unreadable" if that is impossible.

    Pages without text are read by `ocr`.

    Imports pypdfium2, which a process that reads no PDF should not load.
    """
    import pypdfium2  # noqa: PLC0415 - see above

    with _open(raw, path) as document:
        pages: list[tuple[PdfLine, ...]] = []
        damaged = 0
        for number in range(min(len(document), MAX_PAGES)):
            try:
                page = document[number]
                with_text = page.get_textpage()
                lines = tuple(_lines(with_text))
                with_text.close()
                if ocr is not None and not lines:
                    lines = tuple(_scan(page, ocr))
                pages.append(lines)
                page.close()
            except pypdfium2.PdfiumError:
                pages.append(())
                damaged += 1
        metadata = {key: value.strip() for key, value in document.get_metadata_dict().items()}
        return PdfPages(tuple(pages), metadata, len(document), damaged)


def _open(raw: bytes, path: str) -> Any:
    """The PdfDocument of a file; raises as `read_pages`."""
    import pypdfium2  # noqa: PLC0415 - as there

    try:
        return pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        if error.err_code in {_WRONG_PASSWORD, _UNKNOWN_SECURITY}:
            raise UnreadableNoteError(
                f"{path} is encrypted and needs a password, so it is not read.", code="encrypted"
            ) from error
        raise _damage_error(path) from error


def _damage_error(path: str) -> UnreadableNoteError:
    return UnreadableNoteError(
        f"{path} is not a PDF that can be read; it may be damaged or incomplete.",
        code="unreadable",
    )


def _render(page: Any, dpi: float, most: float, *, grey: bool) -> tuple[int, int, list[bytes]]:
    """Width, height and rows of a page (PdfPage) of at most so many pixels, of one byte or three.

    The three are red, green and blue.
    """
    width, height = page.get_size()
    scale = min(dpi / 72, (most / max(width * height, 1.0)) ** 0.5)
    bitmap = page.render(scale=scale, grayscale=grey, rev_byteorder=not grey)
    pixels, stride, row = bytes(bitmap.buffer), bitmap.stride, bitmap.width * bitmap.n_channels
    rows = [pixels[at * stride : at * stride + row] for at in range(bitmap.height)]
    size = bitmap.width, bitmap.height
    bitmap.close()
    return *size, rows


def page_picture(raw: bytes, path: str, number: int) -> bytes:
    """A page, the first is 1, as a PNG of at most _MAX_PICTURE pixels.

    Raises as `read_pages`, with code "no_page" where the file has no page of this number.
    """
    import pypdfium2  # noqa: PLC0415 - as there

    with _open(raw, path) as document:
        count = len(document)
        if not 1 <= number <= count:
            raise UnreadableNoteError(
                f"{path} has {count:,} pages, no page {number}.", code="no_page"
            )
        try:
            width, height, rows = _render(
                document[number - 1], _PICTURE_DPI, _MAX_PICTURE, grey=False
            )
        except pypdfium2.PdfiumError as error:
            raise _damage_error(path) from error
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))  # each row begins with its filter
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # eight bits of each colour
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def _scan(page: Any, ocr: Ocr) -> Iterator[PdfLine]:
    """The lines of a page (PdfPage) that is an image; blank lines between them are gaps."""
    width, height, rows = _render(page, _DPI, _MAX_PIXELS, grey=True)
    image = b"P5 %d %d 255\n" % (width, height) + b"".join(rows)
    for number, row in enumerate(ocr.read(image).split("\n")):
        if row.strip() and number < _MAX_LINES:
            yield PdfLine(row.strip(), 0.0, -2.0 * number, -2.0 * number - 1)


def _lines(page: Any) -> Iterator[PdfLine]:
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
            yield PdfLine(shown, abs(top - bottom), top, end)
        start += len(line) + 1


@frozen
class PrintedBlock:
    """A paragraph (level 0) or a heading, and the page on which it begins, from 1."""

    text: str
    page: int
    level: int = 0


def blocks_of(pages: Sequence[Sequence[PdfLine]]) -> list[PrintedBlock]:
    """The paragraphs and headings of all pages in order.

    Running heads and page numbers are left out, hyphenated words joined. A sentence that goes on
    on the next page is given whole to the page on which it begins.
    """
    kept = without_running_heads(pages)
    levels = _heading_levels(kept)
    blocks: list[PrintedBlock] = []
    for number, lines in enumerate(kept, start=1):
        printed = [PrintedBlock(text, number, level) for text, level in _paragraphs(lines, levels)]
        _join_page(blocks, printed)
        blocks += printed
    return blocks


def without_running_heads(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """Drop what is at the top or bottom of at least half of the pages, page numbers apart.

    A number that does not count the pages is content: "Table 1: sales" above one page and
    "Table 2: sales" above the next are no running heads.
    """
    printed = sum(1 for page in pages if page)
    if printed < _FEWEST_PAGES:
        return [list(page) for page in pages]
    seen = Counter(
        key
        for number, page in enumerate(pages, start=1)
        for key in {key for line in _edges(page) for key in _edge_keys(line.text, number)}
    )
    least = max(3, printed * _REPEATED)
    heads = {key for key, count in seen.items() if count >= least}
    kept = []
    for number, page in enumerate(pages, start=1):
        edge = {
            id(line) for line in _edges(page) if not heads.isdisjoint(_edge_keys(line.text, number))
        }
        kept.append([line for line in page if id(line) not in edge])
    return kept


def _edges(page: Sequence[PdfLine]) -> Sequence[PdfLine]:
    if len(page) <= _EDGE_LINES:
        return ()  # a slide or a title page
    return (*page[:_EDGE_LINES], *page[max(_EDGE_LINES, len(page) - _EDGE_LINES) :])


def _edge_keys(text: str, page: int) -> Iterator[str]:
    """A line as it is, and with each of its numbers as the distance from the page's own."""
    folded = text.casefold()
    yield folded
    for match in _NUMBERS.finditer(folded):
        distance = _number(match[0]) - page
        yield f"{folded[: match.start()]}#{distance}#{folded[match.end() :]}"


def _number(written: str) -> int:
    """The value of a number in digits or in Roman letters."""
    if written.isdecimal():
        return int(written[:_MOST_DIGITS])
    values = [_ROMAN[letter] for letter in written[:_MOST_DIGITS]]
    return sum(
        -value if value < after else value
        for value, after in zip(values, [*values[1:], 0], strict=True)
    )


def _heading_levels(pages: Sequence[Sequence[PdfLine]]) -> dict[float, int]:
    """The level of each font size that headings have, by the rounded size."""
    sizes: Counter[float] = Counter()
    lines: Counter[float] = Counter()
    for page in pages:
        for line in page:
            if line.size > 0:
                sizes[_round(line.size)] += len(line.text)
                lines[_round(line.size)] += 1
    if not sizes:
        return {}
    body = sizes.most_common(1)[0][0]
    large = sorted((size for size in sizes if size >= body * _LARGER), reverse=True)
    if sum(lines[size] for size in large) > _MAX_SHARE * sum(lines.values()):
        return {}
    levels: dict[float, int] = {}
    level = 0
    for n, size in enumerate(large):
        level += not n or size < large[n - 1] * (1 - _ALIKE)
        levels[size] = min(level, _LEVELS)
    return levels


def _round(size: float) -> float:
    return round(size * 2) / 2


def _paragraphs(lines: Sequence[PdfLine], levels: dict[float, int]) -> Iterator[tuple[str, int]]:
    """The paragraphs and headings of a page, each with its level."""
    usual = _usual_gap(lines)
    text, level = "", 0
    before: PdfLine | None = None
    for line in lines:
        titles = len(line.text) <= _MAX_HEADING and not _LEADERS.search(line.text)
        own = levels.get(_round(line.size), 0) if titles else 0
        if before is not None and not _begins(before, line, usual, same=own == level):
            text = join_lines(text, line.text)
        else:
            if text:
                yield _clean(text), level
            text, level = line.text, own
        before = line
    if text:
        yield _clean(text), level


def _begins(before: PdfLine, line: PdfLine, usual: float, *, same: bool) -> bool:
    """True if a line begins a paragraph or heading."""
    if not same or _ITEM.match(line.text):
        return True
    gap = before.bottom - line.top
    if gap < -max(line.size, 1.0) * 2:  # upwards: the next column
        return bool(_ENDS_SENTENCE.search(before.text))
    return gap > usual + _GAP * max(line.size, 1.0)


def _usual_gap(lines: Sequence[PdfLine]) -> float:
    gaps = [
        before.bottom - line.top
        for before, line in pairwise(lines)
        if before.bottom >= line.top - line.size
    ]
    return median(gaps) if gaps else 0.0


def join_lines(first: str, second: str) -> str:
    """Two parts of a paragraph as one, a word that was hyphenated between them whole again."""
    if _HYPHENATED.search(first[-1:]):
        return first + second
    if _BROKEN_WORD.search(first[-2:]) and second[:1].islower():
        return first[:-1] + second
    if _UNSPACED.match(first[-1:]) and _UNSPACED.match(second[:1]):
        return first + second
    return f"{first} {second}"


def _clean(text: str) -> str:
    """Resolve the hyphens that PDFium marks: before a small letter they only cut a word."""
    parts = _HYPHENATED.split(text)
    for n, part in enumerate(parts[1:], start=1):
        cut = parts[n - 1][-1:].isalpha() and part[:1].islower()
        parts[n] = part if cut or not part else f"-{part}"
    return " ".join(_LEADERS.sub(" ", "".join(parts)).split())


def _join_page(before: list[PrintedBlock], blocks: list[PrintedBlock]) -> None:
    """Move the rest of a sentence from the top of a page to the page on which it begins."""
    if not before or not blocks or before[-1].level or blocks[0].level:
        return
    last, first = before[-1], blocks[0]
    broken = bool(_BROKEN_WORD.search(last.text[-2:]))
    if _ENDS_SENTENCE.search(last.text) or not (broken or first.text[:1].islower()):
        return
    end = _SENTENCE_END.search(first.text, 0, _MAX_MOVED)
    if end is not None:
        cut = end.end()
    elif len(first.text) <= _MAX_MOVED:
        cut = len(first.text)
    else:
        cut = len(first.text.split(maxsplit=1)[0])
    before[-1] = replace(last, text=join_lines(last.text, first.text[:cut]))
    rest = first.text[cut:].strip()
    blocks[:1] = [replace(first, text=rest)] if rest else []


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    pages = read_pages(raw, file.path, file.ocr)
    builder = NoteBuilder()
    for block in blocks_of(pages.lines):
        name = str(block.page)
        if block.level:
            builder.heading(block.level, block.text, name)
        else:
            builder.paragraph(block.text, block=name)
    return builder.note(file, _describe(pages, file))


def _describe(pages: PdfPages, file: FileFacts) -> FileDescription:
    stated = pages.metadata
    title = " ".join(stated.get("Title", "").split())
    if not title or len(title) > _MAX_TITLE or _NO_TITLE.match(title):
        title = file_title(file.path, _SUFFIX)
    properties: dict[str, PropertyValue] = {}
    for name, key in (("author", "Author"), ("subject", "Subject"), ("keywords", "Keywords")):
        if stated.get(key):
            properties[name] = stated[key]
    return FileDescription(
        title,
        properties,
        created=pdf_date(stated.get("CreationDate", "")),
        warnings=tuple(_warnings(pages, file.ocr)),
    )


def _warnings(pages: PdfPages, ocr: Ocr | None) -> list[str]:
    messages = []
    if ocr is not None and not ocr.is_installed and not all(pages.lines):
        messages.append(NO_OCR)
    if ocr is not None and ocr.stopped:
        messages.append("Reading its images took too long; the last ones are left out.")
    if not any(pages.lines):
        messages.append(f"{NO_TEXT}: the pages are images, so only the name is searched.")
    if pages.count > MAX_PAGES:
        messages.append(f"Only the first {MAX_PAGES:,} of {pages.count:,} pages are searched.")
    if pages.damaged:
        messages.append(f"{pages.damaged:,} damaged pages are left out.")
    return messages


def pdf_date(text: str) -> float | None:
    """A date of PDF's form `D:20240131120000+01'00'` in POSIX seconds; None if it is malformed."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
    zone = UTC if match[7] is None else timezone(-offset if match[7] == "-" else offset)
    try:
        moment = datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone)
        return moment.timestamp()
    except (ValueError, OverflowError):
        return None


PDF = Reader(
    _SUFFIX, "PDFs", _read, "pdf", anchor="page", in_child=True, binary=True, picture=page_picture
)
