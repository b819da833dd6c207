"""Images (`.png`, `.jpg`, `.webp`, `.tif`): their captions, and their text where OCR is on.

Captions are in EXIF, IPTC, XMP, and the texts of PNG.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.parsers.expat import ExpatError

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import PropertyValue
from notewell.vault.parse import file_title
from notewell.vault.readers.note_builder import FileDescription, NoteBuilder
from notewell.vault.readers.packed import xml_events
from notewell.vault.readers.reader import NO_OCR, FileFacts, Reader, ReadNote, decode

_JPEG, _PNG = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
_TIFF = (b"II*\x00", b"MM\x00*")
_EXIF, _XMP, _PHOTOSHOP = b"Exif\x00\x00", b"http://ns.adobe.com/xap/1.0/\x00", b"Photoshop 3.0\x00"
_IPTC_RESOURCE = 0x0404
_MOST = 200_000  # characters of a caption
_MAX_PARTS = 2000  # segments, chunks, tags or texts of one image
# Which caption a tag of TIFF, a data set of IPTC, a text of PNG and an element of XMP is.
_TAGS = {270: "description", 315: "author", 306: "date", 0x9003: "date", 0x9286: "comment"}
_WINDOWS_TAGS = {0x9C9B: "title", 0x9C9C: "comment", 0x9C9D: "author", 0x9C9E: "keywords"}
_SUB_FOLDER, _XMP_TAG, _IPTC_TAG = 0x8769, 700, 33723
_DATA_SETS = {5: "title", 25: "keywords", 80: "author", 105: "headline", 120: "description"}
_PNG_TEXTS = {"title": "title", "author": "author", "description": "description",
              "comment": "comment"}  # fmt: skip
_ELEMENTS = {"title": "title", "description": "description", "subject": "keywords",
             "creator": "author"}  # fmt: skip
_SHOWN = ("headline", "description", "comment")


@dataclass(slots=True)
class Captions:
    """The texts in the metadata of an image, each once: by name, in the order they were found."""

    texts: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        shown = "\n".join(" ".join(row.split()) for row in text.strip("\x00 ").split("\n")).strip()
        known = self.texts.setdefault(name, [])
        if shown and shown not in known and len(shown) <= _MOST:
            known.append(shown)

    def first(self, name: str) -> str:
        """The first text of a name; "" if there is none."""
        return next(iter(self.texts.get(name, ())), "")


def read_captions(raw: bytes) -> Captions | None:
    """The captions of an image; None if the bytes are no JPEG, PNG, WebP or TIFF."""
    captions = Captions()
    if raw.startswith(_JPEG):
        _jpeg(raw, captions)
    elif raw.startswith(_PNG):
        _png(raw, captions)
    elif raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        _webp(raw, captions)
    elif raw.startswith(_TIFF):
        _tiff(raw, captions)
    else:
        return None
    return captions


def _jpeg(raw: bytes, captions: Captions) -> None:
    at = 2
    for _ in range(_MAX_PARTS):
        if raw[at : at + 1] != b"\xff" or at + 4 > len(raw):
            return
        marker, length = raw[at + 1], int.from_bytes(raw[at + 2 : at + 4])
        body = raw[at + 4 : at + 2 + length]
        if marker == 0xDA:  # the image itself
            return
        if marker == 0xE1 and body.startswith(_EXIF):
            _tiff(body[len(_EXIF) :], captions)
        elif marker == 0xE1 and body.startswith(_XMP):
            _xmp(body[len(_XMP) :], captions)
        elif marker == 0xED and body.startswith(_PHOTOSHOP):
            _photoshop(body[len(_PHOTOSHOP) :], captions)
        elif marker == 0xFE:
            captions.add("comment", _text(body))
        at += 2 + max(length, 2)


def _photoshop(body: bytes, captions: Captions) -> None:
    """Image resources: `8BIM`, an id, a name of even length, a size, data of even length."""
    at = 0
    for _ in range(_MAX_PARTS):
        if body[at : at + 4] != b"8BIM" or at + 12 > len(body):
            return
        named = at + 6 + (body[at + 6] + 2) // 2 * 2
        size = int.from_bytes(body[named : named + 4])
        if int.from_bytes(body[at + 4 : at + 6]) == _IPTC_RESOURCE:
            _iptc(body[named + 4 : named + 4 + size], captions)
        at = named + 4 + (size + 1) // 2 * 2


def _iptc(body: bytes, captions: Captions) -> None:
    at = 0
    for _ in range(_MAX_PARTS):
        if body[at : at + 1] != b"\x1c" or at + 5 > len(body):
            return
        record, number = body[at + 1], body[at + 2]
        size = int.from_bytes(body[at + 3 : at + 5])
        if record == 2 and number in _DATA_SETS:
            captions.add(_DATA_SETS[number], _text(body[at + 5 : at + 5 + size]))
        at += 5 + size


def _png(raw: bytes, captions: Captions) -> None:
    at = len(_PNG)
    for _ in range(_MAX_PARTS):
        size, kind = int.from_bytes(raw[at : at + 4]), raw[at + 4 : at + 8]
        if len(kind) < 4 or kind == b"IEND":
            return
        body = raw[at + 8 : at + 8 + size]
        if kind == b"eXIf":
            _tiff(body, captions)
        elif kind in (b"tEXt", b"zTXt", b"iTXt"):
            _png_text(kind, body, captions)
        at += 12 + size


def _png_text(kind: bytes, body: bytes, captions: Captions) -> None:
    key, _, value = body.partition(b"\x00")
    if kind == b"zTXt":
        value = _inflate(value[1:])
    elif kind == b"iTXt":
        packed, value = value[:1] == b"\x01", value[2:]
        value = value.split(b"\x00", 2)[-1]
        value = _inflate(value) if packed else value
    name = _PNG_TEXTS.get(_text(key).lower())
    if name is not None:
        captions.add(name, _text(value))
    elif key == b"XML:com.adobe.xmp":
        _xmp(value, captions)


def _inflate(packed: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, _MOST)
    except zlib.error:
        return b""


def _webp(raw: bytes, captions: Captions) -> None:
    at = 12
    for _ in range(_MAX_PARTS):
        kind, size = raw[at : at + 4], int.from_bytes(raw[at + 4 : at + 8], "little")
        if len(kind) < 4:
            return
        body = raw[at + 8 : at + 8 + size]
        if kind == b"EXIF":
            _tiff(body.removeprefix(_EXIF), captions)
        elif kind == b"XMP ":
            _xmp(body, captions)
        at += 8 + (size + 1) // 2 * 2


def _tiff(raw: bytes, captions: Captions) -> None:
    if not raw.startswith(_TIFF):
        return
    order = "<" if raw[:2] == b"II" else ">"
    first = struct.unpack_from(f"{order}I", raw, 4)[0] if len(raw) >= 8 else 0
    inner = 0
    for place in (first, None):
        for tag, value in _tags(raw, order, inner if place is None else place):
            if tag == _SUB_FOLDER and len(value) == 4:
                inner = struct.unpack(f"{order}I", value)[0]
            elif tag in _WINDOWS_TAGS:
                captions.add(_WINDOWS_TAGS[tag], value.decode("utf-16-le", "ignore"))
            elif tag == _XMP_TAG:
                _xmp(value, captions)
            elif tag == _IPTC_TAG:
                _iptc(value, captions)
            elif tag in _TAGS:
                # The comment of a user begins with the name of its encoding.
                shown = value[8:] if tag == 0x9286 else value
                captions.add(_TAGS[tag], _text(shown))
        if not inner:
            return


def _tags(raw: bytes, order: str, at: int) -> Iterator[tuple[int, bytes]]:
    """The tags of a folder of TIFF with the bytes of their values; texts, bytes and offsets."""
    if not 0 < at <= len(raw) - 2:
        return
    count = struct.unpack_from(f"{order}H", raw, at)[0]
    for place in range(at + 2, at + 2 + 12 * min(count, _MAX_PARTS), 12):
        if place + 12 > len(raw):
            return
        tag, kind, length = struct.unpack_from(f"{order}HHI", raw, place)
        size = length * {1: 1, 2: 1, 4: 4, 7: 1, 13: 4}.get(kind, 0)
        if size and size <= 4:
            yield tag, raw[place + 8 : place + 8 + size]
        elif size:
            start = struct.unpack_from(f"{order}I", raw, place + 8)[0]
            yield tag, raw[start : start + min(size, 4 * _MOST)]


def _xmp(body: bytes, captions: Captions) -> None:
    name = ""
    gathered: list[str] = []
    try:
        for event in xml_events(body.strip(b"\x00 \r\n\t")[: 4 * _MOST]):
            if event.kind == "start" and event.tag in _ELEMENTS:
                name = _ELEMENTS[event.tag]
            elif event.kind == "end" and event.tag in _ELEMENTS:
                name = ""
            elif event.kind == "text" and name:
                gathered.append(event.text)
            elif event.kind == "end" and event.tag == "li" and name:
                captions.add(name, "".join(gathered))
            if event.kind != "text":
                gathered.clear()
    except (ExpatError, ValueError):
        return


def _text(raw: bytes) -> str:
    decoded = decode(raw.rstrip(b"\x00"))
    return "" if decoded is None else decoded.text


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    captions = read_captions(raw)
    if captions is None:
        raise UnreadableNoteError(
            f"{file.path} is no image in the format PNG, JPEG, WebP or TIFF.", code="unreadable"
        )
    builder = NoteBuilder()
    for name in _SHOWN:
        for text in captions.texts.get(name, ()):
            builder.paragraph(text)
    warnings: tuple[str, ...] = ()
    if file.ocr is not None:
        for paragraph in file.ocr.read(raw).split("\n\n"):
            builder.paragraph(paragraph)
        warnings = () if file.ocr.is_installed else (NO_OCR,)
    return builder.note(file, _describe(captions, file, warnings))


def _describe(captions: Captions, file: FileFacts, warnings: tuple[str, ...]) -> FileDescription:
    properties: dict[str, PropertyValue] = {}
    for name in ("author", "keywords"):
        texts = captions.texts.get(name, [])
        if texts:
            properties[name] = texts[0] if len(texts) == 1 else tuple(texts)
    title = captions.first("title") or file_title(file.path, file.path[file.path.rfind(".") :])
    return FileDescription(
        title, properties, created=_moment(captions.first("date")), warnings=warnings
    )


def _moment(text: str) -> float | None:
    """A date of EXIF's form `2024:01:31 12:00:00`, which has no zone, as if it were UTC."""
    try:
        return datetime.strptime(text, "%Y:%m:%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


IMAGES = tuple(
    Reader(suffix, "images", _read, "image", in_child=True, binary=True)
    for suffix in (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")
)
