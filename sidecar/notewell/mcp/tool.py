"""What a tool is: a name, what may be asked, and a function that answers.

A tool's function gets a `Desk` and the checked request, runs in a thread, and gives a JSON
document; errors are raised as everywhere. How the document becomes an answer is answer.py's job.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, Field

from notewell.client.backend import Backend
from notewell.mcp.jobs import Jobs
from notewell.types import CountTokens

Document: TypeAlias = dict[str, Any]  # JSON of a route or of a tool; checked by tests, not by types

DEFAULT_BUDGET = 2000


class Asked(BaseModel):
    """What may be asked of any tool. Unknown names are refused; "10" is read as 10."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    of_notes: ClassVar[bool] = True  # whether a `namespace` is a vault or a folder of notes

    vault: str | None = Field(None, description="Vault name or id; the default one if left out")


class BudgetAsked(Asked):
    """What may be asked of a tool whose answer may be long."""

    budget_tokens: int = Field(
        DEFAULT_BUDGET, ge=100, le=100_000, description="Most tokens of the answer"
    )


@dataclass(frozen=True, slots=True)
class VaultFacts:
    """A vault that may be asked about."""

    id: str
    name: str
    default: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """What a tool works with, for one vault."""

    vault: str  # its id
    answers: Backend
    count: CountTokens
    jobs: Jobs
    vaults: tuple[VaultFacts, ...]  # those that may be asked about


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `cut` names the parts of its answer that are shortened to keep to a budget.

    `writes` tools are refused where the assistant was not allowed to write. `destructive`: it may
    delete.
    """

    name: str
    title: str
    description: str
    asked: type[Asked]
    run: Callable[[Desk, Any], Document]  # the second argument is an `asked`
    cut: tuple[str, ...] = ()
    writes: bool = False
    destructive: bool = False


def read(document: bytes) -> Document:
    """The JSON object of a route."""
    loaded: Document = orjson.loads(document)
    return loaded
