"""The writes that were made to a vault's notes, and undoing them."""

from notewell.api import Feature

WRITES = Feature(
    name="writes",
    requests="notewell.features.writes.requests:REQUESTS",
    answers="notewell.features.writes.service:open_feature",
    commands={"Commands": {"undo": "notewell.features.writes.commands:undo"}},
)
