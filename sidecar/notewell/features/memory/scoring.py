"""The confidence of a memory and its score in a recall, with all their constants."""

from __future__ import annotations

from notewell.features.memory.replies import RecallParts

FIRST_CONFIDENCE = 0.3  # of a new memory
HELPED, FAILED = 0.1, -0.15  # added to the confidence after an outcome
GOLDEN_CONFIDENCE = 0.9  # at which a memory becomes a golden rule
FALLEN_CONFIDENCE = 0.6  # below which a failure ends a golden rule

HALF_LIFE_DAYS = 30.0  # of recency
STALE_DAYS = 90.0  # without use
MIN_CONFIDENCE = 0.1  # of a search, below which its notes do not answer the query
MIN_SIMILARITY = 0.2  # below it a memory is about something else
SUPERSEDED_FACTOR = 0.5  # of the score of a memory that a newer one supersedes
RELATION_FACTOR = 0.5  # of the similarity, for each relation followed, times its weight

_DAY = 86_400.0


def confidence_after(confidence: float, *, helped: bool) -> float:
    """The confidence after an outcome, from 0 to 1."""
    return round(min(1.0, max(0.0, confidence + (HELPED if helped else FAILED))), 4)


def recency(last_used: float | None, now: float) -> float:
    """1 for a memory used just now, halved after each half-life; 0 if the time is unknown.

    Both times are POSIX seconds.
    """
    if last_used is None:
        return 0.0
    return float(0.5 ** (max(now - last_used, 0.0) / _DAY / HALF_LIFE_DAYS))


def is_stale(last_used: float | None, now: float) -> bool:
    """Whether a memory was not used for STALE_DAYS."""
    return last_used is not None and now - last_used > STALE_DAYS * _DAY


def score(parts: RecallParts) -> float:
    """Similarity times trust, from 0 to 1: an unrelated memory scores 0, however trusted."""
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
