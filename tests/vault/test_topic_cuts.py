"""Notes that are cut where the topic changes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import Chunk, ChunkSizes
from notewell.vault.chunk import chunk
from notewell.vault.topic_cuts import MOST_SENTENCES, TopicCuts, compared_sentences
from tests.vault.notes import check_chunks, chunks_of, note_of, words

SIZES = ChunkSizes(64, 8, 6)
BREAD = "The dough of this bread rests overnight."
STARS = "The brightest stars have names from Arabic."


def same_subject(texts: Sequence[str]) -> list[float]:
    """A likeness that knows bread from stars."""
    return [1.0 if ("bread" in a) == ("bread" in b) else 0.0 for a, b in pairwise(texts)]


def cut(text: str, sizes: ChunkSizes = SIZES, percentile: int = 20) -> tuple[Chunk, ...]:
    rule = TopicCuts(same_subject, percentile)
    return chunk(note_of(text), count_tokens=words, sizes=sizes, cut_sections=rule)


def test_a_section_is_cut_where_the_topic_changes() -> None:
    text = f"# T\n\n{BREAD} {BREAD}\n{BREAD}\n\n{BREAD} {STARS} {STARS}\n\n{STARS}\n"

    first, second = cut(text)

    assert first.headings == second.headings == ("T",)
    assert "stars" not in first.text
    assert "bread" not in second.text
    assert first.lines == (3, 4, 6)
    assert second.lines == (6, 8)
    assert text[second.start : second.end].startswith(STARS)


def test_headings_stay_limits_and_a_note_of_one_topic_is_cut_there_alone() -> None:
    text = f"# A\n{BREAD} {BREAD}\n# B\n{BREAD} {BREAD}\n"

    assert [each.text for each in cut(text)] == [each.text for each in chunks_of(text)]


def test_no_part_is_smaller_than_the_least_size() -> None:
    turns = f"{BREAD} {STARS} " * 8

    parts = cut(turns, ChunkSizes(64, 30, 6), percentile=99)

    assert len(parts) > 1
    assert all(words(part.text) >= 30 - words(BREAD) for part in parts)


def test_what_is_longer_than_a_chunk_is_split_as_ever() -> None:
    text = f"{BREAD} " * 30 + f"{STARS} {STARS}"

    found = cut(text)

    assert len(found) > 2
    check_chunks(note_of(text), found, text, SIZES, words)
    assert "bread" not in found[-1].text


def test_items_are_kept_whole_with_what_is_below_them_and_tables_too() -> None:
    items = f"- {BREAD}\n  - {STARS}\n- {STARS}\n- {STARS}\n"
    table = "| bread name | time |\n|---|---|\n| rye bread loaf | 3 h |\n| stars of night | 9 |\n"

    assert compared_sentences(note_of(f"{items}\n{table}")) == [
        f"- {BREAD}\n  - {STARS}",
        f"- {STARS}",
        f"- {STARS}",
        "bread name | time\nrye bread loaf | 3 h\nstars of night | 9",
    ]


def test_short_sentences_are_compared_together_with_their_neighbour() -> None:
    assert compared_sentences(note_of(f"No. {BREAD} Yes! {STARS} End.")) == [
        f"No. {BREAD}",
        f"Yes! {STARS} End.",
    ]


def test_a_text_of_very_many_sentences_is_not_compared() -> None:
    assert compared_sentences(note_of(f"{BREAD} " * (MOST_SENTENCES + 1))) == []


BLOCKS = st.sampled_from(
    [
        BREAD,
        STARS,
        f"{BREAD} {STARS} {BREAD}",
        "# One",
        "## Two",
        f"- {BREAD}\n- {STARS}\n  - {STARS} {BREAD}\n- short",
        f"> {STARS}\n> {BREAD} ^quote",
        "```py\nx = 1\n\ny = 2\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "面包要静置一夜。星星很亮。",
    ]
)


@given(st.lists(BLOCKS, max_size=12), st.randoms(use_true_random=False), st.integers(1, 99))
def test_chunks_keep_their_promises_wherever_topics_change(
    blocks: list[str], random: object, percentile: int
) -> None:
    text = "\n\n".join(blocks)
    draw = getattr(random, "random")  # noqa: B009 - hypothesis has no public type for it
    rule = TopicCuts(lambda texts: [draw() for _ in texts[1:]], percentile)

    found = chunk(note_of(text), count_tokens=words, sizes=SIZES, cut_sections=rule)

    check_chunks(note_of(text), found, text, SIZES, words)
