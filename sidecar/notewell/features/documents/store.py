"""The namespaces of documents, which a vault keeps in `documents.json` of its data folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from notewell.base.errors import ConfigError, NotewellError
from notewell.base.support import atomic, private
from notewell.base.types import Settings, VaultRecord

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
            found = self._file.stat()
        except OSError:
            return {}
        version = (found.st_mtime_ns, found.st_size)
        if self._known[0] != version:
            self._known = (version, _read(self._file))
        return self._known[1]

    @contextmanager
    def changing(self) -> Iterator[dict[str, tuple[StoredPlace, ...]]]:
        """The namespaces to change in place; written back when the block ends well."""
        # Takes as long to load as a search; few vaults have documents, and they rarely change.
        from filelock import FileLock, Timeout  # noqa: PLC0415

        try:
            private.make_folder(self._file.parent)
            lock = self._file.with_suffix(".lock")
            with FileLock(lock, timeout=_LOCK_SECONDS, mode=private.FILE_MODE):
                namespaces = dict(_read(self._file) if self._file.exists() else {})
                yield namespaces
                self._known = (None, {})
                atomic.replace(self._file, _dump(namespaces), durable=True)
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
    known = next((one.mount for one in before if one.path == place.path), None)
    others = [one for one in before if one.path != place.path]
    mount = known or _free({one.mount.casefold() for one in others}, place.mount)
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
            name: [_as_json(place) for place in places] for name, places in namespaces.items()
        },
    }
    return orjson.dumps(stored, option=orjson.OPT_INDENT_2)


def _as_json(place: StoredPlace) -> Mapping[str, str | bool | Sequence[str]]:
    return {
        "mount": place.mount,
        "path": str(place.path),
        "recursive": place.recursive,
        "include": place.include,
        "exclude": place.exclude,
    }


def _read(file: Path) -> Namespaces:
    try:
        stored = orjson.loads(file.read_bytes())
        return {
            name: tuple(
                StoredPlace(
                    mount=one["mount"],
                    path=Path(one["path"]),
                    recursive=one["recursive"],
                    include=tuple(one["include"]),
                    exclude=tuple(one["exclude"]),
                )
                for one in places
            )
            for name, places in stored["namespaces"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({error}); move it away and add the documents again"
        ) from error


def store_of(record: VaultRecord, settings: Settings) -> DocumentStore:
    """The namespaces of a vault, even if a setting puts its index elsewhere."""
    return DocumentStore(settings.data_dir / "vaults" / record.id)
