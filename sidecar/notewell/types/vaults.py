"""Which vault is meant, and how far an index run is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an index run is."""

    stage: Literal["scan", "read", "embed", "done"]
    done: int
    total: int
    current: str | None = None


@dataclass(frozen=True, slots=True)
class VaultRecord:
    """A known vault. `path` is the real path of its folder."""

    id: str
    name: str
    path: Path
    source: Literal["folder", "mirror"] = "folder"
    default: bool = False

    @property
    def obsidian_name(self) -> str:
        """What Obsidian calls the vault: its folder; a mirror has the name of the client's."""
        return self.name if self.source == "mirror" else self.path.name
