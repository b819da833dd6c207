"""Notes as resources: `notewell://note/VAULT/PATH`, the latest first."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from notewell.contract.notes import NoteRequest
from notewell.contract.status import LedgerRequest
from notewell.errors import NotFoundError
from notewell.mcp.tool import Desk, read

SCHEME = "notewell"
TEMPLATE = f"{SCHEME}://note/{{vault}}/{{+path}}"
PAGE = 100


@dataclass(frozen=True, slots=True)
class NoteResource:
    """A note that can be read as a resource. `size` is in bytes."""

    uri: str
    path: str
    size: int


def uri_of(vault: str, path: str) -> str:
    """The address of a note; `vault` is an id or a name."""
    return f"{SCHEME}://note/{quote(vault, safe='')}/{quote(path)}"


def address(uri: str) -> tuple[str, str]:
    """Vault and path of a note's address; raises NotFoundError where it is none."""
    parts = urlsplit(uri)
    vault, _, path = parts.path.lstrip("/").partition("/")
    if parts.scheme != SCHEME or parts.netloc != "note" or not vault or not path:
        raise NotFoundError(f"'{uri[:200]}' is not the address of a note: {TEMPLATE}")
    return unquote(vault), unquote(path)


def page(desk: Desk, offset: int) -> tuple[tuple[NoteResource, ...], int | None]:
    """Some notes from `offset` on, the latest first, and where the next page begins."""
    entries = read(desk.answers.document(LedgerRequest()))["entries"]
    notes = [one for one in entries if one["state"] in {"indexed", "keyword_only"}]
    notes.sort(key=lambda one: (one["modified"] or "", one["path"]), reverse=True)
    shown = tuple(
        NoteResource(uri_of(desk.vault, one["path"]), one["path"], one["size"])
        for one in notes[offset : offset + PAGE]
    )
    following = offset + PAGE
    return shown, following if following < len(notes) else None


def text(desk: Desk, path: str) -> str:
    """The note's text."""
    content: str = read(desk.answers.document(NoteRequest(path)))["content"]
    return content
