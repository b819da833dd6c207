"""Whether a folder is the vault that an index was made of, told by the content of its notes.

Neither the path nor the file system's number of a folder says so: a vault moves between disks and
computers, and the number of a deleted folder is soon another's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from notewell.errors import AnotherVaultError, UnreadableNoteError, VaultError
from notewell.index.embedded.index import Index
from notewell.ingest.plan import GUARD_COUNT, Plan
from notewell.types import FileRef, ManifestEntry, VaultRecord, VaultRules
from notewell.vault import files
from notewell.vault.read_note import content_hash

# Notes looked at, and how many of them have to be the same. A few equal notes say nothing: every
# new vault of Obsidian has the same one.
SAMPLE = 64
FEWEST = 3
ALIKE = 0.5

# Of the notes once indexed, what may be left for the folder to count as another vault's.
LEFT = 0.05

_OWNER = "vault"


def is_same_vault(manifest: Mapping[str, ManifestEntry], root: Path) -> bool:
    """Whether `root` holds enough of the indexed notes, unchanged and in their places."""
    # Hashes are in no order of the vault's, so the least of them are a fair sample.
    entries = sorted(manifest.values(), key=lambda entry: entry.content_hash)
    sample = [entry for entry in entries if entry.size][:SAMPLE]
    same = sum(_is_there(entry, root) for entry in sample)
    return same >= FEWEST and same >= ALIKE * len(sample)


def _is_there(entry: ManifestEntry, root: Path) -> bool:
    try:
        file = files.stat(root, entry.path)
        if file.size != entry.size:
            return False
        rules = VaultRules(max_note_bytes=entry.size)
        return content_hash(file, rules) == entry.content_hash
    except (UnreadableNoteError, VaultError, OSError):
        return False


def claim(index: Index, record: VaultRecord, *, writable: bool) -> None:
    """Make sure that the index is this vault's; a new one, or one brought along, becomes so.

    An index folder that travels with its vault comes with the id that another machine gave it.
    Raises AnotherVaultError where the index was made of other notes.
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
    plan: Plan, manifest: Mapping[str, ManifestEntry], found: Sequence[FileRef], place: str
) -> None:
    """Raise AnotherVaultError where hardly a note is left and many others are there instead.

    Only where the guard holds removals back: small vaults, and what a person confirmed, pass.
    """
    if not plan.guarded:
        return
    known = [(manifest[file.path], file) for file in found if file.path in manifest]
    new = len(found) - len(known) - len(plan.moves)
    left = len(plan.moves) + sum(entry.size == file.size for entry, file in known)
    if new > GUARD_COUNT and left <= LEFT * len(manifest):
        raise AnotherVaultError(
            f"{place} holds {new:,} notes that are not in its index, and {left:,} of the"
            f" {len(manifest):,} that are: it looks like another vault. Nothing was changed. If"
            " the notes were meant to change like this, run `notewell index --confirm-removals`;"
            " if the vault has moved, `notewell index` with its new folder; if this is a new"
            " vault in an old place, `notewell vaults remove` the old one first.",
            gone=len(plan.guarded),
        )
