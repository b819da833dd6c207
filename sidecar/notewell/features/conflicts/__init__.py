"""Conflict copies and duplicates of a note: compared sentence by sentence, and made one note."""

from notewell.api import Feature

CONFLICTS = Feature(
    name="conflicts",
    requests="notewell.features.conflicts.requests:REQUESTS",
    answers="notewell.features.conflicts.service:open_feature",
    commands={"garden": {"conflicts": "notewell.features.conflicts.commands:conflicts"}},
)
