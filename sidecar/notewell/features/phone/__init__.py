"""The phone index: a file in the vault by which phones know meaning without a server."""

from notewell.engine.feature import Feature

PHONE = Feature(
    name="phone",
    requests="notewell.features.phone.requests:REQUESTS",
    answers="notewell.features.phone.service:opened",
    handlers="notewell.features.phone.handlers:HANDLERS",
    commands={"phone-index": "notewell.features.phone.commands:phone_index"},
    heading="Look after it",
    runs=("phone",),
    settings="notewell.features.phone.rules:SECTION",
    starts=True,
)
