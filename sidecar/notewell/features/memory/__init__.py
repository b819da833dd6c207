"""Memories of an assistant: Markdown notes in a folder that the user chose.

Each has a confidence, which rises when the memory helped and falls when it failed. `service`
answers all requests; `folder` reads and writes the notes.
"""

from __future__ import annotations

from notewell.api import Feature
from notewell.api.types import Section, frozen


@frozen
class MemoryRules:
    """The folder of memories in the vault. None: nothing is written to the vault."""

    folder: str | None = None


SECTION = Section(
    "memory",
    MemoryRules,
    in_vault=("folder",),
    here=("folder",),
    live=True,
    usual=("folder",),
    own_folder="folder",
)


MEMORY = Feature(
    name="memory",
    requests="notewell.features.memory.requests:REQUESTS",
    answers="notewell.features.memory.service:open_feature",
    handlers="notewell.features.memory.handlers:HANDLERS",
    commands={"Groups of commands": {"memory": "notewell.features.memory.commands:memory"}},
    tools="notewell.features.memory.tools:TOOLS",
    settings="notewell.features.memory:SECTION",
)
