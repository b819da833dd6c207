"""What doors ask of an engine: searches, changes, and which vault is meant."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from notewell.types.values import ChangeKind, Direction, FusionMethod, SearchMode, Signal

MAX_QUERY_CHARS = 4096  # of a search; longer texts are for similar notes


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search as every door asks it.

    `door` names the one it came through; a search without one is nobody's and is not logged.
    `hidden` are paths of notes that are not to be found; `everything` finds shelved and daily notes
    as well. `recency`, `graph`, `collapse`, `expand` and `rerank` stand for the settings where
    given; the signals in `ignore` have no say. While somebody is `typing` the last word may be
    unfinished.
    """

    query: str
    limit: int = 10
    mode: SearchMode = "hybrid"
    plain: bool = False
    fusion: FusionMethod = "auto"
    alpha: float | None = None
    min_score: float = 0.0
    explain: bool = False
    door: str | None = None
    hidden: frozenset[str] = frozenset()
    everything: bool = False
    recency: float | None = None
    graph: float | None = None
    collapse: bool | None = None
    expand: bool | Literal["llm"] | None = None
    rerank: bool | None = None
    ignore: frozenset[Signal] = frozenset()
    typing: bool = False


@dataclass(frozen=True, slots=True)
class SimilarRequest:
    """Notes like a note (`path`), like a part of it, or like a text.

    `heading` or `line` (1-based) choose the part. `links`, 0..1, is how much being near by links
    counts beside being alike: one hop in `direction` counts in full, each further one `decay` times
    as much.
    """

    path: str | None = None
    text: str | None = None
    limit: int = 10
    unlinked: bool = False
    explain: bool = False
    heading: str | None = None
    line: int | None = None
    links: float = 0.0
    direction: Direction = "both"
    decay: float = 0.5


@dataclass(frozen=True, slots=True)
class Change:
    """Something happened to a file or a folder.

    `mtime` is in milliseconds since 1970. `content` is what a mirror's client says the note holds.
    """

    kind: ChangeKind
    path: str
    old_path: str | None = None
    mtime: int | None = None
    content: str | None = field(default=None, repr=False)


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
