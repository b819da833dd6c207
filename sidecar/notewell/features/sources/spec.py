"""The description of a source: its form, its place, and the markup of its pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from notewell.base.types import VaultSource

Form: TypeAlias = Literal["roam", "roam-desktop", "roam-export", "logseq", "evernote", "text"]
OutlineKind: TypeAlias = Literal["roam", "logseq"]
# What the files of an export may be; pictures and the like are left out.
TYPES = (".md", ".markdown", ".txt", ".html", ".htm", ".csv", ".pdf", ".docx", ".canvas")
_KINDS: Mapping[Form, VaultSource] = {
    "roam": "roam",
    "roam-desktop": "roam",
    "roam-export": "import",
    "logseq": "logseq",
    "evernote": "import",
    "text": "import",
}


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """The place that the notes of a source come from. `graph` is its name at Roam or in Logseq.

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
