"""Documents outside the vault, as a source of notes that is only read.

Their paths begin with `.documents/NAMESPACE/`, where no file of a vault can be: folders that begin
with a dot are no part of it. Only what lies below the folders of the setting `documents.allow` is
read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import orjson

from notewell.api.errors import (
    ConfigError,
    ForbiddenError,
    NotewellError,
    NotFoundError,
    UnreadableNoteError,
)
from notewell.api.files import allowed_place, disk
from notewell.api.notes import DOCUMENTS, is_document
from notewell.api.types import Settings, VaultRecord, VaultRules
from notewell.api.vault import ExcludedFile, FileRef, Source, Walk
from notewell.base.errors import OutsideVaultError, VaultError
from notewell.base.types import WalkWarning
from notewell.vault import files, walker
from notewell.vault.read_notes import HashedNote, content_hash, read_note
from notewell.vault.readers import READERS, reader_of
from notewell.vault.readers.process import ReaderProcess

if TYPE_CHECKING:
    from notewell.vault.mirror import Mirror

NAME = "documents.json"
FORMAT = 1
_LOCK_SECONDS = 10


@dataclass(frozen=True, slots=True)
class StoredPlace:
    """A folder or a file that belongs to a namespace.

    `mount` is its name within the namespace, `path` its real path on this computer. The globs are
    relative to a folder; no `include` means all that can be read.
    """

    mount: str
    path: Path
    recursive: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


Namespaces = Mapping[str, tuple[StoredPlace, ...]]


class DocumentStore:
    """The namespaces of one vault on disk. Any thread of any process may read and change them."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the vault's data folder; nothing is read or made yet."""
        self._file = folder / NAME
        self._known: tuple[tuple[int, int] | None, Namespaces] = (None, {})

    def namespaces(self) -> Namespaces:
        """All namespaces by name. Only looks at the time of the file, if it is the same.

        Raises ConfigError if the file cannot be read.
        """
        try:
            status = self._file.stat()
        except OSError:
            return {}
        version = (status.st_mtime_ns, status.st_size)
        if self._known[0] != version:
            self._known = (version, _read(self._file))
        return self._known[1]

    @contextmanager
    def changing(self) -> Iterator[dict[str, tuple[StoredPlace, ...]]]:
        """The namespaces to change in place; written back when the block ends well."""
        # Takes as long to load as a search; few vaults have documents, and they rarely change.
        from filelock import FileLock, Timeout  # noqa: PLC0415

        try:
            disk.make_folder(self._file.parent)
            lock = self._file.with_suffix(".lock")
            with FileLock(lock, timeout=_LOCK_SECONDS, mode=disk.FILE_MODE):
                namespaces = dict(_read(self._file) if self._file.exists() else {})
                yield namespaces
                self._known = (None, {})
                disk.replace(self._file, _dump(namespaces), durable=True)
        except Timeout as error:
            raise NotewellError(f"{self._file} is locked by another process; try again") from error
        except OSError as error:
            raise ConfigError(f"{self._file} cannot be written: {error}") from error


def put(
    namespaces: dict[str, tuple[StoredPlace, ...]], name: str, place: StoredPlace
) -> StoredPlace:
    """Add a place to a namespace; one of the same path is replaced and keeps its name.

    Returns it with its name, which no other place of the namespace has.
    """
    before = namespaces.get(name, ())
    known = next((earlier.mount for earlier in before if earlier.path == place.path), None)
    others = [earlier for earlier in before if earlier.path != place.path]
    mount = known or _free({other.mount.casefold() for other in others}, place.mount)
    named = StoredPlace(mount, place.path, place.recursive, place.include, place.exclude)
    namespaces[name] = (*others, named)
    return named


def _free(taken: set[str], wanted: str) -> str:
    """`wanted`, or with a number where it is taken; the ending stays, because it names the type."""
    stem, dot, ending = wanted.rpartition(".")
    if not stem:
        stem, dot, ending = wanted, "", ""
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{stem}-{number}{dot}{ending}"
    return name


def _dump(namespaces: Namespaces) -> bytes:
    stored = {
        "format": FORMAT,
        "namespaces": {
            name: [{**asdict(place), "path": str(place.path)} for place in places]
            for name, places in namespaces.items()
        },
    }
    return orjson.dumps(stored, option=orjson.OPT_INDENT_2)


def _read(file: Path) -> Namespaces:
    try:
        stored = orjson.loads(file.read_bytes())
        return {
            name: tuple(
                StoredPlace(
                    mount=place["mount"],
                    path=Path(place["path"]),
                    recursive=place["recursive"],
                    include=tuple(place["include"]),
                    exclude=tuple(place["exclude"]),
                )
                for place in places
            )
            for name, places in stored["namespaces"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({error}); move it away and add the documents again"
        ) from error


def store_of(record: VaultRecord, settings: Settings) -> DocumentStore:
    """The namespaces of a vault, the same in all of its views."""
    return DocumentStore(record.owners.data_folder(settings.data_dir))


def mount_path(namespace: str, mount: str) -> str:
    """The path under which a place of a namespace is indexed."""
    return f"{DOCUMENTS}/{namespace}/{mount}"


class DocumentSource:
    """The documents of all namespaces of one vault; the methods are those of `Source`."""

    def __init__(self, store: DocumentStore, rules: VaultRules, allow: Sequence[str]) -> None:
        """Of `rules` sizes and OCR are used; every type that has a reader is read."""
        self._store = store
        self._rules = replace(rules, types=tuple(READERS), include=(), exclude=())
        self._allow = tuple(allow)
        self._child = ReaderProcess()

    def list(self, within: Sequence[str] = ()) -> Walk:
        """See `Source.list`. What may no longer be read is not listed, and so leaves the index."""
        walks = []
        for name, places in self._store.namespaces().items():
            for place in places:
                prefix = mount_path(name, place.mount)
                inner = _inner(prefix, within)
                if inner is not None:
                    walks.append(_below(prefix, self._walk(place, prefix, inner)))
        return _join(walks)

    def _walk(self, place: StoredPlace, prefix: str, within: Sequence[str]) -> Walk:
        """List a place with paths relative to it; that of a file is empty."""
        try:
            self._check(place)
            if not place.path.is_dir():
                return Walk(files=(self._file(place.path, ""),), excluded=())
            rules = replace(self._rules, include=place.include, exclude=place.exclude)
            within = within if place.recursive else _files_of(place.path, within)
            if not within and not place.recursive:
                return Walk((), ())
            return walker.walk(place.path, rules, within)
        except (ForbiddenError, OutsideVaultError) as error:
            return Walk((), (), (WalkWarning(f"{prefix}: {error.message}", " It is left out."),))
        except (NotFoundError, VaultError) as error:
            # A drive that is not there: what was indexed of it stays.
            told = WalkWarning(f"{prefix}: {error.message}", " What was indexed of it stays.")
            return Walk((), (), (told,), unread=("",))

    def _check(self, place: StoredPlace) -> None:
        """Raise what `allowed_place` raises; also where a link took the place."""
        if allowed_place(str(place.path), self._allow) != place.path:
            raise OutsideVaultError(f"{place.path} is a link now, which is not followed.")

    def _file(self, place: Path, path: str) -> FileRef:
        return replace(files.stat(place.parent, place.name), path=path)

    def stamp(self, path: str) -> FileRef:
        place, inner = self._find(path)
        if place is None:
            raise UnreadableNoteError(f"{path} is not among the documents.", code="vanished")
        try:
            self._check(place)
        except (ForbiddenError, NotFoundError, OutsideVaultError) as error:
            raise UnreadableNoteError(error.message, code="vanished") from error
        if not inner:
            return self._file(place.path, path)
        return replace(files.stat(place.path, inner), path=path)

    def read(self, stamp: FileRef) -> HashedNote:
        return read_note(stamp, self._rules, self._child)

    def content_hash(self, stamp: FileRef) -> bytes:
        return content_hash(stamp, self._rules)

    def excluded(self, path: str) -> tuple[str, str] | None:
        place, inner = self._find(path)
        if place is None:
            return "documents", "No document has this path; `notewell documents list` shows them."
        if reader_of(path) is None:
            return "file_type", "No reader reads files of this type."
        if not inner:
            return None
        rules = replace(self._rules, include=place.include, exclude=place.exclude)
        return walker.decide(place.path, rules, inner)

    def uri(self, path: str, anchor: str | None = None) -> str:
        """See `Source.uri`: a `file:` address, at the page where it is one; "" for no document."""
        place, inner = self._find(path)
        if place is None:
            return ""
        reader = reader_of(path)
        page = anchor is not None and reader is not None and reader.anchor == "page"
        return (place.path / inner).as_uri() + (f"#page={anchor}" if page else "")

    def _find(self, path: str) -> tuple[StoredPlace | None, str]:
        """The place that a document lies in, and its path there; "" of a place that is a file."""
        parts = PurePosixPath(path).parts
        if len(parts) < 3 or parts[0] != DOCUMENTS:
            return None, ""
        places = self._store.namespaces().get(parts[1], ())
        place = next((place for place in places if place.mount == parts[2]), None)
        return place, "/".join(parts[3:])


class _WithDocuments:
    """A vault's own notes and its documents as one `Source`; the path tells which is meant.

    Place, types, watching and receiving are those of the vault's own notes.
    """

    def __init__(self, own: Source, documents: DocumentSource) -> None:
        """`own` are the notes of the vault."""
        self._own = own
        self._documents = documents
        self.place = own.place
        self.types = own.types
        self.watched = own.watched

    def list(self, within: Sequence[str] = ()) -> Walk:
        if not within:
            return _join((self._own.list(), self._documents.list()))
        documents = tuple(path for path in within if _is_of_person(path))
        notes = tuple(path for path in within if not _is_of_person(path) or path == DOCUMENTS)
        walks = [self._own.list(notes)] if notes else []
        return _join([*walks, *([self._documents.list(documents)] if documents else [])])

    def stamp(self, path: str) -> FileRef:
        return self._of(path).stamp(path)

    def read(self, stamp: FileRef) -> HashedNote:
        return self._of(stamp.path).read(stamp)

    def content_hash(self, stamp: FileRef) -> bytes:
        return self._of(stamp.path).content_hash(stamp)

    def excluded(self, path: str) -> tuple[str, str] | None:
        return self._of(path).excluded(path)

    def uri(self, path: str, anchor: str | None = None) -> str:
        return self._of(path).uri(path, anchor)

    def receiver(self) -> Mirror | None:
        return self._own.receiver()

    def _of(self, path: str) -> Source | DocumentSource:
        return self._documents if _is_of_person(path) else self._own


def _is_of_person(path: str) -> bool:
    """True for documents that a person added; those in `.documents/.NAME` are of other features."""
    return is_document(path) and not path.startswith(f"{DOCUMENTS}/.")


def with_documents(own: Source, record: VaultRecord, settings: Settings) -> Source:
    """The source of a vault's notes and of the documents that are indexed with it."""
    store = store_of(record, settings)
    return _WithDocuments(own, DocumentSource(store, settings.vault, settings.documents.allow))


def _inner(prefix: str, within: Sequence[str]) -> tuple[str, ...] | None:
    """The paths `within` as seen from `prefix`; (): all of it, None: nothing of it."""
    if not within or any(prefix == folder or prefix.startswith(f"{folder}/") for folder in within):
        return ()
    below = f"{prefix}/"
    return (
        tuple(folder.removeprefix(below) for folder in within if folder.startswith(below)) or None
    )


def _files_of(folder: Path, within: Sequence[str]) -> tuple[str, ...]:
    """The names of the files that are directly in a folder, and in `within` where that is given."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if not entry.is_dir()]
    return tuple(name for name in names if not within or name in within)


def _below(prefix: str, walk: Walk) -> Walk:
    """The walk with `prefix` before its paths."""

    def path(inner: str) -> str:
        return f"{prefix}/{inner}" if inner else prefix

    def moved(items: Sequence[ExcludedFile]) -> tuple[ExcludedFile, ...]:
        return tuple(
            replace(item, file=replace(item.file, path=path(item.file.path))) for item in items
        )

    return Walk(
        files=tuple(replace(file, path=path(file.path)) for file in walk.files),
        excluded=moved(walk.excluded),
        warnings=walk.warnings,
        unread=tuple(map(path, walk.unread)),
        others=moved(walk.others),
        beside=tuple(map(path, walk.beside)),
    )


def _join(walks: Sequence[Walk]) -> Walk:
    return Walk(
        files=tuple(sorted((file for walk in walks for file in walk.files), key=lambda f: f.path)),
        excluded=_sort(file for walk in walks for file in walk.excluded),
        warnings=tuple(warning for walk in walks for warning in walk.warnings),
        unread=tuple(sorted(place for walk in walks for place in walk.unread)),
        others=_sort(other for walk in walks for other in walk.others),
        beside=tuple(place for walk in walks for place in walk.beside),
    )


def _sort(items: Iterable[ExcludedFile]) -> tuple[ExcludedFile, ...]:
    return tuple(sorted(items, key=lambda item: item.file.path))
