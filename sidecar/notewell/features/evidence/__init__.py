"""The sentences of the notes that answer a question, or that none does."""

from notewell.api import Feature

EVIDENCE = Feature(
    name="evidence",
    requests="notewell.features.evidence.requests:REQUESTS",
    answers="notewell.features.evidence.service:open_feature",
    commands={"Commands": {"evidence": "notewell.features.evidence.commands:evidence"}},
    tools="notewell.features.evidence.commands:TOOLS",
)
