"""Gleanings: links saved in daily notes, found as results and made notes of on request."""

from notewell.engine.feature import Feature

GLEANINGS = Feature(
    name="gleanings",
    requests="notewell.features.gleanings.requests:REQUESTS",
    answers="notewell.features.gleanings.service:opened",
    commands={"gleanings": "notewell.features.gleanings.commands:gleanings"},
    heading="Write notes",
    runs=("extract", "maintain"),
    settings="notewell.features.gleanings.rules:SECTION",
    files=("gleanings.json",),
)
