"""Checks by the content of notes whether a folder is the vault that an index was made from.

Neither the path nor the inode of a folder identifies a vault: vaults are moved between disks and
computers, and the inode of a deleted folder is used again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from notewell.base.errors import AnotherVaultError, UnreadableNoteError, VaultError
from notewell.base.types import FileRef, ManifestEntry, VaultRecord, VaultRules
from notewell.engine.ingest.plan import Plan
from notewell.engine.ingest.removal_guard import FEW
from notewell.index.port import Index
from notewell.vault import files
from notewell.vault.files import content_hash
from notewell.vault.paths import is_document

# The number of notes compared, and how many have to be equal. A few equal notes prove nothing:
# every new vault of Obsidian contains the same one.
SAMPLE = 64
FEWEST = 3
ALIKE = 0.5

# If no more than this share of the indexed notes is left, and no more than FEW in a small vault
# (a note like "Welcome" is in many vaults), the folder may be another vault.
LEFT = 0.05

_OWNER = "vault"


def is_same_vault(manifest: Mapping[str, ManifestEntry], root: Path) -> bool:
    """Whether `root` contains enough of the indexed notes, unchanged and at the same paths."""
    # Hashes are unrelated to the order of notes, so the smallest ones are a random sample.
    own = (entry for entry in manifest.values() if not is_document(entry.path))
    entries = sorted(own, key=lambda entry: entry.content_hash)
    sample = [entry for entry in entries if entry.size][:SAMPLE]
    same = sum(_is_there(entry, root) for entry in sample)
    return same >= FEWEST and same >= ALIKE * len(sample)


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
    plan: Plan, manifest: Mapping[str, ManifestEntry], found: Sequence[FileRef], place: str
) -> None:
    """Raise AnotherVaultError if hardly any indexed note is left and new ones took their place.

    Only checked if the guard applies, so not for confirmed removals.
    """
    if not plan.guarded:
        return
    found = [file for file in found if not is_document(file.path)]
    manifest = {path: entry for path, entry in manifest.items() if not is_document(path)}
    known = [(manifest[file.path], file) for file in found if file.path in manifest]
    new = len(found) - len(known) - len(plan.moves)
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
