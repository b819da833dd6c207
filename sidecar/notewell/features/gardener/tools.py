"""Tools about the gardener: its plans, and what is decided on their suggestions."""

from __future__ import annotations

from typing import Annotated

from notewell.base.types.frozen import frozen
from notewell.base.types.hints import MinLen
from notewell.contract.request import Doc
from notewell.doors.mcp.tool import (
    ArgumentChange,
    Arguments,
    Document,
    Tool,
    ToolContext,
    picked,
    tool_of,
)
from notewell.features.gardener.requests import (
    ApplyPlan,
    MakePlan,
    PlanId,
    PlanRequest,
    PlansRequest,
    RejectPlan,
    SuggestionId,
    UndoPlan,
)

_SUGGESTION = ("id", "check", "path", "title", "evidence", "confidence", "state", "why", "diff")
_PLAN = ("id", "created", "note", "counts", "more")
_plan = picked(*_PLAN, suggestions=_SUGGESTION)
# All of a plan at once is for a person, who has read it.
_ONLY = {"only": ArgumentChange(hint=Annotated[list[SuggestionId], Doc("Ids"), MinLen(1)])}


@frozen
class PlansArguments:
    """Arguments of the tool `garden_plans`."""

    id: PlanId | None = None


def garden_plans(context: ToolContext, request: PlansArguments) -> Document:
    """Return the plans of a vault, or the suggestions of one."""
    if request.id is not None:
        return _plan(context.backend.answer(PlanRequest(request.id)))
    shown = picked(plans=_PLAN, checks=("name", "finds", "usual"))
    return shown(context.backend.answer(PlansRequest()))


TOOLS = (
    Tool(
        "garden_plans",
        "Suggestions for a vault",
        "Plans of what could be tended; with `id` a plan's suggestions, with reason and diff.",
        Arguments(PlansArguments, budgeted=True),
        garden_plans,
        cut=("suggestions", "plans"),
    ),
    tool_of(
        MakePlan,
        "Look for suggestions",
        "Look for broken links, missing tags and more, and make a plan. No note is changed.",
        name="garden_make_plan",
        fields=("checks", "limit"),
        changes={
            "checks": ArgumentChange(hint=list[str], doc="Names of checks"),
            "limit": ArgumentChange(default=20),
        },
        shows=_plan,
        cut=("suggestions",),
    ),
    tool_of(
        ApplyPlan,
        "Apply suggestions",
        "Make the edits of suggestions of a plan; a changed note is refused.",
        name="garden_apply",
        changes=_ONLY,
    ),
    tool_of(
        RejectPlan,
        "Reject suggestions",
        "Say no to suggestions for good, on behalf of the person.",
        name="garden_reject",
        changes=_ONLY,
    ),
    tool_of(
        UndoPlan,
        "Take suggestions back",
        "Take back what was applied of a plan; the notes are as before.",
        name="garden_undo",
        changes=_ONLY,
    ),
)
