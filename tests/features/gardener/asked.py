"""The plans of an engine, asked for as every client does: by requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
