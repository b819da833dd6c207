"""What a shell completes from the index: notes by name or path, and filters of a query."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from notewell.base.errors import NotewellError
from notewell.contract.complete import CompleteRequest, Completion
from notewell.doors.cli.backend import backend_for
from notewell.doors.cli.options import current_invocation
from notewell.doors.cli.shells import FIELDS

_MOST = 30


def complete_notes(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem[Any]]:
    """Notes whose path or title begins like the word."""
    found = (*_ask(ctx, f"[[{incomplete}"), *_ask(ctx, f'path:"{incomplete}'))
    paths = dict.fromkeys(one.path or one.text for one in found if _is_note(one))
    return [CompletionItem(path) for path in paths]


def complete_query(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click's signature
    incomplete: str,
) -> list[CompletionItem[Any]]:
    """Filters and their values, as `tag:garden`; plain words of a query are not completed."""
    sign = "-" if incomplete.startswith("-") else ""
    field = incomplete.removeprefix("-").partition(":")[0]
    if field not in FIELDS or ":" not in incomplete:
        return [CompletionItem(f"{sign}{name}:") for name in sorted(FIELDS) if _begins(name, field)]
    found = _ask(ctx, incomplete.removeprefix("-"))
    values = (one.insert.strip() for one in found)
    return [CompletionItem(f"{sign}{one}") for one in values if " " not in one and '"' not in one]


def _begins(name: str, typed: str) -> bool:
    return len(typed) > 0 and name.startswith(typed)


def _is_note(one: Completion) -> bool:
    return one.path is not None or (one.kind == "path" and not one.text.endswith("/"))


def _ask(ctx: click.Context, prefix: str) -> tuple[Completion, ...]:
    """Completions of the vault that the line names; none where there is no index or an error."""
    try:
        with backend_for(current_invocation(ctx), ctx.params.get("vault")) as (_, backend):
            return backend.answer(CompleteRequest(prefix=prefix, limit=_MOST)).completions
    except NotewellError:  # a shell that completes has no place for errors
        return ()
