"""Chunks: split at headings, small sections joined, long ones split at good places."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.types import Chunk, ChunkSizes
from notewell.vault.chunk import chunk, embed_hash
from notewell.vault.sections import heading_paths, headings_at
from tests.vault.notes import check_chunks, chunks_of, letters, note_of, words

SIZES = ChunkSizes(64, 12, 6)
SENTENCE = "The quick brown fox jumps over the lazy dog number {}."


def sentences(count: int, start: int = 0) -> str:
    return " ".join(SENTENCE.format(n) for n in range(start, start + count))


def shapes(chunks: tuple[Chunk, ...]) -> list[tuple[tuple[str, ...], str]]:
    return [(item.headings, item.text) for item in chunks]


def test_each_section_is_a_chunk_with_its_heading_path() -> None:
    text = (
        f"{sentences(2)}\n# A\n{sentences(2, 2)}\n## B\n{sentences(2, 4)}\n# C\n{sentences(2, 6)}"
    )
    found = chunks_of(text)
    assert [item.headings for item in found] == [(), ("A",), ("A", "B"), ("C",)]
    assert [item.ordinal for item in found] == [0, 1, 2, 3]
    assert [item.text for item in found][1] == sentences(2, 2)
    assert text[found[2].start : found[2].end] == found[2].text
    assert found[2].lines == (5,)


def test_the_header_has_title_path_tags_topics_and_author_but_no_folder() -> None:
    text = (
        "---\ntags: [t1, t2]\ntopics: ['[[Space|space]]', '[Big bang](/Ontology/Big%20bang.md)']\n"
        "author: Ann\n---\n# A\n## B\n" + sentences(2)
    )
    (found,) = chunks_of(text)
    assert found.header == "A note > A > B\nTags: t1, t2\nTopics: space, Big bang\nAuthor: Ann"
    assert found.text_hash == embed_hash(f"{found.header}\n{found.text}")


def test_a_heading_that_repeats_the_title_is_left_out() -> None:
    (found,) = chunks_of("# A note\n" + sentences(2))
    assert found.header == "A note"
    assert found.headings == ("A note",)


def test_a_long_header_is_shortened_for_the_text() -> None:
    text = f"---\ntags: [{','.join('abcdefgh')}]\n---\n# {'outer ' * 30}\n## inner\n{sentences(2)}"
    (found,) = chunks_of(text)
    assert words(found.header) <= SIZES.max_tokens // 4
    assert found.header == "A note > inner\nTags: a, b, c, d, e, f"


def test_a_small_section_is_merged_with_its_sibling_under_both_headings() -> None:
    assert shapes(chunks_of("# T\n## A\none\n## B\ntwo\n")) == [(("T",), "A\none\nB\ntwo")]


def test_a_small_section_is_merged_with_its_subsection() -> None:
    text = f"# T\nshort\n## A\n{sentences(2)}"
    assert shapes(chunks_of(text)) == [(("T",), f"short\nA\n{sentences(2)}")]


def test_a_small_last_section_is_merged_with_the_one_before() -> None:
    text = f"# T\n## A\n{sentences(3)}\n## B\nshort"
    assert shapes(chunks_of(text)) == [(("T",), f"A\n{sentences(3)}\nB\nshort")]


def test_sections_under_different_headings_are_not_merged() -> None:
    text = f"# A\n## A1\n{sentences(2)}\n## A2\nshort but apart\n# B\n## B1\n{sentences(3)}"
    found = chunks_of(text)
    assert [item.headings for item in found] == [("A",), ("B", "B1")]
    assert "short but apart" in found[0].text


def test_large_sections_are_not_merged() -> None:
    text = f"# A\n{sentences(3)}\n# B\n{sentences(3)}"
    assert [item.headings for item in chunks_of(text)] == [("A",), ("B",)]


def test_a_note_of_headings_alone_is_found_by_them() -> None:
    assert shapes(chunks_of("# A\n## B\n## C")) == [(("A",), "B\nC")]


def test_a_note_without_text_uses_its_description_if_any() -> None:
    (found,) = chunks_of("---\ndescription: What it is about.\n---\n")
    assert (found.text, found.start, found.lines) == ("What it is about.", 0, (1,))
    assert chunks_of("") == ()


@pytest.mark.parametrize("name", ["description", "summary"])
def test_a_value_of_several_lines_has_a_place_for_each(name: str) -> None:
    (found,) = chunks_of(f"---\n{name}: |\n  One line.\n  Bees.\n\n  The last.\n---\n")
    assert len(found.lines) == found.text.count("\n") + 1
    assert set(found.lines) == {1}


def test_a_note_of_properties_alone_states_them() -> None:
    (found,) = chunks_of("---\ntags: [film]\ngenre: '[[Drama|dramas]]'\nyear: 1965\nseen:\n---\n")
    assert found.text == "genre: dramas · year: 1965"
    assert found.header == "A note\nTags: film"
    assert (found.start, found.end, found.lines) == (0, 0, (1,))
    assert chunks_of("---\ntags: [film]\naliases: [x]\nseen:\n---\n") == ()
    (long,) = chunks_of(f"---\ncast: {'somebody ' * 200}\n---\n")
    assert words(long.text) + words(long.header) <= SIZES.max_tokens


def test_a_long_section_is_split_between_paragraphs() -> None:
    paragraphs = [sentences(3, n) for n in range(0, 18, 3)]
    found = chunks_of("# A\n" + "\n\n".join(paragraphs))
    assert [item.text for item in found] == paragraphs
    assert all(item.headings == ("A",) for item in found)


def test_a_long_paragraph_is_split_between_sentences_with_overlap() -> None:
    text = sentences(30)
    found = chunks_of(text, sizes=ChunkSizes(64, 12, 12))
    assert all(item.text.startswith("The") and item.text.endswith(".") for item in found)
    for before, after in pairwise(found):
        assert before.text.split(". ")[-1] == after.text.split(". ")[0] + "."
        assert before.start < after.start < before.end
    assert [text[item.start : item.end] for item in found] == [item.text for item in found]


def test_pieces_are_about_equally_long() -> None:
    sizes = [words(item.text) for item in chunks_of(sentences(13), sizes=ChunkSizes(64, 12, 0))]
    assert max(sizes) - min(sizes) <= 22


@pytest.mark.parametrize(
    ("sentence", "ending"),
    [("これは日本語の文章です。", "。"), ("这是一个中文句子！", "！"), ("هل هذا نص عربي؟ ", "؟")],
)
def test_text_of_other_scripts_is_split_between_sentences(sentence: str, ending: str) -> None:
    found = chunks_of(sentence * 60, count=letters, sizes=ChunkSizes(128, 20, 10))
    assert len(found) > 3
    assert all(item.text.endswith(ending) for item in found)


def test_text_without_spaces_is_split_between_characters_not_within_them() -> None:
    thai = "ภาษาไทยไม่มีช่องว่างระหว่างคำ" * 40
    found = chunks_of(thai, count=letters, sizes=ChunkSizes(128, 20, 0))
    assert "".join(item.text for item in found) == thai
    assert not any(item.text[0] in "ัิีึืุู็่้๊๋์ำ" for item in found)


def test_a_very_long_word_is_split() -> None:
    found = chunks_of("x" * 2000, count=letters, sizes=ChunkSizes(128, 20, 10))
    assert sum(len(item.text) for item in found) >= 2000


def test_a_list_is_split_between_outer_items() -> None:
    items = [f"- item {n}\n  - {sentences(1, n)}\n  - more of {n}" for n in range(20)]
    found = chunks_of("\n".join(items))
    assert len(found) > 4
    assert all(item.text.startswith("- item") for item in found)
    assert all(item.parent is None for item in found)


def test_a_piece_of_a_long_item_names_its_parent() -> None:
    nested = "\n".join(f"  - {sentences(1, n)}" for n in range(20))
    found = chunks_of(f"- **Parent** item\n{nested}", sizes=ChunkSizes(64, 12, 0))
    assert found[0].parent is None
    assert {item.parent for item in found[1:]} == {"Parent item"}
    assert found[1].header.endswith("\nParent item")


def test_a_table_is_split_between_rows_and_each_piece_has_its_head() -> None:
    rows = "\n".join(f"| row {n} | {sentences(1, n)} |" for n in range(20))
    found = chunks_of(f"| Name | Words |\n|---|---|\n{rows}", sizes=ChunkSizes(64, 12, 0))
    assert len(found) > 3
    assert all(item.text.startswith(("Name", "row")) for item in found)
    assert all(item.header.endswith("\nName | Words") for item in found[1:])


def test_code_that_fits_is_not_split() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(12))
    found = chunks_of(f"{sentences(3)}\n\n```python\n{code}\n```\n\n{sentences(3)}")
    assert code in [item.text for item in found]


def test_a_chunk_names_a_block_only_if_it_has_one() -> None:
    (found,) = chunks_of(f"{sentences(1)} ^one\n\n{sentences(1)}")
    assert found.block == "one"
    (found,) = chunks_of(f"{sentences(1)} ^one\n\n{sentences(1)} ^two")
    assert found.block is None


def test_the_same_text_elsewhere_has_the_same_hash() -> None:
    one = chunk(note_of(sentences(2), "a/Name.md"), count_tokens=words, sizes=SIZES)
    other = chunk(note_of(sentences(2), "b/c/Name.md"), count_tokens=words, sizes=SIZES)
    assert one == other


def test_texts_that_are_not_utf8_can_be_hashed() -> None:
    assert len(embed_hash("\ud800")) == 16


@pytest.mark.parametrize("maximum", [24, 40, 256, 512])
def test_a_long_real_note_stays_within_every_size(maximum: int) -> None:
    parts = [
        f"{'#' * (1 + n % 3)} Part {n}\n{sentences(n % 11)}\n\n- a\n- b {n}\n" for n in range(40)
    ]
    text = "\n".join(parts)
    note = note_of(text)
    sizes = ChunkSizes(maximum, maximum // 5, maximum // 10)
    check_chunks(note, chunk(note, count_tokens=words, sizes=sizes), text, sizes, words)


def test_tokens_are_counted_few_times() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return words(text)

    text = "\n".join(f"# Part {n}\n{sentences(4)}\n" for n in range(50))
    found = chunk(note_of(text), count_tokens=count, sizes=SIZES)
    assert len(asked) <= 2 * len(found) + 2


LINES_OF_NOTE = st.lists(
    st.sampled_from(
        ("# One", "## Two", "## Three", "### Four", "# A note", "word " * 9, "a b", "- item", "")
    ),
    max_size=30,
)


@given(LINES_OF_NOTE)
@settings(max_examples=300, deadline=None)
def test_each_line_of_a_chunk_knows_its_headings(lines: list[str]) -> None:
    path: list[tuple[int, str]] = []
    expected: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            level = line.index(" ")
            path = [each for each in path if each[0] < level] + [(level, line[level + 1 :])]
        expected[number] = tuple(text for _, text in path)
    for one in chunks_of("\n".join(lines)):
        starts = [0, *(match.end() for match in re.finditer("\n", one.text))]
        for at, line in zip(starts, one.lines, strict=True):
            assert headings_at(one, at) == expected[line]


def test_a_merged_chunk_has_the_headings_within_it() -> None:
    (found,) = chunks_of("# T\n## A\none\n## B\n### C\ntwo\n")
    assert heading_paths(found) == [("T",), ("T", "A"), ("T", "B"), ("T", "B", "C")]
