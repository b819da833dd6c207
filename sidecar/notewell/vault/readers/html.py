"""Saved web pages (`.html`, `.htm`, `.xhtml`): readable text, title, headings and links."""

from __future__ import annotations

import codecs
import re

from notewell.base.types import PropertyValue
from notewell.vault.parse import file_title
from notewell.vault.readers.made_text import Described, MadeText
from notewell.vault.readers.markup import write_markup
from notewell.vault.readers.reader import Decoded, FileFacts, Reader, ReadNote, decode_text

# Where a page states its encoding, and how far from its beginning browsers look for it.
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_HEAD_BYTES = 2048
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}\Z")


def _read(raw: bytes, file: FileFacts) -> ReadNote:
    decoded = _decoded(raw, file.path)
    made = MadeText()

    def is_link(address: str) -> bool:
        target = address.partition("#")[0]
        return bool(target) and (not _SUFFIX.search(target) or target.lower().endswith(file.types))

    page = write_markup(made, decoded.text, is_link=is_link)
    ending = file.path[file.path.rfind(".") :]
    properties: dict[str, PropertyValue] = {
        name: page.meta[name] for name in ("author", "keywords") if page.meta.get(name)
    }
    described = Described(
        page.title or file_title(file.path, ending),
        properties,
        description=" ".join(page.meta.get("description", "").split()) or None,
        warnings=decoded.warnings,
    )
    return made.note(file, described)


def _decoded(raw: bytes, path: str) -> Decoded:
    """Decode a page, by the encoding it states where it is not UTF-8 or UTF-16."""
    decoded = decode_text(raw, path)
    stated = _CHARSET.search(raw, 0, _HEAD_BYTES)
    if not decoded.warnings or stated is None:
        return decoded
    try:
        encoding = codecs.lookup(stated[1].decode()).name
        return Decoded(raw.decode(encoding), encoding)
    except (LookupError, UnicodeDecodeError):
        return decoded


HTML = tuple(
    Reader(suffix, "web pages", _read, "html", in_child=True)
    for suffix in (".html", ".htm", ".xhtml")
)
