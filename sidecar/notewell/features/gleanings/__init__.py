"""Gleanings: links saved in daily notes, found as results and made notes of on request."""

from __future__ import annotations

from notewell.api import Feature
from notewell.api.types import Section, frozen


@frozen
class GleaningRules:
    """Links saved in daily notes: where they stand, and the folder of the notes made of them.

    `web`: whether the addresses may be requested, to check links and to read titles.
    """

    headings: tuple[str, ...] = ("## Gleanings",)  # without # a heading of any level
    daily_folders: tuple[str, ...] = ("Daily", "Journal")  # besides daily notes, whose notes count
    folder: str = "L/Gleanings"
    web: bool = False


SECTION = Section(
    "gleanings",
    GleaningRules,
    in_vault=("headings", "daily_folders", "folder"),
    here=("headings", "daily_folders", "folder"),
    usual=("folder", "headings"),
)


GLEANINGS = Feature(
    name="gleanings",
    requests="notewell.features.gleanings.requests:REQUESTS",
    answers="notewell.features.gleanings.service:open_feature",
    commands={
        "Groups of commands": {"gleanings": "notewell.features.gleanings.commands:gleanings"}
    },
    tools="notewell.features.gleanings.commands:TOOLS",
    provides={"files:gleanings": "notewell.features.gleanings.results:with_gleanings"},
    runs={"extract": "23:00", "maintain": "sunday 02:00"},
    settings="notewell.features.gleanings:SECTION",
    files=("gleanings.json",),
)
