"""The tool that edits the properties of a note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from notewell.contract.request import Doc
from notewell.doors.mcp.tool import ArgumentChange, tool_of
from notewell.features.properties.requests import EditProperties

# The server checks the values; a schema of each kind would cost tokens in every conversation.
_Values = Mapping[str, Any]
_CHANGES = {
    "expected_hash": ArgumentChange(hint=str | None),
    "set": ArgumentChange(hint=_Values),
    "add": ArgumentChange(hint=Annotated[_Values, Doc("Items to add to lists")]),
    "remove": ArgumentChange(hint=tuple[str, ...]),
    "rename": ArgumentChange(hint=Mapping[str, str]),
}

TOOLS = (
    tool_of(
        EditProperties,
        "Edit properties",
        "Set, add to, remove or rename properties of a note; the rest of it stays.",
        changes=_CHANGES,
        core=("path", "expected_hash", "set", "add", "remove", "rename", "vault"),
    ),
)
