"""The figures of the development sets as Markdown: by class, by set and class, and confidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from notewell.base.types import Match
from notewell.features.evaluate.report import ConfidenceInterval, paired_bootstrap

from .measure import MODES, Answered
from .query import DevQuery
from .unanswerable import FOREIGN, NONSENSE

Earlier = Mapping[str, Mapping[str, float]]
_HYBRID = MODES[0].name
_HALVES = tuple(mode.name for mode in MODES[1:])
_SURE = 0.5  # the confidence from which an answer is expected


def markdown(
    queries: Sequence[DevQuery],
    figures: Mapping[str, Answered],
    systems: Sequence[str],
    before: Earlier | None,
) -> str:
    """All tables. `before` are the figures of an earlier run."""
    judged = [query for query in queries if query.relevant]
    extra = [name for name in systems if name not in (_HYBRID, *_HALVES)]
    tables = (
        ("All sets, by class", lambda query: ("all", query.kind)),
        ("All sets, by language", lambda query: (query.lang, "all")),
        ("By set", lambda query: (query.vault, "all")),
        ("By set and class", lambda query: (query.vault, query.kind)),
    )
    parts = [
        f"\n## {title}\n\n{_head(extra, before)}"
        + "".join(_row(label, rows, figures, extra, before) for label, rows in _by(judged, of))
        for title, of in tables
    ]
    rest = (_relevance(queries, figures), _confidence(queries, figures))
    return "".join(parts) + _LEGEND + "".join(rest)


_LEGEND = (
    "\nnDCG@10. `- better half`: hybrid less the better of keyword and semantic in that row; "
    "`- without X`: hybrid less hybrid without that signal; `- before`: hybrid less hybrid of the "
    "earlier run, over the queries of both; each with its 95 % paired bootstrap interval, bold where "
    "it excludes 0.\n"
)


def _by(
    queries: Iterable[DevQuery], of: Callable[[DevQuery], tuple[str, str]]
) -> list[tuple[tuple[str, str], list[DevQuery]]]:
    rows: dict[tuple[str, str], list[DevQuery]] = {}
    for query in queries:
        rows.setdefault(of(query), []).append(query)
    return sorted(rows.items())


def _head(extra: Sequence[str], before: Earlier | None) -> str:
    names = [
        *("set", "class", "queries", *(mode.name for mode in MODES), "- better half"),
        *(f"- {name}" for name in extra),
        *(["- before"] if before is not None else []),
    ]
    return f"| {' | '.join(names)} |\n|---|---|{'---:|' * (len(names) - 2)}\n"


def _row(
    label: tuple[str, str],
    queries: Sequence[DevQuery],
    figures: Mapping[str, Answered],
    extra: Sequence[str],
    before: Earlier | None,
) -> str:
    def of(system: str) -> list[float]:
        return [figures[query.id].ndcg[system] for query in queries]

    hybrid = of(_HYBRID)
    best = max((of(name) for name in _HALVES), key=sum)
    cells = [
        *label,
        str(len(queries)),
        *(f"{_mean(of(mode.name)):.3f}" for mode in MODES),
        _versus(hybrid, best),
        *(_versus(hybrid, of(name)) for name in extra),
    ]
    if before is not None:
        both = [query for query in queries if _HYBRID in before.get(query.id, {})]
        now = [figures[query.id].ndcg[_HYBRID] for query in both]
        cells.append(_versus(now, [before[query.id][_HYBRID] for query in both]))
    return f"| {' | '.join(cells)} |\n"


def _versus(system: Sequence[float], other: Sequence[float]) -> str:
    if not system:
        return ""
    return _shown(paired_bootstrap(system, other))


def _shown(interval: ConfidenceInterval) -> str:
    text = f"{interval.difference:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"
    return f"**{text}**" if interval.low > 0 or interval.high < 0 else text


def _relevance(queries: Sequence[DevQuery], figures: Mapping[str, Answered]) -> str:
    """What `match` says of right notes, and of what queries without an answer find."""
    head = "\n## Relevance\n\n| language | right notes | not weak | right if strong, first | "
    head += "first, no answer | not weak | strong |\n|---|---:|---:|---:|---:|---:|---:|\n"
    groups: dict[str, list[DevQuery]] = {}
    for query in queries:
        groups.setdefault(query.lang, []).append(query)
    return head + "".join(_relevance_row(*group, figures) for group in sorted(groups.items()))


def _relevance_row(lang: str, queries: Sequence[DevQuery], figures: Mapping[str, Answered]) -> str:
    answered = [figures[query.id].matches for query in queries if query.relevant]
    right = [match for matches in answered for match, is_right in matches if is_right]
    first = [matches[0] for matches in answered if matches]
    strong = [float(is_right) for match, is_right in first if match == "strong"]
    # Where nothing is found, nothing is said to be relevant.
    none = [
        matches[0][0] if (matches := figures[query.id].matches) else "weak"
        for query in queries
        if not query.relevant
    ]
    cells = (
        *(lang, str(len(right)), _share(right, "strong", "related"), _two(strong), str(len(none))),
        *(_share(none, "strong", "related"), _share(none, "strong")),
    )
    return f"| {' | '.join(cells)} |\n"


def _share(found: Sequence[Match], *wanted: Match) -> str:
    return _two([float(match in wanted) for match in found])


def _two(values: Sequence[float]) -> str:
    return f"{_mean(values):.2f}" if values else ""


def _confidence(queries: Sequence[DevQuery], figures: Mapping[str, Answered]) -> str:
    """The confidence of queries with and without an answer, by language."""
    groups: dict[str, dict[str, list[float]]] = {}
    for query in queries:
        value = figures[query.id].confidence
        kind = query.kind if not query.relevant else _answer(figures[query.id])
        if value is not None:
            groups.setdefault(query.lang, {}).setdefault(kind, []).append(value)
    if not groups:
        return ""
    lines = [
        "\n## Confidence\n\n| language | queries | n | mean | share from 0.5 | share of pairs in order |\n",
        "|---|---|---:|---:|---:|---:|\n",
    ]
    for lang, kinds in sorted(groups.items()):
        found = kinds.get(_FOUND, [])
        for kind in (_FOUND, _MISSED, FOREIGN, NONSENSE):
            values = kinds.get(kind, [])
            if values:
                sure = _mean([float(value >= _SURE) for value in values])
                order = f"{_in_order(found, values):.3f}" if found and kind != _FOUND else ""
                row = (lang, kind, str(len(values)), f"{_mean(values):.2f}", f"{sure:.2f}", order)
                lines.append(f"| {' | '.join(row)} |\n")
    return "".join(lines) + _CONFIDENCE_LEGEND


_FOUND = "answered among the first 10"
_MISSED = "answer not among the first 10"
_CONFIDENCE_LEGEND = (
    "\n`share of pairs in order`: how often an answered query has more confidence than one of the "
    "row (the area under the ROC curve). The language is the query's.\n"
)


def _answer(figures: Answered) -> str:
    return _FOUND if figures.ndcg[_HYBRID] > 0 else _MISSED


def _in_order(higher: Sequence[float], lower: Sequence[float]) -> float:
    """The share of pairs whose first is greater; equal ones count half."""
    wins = sum((a > b) + (a == b) / 2 for a in higher for b in lower)
    return wins / (len(higher) * len(lower))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
