"""What was asked of a vault, which result was opened, and what a person said of it.

All of it stays in one small SQLite file on this computer, never in the vault. `QueryLog` is the
door: it takes searches without waiting for the disk, and nothing it meets there fails a search.
"""

from notewell.querylog.database import NAME, Cleared, delete, folder
from notewell.querylog.log import QueryLog
from notewell.querylog.records import Judged, Judgements, Opened, Query, fold, storable

__all__ = [
    "NAME",
    "Cleared",
    "Judged",
    "Judgements",
    "Opened",
    "Query",
    "QueryLog",
    "delete",
    "fold",
    "folder",
    "storable",
]
