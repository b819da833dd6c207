"""Compares the notes of a source with the index and plans what to read, move and remove."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from notewell.base.types import ExcludedFile, FileRef, LedgerEntry, ManifestEntry, Walk
from notewell.base.types.frozen import frozen
from notewell.engine.ingest.removal_guard import guard
from notewell.vault.files import is_ordinary
from notewell.vault.paths import is_document
from notewell.vault.readers import is_markdown, is_readable
from notewell.vault.readers.process import TOO_SLOW

# Rules that leave a file out for what is in it, which is known once it was read.
NOT_NOTES = ("binary", "too_large", "encrypted")
USUAL_BYTES = 64 * 1024  # few notes are larger


@frozen
class Move:
    """A note whose file was found at another path with the same content."""

    entry: ManifestEntry
    file: FileRef


@frozen
class Plan:
    """The work of a run, each list in its order of execution."""

    read: tuple[FileRef, ...]  # new or changed, newest first
    moves: tuple[Move, ...]
    removes: tuple[str, ...]  # notes and ledger entries whose files are gone
    excluded: tuple[ExcludedFile, ...]  # not yet recorded so
    guarded: tuple[str, ...] = ()  # missing, but not removed until a person confirms
    forgets: tuple[str, ...] = ()  # ledger entries of files that are gone and were never notes


def plan_changes(
    walk: Walk,
    manifest: Mapping[str, ManifestEntry],
    ledger: Mapping[str, LedgerEntry],
    *,
    full: bool,
    hash_of: Callable[[FileRef], bytes | None],
    total: Callable[[], int] | None = None,
    confirm_removals: bool = False,
    types: tuple[str, ...] | None = None,
) -> Plan:
    """Plan the changes that bring the index up to date.

    `hash_of` returns the content hash of a file, or None if it cannot be read; it is only called
    for new files with the size of a missing note. `total` counts the notes in the index if the
    manifest is only a part of it; it is only called if a note is missing. Notes that have none of
    the endings `types` were switched off in the settings: they are removed without a guard, and so
    are documents outside the vault.
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
    guarded: tuple[str, ...] = ()
    if lost and not confirm_removals:
        missed = _missed(lost, gone, manifest, types)
        guarded = guard(missed, _own_notes(manifest) if total is None else total())
    # A note that cannot be looked at just now, through a broken link, stays as it is.
    others = [
        item for item in walk.others if item.file.path not in manifest or missing(item.file.path)
    ]
    listed = excluded.keys() | {item.file.path for item in others}
    stale = [
        path for path in ledger if missing(path) and path not in listed and path not in manifest
    ]
    forgets = [path for path in stale if ledger[path].state == "excluded"]
    removes = {path for path in gone if path in excluded} | (set(lost) - set(guarded))
    return Plan(
        read=_newest_first(
            file
            for file in walk.files
            if full or (file.path not in arrived and _changed(file, manifest, ledger))
        ),
        moves=moves,
        removes=tuple(sorted((removes | set(stale)) - set(forgets))),
        excluded=tuple(item for item in (*walk.excluded, *others) if not _recorded(item, ledger)),
        guarded=guarded,
        forgets=tuple(sorted(forgets)),
    )


def _missed(
    lost: Sequence[str],
    gone: Collection[str],
    manifest: Mapping[str, ManifestEntry],
    types: tuple[str, ...] | None,
) -> list[str]:
    """The lost notes that a person may miss.

    A note is not missed if another one has its content, as after a move that was seen in two
    halves, if its type was switched off, or if it is a document outside the vault.
    """
    kept = {entry.content_hash for path, entry in manifest.items() if path not in gone}
    return [
        path
        for path in lost
        if manifest[path].content_hash not in kept
        and (types is None or is_readable(path, types))
        and not is_document(path)
    ]


def _own_notes(manifest: Iterable[str]) -> int:
    return sum(not is_document(path) for path in manifest)


def _changed(
    file: FileRef, manifest: Mapping[str, ManifestEntry], ledger: Mapping[str, LedgerEntry]
) -> bool:
    known = manifest.get(file.path)
    entry = ledger.get(file.path)
    if entry is not None and entry.state in {"pending", "failed"}:
        # What was too slow would be again, and hold up the others.
        same = (entry.size, entry.mtime_ns) == (file.size, file.mtime_ns)
        return not (same and entry.rule == TOO_SLOW)
    if known is not None:
        return (known.size, known.mtime_ns) != (file.size, file.mtime_ns)
    if entry is None or entry.state != "excluded":
        return True
    if entry.rule is not None and entry.rule not in NOT_NOTES:
        return True  # a rule about its path left it out, which no longer does
    # Read before and excluded: it is only read again if it has changed.
    return (entry.size, entry.mtime_ns) != (file.size, file.mtime_ns)


def _recorded(item: ExcludedFile, ledger: Mapping[str, LedgerEntry]) -> bool:
    entry = ledger.get(item.file.path)
    return (
        entry is not None
        and (entry.state, entry.rule, entry.reason) == ("excluded", item.rule, item.reason)
        and (entry.size, entry.mtime_ns) == (item.file.size, item.file.mtime_ns)
    )


def cost(file: FileRef) -> int:
    """The order in which files are read: notes of usual size first, then by type and size."""
    kind = 2 if not is_ordinary(file) else 0 if is_markdown(file.path) else 1
    return kind + (file.size // USUAL_BYTES).bit_length()


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
