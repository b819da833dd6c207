"""Template lines: what many notes share does not count, is found, and does not depend on history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import Batch, NoteFieldWeights, NotePut
from notewell.index import template_lines
from notewell.index.analyze import tokens, words
from notewell.index.embedded import EmbeddedIndex, balance, note_lines
from notewell.index.embedded.keywords import Keywords
from notewell.index.embedded.note_lines import LINES_FILE
from notewell.index.embedded.note_terms import NOTE_TERMS_FILE, NoteTermsFile
from notewell.index.embedded.postings import Postings
from notewell.index.lexical import ChunkText, QueryTerm, SearchText
from notewell.index.template_lines import LineCounts, least_notes, line_hashes
from tests.in_memory.search import InMemoryKeywords
from tests.index.conftest import Material
from tests.index.test_expunge import fresh_copy, same, scores

FOOTER = "Edit in GitHub | Copy this note"
TEXTS = {
    1: "Obsidian Git\nBacks up the vault with git.",
    2: "Sync\nCopies notes between devices.",
    **{number: f"Plugin {number}\nDoes thing {number * 7}." for number in range(3, 15)},
}


def note(number: int, text: str, footer: str = FOOTER) -> SearchText:
    body = f"{text}\n{footer}" if footer else text
    return SearchText(number, f"{number}.md", "", (), (), (ChunkText(1000 + number, (), body),))


def with_footer() -> list[SearchText]:
    return [note(number, text) for number, text in TEXTS.items()]


class Index:
    """A keyword index that is changed step by step, as the database would ask for it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.postings = Postings(folder)
        self.notes: dict[int, SearchText] = {}
        self.generation = 0

    def change(self, notes: Iterable[SearchText], gone: Sequence[int] = ()) -> None:
        """Add or replace notes, and remove others."""
        self.generation += 1
        changed = {note.note_id: note for note in notes}
        self.notes = {key: one for key, one in self.notes.items() if key not in gone} | changed
        self.postings.update(
            list(changed.values()),
            others=lambda ids: [self.notes[id_] for id_ in ids],
            gone=gone,
            database="d",
            generation=self.generation,
        )

    @property
    def keywords(self) -> Keywords:
        return Keywords(self.postings)


def query(text: str) -> list[QueryTerm]:
    return [QueryTerm(token) for token in tokens(text)]


Scores = dict[int, tuple[float, ...]]


def answers(keywords: Keywords | InMemoryKeywords, text: str) -> tuple[Scores, Scores]:
    """Scores of passages, and of notes with their coverage."""
    hits = keywords.search(query(text), limit=100)
    found = keywords.match_notes(query(text), weights=NoteFieldWeights())
    passages = zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True)
    rows = np.stack([found.bm25, found.coverage, found.held, found.lengths], axis=1)
    return (
        {chunk: (score,) for chunk, score in passages},
        {int(one): tuple(row) for one, row in zip(found.note_ids, rows.tolist(), strict=True)},
    )


def assert_as_new(index: Index, notes: Sequence[SearchText], text: str) -> None:
    """The index answers as a new one; tantivy's scores do so once deleted documents are gone."""
    (passages, found), (of_new, expected) = (
        answers(keywords, text) for keywords in (index.keywords, InMemoryKeywords(notes))
    )
    assert passages.keys() == of_new.keys()
    assert found.keys() == expected.keys()
    for key, values in found.items():
        assert values == pytest.approx(expected[key], rel=1e-6)


def engines() -> Iterator[Keywords | InMemoryKeywords]:
    index = Index()
    index.change(with_footer())
    yield index.keywords
    yield InMemoryKeywords(with_footer())


def test_words_of_template_lines_do_not_count() -> None:
    plain = Index()
    plain.change([note(number, text, footer="") for number, text in TEXTS.items()])
    for keywords in engines():
        assert keywords.document_frequency("git") == 1
        assert keywords.note_frequency("git") == 1
        passages, notes = answers(keywords, "git")
        assert passages.keys() == {1001}
        expected = answers(plain.keywords, "git")[1][1]
        assert notes[1] == pytest.approx(expected)
        assert [token for token, _ in keywords.terms_with_prefix("gith", 9)] == []


def test_a_word_of_template_lines_alone_finds_them() -> None:
    for keywords in engines():
        passages, notes = answers(keywords, "github")
        assert len(passages) == len(notes) == len(TEXTS)
        assert all(coverage == 1.0 for _, coverage, _, _ in notes.values())
        assert keywords.document_frequency("github") == len(TEXTS)
        assert keywords.note_frequency("github") == len(TEXTS)


def test_a_note_holds_the_words_of_its_template_lines() -> None:
    keywords = InMemoryKeywords([*with_footer(), note(20, "How to edit")])
    notes = answers(keywords, "edit sync")[1]
    assert notes[2][1] < 1.0  # it has "edit" in the footer alone
    assert notes[2][2] == pytest.approx(1.0)


def test_phrases_and_conditions_find_template_lines() -> None:
    for keywords in engines():
        everywhere = list(TEXTS)
        assert keywords.notes_with_phrase(words("Edit in GitHub")).tolist() == everywhere
        assert keywords.notes_with_phrase(["git", "edit"]).tolist() == [1]  # across two lines
        assert keywords.notes_with_phrase(["devices", "copy"]).tolist() == []
        assert keywords.notes_with_all(["github", "sync"]).tolist() == [2]


def test_values_of_properties_are_no_template_lines() -> None:
    notes = [
        SearchText(n, f"{n}.md", "", (), (), (ChunkText(n, (), "Book", of_properties=True),))
        for n in range(1, 21)
    ]
    assert InMemoryKeywords(notes).document_frequency("book") == 20
    assert LineCounts.of([note.lines() for note in notes]).template == frozenset()


def test_headings_that_many_notes_have_are_template_lines() -> None:
    notes = [
        SearchText(n, f"{n}.md", "", (), (), (ChunkText(n, ("Author of",), f"text{n} Author"),))
        for n in range(1, 21)
    ]
    passages, found = answers(InMemoryKeywords(notes), "author of")
    assert len(passages) == 20
    assert {coverage for _, coverage, _, _ in found.values()} == {1.0}


@given(
    steps=st.lists(st.lists(st.integers(0, 40), max_size=20), max_size=6),
    most=st.sampled_from([0, 10, 1000]),
)
def test_counts_do_not_depend_on_history(steps: list[list[int]], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(template_lines, "_MOST_STEPS", most)
        _assert_counted_as_new(steps)


def _assert_counted_as_new(steps: list[list[int]]) -> None:
    lines = [line_hashes([f"line {number % 5}\nown {number}"]) for number in range(41)]
    held: set[int] = set()
    counts = LineCounts.of([])
    for step in steps:
        gone, come = held.intersection(step), set(step) - held
        counts = counts.changed(old=[lines[n] for n in gone], new=[lines[n] for n in come])
        held = held - gone | come
        fresh = LineCounts.of([lines[number] for number in held])
        assert counts.template == fresh.template
        assert counts.merged().hashes.tolist() == fresh.hashes.tolist()
        assert counts.merged().counts.tolist() == fresh.counts.tolist()


def test_the_limit_grows_with_the_vault_in_steps() -> None:
    limits = [least_notes(count) for count in range(20_000)]
    assert limits == sorted(limits)
    assert (limits[0], limits[199]) == (10, 10)
    assert all(count / 25 <= limits[count] <= count / 20 + 1 for count in range(250, 20_000))
    assert len(set(limits)) < 40


def test_an_index_that_was_changed_equals_a_new_one() -> None:
    """The footer becomes a template line, and ceases to be one, in notes that did not change."""
    index = Index()
    index.change([note(number, TEXTS[number]) for number in range(1, 9)])
    assert index.keywords.document_frequency("github") == 8
    index.change([note(number, TEXTS[number]) for number in range(9, 15)])
    for text in ("git", "github", "sync with git", "copies", "copy", "plugin note"):
        assert_as_new(index, with_footer(), text)
    index.change([note(3, "Another", footer="")], gone=[4, 5, 6, 7, 8])
    left = list(index.notes.values())
    for text in ("git", "github", "edit", "copy another"):
        assert_as_new(index, left, text)


def test_what_a_crash_left_undone_is_done_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terms and lines of a generation are stored, and the documents are not."""
    index = Index(tmp_path)
    index.change([note(number, TEXTS[number]) for number in range(1, 9)])
    marker = index.postings.belongs_to()
    with monkeypatch.context() as crash:
        crash.setattr(index.postings, "_commit", lambda writer: writer.rollback())
        index.change([note(number, TEXTS[number]) for number in range(9, 15)])
    index.postings.close()

    again = Index(tmp_path)
    assert again.postings.belongs_to() == marker
    again.postings.update(
        [note(number, TEXTS[number]) for number in range(9, 15)],
        others=lambda ids: [note(id_, TEXTS[id_]) for id_ in ids],
        gone=(),
        database="d",
        generation=2,
        since=1,
    )
    for text in ("git", "github", "copy"):
        assert_as_new(again, with_footer(), text)
    again.postings.close()


@pytest.mark.parametrize("harm", ["", "a byte", "gone", "power cut"])
def test_lines_are_counted_again_only_where_their_snapshot_does_not_fit(
    tmp_path: Path, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_lines, "_LEAST_SAVED", 1)
    index = Index(tmp_path)
    index.change([note(number, TEXTS[number]) for number in range(1, 8)])
    index.change([note(8, TEXTS[8])])
    index.postings.lines.save()
    index.postings.close()
    file = tmp_path / LINES_FILE
    if harm == "a byte":
        file.write_bytes(file.read_bytes()[:-64] + b"\x7f" * 64)
    elif harm == "gone":
        file.unlink()
    elif harm == "power cut":  # the terms lost what named the snapshot
        terms = NoteTermsFile(tmp_path / NOTE_TERMS_FILE)
        terms.name_lines(1)
        terms.close()
    counted: list[bool] = []
    all_lines = NoteTermsFile.all_lines

    def counting(self: NoteTermsFile) -> Any:
        counted.append(True)
        return all_lines(self)

    monkeypatch.setattr(NoteTermsFile, "all_lines", counting)
    again = Index(tmp_path)
    again.generation, again.notes = index.generation, index.notes
    again.change([note(9, TEXTS[9])])  # the ninth: the footer is no template line yet
    assert bool(counted) == bool(harm)
    again.change([note(number, TEXTS[number]) for number in range(10, 15)])
    for text in ("git", "github", "copy"):
        assert_as_new(again, with_footer(), text)
    again.postings.close()


def test_scores_are_those_of_a_new_index_after_lines_came_and_went(
    index: EmbeddedIndex, make: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a larger index, where deleted documents are balanced and not written again."""
    monkeypatch.setattr(balance, "WRITTEN_AGAIN", 5)
    queries = (("github",), ("sync", "git"), ("copy", "devices", "3"))

    def put(number: int, footer: str = FOOTER) -> NotePut:
        return make.note(f"{number}.md", f"{TEXTS[number]}\n{footer}", headings=["Sync notes"])

    steps = (
        [put(number) for number in range(1, 10)],
        [put(number) for number in range(10, 15)],
        [put(number, "See the manual") for number in range(2, 8)],
    )
    puts: dict[str, NotePut] = {}
    for step in steps:
        index.apply(Batch(puts=tuple(step)))
        puts |= {each.note.path: each for each in step}
    index.save()
    with fresh_copy(index, puts) as fresh:
        for query in queries:
            same(scores(index, *query), scores(fresh, *query))
