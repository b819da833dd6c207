"""The log of a vault's searches, of the results opened, and of a person's verdicts on them.

It is one small SQLite file on this computer, never in the vault. `QueryLog` accepts searches
without waiting for the disk, and none of its errors makes a search fail.
"""

from notewell.base.querylog.database import (
    NAME,
    Cleared,
    Judged,
    Judgements,
    Opened,
    QueryEntry,
    delete,
    fold,
    forget_searches,
    storable,
)
from notewell.base.querylog.log import QueryLog

__all__ = [
    "NAME",
    "Cleared",
    "Judged",
    "Judgements",
    "Opened",
    "QueryEntry",
    "QueryLog",
    "delete",
    "fold",
    "forget_searches",
    "storable",
]
