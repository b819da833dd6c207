"""`notewell diagnose`: why a search does not find a note."""

from __future__ import annotations

from notewell.api.commands import QueryCommand, Say, TextLine, asking
from notewell.doors.cli.asking import Option
from notewell.features.diagnose.requests import DiagnoseRequest

diagnose = asking(
    "diagnose",
    DiagnoseRequest,
    """Say why a search for QUERY does not find a note, and what helps.

    `notewell diagnose "how bees dance" --note Hive.md`
    """,
    TextLine("{path}: {why}"),
    TextLine("{mend}", when="mend"),
    Say("try: {suggested}", when="suggested"),
    arguments={"q": "QUERY"},
    notes=("path",),
    options=(Option("path", ("--note",), {"metavar": "NOTE", "help": "The missing note."}),),
    command=QueryCommand,
)
