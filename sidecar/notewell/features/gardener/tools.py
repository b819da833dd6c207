"""Tools about the gardener: its plans, and what is decided on their suggestions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from notewell.contract.fields import Doc
from notewell.doors.mcp.answer import answer_record, pick
from notewell.doors.mcp.requests import BudgetedRequest, Change, ToolRequest, request_model
from notewell.doors.mcp.tool import Document, Tool, ToolContext
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
# All of a plan at once is for a person, who has read it.
_ONLY = {"only": Change(hint=Annotated[list[SuggestionId], Doc("Ids"), Field(min_length=1)])}


class GardenPlansRequest(BudgetedRequest):
    """The request of `garden_plans`."""

    id: PlanId | None = None


def garden_plans(context: ToolContext, request: GardenPlansRequest) -> Document:
    """Return the plans of a vault, or the suggestions of one."""
    if request.id is not None:
        plan = context.backend.answer(PlanRequest(request.id))
        shown = [pick(one, *_SUGGESTION) for one in plan.suggestions]
        return {**pick(plan, *_PLAN), "suggestions": shown}
    reply = context.backend.answer(PlansRequest())
    return {
        "plans": [pick(one, *_PLAN) for one in reply.plans],
        "checks": [pick(one, "name", "finds", "usual") for one in reply.checks],
    }


def make_garden_plan(context: ToolContext, request: BudgetedRequest) -> Document:
    """Make a plan, and return its suggestions."""
    made = context.backend.answer(request.to_record(MakePlan))
    shown = [pick(one, *_SUGGESTION) for one in made.suggestions]
    return {**pick(made, *_PLAN), "suggestions": shown}


TOOLS = (
    Tool(
        "garden_plans",
        "Suggestions for a vault",
        "Plans of what could be tended; with `id` a plan's suggestions, with reason and diff.",
        GardenPlansRequest,
        garden_plans,
        cut=("suggestions", "plans"),
    ),
    Tool(
        "garden_make_plan",
        "Look for suggestions",
        "Look for broken links, missing tags and more, and make a plan. No note is changed.",
        request_model(
            MakePlan,
            BudgetedRequest,
            fields=("checks", "limit"),
            changes={
                "checks": Change(hint=list[str], doc="Names of checks"),
                "limit": Change(default=20),
            },
        ),
        make_garden_plan,
        cut=("suggestions",),
        writes=True,
    ),
    Tool(
        "garden_apply",
        "Apply suggestions",
        "Make the edits of suggestions of a plan; a changed note is refused.",
        request_model(ApplyPlan, ToolRequest, changes=_ONLY),
        answer_record,
        writes=True,
    ),
    Tool(
        "garden_reject",
        "Reject suggestions",
        "Say no to suggestions for good, on behalf of the person.",
        request_model(RejectPlan, ToolRequest, changes=_ONLY),
        answer_record,
        writes=True,
    ),
    Tool(
        "garden_undo",
        "Take suggestions back",
        "Take back what was applied of a plan; the notes are as before.",
        request_model(UndoPlan, ToolRequest, changes=_ONLY),
        answer_record,
        writes=True,
    ),
)
