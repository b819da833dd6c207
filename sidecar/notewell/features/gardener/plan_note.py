"""A plan as a note: for people to read, with one block for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime

from notewell.contract.codec import to_json
from notewell.features.gardener.checks import CHECKS, MODEL_CHECKS
from notewell.features.gardener.requests import SuggestionView
from notewell.features.gardener.state import GardenPlan
from notewell.features.gardener.views import counts_of

_FENCE = "gardener-plan"
_HOW = (
    "{} suggestions: {}. Nothing is changed before you apply it: `notewell garden apply {}`, with"
    " `--only ID` for some of them."
)
_STATES = {"open": " ", "applied": "x", "rejected": "-", "refused": "!"}


def note_name(created: datetime, *, seconds: bool) -> str:
    """The name of the note of a plan; `vault.paths` knows it and leaves it out of the index."""
    form = "%Y-%m-%d %H-%M-%S" if seconds else "%Y-%m-%d %H-%M"
    return f"Gardener Plan {created.strftime(form)}.md"


def note_text(plan: GardenPlan) -> str:
    """The Markdown of a plan."""
    counts = ", ".join(f"{count} {state}" for state, count in counts_of(plan).items() if count)
    lines = [
        f"# Gardener plan of {plan.created[:16].replace('T', ' ')}",
        "",
        _HOW.format(len(plan.suggestions), counts, plan.id),
        *_sections(plan),
        "",
        f"```{_FENCE}",
        json.dumps(json.loads(to_json(plan)), ensure_ascii=False, indent=1),
        "```",
        "",
    ]
    return "\n".join(lines)


def _sections(plan: GardenPlan) -> Iterator[str]:
    for check in plan.checks:
        found = [one for one in plan.suggestions if one.check == check]
        if found:
            finds = MODEL_CHECKS[check] if check in MODEL_CHECKS else CHECKS[check].finds
            yield from ("", f"## {finds.capitalize()}", "")
            for one in found:
                yield from _item(one)


def _item(one: SuggestionView) -> Iterator[str]:
    mark = _STATES[one.state]
    yield f"- [{mark}] `{one.path}` {_plain(one.title)} ({one.confidence:.0%}, id {one.id})"
    yield f"  {_plain(one.evidence)}{f' Refused: {_plain(one.why)}' if one.why else ''}"


def _plain(text: str) -> str:
    """A text that makes no links, tags or other markup in the note."""
    return "".join(f"\\{one}" if one in "[]#*_`<>|" else one for one in " ".join(text.split()))
