"""Runs: listing, showing and stopping what works on a vault."""

from notewell.api import Feature

RUNS = Feature(
    name="runs",
    requests="notewell.contract.status:REQUESTS",  # of the core: other commands follow their runs
    answers="notewell.features.runs.service:open_feature",
    commands={"status": {"runs": "notewell.features.runs.commands:runs"}},
    tools="notewell.features.runs.commands:TOOLS",
)
