"""Which vaults this machine knows, where their indexes live, and which are open.

The registry is `vaults.json` in the data directory. A vault's id is made once and stays with its
real path; its name is its folder's, `-2` and so on behind it where another has it already.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
from filelock import FileLock, Timeout

from recollect.errors import ConfigError, NotFoundError, RecollectError, UsageError
from recollect.types import Settings, VaultRecord

if TYPE_CHECKING:
    from recollect.engine import Engine

REGISTRY = "vaults.json"
FORMAT = 1
_LOCK_SECONDS = 10


def _quiet(_: str) -> None:
    """Say nothing."""


class Vaults:
    """The known vaults and their engines, each engine opened once."""

    def __init__(
        self,
        settings: Settings,
        *,
        for_vault: Callable[[Path], Settings] | None = None,
        fetch_missing: bool = False,
        say: Callable[[str], None] = _quiet,
    ) -> None:
        """`for_vault` gives the settings with a vault's own file merged in."""
        self._settings = settings
        self._for_vault = for_vault or (lambda _: settings)
        self._fetch_missing = fetch_missing
        self._say = say
        self._engines: dict[str, Engine] = {}

    # --- the registry ----------------------------------------------------------------------

    def records(self) -> tuple[VaultRecord, ...]:
        """All known vaults, in the order they became known."""
        return _read(self._file)

    def add(self, folder: Path, *, name: str | None = None) -> VaultRecord:
        """Make a folder a known vault, or give its record when it is one."""
        path = _real_folder(folder)
        with self._changing() as records:
            for record in records:
                if record.path == path:
                    return record
            wanted = name or path.name or "vault"
            record = VaultRecord(
                id=secrets.token_hex(6),
                name=_free_name(wanted, {known.name.casefold() for known in records}),
                path=path,
                default=not records,
            )
            records.append(record)
        return record

    def add_mirror(self, name: str) -> VaultRecord:
        """Make a vault that clients fill, or give its record when there is one of that name.

        Its folder lies in the data directory. UsageError where a folder has the name already.
        """
        with self._changing() as records:
            known = next((r for r in records if r.name.casefold() == name.casefold()), None)
            if known is not None and known.source == "mirror":
                return known
            if known is not None or not name.strip():
                raise UsageError(f"a mirror cannot be called '{name}': choose another name")
            record = _mirror_record(self._mirrors, name, default=not records)
            record.path.mkdir(parents=True)
            records.append(record)
        return record

    def find(self, word: str | None, *, cwd: Path) -> VaultRecord:
        """The vault that `word` names (id, name or folder).

        Without a word: the one that `cwd` lies in, the only one, or the default.
        """
        records = self.records()
        if word is not None:
            found = _named(records, word, cwd)
        else:
            found = _around(records, cwd) or _obvious(records)
        if found is None:
            raise NotFoundError(_not_found(records, word))
        return found

    def set_default(self, record: VaultRecord) -> None:
        """Make `record` the vault that is meant when none is named."""
        with self._changing() as records:
            records[:] = [replace(known, default=known.id == record.id) for known in records]

    def remove(self, record: VaultRecord, *, delete_data: bool) -> None:
        """Forget a vault; with `delete_data` also its index, and a mirror's copy of the notes.

        Notes that are a person's own are never touched.
        """
        engine = self._engines.pop(record.id, None)
        if engine is not None:
            engine.close()
        directory = self.directory(record)
        with self._changing() as records:
            if delete_data and directory.exists():
                _delete_index(directory)
            if delete_data and record.source == "mirror":
                _delete_mirror(self._mirrors, record)
            records[:] = [known for known in records if known.id != record.id]
            if records and not any(known.default for known in records):
                records[0] = replace(records[0], default=True)

    # --- engines ---------------------------------------------------------------------------

    def settings(self, record: VaultRecord) -> Settings:
        """The settings that hold for one vault."""
        return self._for_vault(record.path)

    def directory(self, record: VaultRecord) -> Path:
        """Where the index of a vault lives."""
        chosen = self.settings(record).index_dir
        return chosen if chosen is not None else self._settings.data_dir / "vaults" / record.id

    def open(self, record: VaultRecord, *, writable: bool) -> Engine:
        """The engine of a vault, opened at first asking and kept."""
        # Half of the time of a command that asks a running server would go into loading it.
        from recollect.engine import Engine  # noqa: PLC0415

        if record.id not in self._engines:
            self._engines[record.id] = Engine.open(
                record,
                self.directory(record),
                self.settings(record),
                writable=writable,
                fetch_missing=self._fetch_missing,
                say=self._say,
            )
        return self._engines[record.id]

    def opened(self) -> tuple[Engine, ...]:
        """The engines that are open."""
        return tuple(self._engines.values())

    def close(self) -> None:
        """Close all engines."""
        while self._engines:
            self._engines.popitem()[1].close()

    # --- the file --------------------------------------------------------------------------

    @property
    def _mirrors(self) -> Path:
        return Path(os.path.realpath(self._settings.data_dir)) / "mirrors"

    @property
    def _file(self) -> Path:
        return self._settings.data_dir / REGISTRY

    @contextmanager
    def _changing(self) -> Iterator[list[VaultRecord]]:
        """The records to change in place; written back when the block ends well."""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._file}.lock", timeout=_LOCK_SECONDS):
                before = _read(self._file)
                records = list(before)
                yield records
                if tuple(records) != before:
                    _write(self._file, records)
        except Timeout as error:
            raise RecollectError(f"{self._file} is locked by another process; try again") from error
        except OSError as error:
            raise ConfigError(
                f"the data directory {self._file.parent} cannot be written: {error}; "
                "choose another with --data-dir"
            ) from error


def _read(file: Path) -> tuple[VaultRecord, ...]:
    try:
        stored = orjson.loads(file.read_bytes())
        return tuple(
            VaultRecord(
                id=item["id"],
                name=item["name"],
                path=Path(item["path"]),
                source=item["source"],
                default=item["default"],
            )
            for item in stored["vaults"]
        )
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{file} cannot be read ({error}); mend it or move it away and add the vaults again"
        ) from error


def _write(file: Path, records: list[VaultRecord]) -> None:
    stored = {
        "format": FORMAT,
        "vaults": [
            {
                "id": record.id,
                "name": record.name,
                "path": str(record.path),
                "source": record.source,
                "default": record.default,
            }
            for record in records
        ],
    }
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(orjson.dumps(stored, option=orjson.OPT_INDENT_2))
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _real_folder(folder: Path) -> Path:
    try:
        path = folder.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise NotFoundError(f"there is no folder {folder}: {error}") from error
    if not path.is_dir():
        raise UsageError(f"{folder} is a file; name the vault's folder")
    return path


def _mirror_record(mirrors: Path, name: str, *, default: bool) -> VaultRecord:
    vault_id = secrets.token_hex(6)
    path = mirrors / vault_id / "vault"
    return VaultRecord(vault_id, name.strip(), path, source="mirror", default=default)


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name


def _named(records: tuple[VaultRecord, ...], word: str, cwd: Path) -> VaultRecord | None:
    for record in records:
        if word in {record.id, record.name}:
            return record
    for record in records:
        if word.casefold() == record.name.casefold():
            return record
    path = (cwd / Path(word).expanduser()).resolve()
    return next((record for record in records if record.path == path), None)


def _around(records: tuple[VaultRecord, ...], cwd: Path) -> VaultRecord | None:
    inside = [record for record in records if cwd.resolve().is_relative_to(record.path)]
    return max(inside, key=lambda record: len(record.path.parts), default=None)


def _obvious(records: tuple[VaultRecord, ...]) -> VaultRecord | None:
    if len(records) == 1:
        return records[0]
    return next((record for record in records if record.default), None)


def _not_found(records: tuple[VaultRecord, ...], word: str | None) -> str:
    if not records:
        return "no vault is known yet; run `recollect index FOLDER` first"
    known = ", ".join(record.name for record in records)
    if word is None:
        return f"which vault? Name one with --vault; known: {known}"
    return f"no vault '{word}'; known: {known}. A new folder is added by `recollect index FOLDER`"


def _delete_index(directory: Path) -> None:
    """Delete an index folder, and nothing that does not look like one."""
    if not any((directory / name).exists() for name in ("lock", "recollect.db")):
        return
    shutil.rmtree(directory)


def _delete_mirror(mirrors: Path, record: VaultRecord) -> None:
    """Delete the folder that a mirror's clients filled, and nothing that lies elsewhere."""
    if record.path == mirrors / record.id / "vault":
        shutil.rmtree(mirrors / record.id, ignore_errors=True)
