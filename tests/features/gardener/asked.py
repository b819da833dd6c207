"""The plans of an engine, asked for as every client does: by requests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from notewell.engine.engine import Engine
from notewell.features.gardener.requests import (
    ApplyPlan,
    ForgetRejections,
    GardenModelReply,
    GardenModelRequest,
    GardenReply,
    MakePlan,
    PlanReply,
    PlanRequest,
    PlansReply,
    PlansRequest,
    RejectionsReply,
    RejectionsRequest,
    RejectPlan,
    RejectReply,
    UndoPlan,
)


@dataclass(frozen=True)
class Plans:
    engine: Engine

    def make(self, request: MakePlan) -> PlanReply:
        return self.engine.answer(request)

    def estimate(self) -> GardenModelReply:
        return self.engine.answer(GardenModelRequest())

    def plans(self, limit: int) -> PlansReply:
        return self.engine.answer(PlansRequest(limit))

    def show(self, key: str) -> PlanReply:
        return self.engine.answer(PlanRequest(key))

    def apply(self, key: str, only: Sequence[str]) -> GardenReply:
        return self.engine.answer(ApplyPlan(key, tuple(only)))

    def undo(self, key: str, only: Sequence[str]) -> GardenReply:
        return self.engine.answer(UndoPlan(key, tuple(only)))

    def reject(self, key: str, only: Sequence[str]) -> RejectReply:
        return self.engine.answer(RejectPlan(key, tuple(only)))

    def rejections(self, limit: int) -> RejectionsReply:
        return self.engine.answer(RejectionsRequest(limit))

    def forget(self, ids: Sequence[str]) -> RejectionsReply:
        return self.engine.answer(ForgetRejections(tuple(ids)))


def killed_steps(vault: Path, data: Path, plan: str, what: str, steps: int) -> list[list[Any]]:
    """The lines that `killed_changes` prints, which says what they mean."""
    command = [sys.executable, "-m", "tests.features.gardener.killed_changes"]
    found = subprocess.run(
        [*command, str(vault), str(data), plan, what, str(steps)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in found.stdout.splitlines()]
