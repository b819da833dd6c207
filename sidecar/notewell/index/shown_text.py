"""The text of a passage as a snippet shows it: without marks, data, and names that stand above it.

A passage is stored by rows: items with their list marks, the cells of a table between bars, code as
it is written. Here a row of running text goes on after a blank. A row that stands for itself (an
item, the row of a table, a heading) begins after a dot. The row of
a table has the names of its columns before its cells, and is shown alone. Diagrams are left out.

The plugin shows its own passages alike (plugin/src/local/passages.ts);
tests/contract/snippet-cases.json has cases for both.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from notewell.base.types.frozen import frozen
from notewell.index.template_lines import hash_of_line

NEW_ROW = " · "
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])(?:\s+(?:\[.\](?:\s+|$))?|$)")
_LEAD = re.compile(r"\s*(?:>\s?)*(?:\[![\w-]+\][+-]?\s*|#{1,6}\s+)?")
_RULE = re.compile(r"[\s|:=*_-]*")
# What is left of emphasis and inline code that was not closed; long words are data, not text.
_NOISE = re.compile(
    r"\*\*|(?<!\S)\*(?!\S)|~~|`+|:(?=:\s)|\\(?=[^\w\s])|(?:data:[^\s)]{40,}|(?<!\S)(?!\S*://)[\w+/=-]{80,}(?!\S))"
)
# Properties that are no text: the address of a picture, and the blank of a template.
_NO_TEXT = re.compile(
    r"(?:^|(?<= · ))[\w -]{1,40}: (?:https?://\S+\.(?:jpe?g|png|gif|webp|svg|avif)(?:\?\S*)?"
    r"|\{\{[^{}\n]{0,80}\}\})(?: · |$)"
)
_MAY_HAVE_NOISE = re.compile(r"[*~`\\]|::|\S{40}|: (?:https?://|\{\{)")
# What an item, a lead or a rule may begin with, but for white space.
_MAY_BE_MARKED = re.compile(r"\s*(?:[-*+>\[#|:=_\d]|$)")
_DIAGRAM = re.compile(
    r"\s*(?:(?:graph|flowchart)\s+(?:TB|TD|BT|RL|LR)\b.*|(?:sequence|class|er|requirement)Diagram"
    r"|stateDiagram(?:-v2)?|gantt|pie|mindmap|gitGraph|journey|quadrantChart|xychart-beta"
    r"|%%\{.*)\s*;?\s*"
)
_MAY_BEGIN_DIAGRAM = re.compile(
    r"graph|flowchart|Diagram|gantt|pie|mindmap|gitGraph|journey|quadrantChart|xychart|%%"
)
_OF_DIAGRAM = re.compile(
    r"\s+\S.*|\s*|.*(?:--|->|==>|-\.|<\|).*|\w+\s?[\[({].*|\".*|\}"
    r"|(?:end|style|class|classDef|linkStyle|click|subgraph|participant|actor|section|title|note"
    r"|direction|loop|alt|else|opt|dateFormat)\b.*"
)
_BAR = " | "
_OPENING = (":", "\uff1a")
_ENDED = re.compile(r"[.!?…;,\u3002\uff01\uff1f\uff1b\uff0c]['\"\u201d\u2019)\]]*\Z")
_SHORT = 60  # a longer row without a full stop was broken in a sentence
_SENTENCE_GOES_ON = re.compile(r"[a-z]")
_NOT_LETTERS = re.compile(r"[\W_]+")
_NOT_LETTERS_OF_ROWS = re.compile(r"(?:[^\w\n]|_)+")


class ShownPart(NamedTuple):
    """A part of the shown text that stands for itself, or goes on with running text.

    `source` is where it begins in the passage, `end` where its row ends there, `row` the number of
    that row. What is `of_template` is left out, and has no text here.
    """

    text: str
    row: int
    source: int
    end: int
    stands_alone: bool
    of_table: bool = False
    of_template: bool = False


@frozen
class ShownText:
    """The text to show; `walls` are where the rows of tables begin and end in it.

    `is_whole` is False if rows of a template are left out.
    """

    text: str
    rows: tuple[tuple[int, int, int], ...]  # its beginning, and those and ends of its sources
    walls: tuple[int, ...] = ()
    is_whole: bool = True

    def source(self, at: int) -> int:
        """Where in the passage the character at `at` stands; exact but for marks in its row."""
        place = bisect_right(self.rows, at, key=itemgetter(0)) - 1
        if place < 0:
            return at
        begin, source, end = self.rows[place]
        return min(source + at - begin, max(source, end - 1))

    def between_walls(self, at: int) -> tuple[int, int]:
        """The part around `at` that may be shown together."""
        if not self.walls:
            return 0, len(self.text)
        after = bisect_right(self.walls, at)
        start = self.walls[after - 1] if after else 0
        return start, self.walls[after] if after < len(self.walls) else len(self.text)


def shown_text(
    passage: str,
    *,
    names: Sequence[str] = (),
    lines: Sequence[int] = (),
    template: Collection[int] = (),
) -> ShownText:
    """The text of a passage to show.

    `names` are those of the note and the headings above it, which are not repeated. `lines` are
    the numbers of its rows in the note: the rule below the head of a table is not stored. Rows that
    are in `template` are left out.
    """
    parts, is_whole = shown_parts(passage, names, lines, template)
    return join_parts(parts, is_whole=is_whole)


def names_above(title: str, headings: Sequence[str]) -> tuple[str, ...]:
    """The names that stand above a passage where it is shown: of its note and its own heading."""
    return (title, *headings[-1:])


def shown_parts(
    passage: str, names: Sequence[str], lines: Sequence[int], template: Collection[int]
) -> tuple[list[ShownPart], bool]:
    """The parts of the shown text, in order, and whether no row of a template is left out."""
    shown = {_letters(name) for name in names}
    if is_plain_row(passage):
        text, start = _without_marks(passage)
        if text and _letters(text) not in shown:
            return [ShownPart(text, 0, start, len(passage), stands_alone=False)], True
    every = list(_rows(passage, lines, template))
    rows = [row for row in every if not row.of_template]
    letters = _NOT_LETTERS_OF_ROWS.sub("", "\n".join([row.text for row in rows])).casefold()
    told = zip(rows, letters.split("\n"), strict=False)
    kept = [row for row, name in told if row.of_table or name not in shown]
    return kept, len(rows) == len(every)


def is_plain_row(passage: str) -> bool:
    """Tell whether a passage is one row of text, which is shown even where many notes have it."""
    return "\n" not in passage and _BAR not in passage and _MAY_HAVE_NOISE.search(passage) is None


def rows_stand_apart(passage: str) -> bool:
    """Tell whether a row that is left out of a passage changes nothing in how others are shown.

    A row of a table or a diagram may name what is below it.
    """
    is_one = "\n" not in passage
    return is_one or (_BAR not in passage and _MAY_BEGIN_DIAGRAM.search(passage) is None)


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text).casefold()


def _rows(passage: str, lines: Sequence[int], template: Collection[int]) -> Iterator[ShownPart]:
    rows = passage.split("\n")
    may_have_bars = _BAR in passage
    may_have_noise = _MAY_HAVE_NOISE.search(passage) is not None
    may_have_diagram = _MAY_BEGIN_DIAGRAM.search(passage) is not None
    head: list[str] = []
    in_diagram = False
    source = 0
    for n, row in enumerate(rows):
        start, source = source, source + len(row) + 1
        is_marked = _MAY_BE_MARKED.match(row) is not None
        item = is_marked and _ITEM.match(row) is not None
        if template and not item and hash_of_line(row) in template:
            # An item is kept: a step that many notes have is missed where it is left out.
            yield ShownPart("", n, start, source - 1, stands_alone=False, of_template=True)
            continue
        if may_have_diagram:
            goes_on = in_diagram and _OF_DIAGRAM.fullmatch(row)
            in_diagram = bool(goes_on or _DIAGRAM.fullmatch(row))
        cells = row.count(_BAR) if may_have_bars else 0
        if in_diagram:
            head = []
        elif cells and _is_head(rows, n, lines):
            head = row.split(_BAR)
        elif cells and (cells + 1 == len(head) or _is_one_of_many(rows, n, cells)):
            cells_text = _name_cells(row, head)
            if cells_text:
                yield ShownPart(cells_text, n, start, source - 1, stands_alone=True, of_table=True)
        else:
            head = []
            skipped = _marks_before(row) if is_marked else len(row) - len(row.lstrip())
            text = _clean(row[skipped:], is_marked=is_marked, may_have_noise=may_have_noise)
            if text:
                yield ShownPart(text, n, start + skipped, source - 1, stands_alone=item)


def _is_head(rows: Sequence[str], n: int, lines: Sequence[int]) -> bool:
    """Tell whether a row is the head of a table, by the missing line of the rule below it."""
    if n + 1 >= min(len(rows), len(lines)):
        return False
    return lines[n + 1] - lines[n] == 2 and _BAR in rows[n + 1]


def _is_one_of_many(rows: Sequence[str], n: int, cells: int) -> bool:
    """Tell whether a row has a neighbour with as many cells: of a table whose head is elsewhere."""
    return any(0 <= at < len(rows) and rows[at].count(_BAR) == cells for at in (n - 1, n + 1))


def _name_cells(row: str, head: Sequence[str]) -> str:
    cells = [_without_marks(cell)[0] for cell in row.split(_BAR)]
    names = [_without_marks(name)[0] for name in head] or [""] * len(cells)
    pairs = zip(names, cells, strict=False)
    return NEW_ROW.join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _without_marks(row: str) -> tuple[str, int]:
    """A row without its marks and data, and how many characters are left out before it."""
    start = _marks_before(row)
    return _clean(row[start:], is_marked=True, may_have_noise=True), start


def _clean(text: str, *, is_marked: bool, may_have_noise: bool) -> str:
    """The text after the marks of a row, without what is no text in it."""
    if is_marked and _RULE.fullmatch(text):
        return ""
    if may_have_noise and _MAY_HAVE_NOISE.search(text):
        text = _NOISE.sub("", text)
        if _NO_TEXT.search(text):
            text = _NO_TEXT.sub("", text).strip(NEW_ROW)
    return " ".join(text.split())


def _marks_before(row: str) -> int:
    """The number of characters before the text of a row: its marks and white space."""
    item = _ITEM.match(row)
    lead = _LEAD.match(row, item.end() if item else 0)
    return lead.end() if lead else 0


def join_parts(rows: Sequence[ShownPart], *, is_whole: bool) -> ShownText:
    """The text of parts, in order."""
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    walls: list[int] = []
    length = 0
    before: ShownPart | None = None
    for row in rows:
        if before is not None:
            parts.append(NEW_ROW if _is_apart(before, row) else " ")
            length += len(parts[-1])
        places.append((length, row.source, row.end))
        if row.of_table or (before is not None and before.of_table):
            walls.append(length)
        parts.append(row.text)
        length += len(row.text)
        before = row
    return ShownText("".join(parts), tuple(places), tuple(walls), is_whole)


def _is_apart(before: ShownPart, row: ShownPart) -> bool:
    """Tell whether a row does not go on with the text before it."""
    if row.of_table or before.of_table:
        return True
    if before.text.endswith(_OPENING):
        return False
    if row.stands_alone:
        return before.stands_alone or not _ENDED.search(before.text)
    if _SENTENCE_GOES_ON.match(row.text):
        return False
    is_heading = len(row.text) <= _SHORT and not _ENDED.search(row.text)
    return is_heading or (
        not _ENDED.search(before.text) and (before.stands_alone or len(before.text) <= _SHORT)
    )
