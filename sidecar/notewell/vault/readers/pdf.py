"""PDF files (`.pdf`): their text page by page. A passage is named by the number of its page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from notewell.base.types import PropertyValue
from notewell.vault.parse import file_title
from notewell.vault.readers.made_text import Described, MadeText
from notewell.vault.readers.ocr import MISSING, Ocr
from notewell.vault.readers.page_layout import blocks_of
from notewell.vault.readers.pdf_pages import MAX_PAGES, Pages, read_pages
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote

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


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    pages = read_pages(raw, file.path, file.ocr)
    made = MadeText()
    for block in blocks_of(pages.lines):
        name = str(block.page)
        if block.level:
            made.heading(block.level, block.text, name)
        else:
            made.paragraph(block.text, block=name)
    return made.note(file, _described(pages, file))


def _described(pages: Pages, file: FileFacts) -> Described:
    stated = pages.metadata
    title = " ".join(stated.get("Title", "").split())
    if not title or len(title) > _MAX_TITLE or _NO_TITLE.match(title):
        title = file_title(file.path, _SUFFIX)
    properties: dict[str, PropertyValue] = {}
    for name, key in (("author", "Author"), ("subject", "Subject"), ("keywords", "Keywords")):
        if stated.get(key):
            properties[name] = stated[key]
    return Described(
        title,
        properties,
        created=pdf_date(stated.get("CreationDate", "")),
        warnings=tuple(_warnings(pages, file.ocr)),
    )


def _warnings(pages: Pages, ocr: Ocr | None) -> list[str]:
    found = []
    if ocr is not None and not ocr.is_installed and not all(pages.lines):
        found.append(MISSING)
    if ocr is not None and ocr.stopped:
        found.append("Reading its images took too long; the last ones are left out.")
    if not any(pages.lines):
        found.append(f"{NO_TEXT}: the pages are images, so only the name is searched.")
    if pages.count > MAX_PAGES:
        found.append(f"Only the first {MAX_PAGES:,} of {pages.count:,} pages are searched.")
    if pages.damaged:
        found.append(f"{pages.damaged:,} damaged pages are left out.")
    return found


def pdf_date(text: str) -> float | None:
    """A date of PDF's form `D:20240131120000+01'00'` in POSIX seconds; None if it is none."""
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


PDF = Reader(_SUFFIX, "PDFs", _read, "pdf", anchor="page", in_child=True, binary=True)
