"""The sentences of the notes that answer a question, now or when they are written."""

from notewell.api import Feature

EVIDENCE = Feature(
    name="evidence",
    requests="notewell.features.evidence.requests:REQUESTS",
    answers="notewell.features.evidence.service:open_feature",
    commands={
        "Commands": {"evidence": "notewell.features.evidence.commands:evidence"},
        "Groups of commands": {"questions": "notewell.features.evidence.commands:questions"},
    },
    tools="notewell.features.evidence.commands:TOOLS",
    files=("questions.json", "questions.known"),
    events=("vault_opened", "note_changed", "note_shown"),
)
