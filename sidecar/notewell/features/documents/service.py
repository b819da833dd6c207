"""Documents outside the vault: which are indexed with it, and adding or removing some."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import NotFoundError, UsageError
from notewell.api.files import allowed_place
from notewell.api.notes import DOCUMENTS
from notewell.api.vault import FileRef
from notewell.features.documents.requests import (
    MOST_IDS,
    AddDocuments,
    AddedReply,
    DocumentNamespace,
    DocumentPlace,
    DocumentsReply,
    ListDocuments,
    RemoveDocuments,
)
from notewell.features.documents.source import StoredPlace, mount_path, put, store_of
from notewell.vault.paths import is_hidden
from notewell.vault.readers import reader_of

_POLL_S = 0.05
_REMOVAL_S = 5.0  # what a removal is waited for


@dataclass(frozen=True, slots=True)
class _Before:
    """The index before a place was added: hashes of the place's passages, and of all files."""

    texts: frozenset[bytes]
    contents: frozenset[bytes]


class VaultDocuments:
    """The documents of one vault. Any thread may call."""

    def __init__(self, vault: OpenVault) -> None:
        self._record = vault.record
        self._store = store_of(vault.record, vault.settings())
        self._source = vault.source
        self._index = vault.index
        self._allow = vault.settings().documents.allow
        self._reindex = vault.reindex

    def reply(self) -> DocumentsReply:
        namespaces = self._store.namespaces()
        return DocumentsReply(
            self._record.name,
            tuple(self._namespace(name, namespaces[name]) for name in sorted(namespaces)),
            self._allow,
        )

    def add(self, request: AddDocuments) -> AddedReply:
        """Add a file or folder, wait for a while until it is read, and say what was made of it.

        Raises:
            ForbiddenError: the place is below no folder that may be read.
            OutsideVaultError: it is, but a link leads out of it.
            NotFoundError: nothing is there.
            UsageError: it is in the vault, or a file that nothing reads.

        """
        real = allowed_place(request.place, self._allow)
        self._check(real)
        before = self._before(real, request.namespace)
        with self._store.changing() as namespaces:
            place = put(namespaces, request.namespace, _place(real, request))
        path = mount_path(request.namespace, place.mount)
        listed = self._source.list((path,)).files
        self._reindex(path)
        end = time.monotonic() + request.wait
        waiting = self._waiting(path, listed)
        while waiting and time.monotonic() < end:
            threading.Event().wait(_POLL_S)
            self._index.refresh()
            waiting = self._waiting(path, listed)
        return self._add(request.namespace, path, before, waiting)

    def remove(self, request: RemoveDocuments) -> DocumentsReply:
        """Take a namespace out of the index, or what is in it, and wait a while until it is gone.

        Raises:
            NotFoundError: there is no such namespace.

        """
        with self._store.changing() as namespaces:
            if request.namespace not in namespaces:
                known = ", ".join(sorted(namespaces)) or "none"
                raise NotFoundError(f"There is no namespace '{request.namespace}'; known: {known}.")
            if request.keep:
                namespaces[request.namespace] = ()
            else:
                del namespaces[request.namespace]
        path = f"{DOCUMENTS}/{request.namespace}"
        self._reindex(path)
        end = time.monotonic() + _REMOVAL_S
        while self._index.manifest((path,)) and time.monotonic() < end:
            threading.Event().wait(_POLL_S)
            self._index.refresh()
        return self.reply()

    def _check(self, place: Path) -> None:
        vault = self._record.path.resolve()
        if place.is_relative_to(vault) or vault.is_relative_to(place):
            raise UsageError(
                f"{place} and the vault {vault} lie one in the other: what is in the vault is"
                " indexed with it already."
            )
        if place.is_file() and (reader_of(place.name) is None or is_hidden(place.name)):
            raise UsageError(f"Nothing reads files like {place.name}.", code="unknown_kind")

    def _before(self, real: Path, namespace: str) -> _Before:
        places = self._store.namespaces().get(namespace, ())
        mount = next((place.mount for place in places if place.path == real), None)
        path = None if mount is None else mount_path(namespace, mount)
        ours = {} if path is None else self._index.manifest((path,))
        texts = (
            chunk.text_hash
            for entry in ours.values()
            for chunk in self._index.chunks_of(entry.note_id)
        )
        contents = (entry.content_hash for entry in self._index.manifest().values())
        return _Before(frozenset(texts), frozenset(contents))

    def _waiting(self, path: str, listed: Sequence[FileRef]) -> int:
        """The number of files that have no final state in the ledger that fits their time."""
        ledger = {entry.path: entry for entry in self._index.ledger_within((path,))}
        done = sum(
            (entry := ledger.get(file.path)) is not None
            and entry.state != "pending"
            and (entry.size, entry.mtime_ns) == (file.size, file.mtime_ns)
            for file in listed
        )
        return len(listed) - done

    def _add(self, namespace: str, path: str, before: _Before, waiting: int) -> AddedReply:
        ids: list[str] = []
        created = duplicates = 0
        known = set(before.contents)
        manifest = self._index.manifest((path,))
        for name, entry in sorted(manifest.items()):
            chunks = self._index.chunks_of(entry.note_id)
            again = entry.content_hash in known
            known.add(entry.content_hash)
            same = sum(again or chunk.text_hash in before.texts for chunk in chunks)
            duplicates += same
            created += len(chunks) - same
            ids += [f"{name}#{chunk.ordinal}" for chunk in chunks[: MOST_IDS - len(ids)]]
        return AddedReply(
            vault=self._record.name,
            namespace=namespace,
            path=path,
            files=len(manifest),
            waiting=waiting,
            failed=sum(entry.state == "failed" for entry in self._index.ledger_within((path,))),
            chunks_created=created,
            chunk_ids=tuple(ids),
            duplicates=duplicates,
            job=path,
        )

    def _namespace(self, name: str, places: tuple[StoredPlace, ...]) -> DocumentNamespace:
        path = f"{DOCUMENTS}/{name}"
        manifest = self._index.manifest((path,))
        ledger = self._index.ledger_within((path,))
        return DocumentNamespace(
            name=name,
            path=path,
            places=tuple(_views(name, places)),
            files=len(manifest),
            chunks=sum(len(self._index.chunks_of(entry.note_id)) for entry in manifest.values()),
            waiting=sum(entry.state == "pending" for entry in ledger),
            failed=sum(entry.state == "failed" for entry in ledger),
        )


def open_feature(vault: OpenVault) -> OpenFeature:
    """The documents of a vault."""
    documents = VaultDocuments(vault)
    return OpenFeature(
        answers={
            ListDocuments: lambda _: documents.reply(),
            AddDocuments: documents.add,
            RemoveDocuments: documents.remove,
        }
    )


def _place(real: Path, request: AddDocuments) -> StoredPlace:
    name = real.name or "root"
    return StoredPlace(name, real, request.recursive, request.include, request.exclude)


def _views(namespace: str, places: Sequence[StoredPlace]) -> Iterator[DocumentPlace]:
    for place in places:
        yield DocumentPlace(
            mount_path(namespace, place.mount),
            str(place.path),
            place.recursive,
            place.include,
            place.exclude,
        )
