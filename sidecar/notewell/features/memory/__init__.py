"""Memories of an assistant: Markdown notes in a folder that the user chose.

Each has a confidence, which rises when the memory helped and falls when it failed. `service`
answers all requests; `folder` reads and writes the notes.
"""

from notewell.engine.feature import Feature

MEMORY = Feature(
    name="memory",
    requests="notewell.features.memory.requests:REQUESTS",
    answers="notewell.features.memory.service:opened",
    handlers="notewell.features.memory.handlers:HANDLERS",
    commands={"memory": "notewell.features.memory.commands:memory"},
    heading="Write notes",
    tools="notewell.features.memory.tools:TOOLS",
    settings="notewell.features.memory.rules:SECTION",
    own_folders="notewell.features.memory.rules:own_folders",
)
