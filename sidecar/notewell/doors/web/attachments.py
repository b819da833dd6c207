"""Serve the files that notes embed, and the pages of documents."""

from __future__ import annotations

import asyncio
import json
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from aiohttp import hdrs, web

from notewell.base.errors import (
    NotewellError,
    NotFoundError,
    OutsideVaultError,
    UnreadableNoteError,
    UsageError,
)
from notewell.base.support.plain_file import read_plain
from notewell.base.support.relative_paths import is_inside
from notewell.base.types import FileRef, VaultRules
from notewell.doors.web.site import SITE, Site
from notewell.vault import files
from notewell.vault.paths import is_document, is_hidden, load_rules
from notewell.vault.readers import reader_of
from notewell.vault.readers.reader import FileFacts

MAX_BYTES = 50_000_000
_PAGE = re.compile("[0-9]{1,6}")
_MOST_SETTINGS = 1024 * 1024  # bytes of a file of Obsidian's settings
_MOST_ENTRIES = 100_000  # looked through for a name, so that a huge vault does not hold a thread


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its media type, and what its contents begin with (at an offset)."""

    media: str
    beginnings: tuple[bytes, ...]
    offset: int = 0


_JPEG = Kind("image/jpeg", (b"\xff\xd8\xff",))
KINDS = {
    ".png": Kind("image/png", (b"\x89PNG\r\n\x1a\n",)),
    ".jpg": _JPEG,
    ".jpeg": _JPEG,
    ".gif": Kind("image/gif", (b"GIF87a", b"GIF89a")),
    ".webp": Kind("image/webp", (b"WEBP",), 8),
    ".avif": Kind("image/avif", (b"ftypavif", b"ftypavis", b"ftypmif1"), 4),
    ".bmp": Kind("image/bmp", (b"BM",)),
    ".svg": Kind("image/svg+xml", ()),
    ".pdf": Kind("application/pdf", (b"%PDF-",)),
}
# Opened by itself, a file may load and run nothing; an image that a page shows never does.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
# A browser keeps a file and asks each time whether it is still the same: no page is drawn twice.
_KEPT: dict[str, str] = {hdrs.CACHE_CONTROL: "private, no-cache"}


async def send_file(request: web.Request) -> web.Response:
    """Answer `GET /api/file?path=&from=&vault=&page=`; `from` is the note that names the file."""
    unknown = request.query.keys() - {"path", "from", "vault", "page"}
    page = request.query.get("page", "0")
    if unknown or not request.query.get("path") or not _PAGE.fullmatch(page):
        raise UsageError(
            "Give `path`, the file's; `from`, the note's, `page`, its number, and `vault` may be"
            " added."
        )
    site, vault = request.app[SITE], request.query.get("vault") or None
    async with site.holding(vault):
        document, tag = await asyncio.to_thread(
            _read, site, vault, request.query["path"], request.query.get("from", ""), int(page)
        )
        if any(tag == known.value for known in request.if_none_match or ()):
            return web.Response(status=304, headers={hdrs.ETAG: f'"{tag}"', **_KEPT})
        if int(page):
            document = await asyncio.to_thread(_page, site, document, int(page))
    return web.Response(body=document.raw, headers={hdrs.ETAG: f'"{tag}"', **_headers(document)})


def _page(site: Site, file: Attachment, page: int) -> Attachment:
    """A page of a PDF as a picture.

    Raises UsageError for a file of another kind, NotFoundError where no such page can be drawn.
    """
    reader = reader_of(file.path)
    if reader is None or reader.picture is None:
        raise UsageError(f"{file.path} is not a PDF, so it has no pages.", code="unknown_kind")
    try:
        picture = site.pictures.picture(file.raw, FileFacts(file.path, modified=0.0), page)
    except UnreadableNoteError as error:
        raise NotFoundError(error.message, code=error.code) from error
    return Attachment(file.path, "image/png", picture)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that was found: its path in the vault, its media type and contents."""

    path: str
    media: str
    raw: bytes


def _headers(document: Attachment) -> dict[str, str]:
    return {
        hdrs.CONTENT_TYPE: document.media,
        hdrs.CONTENT_DISPOSITION: "inline" if document.media.startswith("image/") else "attachment",
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        **_KEPT,
    }


def _read(site: Site, vault: str | None, path: str, note: str, page: int) -> tuple[Attachment, str]:
    """A file, and a tag that is another for other content and for another page."""
    path = unicodedata.normalize("NFC", path)
    if is_document(path):
        document = read_document(site.engine(vault).file(path))
    else:
        record = site.record(vault)
        rules = site.vaults.settings(record).vault
        document = read_attachment(record.path, rules, path, note)
    return document, f"{blake2b(document.raw, digest_size=16).hexdigest()}-{page}"


def read_document(file: FileRef) -> Attachment:
    """Read a document outside the vault that is indexed with it; raises what is raised below."""
    kind = _kind(file.path)
    raw = files.read_bytes(file, MAX_BYTES, limit="what is sent of attachments")
    _check_contents(file.path, kind, raw)
    return Attachment(file.path, kind.media, raw)


def read_attachment(root: Path, rules: VaultRules, path: str, note: str) -> Attachment:
    """Find and read an attachment.

    Raises UsageError for a kind that is not sent, OutsideVaultError for a path out of the vault,
    NotFoundError if there is none or a rule hides it, UnreadableNoteError where it is too large.
    """
    kind = _kind(path)
    for candidate in _candidates(root, rules, path, note):
        place = files.contain_path(root, candidate)
        if os.path.isfile(place):  # noqa: PTH113 - Path raises for names that are too long
            limit = "what is sent of attachments"
            raw = files.read_bytes(files.stat(root, candidate), MAX_BYTES, limit=limit)
            _check_contents(candidate, kind, raw)
            return Attachment(candidate, kind.media, raw)
    raise NotFoundError(f"{path} is not among the files of this vault.", code="file_not_found")


def _kind(path: str) -> Kind:
    kind = KINDS.get(PurePosixPath(path).suffix.lower())
    if kind is None:
        known = ", ".join(sorted(ending.removeprefix(".") for ending in KINDS))
        raise UsageError(f"Only these kinds of files are sent: {known}.", code="unknown_kind")
    return kind


def _check_contents(path: str, kind: Kind, raw: bytes) -> None:
    if kind.beginnings and not raw.startswith(kind.beginnings, kind.offset):
        raise UsageError(
            f"{path} is named as {kind.media} and holds something else; it is not sent.",
            code="unknown_kind",
        )


def _candidates(root: Path, rules: VaultRules, path: str, note: str) -> Iterator[str]:
    """Yield the paths that a link may mean, as Obsidian resolves it; hidden ones are left out."""
    ignored = load_rules(root, rules)
    folder = str(PurePosixPath(note).parent) if note else "."
    own = _attachment_folder(root, folder)
    near = [path, *(_join(base, path) for base in (folder, own) if base is not None)]
    for candidate in dict.fromkeys(place for place in near if place):
        hidden = any(is_hidden(part) for part in PurePosixPath(candidate).parts)
        if not hidden and ignored.decide(candidate) is None:
            yield candidate
    if "/" not in path:
        for candidate in _find_named(root, path):
            if ignored.decide(candidate) is None:
                yield candidate


def _join(base: str, path: str) -> str:
    """`path` in the folder `base`, without `.` and `..`; empty where that leads out."""
    joined = os.path.normpath(f"{base}/{path}").replace(os.sep, "/")
    return joined if is_inside(joined) else ""


def _attachment_folder(root: Path, folder: str) -> str | None:
    """Return the folder that Obsidian puts attachments into; `./` is below the note's folder."""
    try:
        place = files.contain_path(root, ".obsidian/app.json")
        raw = read_plain(place, most=_MOST_SETTINGS)
        value = json.loads(raw.decode("utf-8-sig")).get("attachmentFolderPath")
    except (OSError, ValueError, RecursionError, AttributeError, NotewellError):
        return None
    if not isinstance(value, str) or value.startswith("/"):
        return None
    return _join(folder, value) if value.startswith("./") else value


def _find_named(root: Path, name: str) -> Iterator[str]:
    """Yield the files of this name, the nearest to the vault's root first."""
    waiting, seen = [""], 0
    while waiting and seen < _MOST_ENTRIES:
        folder = waiting.pop(0)
        try:
            entries = list(os.scandir(files.contain_path(root, folder) if folder else root))
        except (OSError, OutsideVaultError):
            continue
        for entry in sorted(entries, key=lambda entry: entry.name):
            seen += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            if is_hidden(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif unicodedata.normalize("NFC", entry.name) == name:
                yield path
