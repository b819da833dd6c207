"""Bases, Obsidian's tables of notes: their rows, computed where Obsidian is not at hand."""

from notewell.api import Feature

BASES = Feature(
    name="bases",
    requests="notewell.features.bases.requests:REQUESTS",
    answers="notewell.features.bases.service:open_feature",
)
