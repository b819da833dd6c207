"""The figures of everyday queries as Markdown: by vault and kind, and against an earlier run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import orjson

from notewell.features.evaluate.report import ConfidenceInterval, paired_bootstrap
from tests.eval.everyday.queries import NO_ANSWER

FIRST = 3  # results whose right notes must not be hidden as weak
ALL = "all"


@dataclass(frozen=True)
class Figures:
    """The figures of one query.

    `ndcg`: nDCG@10 by mode. Of the hybrid search: `silent` if it shows nothing, `right` notes
    among the first `FIRST` with weak matches, of which `hidden` are not shown without these.
    """

    id: str
    vault: str
    kind: str
    ndcg: Mapping[str, float]
    silent: bool
    right: int
    hidden: int
    confidence: float | None


def write_figures(figures: Sequence[Figures], file: Path) -> None:
    """Write the figures of a run."""
    file.write_bytes(orjson.dumps([asdict(figure) for figure in figures]))


def read_figures(file: Path) -> list[Figures]:
    """Read a file of `write_figures`."""
    return [Figures(**row) for row in orjson.loads(file.read_bytes())]


def tables(figures: Sequence[Figures], modes: Sequence[str]) -> str:
    """nDCG@10 by vault and kind, then silence by vault."""
    return f"{_by_kind(figures, modes)}\n{_silence(figures)}"


def compared(before: Sequence[Figures], after: Sequence[Figures]) -> str:
    """The differences in nDCG@10 between two runs, over the queries that both have."""
    old = {figures.id: figures for figures in before}
    both = [figures for figures in after if figures.id in old and figures.kind != NO_ANSWER]
    if not both:
        return "\nThe two runs have no query in common.\n"
    modes = [mode for mode in both[0].ndcg if mode in old[both[0].id].ndcg]
    lines = _head("vault", "kind", "n", *(f"{mode} after - before" for mode in modes))
    for vault, kind, rows in _groups(both):
        cells = [
            _interval([row.ndcg[mode] for row in rows], [old[row.id].ndcg[mode] for row in rows])
            for mode in modes
        ]
        lines += _row(vault, kind, str(len(rows)), *cells)
    earlier = [old[figures.id] for figures in after if figures.id in old]
    return f"\n{lines}\nBefore:\n\n{_silence(earlier)}"


def _by_kind(figures: Sequence[Figures], modes: Sequence[str]) -> str:
    answered = [figure for figure in figures if figure.kind != NO_ANSWER]
    others = [mode for mode in modes if mode != "hybrid"]
    against = bool(others) and "hybrid" in modes
    lines = _head("vault", "kind", "n", *modes, *(["hybrid - better half"] if against else []))
    for vault, kind, rows in _groups(answered):
        means = {mode: fmean(row.ndcg[mode] for row in rows) for mode in modes}
        cells = [f"{means[mode]:.3f}" for mode in modes]
        if against:
            better = max(others, key=means.__getitem__)
            pair = [row.ndcg["hybrid"] for row in rows], [row.ndcg[better] for row in rows]
            cells.append(f"{_interval(*pair)} ({better})")
        lines += _row(vault, kind, str(len(rows)), *cells)
    return lines


def _silence(figures: Sequence[Figures]) -> str:
    lines = _head(
        "vault",
        "no answer",
        "silent",
        "answered",
        "silent",
        f"right among the first {FIRST}",
        "hidden",
    )
    for vault, rows in _by(figures, lambda one: one.vault):
        without = [row for row in rows if row.kind == NO_ANSWER]
        answered = [row for row in rows if row.kind != NO_ANSWER]
        right = sum(each.right for each in answered)
        lines += _row(
            vault,
            str(len(without)),
            _share(sum(each.silent for each in without), len(without)),
            str(len(answered)),
            _share(sum(each.silent for each in answered), len(answered)),
            str(right),
            _share(sum(each.hidden for each in answered), right),
        )
    return lines


def _groups(figures: Sequence[Figures]) -> Iterator[tuple[str, str, list[Figures]]]:
    """Each vault with each of its kinds, then all vaults together."""
    for vault, of_vault in _by(figures, lambda one: one.vault):
        for kind, rows in _by(of_vault, lambda one: one.kind):
            yield vault, kind, rows


def _by(
    figures: Iterable[Figures], key: Callable[[Figures], str]
) -> Iterator[tuple[str, list[Figures]]]:
    """The figures by a key in the order of their first, then all of them."""
    found: dict[str, list[Figures]] = {}
    for figure in figures:
        found.setdefault(key(figure), []).append(figure)
    yield from found.items()
    if len(found) > 1:
        yield ALL, [row for rows in found.values() for row in rows]


def _head(*cells: str) -> str:
    return _row(*cells) + _row(*("---" for _ in cells))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.1%})" if whole else "-"


def _interval(after: Sequence[float], before: Sequence[float]) -> str:
    found: ConfidenceInterval = paired_bootstrap(after, before)
    text = f"{found.difference:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
    return f"**{text}**" if found.low > 0 or found.high < 0 else text
