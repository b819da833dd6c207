"""Random queries of conditions, as text and as what they mean for a note read by brute force."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from tests.search.brute_force import (
    PaperNote,
    PaperVault,
    created_of,
    has_phrase,
    has_property,
    modified_of,
)


@dataclass(frozen=True)
class Condition:
    """A part of a query: how it is typed, and whether a note meets it.

    `words` are those that are scored; with `needs_word` a note that has none of them is not found.
    """

    text: str
    meets: Callable[[PaperNote], bool]
    words: tuple[str, ...] = ()
    needs_word: bool = False


class Generator:
    """Makes queries of what a vault has, so that about half of the conditions meet something."""

    def __init__(self, vault: PaperVault, seed: int, now: datetime) -> None:
        self.random = random.Random(seed)
        self.notes = list(vault.notes.values())
        self.now = now
        self.values = sorted(
            {
                (name, value)
                for note in self.notes
                for name, each in note.all_properties
                for value in (each if isinstance(each, list) else [each])
                if isinstance(value, str) and re.fullmatch(r"[\w\-\[\] .|]{1,40}", value)
                if re.fullmatch(r"[\w -]+", name)
            }
        )
        self.names = sorted({name for name, _ in self.values})
        self.tags = sorted(
            {tag for note in self.notes for tag in note.tags if re.fullmatch(r"[\w/-]+", tag)}
        )

    # --- single conditions ---

    def note(self) -> PaperNote:
        return self.random.choice(self.notes)

    def text(self) -> str:
        """A text of some field of some note."""
        note = self.note()
        fields: Sequence[Sequence[str]] = (
            note.lines, note.lines, note.lines, note.headings, note.values, note.values,
            [note.title], note.aliases, note.tags, [note.path],
        )  # fmt: skip
        texts = self.random.choice([each for each in fields if each])
        return self.random.choice(texts)

    def word(self) -> str:
        """A plain word; now and then one that no note has."""
        if self.random.random() < 0.05:
            return self.random.choice(["zebrafish", "quuxly"])
        for _ in range(50):
            found = re.findall(r"(?<![\w'’.-])[A-Za-z]{3,}(?![\w'’.-])", self.text())
            found = [word for word in found if word != "OR" and (word.islower() or word.istitle())]
            if found:
                return self.random.choice(found)
        return "note"

    def phrase_text(self) -> str:
        """One to four words that follow each other, in any spelling."""
        for _ in range(50):
            runs = re.findall(r"(?<![\w'’])\w+(?: \w+)*(?![\w'’])", self.text())
            runs = [run for run in runs if not re.search(r"_|[^\W\d_]\d|\d[^\W\d_]", run)]
            if not runs:
                continue
            words = self.random.choice(runs).split(" ")
            count = self.random.randint(1, min(4, len(words)))
            start = self.random.randint(0, len(words) - count)
            chosen = words[start : start + count]
            if self.random.random() < 0.1:
                self.random.shuffle(chosen)
            shown = " ".join(chosen)
            return self.random.choice(
                [shown, shown, shown.lower(), shown.upper(), shown.replace(" ", "  ")]
            )
        return "the note"

    def phrase(self) -> Condition:
        text = self.phrase_text()
        return Condition(f'"{text}"', lambda note: has_phrase(note, text), tuple(text.split()))

    def excluded_word(self) -> Condition:
        word = self.word()
        return Condition(f"-{word}", lambda note: not has_phrase(note, word))

    def required_word(self) -> Condition:
        """A word as one side of an OR."""
        word = self.word()
        return Condition(word, lambda note: has_phrase(note, word), (word,))

    def path(self) -> Condition:
        path = self.note().path
        start = self.random.randrange(len(path))
        part = path[start : start + self.random.randint(2, 9)].strip()
        field = self.random.choice(["path", "file"])
        if not re.search(r"\w", part) or part[0] in '("<>-' or re.search(r"[\"“”„\\()\[\]]", part):
            part = self.random.choice(["no", "a", "es"])
        shown = f'"{part}"' if " " in part else self.random.choice([part, f'"{part}"'])

        def meets(note: PaperNote) -> bool:
            where = note.path if field == "path" else note.path.rpartition("/")[2]
            return part.casefold() in where.casefold()

        return Condition(f"{field}:{shown}", meets)

    def tag(self) -> Condition:
        tag = self.random.choice(self.tags or ["none"])
        if "/" in tag and self.random.random() < 0.5:
            tag = tag.rpartition("/")[0]
        shown = self.random.choice([tag, f"#{tag}", tag.upper()])
        wanted = tag.casefold()
        return Condition(
            f"tag:{shown}",
            lambda note: any(f"{own.casefold()}/".startswith(f"{wanted}/") for own in note.tags),
        )

    def property(self) -> Condition:
        name, value = self.random.choice(self.values)
        other = self.random.choice([each for own, each in self.values if own == name])
        style = self.random.random()
        if style < 0.2:
            return self._property(name, "")
        if style < 0.3:
            return self._property(name, "null", (("=", None),))
        if style < 0.6:
            operand = _plain(value)
            return self._property(name, operand, (("=", operand),))
        if style < 0.7:
            one, two = _plain(value), _plain(other)
            return self._property(name, f"{one} OR {two}", (("=", one), ("=", two)))
        sign = self.random.choice([">", "<", ">=", "<="])
        operand = _plain(value)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", operand) and self.random.random() < 0.5:
            operand = operand[: self.random.choice([4, 7])]
        return self._property(name, f"{sign}{operand}", ((sign, operand),))

    def _property(
        self, name: str, value: str, tests: tuple[tuple[str, str | None], ...] = ()
    ) -> Condition:
        shown = self.random.choice([name, name.upper()])
        text = f"[{shown}:{value}]" if value else f"[{shown}]"
        return Condition(text, lambda note: has_property(note, name, tests))

    def type_or_status(self) -> Condition:
        name = self.random.choice(["type", "status"])
        known = [_plain(value) for own, value in self.values if own.lower() == name]
        value = self.random.choice(known or ["done"])
        shown = f'"{value}"' if " " in value else value
        return Condition(f"{name}:{shown}", lambda note: has_property(note, name, (("=", value),)))

    def date(self) -> Condition:
        field = self.random.choice(["created", "modified"])
        time_of = created_of if field == "created" else modified_of
        start, end, text = self.period(time_of(self.note()))

        def meets(note: PaperNote) -> bool:
            time = time_of(note)
            return (start is None or time >= start) and (end is None or time < end)

        return Condition(f"{field}:{text}", meets)

    def period(self, near: float) -> tuple[float | None, float | None, str]:
        """The bounds of a period, and how it is typed; near a time, or before now."""
        day = datetime.fromtimestamp(near).astimezone().date()
        later = day + timedelta(days=self.random.randint(0, 400))
        days, one = self.random.randint(1, 90), timedelta(days=1)
        ago = self.now.timestamp() - days * 24 * 3600
        year_end = _stamp(date(later.year + 1, 1, 1))
        month_end = _stamp(date(later.year + later.month // 12, later.month % 12 + 1, 1))
        today = self.now.date()
        return self.random.choice(
            [
                (_stamp(day), _stamp(day + one), f"{day:%Y-%m-%d}"),
                (_stamp(date(day.year, 1, 1)), year_end, f"{day:%Y}..{later:%Y}"),
                (_stamp(day.replace(day=1)), month_end, f"{day:%Y-%m}..{later:%Y-%m}"),
                (_stamp(day), _stamp(later + one), f"{day:%Y-%m-%d}..{later:%Y-%m-%d}"),
                (_stamp(day), None, f"{day:%Y-%m-%d}.."),
                (None, _stamp(day + one), f"..{day:%Y-%m-%d}"),
                (_stamp(day + one), None, f">{day:%Y-%m-%d}"),
                (_stamp(day), None, f">={day:%Y-%m-%d}"),
                (None, _stamp(date(day.year, 1, 1)), f"<{day:%Y}"),
                (None, month_end, f"<={later:%Y-%m}"),
                (ago, None, f"{days}d"),
                (None, ago, f"<{days * 24}h"),
                (_stamp(today), _stamp(today + one), "today"),
            ]
        )

    def filter(self) -> Condition:
        kinds = (self.path, self.tag, self.property, self.property, self.type_or_status, self.date)
        return self.random.choice(kinds)()

    # --- combinations ---

    def query(self) -> Condition:
        """One to three conditions, and sometimes words besides."""
        parts = [self.part() for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        words = [self.word() for _ in range(self.random.choice([0, 0, 0, 1, 2]))]
        plain = [Condition(word, lambda _: True, (word,), needs_word=True) for word in words]
        return joined(self.random.sample([*parts, *plain], len(parts) + len(plain)))

    def part(self, depth: int = 0) -> Condition:
        style = self.random.random()
        if style < 0.16:
            return self.excluded_word()
        if style < 0.42:
            return self.maybe_not(self.phrase())
        if style < 0.8 or depth > 1:
            return self.maybe_not(self.filter())
        inner = [self.part(depth + 1) for _ in range(self.random.randint(2, 3))]
        if style < 0.86:
            return self.maybe_not(in_parentheses(joined(inner)))
        if self.random.random() < 0.3:
            inner.insert(self.random.randint(0, len(inner)), self.required_word())
        return self.maybe_not(in_parentheses(either(inner)))

    def maybe_not(self, part: Condition) -> Condition:
        if self.random.random() < 0.7:
            return part
        return Condition(f"-{part.text}", lambda note: not part.meets(note))


def _stamp(day: date) -> float:
    """The local midnight that begins a day."""
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


def _plain(value: str) -> str:
    """A value as a person types it: of a link, its name."""
    return re.sub(r"^\[\[(?:.*[|/])?(.*)\]\]$", r"\1", value).strip("[] ") or "x"


def in_parentheses(part: Condition) -> Condition:
    return Condition(f"({part.text})", part.meets, part.words, part.needs_word)


def joined(parts: Sequence[Condition]) -> Condition:
    """All of the parts."""
    return Condition(
        " ".join(part.text for part in parts),
        lambda note: all(part.meets(note) for part in parts),
        tuple(word for part in parts for word in part.words),
        any(part.needs_word for part in parts),
    )


def either(parts: Sequence[Condition]) -> Condition:
    """One of the parts at least."""
    return Condition(
        " OR ".join(part.text for part in parts),
        lambda note: any(part.meets(note) for part in parts),
        tuple(word for part in parts for word in part.words),
    )


def queries(vault: PaperVault, count: int, seed: int, now: datetime) -> Iterator[Condition]:
    generator = Generator(vault, seed, now)
    for _ in range(count):
        yield generator.query()
