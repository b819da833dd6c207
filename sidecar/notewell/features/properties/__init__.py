"""Editing the properties of notes, one note or many with one undo."""

from notewell.api import Feature

PROPERTIES = Feature(
    name="properties",
    requests="notewell.features.properties.requests:REQUESTS",
    answers="notewell.features.properties.service:open_feature",
    commands={"Commands": {"properties": "notewell.features.properties.commands:properties"}},
    tools="notewell.features.properties.commands:TOOLS",
)
