"""Images (`.png`, `.jpg`, `.webp`, `.tif`): their captions, and their text where OCR is on."""

from __future__ import annotations

from datetime import UTC, datetime

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import PropertyValue
from notewell.vault.parse import file_title
from notewell.vault.readers.image_metadata import Captions, read_captions
from notewell.vault.readers.made_text import Described, MadeText
from notewell.vault.readers.ocr import MISSING
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote

_SHOWN = ("headline", "description", "comment")


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    captions = read_captions(raw)
    if captions is None:
        raise UnreadableNoteError(
            f"{file.path} is no image in the format PNG, JPEG, WebP or TIFF.", code="unreadable"
        )
    made = MadeText()
    for name in _SHOWN:
        for text in captions.texts.get(name, ()):
            made.paragraph(text)
    warnings: tuple[str, ...] = ()
    if file.ocr is not None:
        for paragraph in file.ocr.read(raw).split("\n\n"):
            made.paragraph(paragraph)
        warnings = () if file.ocr.is_installed else (MISSING,)
    return made.note(file, _described(captions, file, warnings))


def _described(captions: Captions, file: FileFacts, warnings: tuple[str, ...]) -> Described:
    properties: dict[str, PropertyValue] = {}
    for name in ("author", "keywords"):
        texts = captions.texts.get(name, [])
        if texts:
            properties[name] = texts[0] if len(texts) == 1 else tuple(texts)
    title = captions.first("title") or file_title(file.path, file.path[file.path.rfind(".") :])
    return Described(title, properties, created=_moment(captions.first("date")), warnings=warnings)


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
