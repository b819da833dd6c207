"""Topics: notes of a folder that other notes name, and what is not right with them."""

from notewell.api import Feature

TOPICS = Feature(
    name="topics",
    requests="notewell.features.topics.requests:REQUESTS",
    answers="notewell.features.topics.service:open_feature",
    commands={"Groups of commands": {"topics": "notewell.features.topics.commands:topics"}},
    tools="notewell.features.topics.commands:TOOLS",
)
