"""The manifest of a backup: which members it has, and checks that they are what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import get_args

from notewell.api.errors import NotewellError
from notewell.api.notes import check_name, hides
from notewell.base.errors import BackupError, ServerError
from notewell.base.support.plain_tar import Member, TarForm
from notewell.base.types import VaultSource
from notewell.contract.codec import from_json, to_json
from notewell.engine import feature, open_vaults
from notewell.features import FEATURES

FORMAT = 1
MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 256 * 1024 * 1024  # a mirror may have very many notes
SETTINGS = "settings.toml"
# The databases of a vault: the name in the backup, which is also that in the vault's data folder.
DATABASES = (*open_vaults.DATABASES, *feature.databases(FEATURES))
FILES = feature.files(FEATURES)  # other files of a vault that are state, in its folder
NOTES = "notes"  # of a mirror, numbered, because the path of a note can be any text
_VAULT = r"vaults/[0-9a-f]{12}"
_OF_VAULT = "|".join(
    [
        *(re.escape(name).replace(r"\*", "[0-9a-f]+") for name in (*DATABASES, *FILES)),
        NOTES + r"/[0-9]{7}",
    ]
)
BACKUP = TarForm(
    what="backup",
    names=re.compile(rf"manifest\.json|settings\.toml|{_VAULT}/(?:{_OF_VAULT})"),
    manifest=MANIFEST,
    max_members=2_000_000,
    error=BackupError,
)
_SOURCES = get_args(VaultSource)


@dataclass(frozen=True, slots=True)
class BackupPart:
    """A file of the backup. `path` and `mtime_ns` are those of a mirror's note, else empty."""

    name: str
    size: int
    sha256: str
    path: str = ""
    mtime_ns: int = 0

    @property
    def vault(self) -> str:
        """The id of its vault; "" for the settings."""
        return self.name.split("/")[1] if "/" in self.name else ""

    @property
    def below_vault(self) -> str:
        return self.name.split("/", 2)[2]

    @property
    def is_note(self) -> bool:
        """True if it is a note of a mirror."""
        return bool(self.vault) and self.below_vault.startswith(f"{NOTES}/")


@dataclass(frozen=True, slots=True)
class SavedVault:
    """A known vault, with its folder on the computer of the backup."""

    id: str
    name: str
    path: str
    source: VaultSource
    default: bool


@dataclass(frozen=True, slots=True)
class SavedDevice:
    """A device with access; times are POSIX seconds. Its secrets are not in a backup."""

    name: str
    scope: str
    created: float
    last_used: float | None


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """The contents of `manifest.json`. `made` is in POSIX seconds."""

    format: int
    version: str
    made: float
    logs: bool
    vectors: bool
    vaults: tuple[SavedVault, ...]
    devices: tuple[SavedDevice, ...]
    parts: tuple[BackupPart, ...]


@dataclass(frozen=True, slots=True)
class _BackupForm:
    """The part that every format of a manifest has."""

    format: int


def dump(manifest: BackupManifest) -> bytes:
    """The manifest as JSON."""
    return to_json(manifest)


def load(content: bytes, members: Mapping[str, Member]) -> BackupManifest:
    """Read a manifest and compare it with the members of its file.

    Raises BackupError if it is damaged, of another format, or does not fit them.
    """
    try:
        form = from_json(_BackupForm, content).format
        if form != FORMAT:
            raise BackupError(
                f"This backup has format {form}, but this version of Notewell reads {FORMAT}."
                " Update Notewell, then restore it.",
                code="backup_format",
            )
        manifest = from_json(BackupManifest, content)
    except ServerError as error:
        raise damage_error(f"its {MANIFEST} cannot be read") from error
    listed = {part.name: part.size for part in manifest.parts}
    present = {name: member.size for name, member in members.items() if name != MANIFEST}
    if len(listed) != len(manifest.parts) or listed != present:
        raise damage_error(f"its files are not the ones that its {MANIFEST} lists")
    _check_vaults(manifest)
    _check_notes(manifest)
    return manifest


def _check_vaults(manifest: BackupManifest) -> None:
    vaults = {vault.id: vault for vault in manifest.vaults}
    names = {vault.name.casefold() for vault in manifest.vaults}
    if len(vaults) != len(manifest.vaults) or len(names) != len(vaults):
        raise damage_error("two of its vaults have the same name or id")
    for vault in manifest.vaults:
        if not re.fullmatch(_VAULT, f"vaults/{vault.id}") or vault.source not in _SOURCES:
            raise damage_error(f"its {MANIFEST} cannot be read")
    for part in manifest.parts:
        if part.vault and part.vault not in vaults:
            raise damage_error(f"{part.name} belongs to none of its vaults")
        if part.is_note and vaults[part.vault].source == "folder":
            raise damage_error(f"{part.name} is a note of a vault whose notes are not in a backup")


def _check_notes(manifest: BackupManifest) -> None:
    """Each note of a mirror has a place of its own in the folder of its mirror."""
    places: Mapping[str, set[str]] = MappingProxyType(
        {vault.id: set() for vault in manifest.vaults}
    )
    for part in manifest.parts:
        if not part.is_note:
            continue
        try:
            check_name(part.path)
        except NotewellError as error:
            raise damage_error(f"the path of {part.name} is not one of a note") from error
        if hides(part.path) or part.path in places[part.vault]:
            raise damage_error(f"the path of {part.name} is not one of a note")
        places[part.vault].add(part.path)
    for paths in places.values():
        if any(str(above) in paths for path in paths for above in PurePosixPath(path).parents):
            raise damage_error("the path of a note is a folder of other notes")


def damage_error(what: str) -> BackupError:
    """The error for a damaged backup; `what` completes the message."""
    return BackupError(
        f"This backup is damaged: {what}. Nothing was changed; copy the file again, or use another"
        " backup."
    )
