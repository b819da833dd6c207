"""Tools about the gardener: its plans, and what is decided on their suggestions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from notewell.contract.request import Doc
from notewell.doors.mcp.tool import (
    ArgumentChange,
    BudgetedRequest,
    Document,
    Tool,
    ToolContext,
    asking,
    picked,
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
_ONLY = {
    "only": ArgumentChange(hint=Annotated[list[SuggestionId], Doc("Ids"), Field(min_length=1)])
}


class GardenPlansRequest(BudgetedRequest):
    """The request of `garden_plans`."""

    id: PlanId | None = None


def garden_plans(context: ToolContext, request: GardenPlansRequest) -> Document:
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
        GardenPlansRequest,
        garden_plans,
        cut=("suggestions", "plans"),
    ),
    asking(
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
    asking(
        ApplyPlan,
        "Apply suggestions",
        "Make the edits of suggestions of a plan; a changed note is refused.",
        name="garden_apply",
        changes=_ONLY,
    ),
    asking(
        RejectPlan,
        "Reject suggestions",
        "Say no to suggestions for good, on behalf of the person.",
        name="garden_reject",
        changes=_ONLY,
    ),
    asking(
        UndoPlan,
        "Take suggestions back",
        "Take back what was applied of a plan; the notes are as before.",
        name="garden_undo",
        changes=_ONLY,
    ),
)
