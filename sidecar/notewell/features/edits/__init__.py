"""Editing a section or a block of a note, refused where the note has changed since it was read."""

from notewell.api import Feature

EDITS = Feature(
    name="edits",
    requests="notewell.features.edits.requests:REQUESTS",
    answers="notewell.features.edits.service:open_feature",
    tools="notewell.features.edits.tools:TOOLS",
)
