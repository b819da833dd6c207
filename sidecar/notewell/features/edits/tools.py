"""The tool of assistants that edits a part of a note."""

from notewell.api.tools import ArgumentChange, tool_of
from notewell.features.edits.requests import EditNote

TOOLS = (
    tool_of(
        EditNote,
        "Edit a note",
        "Replace, append to or insert below one section or block of a note that you have read:"
        " read_note gives its hash. A note that changed since is refused, with its text now.",
        changes={"expected_hash": ArgumentChange(hint=str)},
        core=("path", "expected_hash", "section", "how", "text", "vault"),
    ),
)
