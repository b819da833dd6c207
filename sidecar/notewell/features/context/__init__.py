"""Text from the notes on a question, for a language model and within a budget of tokens."""

from notewell.api import Feature

CONTEXT = Feature(
    name="context",
    requests="notewell.contract.context:REQUESTS",  # of the core: answers of a model ask for it too
    answers="notewell.features.context.service:open_feature",
    commands={"Commands": {"context": "notewell.features.context.commands:context"}},
    tools="notewell.features.context.commands:TOOLS",
)
