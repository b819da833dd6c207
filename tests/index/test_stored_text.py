"""The shown text that is stored with a passage is the one that would be worked out anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

from hypothesis import example, given
from hypothesis import strategies as st

from notewell.base.types import ChunkSizes
from notewell.index.shown_text import shown_text
from notewell.index.stored_text import pack_shown, unpack_shown
from notewell.index.template_lines import hash_of_line
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from tests.vault.notes import source

NAMES = ("Rye bread", "Flour")
CASES = Path(__file__).parents[1] / "contract" / "snippet-cases.json"

ROWS = st.sampled_from(
    (
        "",
        "Rye bread",
        "The dough rests for a night.",
        "- an item",
        "  1. [x] another **item**",
        "---",
        "Edit in GitHub",
        "rye | 80 %",
        "Flour | Water",
        "> [!note] A callout",
        "graph TD",
        "  A --> B",
        "a row that ends with a dot ·",
        "\u0130stanbul \U0001f35e",
    )
)
PASSAGES = st.lists(ROWS | st.text(max_size=12), max_size=7).map("\n".join)


def template_of(rows: set[str]) -> frozenset[int]:
    return frozenset(hash_of_line(row) for row in rows) - {0}


@given(passage=PASSAGES, rows=st.sets(ROWS, max_size=3), skips_rule=st.booleans())
@example(passage="Edit in GitHub", rows={"Edit in GitHub"}, skips_rule=False)
@example(passage="Edit in GitHub\nThe dough rests.", rows={"Edit in GitHub"}, skips_rule=False)
def test_it_is_the_text_that_would_be_worked_out(
    passage: str, rows: set[str], skips_rule: bool
) -> None:
    lines = tuple(2 * n if skips_rule else n for n in range(passage.count("\n") + 1))
    packed = pack_shown(passage, NAMES, lines)
    template = template_of(rows)
    stored = unpack_shown(packed, passage, NAMES, template)
    worked_out = shown_text(passage, names=NAMES, lines=lines, template=template)
    if stored is None:
        assert template_of(set(passage.split("\n"))) & template
    else:
        assert (stored.text, stored.rows, stored.walls) == (
            worked_out.text,
            worked_out.rows,
            worked_out.walls,
        )
        assert stored.is_whole <= worked_out.is_whole


def test_without_a_template_it_is_always_used() -> None:
    passage = "Flour | Water\nrye | 80 %"
    assert unpack_shown(pack_shown(passage, NAMES, (1, 3)), passage, NAMES, frozenset()) is not None


def test_below_other_names_it_is_not_used() -> None:
    passage = "Rye bread\nThe dough rests."
    packed = pack_shown(passage, NAMES, (1, 2))
    assert unpack_shown(packed, passage, ("Spelt bread", "Flour"), frozenset()) is None


@given(st.data())
def test_of_a_changed_byte_nothing_is_shown(data: st.DataObject) -> None:
    passage = "The dough rests.\n- an item"
    packed = bytearray(pack_shown(passage, NAMES, (1, 2)))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] ^= data.draw(st.integers(1, 255))
    assert unpack_shown(bytes(packed), passage, NAMES, frozenset()) is None
    as_text: Any = packed.decode("latin-1")
    assert unpack_shown(as_text, passage, NAMES, frozenset()) is None
    cut = bytes(packed[:at])
    assert unpack_shown(cut, passage, NAMES, frozenset()) is None


def test_a_change_of_how_passages_are_shown_raises_the_number_of_the_rules() -> None:
    """Where this fails, raise `_RULES` in stored_text.py too, or indexes keep the text before."""
    packed = b""
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        note = parse(f"{case['title']}.md", source(case["note"]), modified=0.0)
        for part in chunk(note, count_tokens=len, sizes=ChunkSizes(400, 40, 0)):
            packed += pack_shown(part.text, (case["title"], *part.headings[-1:]), part.lines)
    assert crc32(packed) == 3888888964
