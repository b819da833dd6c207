"""Open ends: what the notes promise, decide or ask, and never take up again."""

from notewell.api import Feature

OPEN_ENDS = Feature(
    name="open_ends",
    requests="notewell.features.open_ends.requests:REQUESTS",
    answers="notewell.features.open_ends.service:open_feature",
    commands={"garden": {"open-ends": "notewell.features.open_ends.commands:open_ends"}},
    tools="notewell.features.open_ends.commands:TOOLS",
    files=("open-ends.json",),
)
