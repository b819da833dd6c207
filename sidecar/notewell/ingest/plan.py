"""Compares the notes of a source with the index and plans what to read, move and remove."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from notewell.types import ExcludedFile, FileRef, LedgerEntry, ManifestEntry, Walk
from notewell.vault.readers import is_readable

# If more notes than this number and this share of the vault are missing at once, the cause is
# probably a drive that is not mounted, not a deletion on purpose.
GUARD_COUNT = 50
GUARD_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Move:
    """A note whose file was found at another path with the same content."""

    entry: ManifestEntry
    file: FileRef


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a run, each list in its order of execution."""

    read: tuple[FileRef, ...]  # new or changed, newest first
    moves: tuple[Move, ...]
    removes: tuple[str, ...]  # notes and ledger entries whose files are gone
    excluded: tuple[ExcludedFile, ...]  # not yet recorded so
    guarded: tuple[str, ...] = ()  # missing, but not removed until a person confirms


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
    """Plan the changes that bring the index up to date.

    `hash_of` returns the content hash of a file, or None if it cannot be read; it is only called
    for new files with the size of a missing note. `total` is the number of notes in the index if
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
    """The paths that must not be removed, because too many are missing at once; else ()."""
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
    # Read before and excluded (binary, too large): it is only read again if it has changed.
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
        # All empty files have the same hash.
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
