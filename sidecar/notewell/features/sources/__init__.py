"""Notes of Roam, Logseq and exports of other programs: converted to notes that are only read.

Each source is a vault of its own. `feeds` knows what can be read, `sync` stores its pages as
Markdown (`page_store`), `imported` reads these, and `live_text` shows what Roam says now.
"""

from notewell.api import Feature

_NOTES = "notewell.features.sources.page_store:ImportedSource"

SOURCES = Feature(
    name="sources",
    requests="notewell.features.sources.requests:REQUESTS",
    answers="notewell.features.sources.sync:open_feature",
    handlers="notewell.features.sources.handlers:HANDLERS",
    commands={"vaults": {"sources": "notewell.features.sources.commands:sources"}},
    provides={"source:import": _NOTES, "source:roam": _NOTES, "source:logseq": _NOTES},
    runs={"sync": "04:00"},
    files=("source.json", "source-pages.db"),
    events=("results_ready",),
)
