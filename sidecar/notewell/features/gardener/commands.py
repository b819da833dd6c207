"""`notewell garden`: suggestions for a vault, reviewed, applied and undone; and its tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import click

from notewell.api.commands import (
    Group,
    Say,
    Table,
    agree,
    answer,
    asking,
    backend_for,
    clean,
    current_invocation,
    emit_object,
    json_option,
    print_reply,
    printer,
    request_argument,
    request_option,
    request_options,
    vault_option,
)
from notewell.api.errors import NotFoundError
from notewell.api.requests import Doc
from notewell.api.tools import ArgumentChange, Document, Tool, ToolContext, tool_of
from notewell.api.types import MinLen, frozen
from notewell.doors.cli.asking import Option, RequestType
from notewell.doors.cli.options import AnyFunction
from notewell.doors.mcp.tool import Arguments, pick_fields
from notewell.engine.client import Backend
from notewell.features.gardener.requests import (
    ApplyPlan,
    ForgetRejections,
    GardenCheck,
    GardenModelRequest,
    GardenReply,
    MakePlan,
    PlanId,
    PlanReply,
    PlanRequest,
    PlansRequest,
    RejectionsRequest,
    RejectPlan,
    SuggestionId,
    SuggestionView,
    UndoPlan,
)

_MARKS = {"open": "?", "applied": "+", "rejected": "-", "refused": "!"}


def _of_plan(request: RequestType) -> Callable[[AnyFunction], Any]:
    """Give a command the plan that it is about, and what is chosen of it."""
    of_check = click.option(
        "--check", "checks", multiple=True, metavar="NAME", help="All suggestions of this check"
    )
    decorators = [
        request_argument(request, "id", "PLAN"),
        request_option(request, "only", multiple=True, metavar="ID"),
        of_check,
        vault_option,
        json_option,
    ]

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):  # from the last one to the first
            function = decorator(function)
        return function

    return decorate


@click.group(cls=Group)
def garden() -> None:
    """Find what could be tended in a vault: broken links, missing tags, near-duplicates and more.

    `plan` only suggests. `apply` makes the edits that you choose, as one write to undo.
    """


@garden.command()
@request_option(MakePlan, "checks", "--check", multiple=True, metavar="NAME")
@request_options(MakePlan, "limit", "model")
@click.option("--yes", is_flag=True, help="Send notes to the language model without asking.")
@vault_option
@json_option
def plan(
    *,
    checks: tuple[GardenCheck, ...],
    limit: int,
    model: bool,
    yes: bool,
    vault: str | None,
    as_json: bool,
) -> None:
    """Look for what could be tended, and make a plan; no note is changed.

    With --model, the language model of `notewell ask` is asked for topics and descriptions. What
    that would send, and where, is said before.
    """
    with backend_for(current_invocation(), vault) as (_, backend):
        host = _agreed_host(backend, yes=yes) if model else None
        print_reply(
            backend, MakePlan(tuple(checks), limit, model, host), _show_plan, as_json=as_json
        )


def _agreed_host(backend: Backend, *, yes: bool) -> str:
    """Say what would be sent, and the host of the language model once a person agreed to it."""
    would = backend.answer(GardenModelRequest())
    say = current_invocation().say
    where = "this computer" if would.local else would.host
    price = "unknown" if would.dollars is None else f"${would.dollars:,.2f} at most"
    say(
        f"{would.model} at {where} would read {would.notes:,} of {would.waiting:,} notes that wait,"
        f" about {would.tokens:,} tokens in {would.requests:,} requests: {would.sent}. Price:"
        f" {price}" + ("." if would.local else f" (list prices of {would.prices_of}).")
    )
    if not would.local:
        agree(f"Send these notes to {would.host}?", yes=yes)
    return would.host


@garden.command()
@click.argument("plan_id", metavar="[PLAN]", required=False)
@vault_option
@json_option
def show(*, plan_id: str | None, vault: str | None, as_json: bool) -> None:
    """Show a plan with evidence and diffs, the newest by default."""
    with backend_for(current_invocation(), vault) as (_, backend):
        reply = backend.answer(PlanRequest(plan_id or _newest(backend)))
    if as_json:
        emit_object(reply)
    else:
        _show_plan(reply, diffs=True)


@garden.command()
@_of_plan(ApplyPlan)
def apply(
    *,
    id: str,  # noqa: A002 - the contract's name
    only: tuple[str, ...],
    checks: tuple[str, ...],
    vault: str | None,
    as_json: bool,
) -> None:
    """Make the edits of a plan's suggestions, or of some of them.

    PLAN is the id that `notewell garden show` prints, of the newest plan.
    """
    with backend_for(current_invocation(), vault) as (_, backend):
        done = backend.answer(ApplyPlan(id, _choose(backend, id, only, checks)))
    if as_json:
        emit_object(done)
    else:
        _show_done(done, "applied")


@garden.command()
@_of_plan(RejectPlan)
def reject(
    *,
    id: str,  # noqa: A002 - the contract's name
    only: tuple[str, ...],
    checks: tuple[str, ...],
    vault: str | None,
    as_json: bool,
) -> None:
    """Say no to suggestions for good; a plan that is rejected whole is deleted."""
    with backend_for(current_invocation(), vault) as (_, backend):
        done = backend.answer(RejectPlan(id, _choose(backend, id, only, checks)))
    if as_json:
        emit_object(done)
    else:
        gone = "; the plan is deleted" if done.deleted else ""
        current_invocation().say(f"{len(done.rejected):,} suggestions rejected{gone}")


garden.add_command(
    asking(
        "undo",
        UndoPlan,
        "Take back what was applied of a plan.",
        lambda done: _show_done(done, "taken back"),
        arguments={"id": "PLAN"},
        options=(Option("only", attributes={"multiple": True, "metavar": "ID"}),),
    )
)


@garden.command()
@click.option("--again", multiple=True, metavar="ID", help="Let this suggestion come again")
@request_options(RejectionsRequest, "limit")
@vault_option
@json_option
def rejections(*, again: tuple[str, ...], limit: int, vault: str | None, as_json: bool) -> None:
    """List what was rejected, newest first, or let some of it come again."""
    asked = ForgetRejections(again) if again else RejectionsRequest(limit)
    answer(vault, asked, _show_rejections, as_json=as_json)


_show_rejections = printer(
    Table(
        "rejections",
        {
            "id": "{id}",
            "rejected": "{at:day}",
            "check": "{check}",
            "note": "{path}",
            "suggestion": "{title}",
        },
    ),
    Say("{total:,} suggestions do not come again"),
)


def _newest(backend: Backend) -> str:
    plans = backend.answer(PlansRequest(1)).plans
    if not plans:
        raise NotFoundError("There is no plan yet. `notewell garden plan` makes one.")
    return plans[0].id


def _choose(
    backend: Backend, plan_id: str, only: tuple[str, ...], checks: tuple[str, ...]
) -> tuple[str, ...]:
    """The ids that were named, and those of the checks that were named."""
    if not checks:
        return tuple(only)
    suggestions = backend.answer(PlanRequest(plan_id)).suggestions
    named = [
        suggestion.id
        for suggestion in suggestions
        if suggestion.check in checks and suggestion.state in {"open", "refused"}
    ]
    if not named and not only:
        raise NotFoundError(
            f"Plan {plan_id} has no open suggestions of {', '.join(checks)}.",
            code="suggestion_not_found",
        )
    return tuple(dict.fromkeys((*only, *named)))


def _show_plan(plan: PlanReply, *, diffs: bool = False) -> None:
    say = current_invocation().say
    if not plan.suggestions:
        say("nothing to suggest")
        return
    check = None
    for suggestion in plan.suggestions:
        if suggestion.check != check:
            check = suggestion.check
            click.echo(f"{check}:")
        _show_one(suggestion, diffs=diffs)
    counts = ", ".join(f"{count:,} {state}" for state, count in plan.counts.items() if count)
    say(f"plan {plan.id}: {counts}" + (f"; {plan.more:,} more were found" if plan.more else ""))
    if plan.note:
        say(f"written to {plan.note}")
    if plan.counts["open"]:
        say(f"`notewell garden apply {plan.id}` makes these edits, `--only ID` some of them")


def _show_one(one: SuggestionView, *, diffs: bool) -> None:
    where = f"{one.id} {one.confidence:.0%} {one.path}"
    click.echo(clean(f"  {_MARKS[one.state]} {where}: {one.title}"))
    click.echo(clean(f"      {one.evidence}"))
    if one.why:
        click.echo(clean(f"      refused: {one.why}"))
    for line in one.diff.splitlines() if diffs else ():
        click.echo(clean(f"      {line}"))


def _show_done(done: GardenReply, what: str) -> None:
    say = current_invocation().say
    for suggestion in done.refused:
        click.echo(clean(f"{suggestion.id}: {suggestion.why}"))
    say(f"{len(done.applied):,} suggestions {what}, {len(done.refused):,} refused")
    if done.undo is not None and what == "applied":
        say(f"`notewell garden undo {done.plan}` takes them back")


# The tools of assistants: plans, and what is decided on their suggestions.

_SUGGESTION = ("id", "check", "path", "title", "evidence", "confidence", "state", "why", "diff")
_PLAN = ("id", "created", "note", "counts", "more")
_plan = pick_fields(*_PLAN, suggestions=_SUGGESTION)
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
    shown = pick_fields(plans=_PLAN, checks=("name", "finds", "usual"))
    return shown(context.backend.answer(PlansRequest()))


TOOLS = (
    Tool(
        "garden_plans",
        "Suggestions for a vault",
        "Plans of what could be tended; with `id` a plan's suggestions, with reason and diff.",
        Arguments(PlansArguments),
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
