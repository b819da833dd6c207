"""Compares the notes of a source with the index and plans what to read, move and remove.

Two checks keep notes indexed that only seem to be gone: the removal guard, which waits for a person
where very many are missing at once, and the identity of a vault, which its notes prove. Neither the
path nor the inode of a folder does: vaults are moved between disks and computers, and the inode of
a deleted folder is used again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from notewell.base.errors import AnotherVaultError, UnreadableNoteError, VaultError
from notewell.base.types import (
    ExcludedFile,
    FileRef,
    LedgerEntry,
    ManifestEntry,
    VaultRecord,
    VaultRules,
    Walk,
)
from notewell.base.types.frozen import frozen
from notewell.index.port import Index, IndexReader
from notewell.vault import files
from notewell.vault.conflicts import CONFLICT_COPY, original_names
from notewell.vault.evicted import NOT_HERE, NOT_HERE_REASON
from notewell.vault.paths import is_document
from notewell.vault.read_notes import content_hash, is_ordinary
from notewell.vault.readers import is_markdown, is_readable
from notewell.vault.readers.process import TOO_SLOW

# Rules that leave a file out for what is in it, which is known once it was read.
NOT_NOTES = ("binary", "too_large", "encrypted")
USUAL_BYTES = 64 * 1024  # few notes are larger

# Up to this many notes may always go, unless they are all there are.
FEW = 4
# More notes than the count, and more than the share of all notes, are too many at once: of a small
# vault more than half, of a large one more than a fifth.
LIMITS = ((FEW, 0.5), (50, 0.2))

_HELD = "guard"

# The number of notes compared, and how many have to be equal. A few equal notes prove nothing:
# every new vault of Obsidian contains the same one.
SAMPLE = 64
FEWEST = 3
ALIKE = 0.5

# If no more than this share of the indexed notes is left, and no more than FEW in a small vault
# (a note like "Welcome" is in many vaults), the folder may be another vault.
LEFT = 0.05

_OWNER = "vault"


@frozen
class MovedNote:
    """A note whose file was found at another path with the same content."""

    entry: ManifestEntry
    file: FileRef


@frozen
class Plan:
    """The work of a run, each list in its order of execution."""

    read: tuple[FileRef, ...]  # new or changed, newest first
    moves: tuple[MovedNote, ...]
    removes: tuple[str, ...]  # notes and ledger entries whose files are gone
    excluded: tuple[ExcludedFile, ...]  # not yet recorded so
    guarded: tuple[str, ...] = ()  # missing, but not removed until a person confirms
    forgets: tuple[str, ...] = ()  # ledger entries of files that are gone and were never notes
    told: tuple[LedgerEntry, ...] = ()  # of unchanged notes, with what was learned of their files


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
    for new files with the size of a missing note, and for files that were replaced or written since
    they were read, with equal size and time, as `cp -p` and `rsync -t` do. `total` counts the notes
    in the index if the manifest is only a part of it; it is only called if a note is missing. Notes
    that have none of the endings `types` were switched off in the settings: they are removed
    without a guard, and so are documents outside the vault.
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
    lost = sorted(path for path in gone if path not in moved and path not in excluded)
    guarded: tuple[str, ...] = ()
    if lost and not confirm_removals:
        missed = _find_missed(lost, gone, manifest, types)
        notes = (not is_document(path) for path in manifest)
        guarded = guard(missed, sum(notes) if total is None else total())
    # A note that cannot be looked at just now, through a broken link, stays as it is.
    held = manifest.keys() - gone.keys()
    others = [item for item in walk.others if item.file.path not in held]
    listed = excluded.keys() | {item.file.path for item in others}
    stale = [
        path for path in ledger if missing(path) and path not in listed and path not in manifest
    ]
    forgets = [path for path in stale if ledger[path].state == "excluded"]
    removes = {path for path in gone if path in excluded} | (set(lost) - set(guarded))
    read, same = _compare(() if full else walk.files, manifest, ledger, hash_of)
    wanted = walk.files if full else _to_read(walk, read, ledger, moves)
    return Plan(
        read=_newest_first(wanted),
        moves=moves,
        removes=tuple(sorted((removes | set(stale)) - set(forgets))),
        excluded=tuple(item for item in (*walk.excluded, *others) if not _record(item, ledger)),
        guarded=guarded,
        forgets=tuple(sorted(forgets)),
        told=(*same, *_not_here(walk, manifest, ledger)),
    )


def _find_missed(
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


def _has_changed(
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


def _may_differ(
    file: FileRef, manifest: Mapping[str, ManifestEntry], ledger: Mapping[str, LedgerEntry]
) -> bool:
    """True if an indexed note may have been replaced by a file of the same size and time."""
    entry = ledger.get(file.path)
    return entry is not None and file.path in manifest and file.ctime_ns > entry.updated * 1e9 > 0


def _compare(
    found_files: Sequence[FileRef],
    manifest: Mapping[str, ManifestEntry],
    ledger: Mapping[str, LedgerEntry],
    hash_of: Callable[[FileRef], bytes | None],
) -> tuple[frozenset[str], tuple[LedgerEntry, ...]]:
    """The paths of files that are new or changed, and the entries of those that were compared.

    A full run passes no files: it reads all of them anyway.
    """
    read, same = set(), []
    for file in found_files:
        if _has_changed(file, manifest, ledger):
            read.add(file.path)
        elif _may_differ(file, manifest, ledger):
            if hash_of(file) == manifest[file.path].content_hash:
                same.append(ledger[file.path])
            else:
                read.add(file.path)
    return frozenset(read), tuple(same)


def _to_read(
    walk: Walk,
    changed: frozenset[str],
    ledger: Mapping[str, LedgerEntry],
    moves: Sequence[MovedNote],
) -> Iterator[FileRef]:
    """Yield the files that are new or changed, or have other conflict copies than before."""
    arrived = {move.file.path for move in moves}
    again = _with_other_copies(walk, ledger)
    again |= {move.file.path for move in moves if move.entry.path in again}
    for file in walk.files:
        if file.path in again or (file.path in changed and file.path not in arrived):
            yield file


def _with_other_copies(walk: Walk, ledger: Mapping[str, LedgerEntry]) -> frozenset[str]:
    """The paths of notes that may have other conflict copies than when they were read."""
    copies = {item.file.path: item for item in walk.excluded if item.rule == CONFLICT_COPY}
    before = {path for path, entry in ledger.items() if entry.rule == CONFLICT_COPY}
    changed = {path for path, item in copies.items() if not _record(item, ledger)}
    changed |= before - copies.keys()
    return frozenset(name for path in changed for name in original_names(path))


def _not_here(
    walk: Walk, manifest: Mapping[str, ManifestEntry], ledger: Mapping[str, LedgerEntry]
) -> Iterator[LedgerEntry]:
    """The entries of indexed notes whose files a synchroniser has taken away or brought back."""
    away = {item.file.path for item in walk.others if item.rule == NOT_HERE}
    for file in walk.files:
        away.discard(file.path)
        entry = ledger.get(file.path)
        if entry is not None and NOT_HERE_REASON in entry.warnings:
            others = tuple(text for text in entry.warnings if text != NOT_HERE_REASON)
            yield replace(entry, warnings=others)
    for path in sorted(away & manifest.keys() & ledger.keys()):
        if NOT_HERE_REASON not in ledger[path].warnings:
            yield replace(ledger[path], warnings=(*ledger[path].warnings, NOT_HERE_REASON))


def _record(item: ExcludedFile, ledger: Mapping[str, LedgerEntry]) -> bool:
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
) -> tuple[MovedNote, ...]:
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
        digest = hash_of(file)
        candidates = by_hash.get(digest, []) if digest is not None else []
        if candidates:
            entry = max(candidates, key=lambda candidate: _likeness(candidate.path, file.path))
            candidates.remove(entry)
            moves.append(MovedNote(entry, file))
    return tuple(moves)


def _likeness(old: str, new: str) -> tuple[bool, int]:
    """Same file name first, then the most folders in common."""
    ours, theirs = PurePosixPath(old), PurePosixPath(new)
    shared = len(set(ours.parent.parts) & set(theirs.parent.parts))
    return ours.name == theirs.name, shared


@frozen
class Guarded:
    """Many notes that are missing at once and stay indexed until a person confirms."""

    gone: int
    total: int
    since: float


def guard(lost: Sequence[str], total: int) -> tuple[str, ...]:
    """The paths that must not be removed, because too many are missing at once; else ().

    `total` is the number of notes in the index, those that are missing included.
    """
    gone = len(lost)
    everything = total <= gone and gone > 1  # one note is deleted by hand, even if it is the only
    if everything or any(gone > count and gone > share * total for count, share in LIMITS):
        return tuple(lost)
    return ()


def held_removal(index: IndexReader) -> Guarded | None:
    """The removal that waits for a person's decision, as the last run stored it."""
    stored = index.meta(_HELD)
    if not stored:
        return None
    held = json.loads(stored)
    return Guarded(gone=held["gone"], total=held["total"], since=held["since"])


def hold_removal(index: Index, held: Guarded | None) -> None:
    """Store that a removal waits, or that none does."""
    if held == held_removal(index):
        return
    stored = {"gone": held.gone, "total": held.total, "since": held.since} if held else None
    index.set_meta(_HELD, json.dumps(stored) if stored else "")


def is_same_vault(
    manifest: Mapping[str, ManifestEntry], root: Path, *, fewest: int = FEWEST
) -> bool:
    """True if `root` contains enough of the indexed notes, unchanged and at the same paths."""
    # Hashes are unrelated to the order of notes, so the smallest ones are a random sample.
    own = (entry for entry in manifest.values() if not is_document(entry.path))
    entries = sorted(own, key=lambda entry: entry.content_hash)
    sample = [entry for entry in entries if entry.size][:SAMPLE]
    same = sum(_is_there(entry, root) for entry in sample)
    return same >= fewest and same >= ALIKE * len(sample)


def _is_there(entry: ManifestEntry, root: Path) -> bool:
    try:
        file = files.stat(root, entry.path)
        if file.size != entry.size:
            return False
        rules = VaultRules(max_note_bytes=entry.size, max_document_bytes=entry.size)
        return content_hash(file, rules) == entry.content_hash
    except (UnreadableNoteError, VaultError, OSError):
        return False


def claim(index: Index, record: VaultRecord, *, writable: bool) -> None:
    """Check that the index belongs to this vault, and record that it does.

    An index folder that is copied with its vault has the id that another machine gave the vault.
    Raises AnotherVaultError if the index was made from other notes.
    """
    owner = index.meta(_OWNER)
    if owner == record.id:
        return
    manifest = index.manifest() if owner is not None else {}
    if manifest and not is_same_vault(manifest, record.path):
        raise AnotherVaultError(
            f"The index that {record.name} is set to use was made of another vault, none of whose"
            f" notes are in {record.path}. Give each vault an index folder of its own (setting"
            " `index_dir`; by default each has one)."
        )
    if writable:
        index.set_meta(_OWNER, record.id)


def check_not_replaced(
    plan: Plan, manifest: Mapping[str, ManifestEntry], present: Sequence[FileRef], place: str
) -> None:
    """Raise AnotherVaultError if hardly any indexed note is left and new ones took their place.

    Only checked if the guard applies, so not for confirmed removals.
    """
    if not plan.guarded:
        return
    present = [file for file in present if not is_document(file.path)]
    manifest = {path: entry for path, entry in manifest.items() if not is_document(path)}
    known = [(manifest[file.path], file) for file in present if file.path in manifest]
    new = len(present) - len(known) - len(plan.moves)
    left = len(plan.moves) + sum(entry.size == file.size for entry, file in known)
    if new > FEW and left <= max(min(FEW, len(manifest) // 4), LEFT * len(manifest)):
        raise AnotherVaultError(
            f"{place} holds {new:,} notes that are not in its index, and {left:,} of the"
            f" {len(manifest):,} that are: it looks like another vault. Nothing was changed. If"
            " the notes were meant to change like this, run `notewell index --confirm-removals`;"
            " if the vault has moved, `notewell index` with its new folder; if this is a new"
            " vault in an old place, `notewell vaults remove` the old one first.",
            gone=len(plan.guarded),
        )
