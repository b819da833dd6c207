"""Why a note is not among the results of a search."""

from notewell.api import Feature

DIAGNOSE = Feature(
    name="diagnose",
    requests="notewell.features.diagnose.requests:REQUESTS",
    answers="notewell.features.diagnose.service:open_feature",
    commands={"improve": {"diagnose": "notewell.features.diagnose.commands:diagnose"}},
)
