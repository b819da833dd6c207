"""What a peer is, and what it is built from: the passages of the index and the configured model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from notewell.types import ModelRules, PassageText


class Peer(Protocol):
    """A search package with an index of the passages."""

    def rank(self, query: str, limit: int) -> Sequence[str]:
        """Give the vault paths of the notes that answer `query`, best first, at most `limit`."""
        ...


class NotePassages:
    """All passages, grouped by note, and how scores of passages become a ranking of notes."""

    def __init__(self, passages: Iterable[PassageText]) -> None:
        """Take the passages; those of one note must follow each other."""
        paths: list[str] = []
        starts: list[int] = []
        texts: list[str] = []
        for passage in passages:
            if not paths or paths[-1] != passage.path:
                paths.append(passage.path)
                starts.append(len(texts))
            texts.append(passage.text)
        self.texts = tuple(texts)
        self._paths = tuple(paths)
        self._starts = np.array(starts, dtype=np.intp)

    def best_notes(self, scores: npt.NDArray[np.floating], limit: int) -> list[str]:
        """Rank notes by their best passage: paths, best first, at most `limit`.

        `scores` has one figure a passage, in the order of `texts`; minus infinity: not found.
        """
        if not self._paths:
            return []
        best = np.maximum.reduceat(scores, self._starts)
        order = np.argsort(-best, kind="stable")[:limit]
        return [self._paths[place] for place in order if best[place] > -np.inf]


@dataclass(frozen=True, slots=True)
class PeerModel:
    """The configured embedding model, for peers that embed. `say` reports what takes time."""

    rules: ModelRules
    model_dir: Path
    offline: bool
    say: Callable[[str], None]


class PeerIndexes:
    """Builds the index of each peer when it is first needed, and only once."""

    def __init__(self, passages: NotePassages, model: PeerModel) -> None:
        """Keep what peers are built from."""
        self.passages = passages
        self.model = model
        self._built: dict[str, Peer] = {}

    def get(self, kind: PeerKind) -> Peer:
        """Give the peer, which may take as long as embedding all passages."""
        if kind.name not in self._built:
            self.model.say(f"{kind.name}: indexing {len(self.passages.texts):,} passages")
            self._built[kind.name] = kind.build(self)
        return self._built[kind.name]


@dataclass(frozen=True, slots=True)
class PeerKind:
    """A row of the registry. `modules` are the importable names of the packages it needs."""

    name: str
    modules: tuple[str, ...]
    build: Callable[[PeerIndexes], Peer]
