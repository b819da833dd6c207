"""How a memory earns trust, and what a recall is worth; every number of this room."""

from __future__ import annotations

from notewell.contract.memory import RecallParts

FIRST_CONFIDENCE = 0.3
HELPED = 0.1
FAILED = -0.15
GOLDEN = 0.9  # from this confidence on a memory is a golden rule

HALF_LIFE_DAYS = 30.0  # of recency
STALE_DAYS = 90.0  # without use
LEAST_SIMILARITY = 0.2  # below it a memory is about something else
SUPERSEDED = 0.5  # what is left of a score when a newer memory stands in its place
PER_STEP = 0.5  # what one relation leaves of a score, times its weight

_DAY = 86_400.0


def judged(confidence: float, *, helped: bool) -> float:
    """The confidence after a memory was used."""
    return round(min(1.0, max(0.0, confidence + (HELPED if helped else FAILED))), 4)


def recency(seconds: float | None, now: float) -> float:
    """1 for a memory touched just now, half of it after each half-life; 0 where nobody knows."""
    if seconds is None:
        return 0.0
    return float(0.5 ** (max(now - seconds, 0.0) / _DAY / HALF_LIFE_DAYS))


def is_stale(seconds: float | None, now: float) -> bool:
    """Whether a memory was not touched for long."""
    return seconds is not None and now - seconds > STALE_DAYS * _DAY


def score(parts: RecallParts) -> float:
    """Similarity, weighed by trust: what is about something else scores 0, however trusted."""
    trust = 0.5 + 0.25 * parts.confidence + 0.15 * parts.importance + 0.1 * parts.recency
    return round(parts.similarity * trust * parts.standing, 4)


def explained(parts: RecallParts, *, depth: int, via: str | None) -> str:
    """The calculation of `score` in words; `via` is the memory that led to this one, if any."""
    formula = (
        f"similarity {parts.similarity:.2f} x (0.5 + 0.25 x confidence {parts.confidence:.2f}"
        f" + 0.15 x importance {parts.importance:.2f} + 0.1 x recency {parts.recency:.2f})"
    )
    if parts.standing != 1:
        formula += f" x {parts.standing:g}, a newer memory takes its place"
    return formula if via is None else f"{formula}; {depth} steps from {via}"
