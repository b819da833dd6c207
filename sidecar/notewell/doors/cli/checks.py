"""One check of `notewell doctor`, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check and its result."""

    name: str
    state: State
    detail: str
