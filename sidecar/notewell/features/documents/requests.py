"""Documents outside a vault that are indexed with it: adding, listing, clearing, deleting."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, Pattern, Request, request_to
from notewell.api.types import Ge, Le, MaxLen, MinLen, frozen

MOST_IDS = 1000  # of one reply
DEFAULT_NAMESPACE = "Documents"

# Of a word character first, so that it is no hidden folder.
_Name = Annotated[str, Pattern(r"^\w[\w .-]{0,63}$"), Doc("Namespace of the documents")]
_Globs = Annotated[tuple[Annotated[str, MinLen(1), MaxLen(500)], ...], MaxLen(100)]


@frozen
class DocumentPlace:
    """A folder or file of a namespace: its `path` in the index, its `place` on the computer."""

    path: str
    place: str
    recursive: bool
    include: tuple[str, ...]
    exclude: tuple[str, ...]


@frozen
class DocumentNamespace:
    """A namespace and what is indexed of it. Its documents have paths that begin with `path`.

    `files` are those with passages to search, `waiting` are not read yet, `failed` could not be
    read; `/api/ledger?path=` tells why.
    """

    name: str
    path: str
    places: tuple[DocumentPlace, ...]
    files: int
    chunks: int
    waiting: int
    failed: int


@frozen
class DocumentsReply:
    """All namespaces of a vault, and the folders below which documents may be added."""

    vault: str
    namespaces: tuple[DocumentNamespace, ...]
    allowed: tuple[str, ...]


@frozen
class AddedReply:
    """The state of a file or folder that was added, so far.

    `chunks_created` counts passages whose text the index did not have, `duplicates` those that it
    had, from this place or from a file with the same content. `chunk_ids` are the first ids of
    both. `waiting` files are still to be read: the `job` is done when a list of documents has
    none waiting for its `path`.
    """

    vault: str
    namespace: str
    path: str
    files: int
    waiting: int
    failed: int
    chunks_created: int
    chunk_ids: tuple[str, ...]
    duplicates: int
    job: str


@request_to(
    Endpoint(
        "GET",
        "/api/documents",
        "documents",
        "Documents outside the vault that are indexed with it, by namespace",
    )
)
class ListDocuments(Request[DocumentsReply]):
    """The documents outside the vault that are indexed with it."""


@request_to(
    Endpoint(
        "POST",
        "/api/documents",
        "add_documents",
        "Index a file or folder outside the vault with it, to read only",
        rate_class="heavy",
        example={"place": "/home/ada/Papers", "namespace": "Papers", "include": ["*.pdf"]},
    )
)
class AddDocuments(Request[AddedReply]):
    """Index a file or folder outside the vault with it; the files are only read.

    It has to lie below a folder of the setting `documents.allow`. The same place again is looked at
    again, with the new globs.
    """

    place: Annotated[
        str, MinLen(1), MaxLen(4096), Doc("The whole path of a file or folder on the server")
    ]
    namespace: _Name = DEFAULT_NAMESPACE
    recursive: Annotated[bool, Doc("Read folders within the folder")] = True
    include: Annotated[_Globs, Doc("Only files that match one of these globs")] = ()
    exclude: Annotated[_Globs, Doc("No files that match one of these globs")] = ()
    wait: Annotated[
        Annotated[int, Ge(0), Le(50)], Doc("Seconds to wait until the files are read")
    ] = 10


@request_to(
    Endpoint(
        "DELETE",
        "/api/documents",
        "remove_documents",
        "Take a namespace of documents out of the index, or what is in it",
        example={"namespace": "Papers", "keep": True},
    )
)
class RemoveDocuments(Request[DocumentsReply]):
    """Take a namespace, or all places of it, out of the index. The files stay as they are."""

    namespace: _Name
    keep: Annotated[bool, Doc("Keep the namespace, without documents")] = False


REQUESTS = (ListDocuments, AddDocuments, RemoveDocuments)
