"""A vault with a folder for memories, a fixed clock, and an embedder made of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from notewell.base.types import Settings, VaultRecord
from notewell.contract.request import Request
from notewell.features.memory import MemoryRules
from notewell.features.memory.requests import (
    MemoryChangedReply,
    MemoryView,
    StoreMemory,
)
from notewell.features.memory.service import Helpers, Memories
from notewell.vault.sources import source_of
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal
from tests.engine.open_vault import open_vault

R = TypeVar("R")
DAY = 86_400.0
START = 1_767_225_600.0  # 2026-01-01


def settings_of(home: Path, folder: str | None) -> Settings:
    """Settings with a folder of memories."""
    return Settings(home, home, home, of_features={"memory": MemoryRules(folder)})


@dataclass
class Desk:
    """Memories to ask. `now` is the time; `near` is what the index would say of a path."""

    vault: Path
    now: float = START
    near: dict[str, float] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    folder: str | None = "Memory"
    writable: bool = True

    def __post_init__(self) -> None:
        self.writer = VaultWriter(self.vault, Journal(self.vault.parent / "data"))
        self.memories = Memories(
            open_vault(
                record=VaultRecord("v1", "vault", self.vault),
                source=source_of(VaultRecord("v1", "vault", self.vault)),
                settings=lambda: settings_of(self.vault.parent, self.folder),
                writer=self.writer if self.writable else None,
                changed=self.changed.append,
            ),
            Helpers(self._alike, lambda text: len(re.findall(r"\w+|[^\w\s]", text)), self._clock),
        )

    def ask(self, asked: Request[Any], kind: type[R]) -> R:
        reply = self.answer(asked)
        assert isinstance(reply, kind)
        return reply

    def answer(self, asked: Request[Any]) -> object:
        return self.memories.answers[type(asked)](asked)

    def store(self, content: str, **more: object) -> MemoryView:
        return self.ask(StoreMemory(content, **more), MemoryChangedReply).memory  # type: ignore[arg-type]

    def text(self, memory: MemoryView) -> str:
        return (self.vault / memory.path).read_text(encoding="utf-8")

    def _clock(self) -> float:
        return self.now

    def _alike(self, _query: str, paths: Sequence[str]) -> Mapping[str, float]:
        return {path: self.near[path] for path in paths if path in self.near}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "vault").mkdir()
    return Desk(tmp_path / "vault")
