"""The gardener: plans of what could be tended in a vault, applied and taken back on request."""

from __future__ import annotations

from typing import Annotated

from notewell.api import Feature
from notewell.api.types import Ge, Le, Section, frozen


@frozen
class GardenRules:
    """Settings of the gardener: where plans are written, and what it leaves alone.

    `folder` "": plans are written to no note. Notes in the folders `ignore` are neither edited nor
    suggested. `checks` are those of a plan that names none; empty: all that are usual.
    `model_tokens` is the most that a language model may read for one plan, which is asked only
    where a person wants that.
    """

    folder: str = ""
    ignore: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    model_tokens: Annotated[int, Ge(1_000), Le(1_000_000)] = 100_000


SECTION = Section(
    "garden",
    GardenRules,
    in_vault=("checks", "ignore", "folder"),
    safe=("checks", "ignore", "folder"),
    live=True,
)


GARDENER = Feature(
    name="gardener",
    requests="notewell.features.gardener.requests:REQUESTS",
    answers="notewell.features.gardener.service:open_feature",
    commands={"Groups of commands": {"garden": "notewell.features.gardener.commands:garden"}},
    tools="notewell.features.gardener.commands:TOOLS",
    runs={"plan": "sunday 03:00"},
    settings="notewell.features.gardener:SECTION",
    events=("vault_opened",),
    files=("garden.json",),
)
