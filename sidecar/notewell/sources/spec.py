"""What a source of notes that is no folder vault is; says nothing of how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from notewell.types import VaultSource

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
        """What vaults of this source are called in the contract."""
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
