"""The tool that edits the properties of a note."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from notewell.contract.fields import Doc
from notewell.doors.mcp.requests import Change
from notewell.doors.mcp.tool import asking
from notewell.features.properties.requests import EditProperties

# The server checks the values; a schema of each kind would cost tokens in every conversation.
_Values = Mapping[str, Any]
_CHANGES = {
    "expected_hash": Change(hint=str | None),
    "set": Change(hint=_Values),
    "add": Change(hint=Annotated[_Values, Doc("Items to add to lists")]),
    "remove": Change(hint=tuple[str, ...]),
    "rename": Change(hint=Mapping[str, str]),
}

TOOLS = (
    asking(
        EditProperties,
        "Edit properties",
        "Set, add to, remove or rename properties of a note; the rest of it stays.",
        changes=_CHANGES,
    ),
)
