"""A topic over time: results of a search on a timeline."""

from notewell.api import Feature

ARCHAEOLOGY = Feature(
    name="archaeology",
    requests="notewell.features.archaeology.requests:REQUESTS",
    answers="notewell.features.archaeology.service:open_feature",
    commands={"Commands": {"archaeology": "notewell.features.archaeology.commands:archaeology"}},
    tools="notewell.features.archaeology.commands:TOOLS",
)
