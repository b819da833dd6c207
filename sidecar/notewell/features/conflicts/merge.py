"""Merges two versions of a note that have no common ancestor, unit by unit.

The units of both are aligned by their longest common runs (Ratcliff and Metzener 1988, as difflib
has it). What stands in both is kept once, also where it was moved; what one has alone is kept in
its place. Two units in one place that have most words in common are one unit that was changed:
which of the two is right only a person knows. So no unit of either is ever lost without a choice.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from notewell.api.types import frozen
from notewell.features.conflicts.requests import KeptVersion, PartKind
from notewell.features.conflicts.units import Unit, cut_units

_CHANGED = 0.5  # of the words of two units in one place, that both have: one was changed
_MOST_PAIRS = 2_500  # of units in one place that are compared with each other
_SHORTEST_MOVED = 12  # characters of a unit that is known again elsewhere, unless it is unique
_WORD = re.compile(r"\w+")
_ENDED = re.compile(r"[.!?…。！？][\"'”’)\]*_]*$")  # noqa: RUF001
_ITEMS = re.compile(r"[^\r\n]*:[ \t]*\r?\n(?P<items>(?: *- [^\r\n]*(?:\r?\n|\Z))+)")
_NOTHING = Unit("line", "")


@frozen
class Part:
    """A stretch of two versions: what the note has of it, and what the copy has.

    `both`: the same but for spaces; one is empty where it was moved. `note` and `copy`: what one
    has alone. `differs`: the same, changed in one of them.
    """

    kind: PartKind
    note: Unit
    copy: Unit

    @property
    def is_property(self) -> bool:
        return "property" in (self.note.kind, self.copy.kind)


def compare(note: str, copy: str) -> tuple[Part, ...]:
    """Align two versions; the units of each, in order of the parts, are its text.

    Only the order of properties may be another.
    """
    ours, theirs = cut_units(note), cut_units(copy)
    head, theirs_head = _head(ours), _head(theirs)
    parts = [*_compare_heads(head, theirs_head)]
    parts += _compare_units(ours[len(head) :], theirs[len(theirs_head) :])
    return tuple(_without_moves(parts))


def merge(parts: Iterable[Part], choices: Sequence[KeptVersion], *, newer: KeptVersion) -> str:
    """The text of one note. `choices` has one for each part that differs, in order.

    A property has one value: `both` joins two lists, and else takes that of the `newer`.
    """
    chosen = iter(choices)
    text, last = "", _NOTHING
    for part in parts:
        choice: KeptVersion = next(chosen) if part.kind == "differs" else "both"
        for unit in _chosen_units(part, choice, newer):
            if unit.text:
                text, last = _append(text, last, unit), unit
    return text


def _chosen_units(part: Part, choice: KeptVersion, newer: KeptVersion) -> tuple[Unit, ...]:
    if part.kind == "both":
        return (part.note,)
    if part.kind == "differs" and part.is_property and choice == "both":
        joined = _join_lists(part.note, part.copy)
        if joined is not None:
            return (joined,)
        choice = newer
    return {"note": (part.note,), "copy": (part.copy,), "both": (part.note, part.copy)}[choice]


def _join_lists(note: Unit, copy: Unit) -> Unit | None:
    """Two properties that are lists as one: what the note has, then what the copy has more."""
    ours, theirs = _ITEMS.fullmatch(note.text), _ITEMS.fullmatch(copy.text)
    if ours is None or theirs is None:
        return None
    known = {line.strip() for line in ours["items"].splitlines()}
    more = [line for line in theirs["items"].splitlines(True) if line.strip() not in known]
    indent = ours["items"][: -len(ours["items"].lstrip(" "))]
    text = note.text if note.text.endswith("\n") else f"{note.text}\n"
    return replace(note, text=text + "".join(indent + line.lstrip(" ") for line in more))


def _append(text: str, last: Unit, unit: Unit) -> str:
    """Add a unit below `last`: one that begins a line begins one here, and others do not."""
    if not text:
        return unit.text
    if unit.starts_line:
        end = "" if text.endswith("\n") else "\r\n" if "\r\n" in text else "\n"
        return text + end + unit.text
    if last.kind == "sentence" and _ENDED.search(last.key):
        text = text.rstrip("\r\n")
    apart = "" if text[-1].isspace() or text[-1] in "。！？" else " "  # noqa: RUF001
    return text + apart + unit.text


# --- aligning ------------------------------------------------------------------------------


def _head(units: Sequence[Unit]) -> Sequence[Unit]:
    """The properties of a note, with the lines around them."""
    ends = [at for at, unit in enumerate(units) if unit.kind == "edge"]
    return units[: ends[1] + 1] if ends else ()


def _compare_heads(ours: Sequence[Unit], theirs: Sequence[Unit]) -> Iterator[Part]:
    """The properties of two notes, by name."""
    if not ours or not theirs:
        yield from (Part("note", unit, _NOTHING) for unit in ours)
        yield from (Part("copy", _NOTHING, unit) for unit in theirs)
        return
    yield Part("both", ours[0], theirs[0])
    others: dict[str, list[Unit]] = defaultdict(list)
    for unit in theirs[1:-1]:
        others[unit.name.casefold()].append(unit)
    for unit in ours[1:-1]:
        same = others[unit.name.casefold()]
        if not same:
            yield Part("note", unit, _NOTHING)
        else:
            other = same.pop(0)
            yield Part("both" if other.key == unit.key else "differs", unit, other)
    for unit in theirs[1:-1]:
        if any(unit is other for other in others[unit.name.casefold()]):
            yield Part("copy", _NOTHING, unit)
    yield Part("both", ours[-1], theirs[-1])


def _compare_units(ours: Sequence[Unit], theirs: Sequence[Unit]) -> Iterator[Part]:
    keys, other_keys = [unit.key for unit in ours], [unit.key for unit in theirs]
    matcher = SequenceMatcher(None, keys, other_keys, autojunk=False)
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        mine, other = ours[start:end], theirs[other_start:other_end]
        if kind == "equal":
            yield from (Part("both", *pair) for pair in zip(mine, other, strict=True))
        else:
            yield from _compare_place(mine, other)


def _compare_place(ours: Sequence[Unit], theirs: Sequence[Unit]) -> Iterator[Part]:
    """Different units in one place: pairs of which one was changed, and what is between them."""
    pair = _most_alike(ours, theirs)
    if pair is None:
        yield from (Part("note", unit, _NOTHING) for unit in ours)
        yield from (Part("copy", _NOTHING, unit) for unit in theirs)
        return
    at, other = pair
    yield from _compare_place(ours[:at], theirs[:other])
    one, two = ours[at], theirs[other]
    yield Part("both" if one.key == two.key else "differs", one, two)
    yield from _compare_place(ours[at + 1 :], theirs[other + 1 :])


def _most_alike(ours: Sequence[Unit], theirs: Sequence[Unit]) -> tuple[int, int] | None:
    """The places of the two units that have most words in common, if these are most of theirs."""
    if not ours or not theirs or len(ours) * len(theirs) > _MOST_PAIRS:
        return None
    bags, other_bags = (
        [Counter(_WORD.findall(unit.text.casefold())) for unit in units] for units in (ours, theirs)
    )
    best, places = 0.0, (0, 0)
    for at, bag in enumerate(bags):
        for other, other_bag in enumerate(other_bags):
            if (alike := _alike(bag, other_bag)) > best:
                best, places = alike, (at, other)
    return places if best >= _CHANGED else None


def _alike(bag: Counter[str], other: Counter[str]) -> float:
    """The share of the words of two units that both have, 0..1 (Dice 1945)."""
    total = bag.total() + other.total()
    return 2 * (bag & other).total() / total if total else 0.0


# --- moves ---------------------------------------------------------------------------------


def _without_moves(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, where what the copy has at another place stands once, in the note's.

    Blank lines of the copy below what was moved go with it.
    """
    all_ours = Counter(part.note.key for part in parts)
    all_theirs = Counter(part.copy.key for part in parts)

    def may_move(part: Part, unit: Unit) -> bool:
        if part.kind not in ("note", "copy") or part.is_property or not unit.key:
            return False
        return len(unit.key) >= _SHORTEST_MOVED or all_ours[unit.key] == all_theirs[unit.key] == 1

    ours = Counter(p.note.key for p in parts if p.kind == "note" and may_move(p, p.note))
    theirs = Counter(p.copy.key for p in parts if p.kind == "copy" and may_move(p, p.copy))
    left: dict[PartKind, Counter[str]] = {"note": ours & theirs, "copy": ours & theirs}
    is_moved = False
    for part in parts:
        unit = part.note if part.kind == "note" else part.copy
        if part.kind == "copy" and not unit.key and is_moved:
            yield replace(part, kind="both")
            continue
        is_moved = may_move(part, unit) and left[part.kind][unit.key] > 0
        if is_moved:
            left[part.kind][unit.key] -= 1
            yield replace(part, kind="both")
        else:
            yield part
