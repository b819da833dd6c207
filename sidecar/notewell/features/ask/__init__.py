"""Answers with citations: a language model that a person chose, over tools on their notes."""

from notewell.api import Feature

ASK = Feature(
    name="ask",
    requests="notewell.features.ask.requests:REQUESTS",
    answers="notewell.features.ask.service:open_feature",
    handlers="notewell.features.ask.handlers:HANDLERS",
    commands={"Commands": {"ask": "notewell.features.ask.commands:ask"}},
    files=("conversations/*.json",),
    provides={"search:llm": ""},
)
