"""Compare a walk of the vault with what the index holds: what to read, move, remove, record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from notewell.types import ExcludedFile, FileRef, LedgerEntry, ManifestEntry, Walk
from notewell.vault.readers import is_readable

# More notes than this gone at once, and more than this share of the vault, is taken for a drive
# that is not mounted rather than for a person's wish.
GUARD_COUNT = 50
GUARD_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Move:
    """A file that is found elsewhere with the same content."""

    entry: ManifestEntry
    file: FileRef


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be done, each list in the order it should be done in."""

    read: tuple[FileRef, ...]  # new or changed, newest first
    moves: tuple[Move, ...]
    removes: tuple[str, ...]  # notes and ledger entries whose files are gone
    excluded: tuple[ExcludedFile, ...]  # not yet recorded so
    guarded: tuple[str, ...] = ()  # gone, but kept until a person confirms


def plan_changes(
    walk: Walk,
    manifest: Mapping[str, ManifestEntry],
    ledger: Mapping[str, LedgerEntry],
    *,
    full: bool,
    hash_of: Callable[[FileRef], bytes | None],
    total: int | None = None,
    confirm_removals: bool = False,
    types: tuple[str, ...] | None = None,
) -> Plan:
    """Say what brings the index in step with the folder.

    `hash_of` reads a file for its content hash, None where it cannot; it is asked only for new
    files of a size that a vanished note has. `total` is the number of notes in the index, where
    the manifest is only a part of it. Notes that have none of the endings `types` were switched off
    in the settings: they are removed without a guard.
    """
    present = {file.path for file in walk.files}
    excluded = {item.file.path: item for item in walk.excluded}
    hidden = tuple(f"{place}/" for place in walk.unread)

    def missing(path: str) -> bool:
        return path not in present and not f"{path}/".startswith(hidden)

    gone = {path: entry for path, entry in manifest.items() if missing(path)}
    new = [file for file in walk.files if file.path not in manifest]
    vanished = [entry for path, entry in gone.items() if path not in excluded]
    moves = _find_moves(vanished, new, hash_of)
    moved = {move.entry.path for move in moves}
    arrived = {move.file.path for move in moves}
    lost = sorted(path for path in gone if path not in moved and path not in excluded)
    missed = [path for path in lost if types is None or is_readable(path, types)]
    guarded = () if confirm_removals else guard(missed, len(manifest) if total is None else total)
    stale = [
        path for path in ledger if missing(path) and path not in excluded and path not in manifest
    ]
    removes = [path for path in lost if path not in guarded]
    removes += [path for path in gone if path in excluded]
    return Plan(
        read=_newest_first(
            file
            for file in walk.files
            if full or (file.path not in arrived and _changed(file, manifest, ledger))
        ),
        moves=moves,
        removes=tuple(sorted({*removes, *stale})),
        excluded=tuple(item for item in walk.excluded if not _recorded(item, ledger)),
        guarded=guarded,
    )


def guard(lost: Sequence[str], total: int) -> tuple[str, ...]:
    """The paths to keep when too many are gone at once, else nothing."""
    if len(lost) > GUARD_COUNT and len(lost) > GUARD_SHARE * total:
        return tuple(lost)
    return ()


def _changed(
    file: FileRef, manifest: Mapping[str, ManifestEntry], ledger: Mapping[str, LedgerEntry]
) -> bool:
    known = manifest.get(file.path)
    entry = ledger.get(file.path)
    if entry is not None and entry.state in {"pending", "failed"}:
        return True
    if known is not None:
        return (known.size, known.mtime_ns) != (file.size, file.mtime_ns)
    if entry is None or entry.state != "excluded":
        return True
    # Read before and found to be no note (binary, too large): only a changed file is read again.
    return (entry.size, entry.mtime_ns) != (file.size, file.mtime_ns)


def _recorded(item: ExcludedFile, ledger: Mapping[str, LedgerEntry]) -> bool:
    entry = ledger.get(item.file.path)
    return (
        entry is not None
        and (entry.state, entry.rule, entry.reason) == ("excluded", item.rule, item.reason)
        and (entry.size, entry.mtime_ns) == (item.file.size, item.file.mtime_ns)
    )


def _newest_first(files: Iterable[FileRef]) -> tuple[FileRef, ...]:
    return tuple(sorted(files, key=lambda file: (-file.mtime_ns, file.path)))


def _find_moves(
    vanished: Sequence[ManifestEntry],
    new: Sequence[FileRef],
    hash_of: Callable[[FileRef], bytes | None],
) -> tuple[Move, ...]:
    if not vanished:
        return ()
    sizes = {entry.size for entry in vanished}
    by_hash: dict[bytes, list[ManifestEntry]] = defaultdict(list)
    for entry in vanished:
        by_hash[entry.content_hash].append(entry)
    moves = []
    for file in new:
        # A file of no bytes says nothing about where it came from.
        if file.size == 0 or file.size not in sizes:
            continue
        found = hash_of(file)
        candidates = by_hash.get(found, []) if found is not None else []
        if candidates:
            entry = max(candidates, key=lambda candidate: _likeness(candidate.path, file.path))
            candidates.remove(entry)
            moves.append(Move(entry, file))
    return tuple(moves)


def _likeness(old: str, new: str) -> tuple[bool, int]:
    """Same file name first, then the most folders in common."""
    ours, theirs = PurePosixPath(old), PurePosixPath(new)
    shared = len(set(ours.parent.parts) & set(theirs.parent.parts))
    return ours.name == theirs.name, shared
