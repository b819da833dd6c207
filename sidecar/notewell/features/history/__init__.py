"""The past of notes: searches as of a day, of what is gone, and the versions of a note.

It reads the history of a vault that is a git repository, and asks `git` for it.
"""

from notewell.api import Feature

HISTORY = Feature(
    name="history",
    requests="notewell.features.history.requests:REQUESTS",
    answers="notewell.features.history.service:open_feature",
    commands={"Commands": {"history": "notewell.features.history.commands:history"}},
    provides={"search:past": "notewell.features.history.git:has_history"},
)
