"""Companions: notes that answer a question together with its best result."""

from notewell.api import Feature

COMPANIONS = Feature(
    name="companions",
    requests="notewell.contract.companions:REQUESTS",  # of the core: other features ask for it
    answers="notewell.features.companions.service:open_feature",
    tools="notewell.features.companions.tools:TOOLS",
)
