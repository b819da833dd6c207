"""Counts the words of notes: an example of a feature in a package of its own."""

from notewell.api import Feature

WORDCOUNT = Feature(
    name="wordcount",
    requests="notewell_wordcount.counting:REQUESTS",
    answers="notewell_wordcount.counting:open_feature",
    commands={"Commands": {"words": "notewell_wordcount.commands:words"}},
    tools="notewell_wordcount.commands:TOOLS",
    events=("note_shown",),
)
