"""The aiohttp application: routes, middleware, signing in, attachments, start and end."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
import unicodedata
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Literal
from urllib.parse import parse_qs, quote, urlencode

from aiohttp import hdrs, web

from notewell import __version__
from notewell.base.errors import (
    NotewellError,
    NotFoundError,
    OutsideVaultError,
    UnreadableNoteError,
    UsageError,
)
from notewell.base.support.plain_file import read_plain
from notewell.base.support.relative_paths import is_inside
from notewell.base.types import FileRef, LimitRules, ServerRules, VaultRules
from notewell.contract.codec import to_json
from notewell.contract.server import HealthRequest
from notewell.doors.web import pages
from notewell.doors.web.audit import Audit
from notewell.doors.web.auth import (
    KEY_PARAMETER,
    REFUSED_PARAMETER,
    Callers,
    Gate,
    bound_address,
    cookie_name,
)
from notewell.doors.web.limits import Guesses, Rates, Slots
from notewell.doors.web.middleware import answer, guard
from notewell.doors.web.request_models import MAX_BODY_BYTES, read_body
from notewell.doors.web.routes import ROUTES, Route, routes
from notewell.doors.web.site import SITE, Metrics, Parts, Site, Streams
from notewell.engine.access import digest, halves, session_of
from notewell.engine.configuration import Configuration
from notewell.engine.feature import Feature
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.vault import files
from notewell.vault.paths import is_document, is_hidden, load_rules
from notewell.vault.readers import reader_of
from notewell.vault.readers.process import ReaderProcess
from notewell.vault.readers.reader import FileFacts

_COOKIE_SECONDS = 365 * 24 * 3600
_MOST_FIELDS = 20  # of an address, which may also have other parameters


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret of a link. With `name`, what the browser is called, it is a pairing code."""

    how: Literal["token", "code"]
    value: str = field(repr=False)
    name: str | None = None

    def fields(self) -> dict[str, str]:
        """Return the fields of a form that sends it."""
        named = {"name": self.name} if self.name is not None else {}
        return {self.how: self.value, **named}


def secret_in(query: str) -> Secret | None:
    """Return the secret in a query or in the fields of a form; None if it has none."""
    try:
        fields = parse_qs(query, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        return None
    named = {name: values[0] for name, values in fields.items()}
    if "token" in named:
        return Secret("token", named["token"])
    return Secret("code", named["code"], named.get("name")) if "code" in named else None


async def sign_in(request: web.Request) -> web.Response:
    """Turn the secret of a link into a session, and redirect to the page.

    Opening a link only loads the page, which then posts the secret: whatever makes a browser send
    a GET, such as a picture on a foreign page, neither uses up a link nor counts as a guess. The
    cookie gets one half of the session; the new address has the other, which the page stores, or
    `refused` where the secret is wrong or no longer valid.
    """
    site = request.app[SITE]
    site.gate.check_own_page(request)
    body = await read_body(request, site.limits.body_timeout_s)
    secret = secret_in(body.decode("ascii", "replace"))
    if secret is None:
        raise UsageError("signing in takes a form with the field `token`, or `code`.")
    session = await _session(site, secret, site.gate.address(request))
    if session is None:
        return _to_page(REFUSED_PARAMETER, secret.how)
    cookie, key = halves(session)
    response = _to_page(KEY_PARAMETER, key)
    response.set_cookie(
        cookie_name(bound_address(request).port),
        cookie,
        max_age=_COOKIE_SECONDS if secret.how == "code" else None,
        httponly=True,
        samesite="Strict",
        secure=site.gate.is_secure(request),
        path="/",
    )
    return response


async def _session(site: Site, secret: Secret, address: str) -> str | None:
    """Return the session for a secret; None for a wrong one, which is counted."""
    now, kept, session = time.monotonic(), digest(secret.value), None
    site.guesses.check(address, kept, now)
    callers = site.gate.callers
    if secret.how == "code":
        session = await asyncio.to_thread(callers.redeem, secret.value, secret.name)
    elif callers.by_token(secret.value) is not None:
        session = session_of(secret.value)
    if session is None:
        site.guesses.wrong(address, kept, now)
    site.audit.signed_in(address, how=secret.how, well=session is not None)
    return session


def _to_page(parameter: str, value: str) -> web.Response:
    """Redirect to the page, which says what was wrong: nobody would read the text of a redirect."""
    headers = {hdrs.LOCATION: f"/?{urlencode({parameter: value})}"}
    return web.Response(status=HTTPStatus.SEE_OTHER, headers=headers)


_SAVE_USED_S = 60.0
_ROUTES: web.AppKey[tuple[Route, ...]] = web.AppKey("routes", tuple)
STATIC = Path(__file__).parent / "static"

_log = logging.getLogger(__name__)


def create_app(
    vaults: Vaults,
    *,
    token: str,
    server: ServerRules,
    limits: LimitRules | None = None,
    state_dir: Path | None = None,
    logs: Path | None = None,
    configuration: Configuration | None = None,
    version: str = __version__,
    static: Path = STATIC,
    texts: Path | None = None,
    streams: Streams | None = None,
    features: Sequence[Feature] = FEATURES,
) -> web.Application:
    """Make the application for the vaults that are open.

    Its start-up starts their engines; its clean-up closes them. `token` is the process's own; with
    `state_dir`, the persistent token and the devices in that folder are accepted as well, and with
    `configuration`, settings can be read and changed. `logs` is the folder of the audit log,
    `static` that of the built web interface; without one, `/` is a page that says so. `texts` is
    the folder of further languages. `features` are those whose routes it has.
    """
    app = web.Application(middlewares=[answer, guard], client_max_size=MAX_BODY_BYTES)
    streams, limits = streams or Streams(), limits or LimitRules()
    interface = pages.built(static)
    table = ROUTES if features is FEATURES else routes(features)
    names = tuple(one.endpoint.name for one in table if one.request is not HealthRequest)
    app.on_shutdown.append(streams.end)
    parts = Parts()
    app.on_shutdown.append(parts.end)
    app[SITE] = Site(
        vaults=vaults,
        gate=Gate(callers=Callers(token, state_dir), rules=server),
        audit=Audit(logs),
        limits=limits,
        rates=Rates(limits),
        guesses=Guesses(limits.guesses),
        slots=Slots(limits.concurrent, limits.waiting),
        configuration=configuration,
        version=version,
        features=names if interface is None else (*names, *pages.FEATURES),
        static=interface,
        metrics=Metrics(),
        streams=streams,
        parts=parts,
        pictures=ReaderProcess(),
    )
    _add_routes(app, table)
    if interface is not None:
        pages.add_interface(app, interface)
    if texts is not None:
        pages.add_texts(app, texts)
    app.cleanup_ctx.extend((_engines, _last_used))
    return app


def _add_routes(app: web.Application, table: Sequence[Route]) -> None:
    for route in table:
        endpoint = route.endpoint
        place = endpoint.path.replace("}", ":[^/]+}")  # braces too: the field's own check refuses
        if endpoint.method == "GET":
            app.router.add_get(place, route.__call__, name=endpoint.name)
        else:
            app.router.add_route(endpoint.method, place, route.__call__, name=endpoint.name)
    app.router.add_get("/api/file", send_file, name="file")
    app[_ROUTES] = tuple(table)
    app.router.add_get("/api/openapi.json", _openapi, name="openapi")
    app.router.add_get("/api/docs", _docs, name="docs")
    app.router.add_get("/", _shell, name="shell")
    app.router.add_post("/", sign_in, name="sign_in")


async def _engines(app: web.Application) -> AsyncIterator[None]:
    vaults = app[SITE].vaults
    for engine in vaults.opened():
        engine.start()
    yield
    # Closing waits for the transaction in flight and saves snapshots: not on the event loop.
    await asyncio.to_thread(vaults.close)


async def _last_used(app: web.Application) -> AsyncIterator[None]:
    """Save regularly, and at the end, when each device was last used."""
    callers = app[SITE].gate.callers

    async def keep_saving() -> None:
        while True:
            await asyncio.sleep(_SAVE_USED_S)
            await _save_used(callers)

    saving = asyncio.create_task(keep_saving())
    yield
    saving.cancel()
    await _save_used(callers)


async def _save_used(callers: Callers) -> None:
    try:
        await asyncio.to_thread(callers.save_used)
    except NotewellError as error:  # a full disk must not stop a server
        _log.warning("the times of last use of devices could not be saved: %s", error.message)


async def _shell(request: web.Request) -> web.StreamResponse:
    site, bound = request.app[SITE], bound_address(request)
    if site.static is not None:
        return pages.interface(site.static)
    secret = secret_in(request.rel_url.raw_query_string)
    if secret is not None:
        return pages.sign_in_page(secret.fields())
    url = f"{request.scheme}://{request.headers[hdrs.HOST]}"
    known = site.gate.browser(request, bound) is not None
    key = request.query.get(KEY_PARAMETER, "") if known else ""
    return pages.start_page(url, key=key, refused=REFUSED_PARAMETER in request.query)


async def _openapi(request: web.Request) -> web.Response:
    document = pages.document(request.app[_ROUTES], request.app[SITE].version)
    return web.Response(body=to_json(document), content_type="application/json")


async def _docs(request: web.Request) -> web.Response:
    key = request.query.get(KEY_PARAMETER)  # for the page's own link, which sends no header either
    return pages.docs(request.app[SITE].version, f"?{KEY_PARAMETER}={quote(key)}" if key else "")


# Attachments of notes: `GET /api/file` sends a picture, document or page of one of a vault.
#
# Only files of known kinds are sent, with the type of their contents, so that nothing of a vault
# can run in a page of this server. Links name attachments as Obsidian does, often by the name
# alone.

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
        found, tag = await asyncio.to_thread(
            _read, site, vault, request.query["path"], request.query.get("from", ""), int(page)
        )
        if any(tag == known.value for known in request.if_none_match or ()):
            return web.Response(status=304, headers={hdrs.ETAG: f'"{tag}"', **_KEPT})
        if int(page):
            found = await asyncio.to_thread(_page, site, found, int(page))
    return web.Response(body=found.raw, headers={hdrs.ETAG: f'"{tag}"', **_headers(found)})


def _page(site: Site, file: Attachment, page: int) -> Attachment:
    """A page of a PDF as a picture.

    Raises UsageError for a file of another kind, NotFoundError where no such page can be drawn.
    """
    reader = reader_of(file.path)
    if reader is None or reader.picture is None:
        raise UsageError(f"Only PDFs have pages; {file.path} is none.", code="unknown_kind")
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


def _headers(found: Attachment) -> dict[str, str]:
    return {
        hdrs.CONTENT_TYPE: found.media,
        hdrs.CONTENT_DISPOSITION: "inline" if found.media.startswith("image/") else "attachment",
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        **_KEPT,
    }


def _read(site: Site, vault: str | None, path: str, note: str, page: int) -> tuple[Attachment, str]:
    """A file, and a tag that is another for other content and for another page."""
    path = unicodedata.normalize("NFC", path)
    if is_document(path):
        found = read_document(site.engine(vault).file(path))
    else:
        record = site.record(vault)
        rules = site.vaults.settings(record).vault
        found = read_attachment(record.path, rules, path, note)
    return found, f"{blake2b(found.raw, digest_size=16).hexdigest()}-{page}"


def read_document(file: FileRef) -> Attachment:
    """Read a document outside the vault that is indexed with it; raises what is raised below."""
    kind = _kind(file.path)
    raw = files.read_bytes(file, MAX_BYTES, limit="what is sent of attachments")
    _check_contents(file.path, kind, raw)
    return Attachment(file.path, kind.media, raw)


def read_attachment(root: Path, rules: VaultRules, path: str, note: str) -> Attachment:
    """Find and read an attachment.

    Raises UsageError for a kind that is not sent, OutsideVaultError for a path out of the vault,
    NotFoundError where there is none or a rule hides it, UnreadableNoteError where it is too large.
    """
    kind = _kind(path)
    for candidate in _candidates(root, rules, path, note):
        place = files.contained(root, candidate)
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
    near = [path, *(_joined(base, path) for base in (folder, own) if base is not None)]
    for candidate in dict.fromkeys(one for one in near if one):
        hidden = any(is_hidden(part) for part in PurePosixPath(candidate).parts)
        if not hidden and ignored.decide(candidate) is None:
            yield candidate
    if "/" not in path:
        for candidate in _named(root, path):
            if ignored.decide(candidate) is None:
                yield candidate


def _joined(base: str, path: str) -> str:
    """`path` in the folder `base`, without `.` and `..`; empty where that leads out."""
    joined = os.path.normpath(f"{base}/{path}").replace(os.sep, "/")
    return joined if is_inside(joined) else ""


def _attachment_folder(root: Path, folder: str) -> str | None:
    """Return the folder that Obsidian puts attachments into; `./` is below the note's folder."""
    try:
        place = files.contained(root, ".obsidian/app.json")
        raw = read_plain(place, most=_MOST_SETTINGS)
        value = json.loads(raw.decode("utf-8-sig")).get("attachmentFolderPath")
    except (OSError, ValueError, RecursionError, AttributeError, NotewellError):
        return None
    if not isinstance(value, str) or value.startswith("/"):
        return None
    return _joined(folder, value) if value.startswith("./") else value


def _named(root: Path, name: str) -> Iterator[str]:
    """Yield the files of this name, the nearest to the vault's root first."""
    waiting, seen = [""], 0
    while waiting and seen < _MOST_ENTRIES:
        folder = waiting.pop(0)
        try:
            entries = list(os.scandir(files.contained(root, folder) if folder else root))
        except (OSError, OutsideVaultError):
            continue
        for entry in sorted(entries, key=lambda one: one.name):
            seen += 1
            path = f"{folder}/{entry.name}" if folder else entry.name
            if is_hidden(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif unicodedata.normalize("NFC", entry.name) == name:
                yield path
