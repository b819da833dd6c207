"""The gardener: plans of what could be tended in a vault, applied and taken back on request."""

from notewell.engine.feature import Feature

GARDENER = Feature(
    name="gardener",
    requests="notewell.features.gardener.requests:REQUESTS",
    answers="notewell.features.gardener.service:opened",
    commands={"garden": "notewell.features.gardener.commands:garden"},
    heading="Write notes",
    tools="notewell.features.gardener.tools:TOOLS",
    runs=("plan",),
    settings="notewell.features.gardener.rules:SECTION",
    starts=True,
    files=("garden.json",),
)
