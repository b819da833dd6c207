"""The state of a source between syncs: its kind and place, and the result of the last sync.

It is kept in `source.json` of the source's folder, which a person can read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import orjson

from notewell.base.errors import SourceError
from notewell.base.support import disk
from notewell.base.types import VaultRecord, VaultSource

NAME = "source.json"
_FORMAT = 1
# `held`: pages are missing in great number, and stay until a person confirms that.
SyncState: TypeAlias = Literal["new", "ready", "incomplete", "held", "failed"]
Form: TypeAlias = Literal["roam", "roam-desktop", "roam-export", "logseq", "evernote", "text"]
OutlineKind: TypeAlias = Literal["roam", "logseq"]

# What the files of an export may be; pictures and the like are left out.
TYPES = (".md", ".markdown", ".txt", ".html", ".htm", ".csv", ".pdf", ".docx", ".canvas")


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Where the notes of a source come from. `graph` is its name at Roam or in Logseq.

    `place` is a file or folder, or the address of Roam's servers.
    """

    form: Form
    place: str
    graph: str = ""

    @property
    def kind(self) -> VaultSource:
        """The name of vaults of this source in the contract."""
        return _KINDS[self.form]

    @property
    def outline(self) -> OutlineKind:
        """The markup of its pages, if it has any."""
        return "logseq" if self.form == "logseq" else "roam"


_KINDS: Mapping[Form, VaultSource] = {
    "roam": "roam",
    "roam-desktop": "roam",
    "roam-export": "import",
    "logseq": "logseq",
    "evernote": "import",
    "text": "import",
}


def folder_of(record: VaultRecord) -> Path:
    """The folder of a vault's data, from where the notes that are kept here lie."""
    return record.path.parents[2] / "vaults" / record.id


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source and its last sync. `last` is in POSIX seconds, None before the first."""

    spec: SourceSpec
    state: SyncState = "new"
    last: float | None = None
    error: str | None = None
    held: int = 0

    def ended(
        self, state: SyncState, last: float, *, error: str | None = None, held: int = 0
    ) -> SourceState:
        """The state after a sync."""
        return replace(self, state=state, last=last, error=error, held=held)


def load(folder: Path) -> SourceState:
    """Read the state of the source in `folder`. Raises SourceError if it cannot be read."""
    try:
        stored = orjson.loads((folder / NAME).read_bytes())
        spec = SourceSpec(stored["form"], stored["place"], stored["graph"])
        found = SourceState(spec, stored["state"], stored["last"], stored["error"], stored["held"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(
            f"{folder / NAME} cannot be read ({error}); remove the source and add it again"
        ) from error
    if spec.form not in get_args(Form) or found.state not in get_args(SyncState):
        raise SourceError(f"{folder / NAME} is of another version of Notewell; update it")
    return found


def save(folder: Path, state: SourceState) -> None:
    """Write the state of a source. Raises OSError."""
    stored = {"format": _FORMAT, **asdict(state.spec), **asdict(state)}
    del stored["spec"]
    disk.replace(folder / NAME, orjson.dumps(stored, option=orjson.OPT_INDENT_2))
