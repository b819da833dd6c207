"""The list of known vaults as JSON: read, checked, and made again from what lies beside indexes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast, get_args

import orjson

from notewell.base.support import disk
from notewell.base.types import VaultRecord, VaultSource
from notewell.base.types.values import VAULTS

# The folder of the data directory with the notes of vaults that clients fill, or are converted.
MIRRORS = "mirrors"
RECORD = "vault.json"  # in the folder of what belongs to a vault
_SOURCE = "source.json"  # likewise, of vaults whose notes are converted
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """The contents of the list. `notice` says what happened to it, until its next change."""

    records: tuple[VaultRecord, ...] = ()
    notice: str | None = None


def encode(listed: Listed) -> bytes:
    """Write the list as it is stored."""
    notice = {} if listed.notice is None else {"notice": listed.notice}
    stored = {"format": FORMAT, "vaults": [_to_json(record) for record in listed.records], **notice}
    return orjson.dumps(stored, option=orjson.OPT_INDENT_2)


def decode(content: bytes) -> Listed:
    """Read a stored list. Raises ValueError where anything in it is not as it was written."""
    match orjson.loads(content):
        case {"vaults": list(items), **others}:
            records = tuple(map(_record, items))
        case _:
            raise ValueError("it holds no list of vaults")
    if len({record.id for record in records}) < len(records):
        raise ValueError("two vaults have the same id")
    notice = others.get("notice")
    return Listed(records, notice if isinstance(notice, str) else None)


def _to_json(record: VaultRecord) -> dict[str, object]:
    return {
        "id": record.id,
        "name": record.name,
        "path": str(record.path),
        "source": record.source,
        "default": record.default,
    }


def _record(item: object) -> VaultRecord:
    match item:
        case {
            "id": str(vault),
            "name": str(name),
            "path": str(path),
            "source": str(source),
            "default": bool(default),
        }:
            known = source in get_args(VaultSource) and name and path and "\0" not in path
            if known and vault and vault == Path(vault).name:  # which names a folder
                kind = cast("VaultSource", source)
                return VaultRecord(vault, name, Path(path), source=kind, default=default)
    raise ValueError("the record of a vault is not complete")


def keep_records(data_dir: Path, records: Iterable[VaultRecord]) -> None:
    """Write the record of each vault beside its index, where another one lies there. OSError."""
    for record in records:
        content = orjson.dumps(_to_json(record), option=orjson.OPT_INDENT_2)
        write_if_changed(record.data_folder(data_dir) / RECORD, content)


def forget(data_dir: Path, record: VaultRecord) -> None:
    """Delete the record of a vault that is not known any more, and its folder if that is empty."""
    folder = record.data_folder(data_dir)
    with suppress(OSError):  # it stays where the list and its copy are lost as well
        (folder / RECORD).unlink(missing_ok=True)
        folder.rmdir()


def write_if_changed(file: Path, content: bytes) -> None:
    """Replace a file that has another content. Raises OSError."""
    try:
        same = file.read_bytes() == content
    except FileNotFoundError:
        same = False
    if not same:
        disk.replace(file, content, durable=True)


def is_any(data_dir: Path) -> bool:
    """True if the record of any vault lies beside its index."""
    return next((data_dir / VAULTS).glob(f"*/{RECORD}"), None) is not None


def rebuilt(data_dir: Path) -> tuple[tuple[VaultRecord, ...], tuple[VaultRecord, ...]]:
    """Make the records again from what lies in the folders of vaults.

    Returns all, and among them those of which not even the folder of notes is known: their index
    is found again by its notes when the folder is added. A vault that was forgotten has no record.
    """
    folders = [folder for folder in (data_dir / VAULTS).glob("*") if folder.is_dir()]
    noted = is_any(data_dir)  # an earlier version wrote none
    known: list[VaultRecord] = []
    unknown: list[VaultRecord] = []
    for folder in folders:
        noted_record = _read_noted(folder)
        if noted_record is not None:
            known.append(noted_record)
        elif not noted or (folder / RECORD).exists():
            derived = _derive(data_dir, folder)
            (unknown if derived.source == "folder" else known).append(derived)
    names = sorted([*known, *unknown], key=lambda record: record.name.casefold())
    return _with_one_default(names), tuple(unknown)


def _read_noted(folder: Path) -> VaultRecord | None:
    try:
        record = _record(orjson.loads((folder / RECORD).read_bytes()))
    except (OSError, ValueError):
        return None
    return record if record.id == folder.name else None  # a copy of another vault's folder


def _derive(data_dir: Path, folder: Path) -> VaultRecord:
    """Return what the folders say of a vault: the place of notes that are kept here, no name."""
    vault = folder.name
    notes = data_dir.resolve() / MIRRORS / vault / "vault"
    if not notes.is_dir():
        # No folder of notes has this path, so `notewell index FOLDER` finds that it has moved.
        return VaultRecord(vault, vault, folder.resolve() / vault)
    return VaultRecord(vault, vault, notes, source=_kind(folder))


def _kind(folder: Path) -> VaultSource:
    """The kind of a vault whose notes are kept here, by the file that its source leaves there."""
    try:
        form = orjson.loads((folder / _SOURCE).read_bytes())["form"]
    except (OSError, ValueError, KeyError, TypeError):
        return "mirror"
    kinds: Mapping[object, VaultSource] = {
        "roam": "roam",
        "roam-desktop": "roam",
        "logseq": "logseq",
    }
    return kinds.get(form, "import")


def _with_one_default(records: Sequence[VaultRecord]) -> tuple[VaultRecord, ...]:
    first = next(
        (record.id for record in records if record.default), records[0].id if records else ""
    )
    return tuple(replace(record, default=record.id == first) for record in records)
