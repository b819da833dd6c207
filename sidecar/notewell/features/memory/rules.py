"""The settings of memories."""

from __future__ import annotations

from notewell.base.types import Settings
from notewell.base.types.frozen import frozen
from notewell.base.types.settings import Section


@frozen
class MemoryRules:
    """Where memories are stored: `folder` of the vault. None: nothing is written to the vault."""

    folder: str | None = None


SECTION = Section("memory", MemoryRules, in_vault=True)


def own_folders(settings: Settings) -> tuple[str, ...]:
    """The folder of the memories, whose notes say how far each is trusted."""
    folder = settings.of(MemoryRules).folder
    return () if folder is None else (folder,)
