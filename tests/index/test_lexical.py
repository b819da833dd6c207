"""The documents of a note's passages, as every engine indexes them."""

from __future__ import annotations

from notewell.index.analyze import stemmer
from notewell.index.lexical import ChunkText, SearchText, note_documents
from notewell.index.note_terms import hash_of_token, pack_terms, unpack_terms


def test_what_every_passage_repeats_is_bounded_and_the_note_has_it_all() -> None:
    tags = tuple(f"t{number}" for number in range(3_000))
    passages = tuple(ChunkText(number, (), "bees") for number in range(300))
    note = SearchText(1, "A.md", "A", tags, tags, passages)

    documents = note_documents(note)
    size = sum(len(text) for _, fields in documents for text in fields.values())
    assert size < 10_000_000 < 300 * 4 * len(" ".join(tags))
    assert documents[-1][1]["tags"].startswith("t0 ")

    terms = set(unpack_terms([pack_terms(note, stemmer())]).hashes.tolist())
    assert hash_of_token("t2999", stemmer()) in terms


def test_a_note_with_a_usual_number_of_tags_has_them_in_every_passage() -> None:
    tags = ("garden", "work/plan", "x" * 90)
    note = SearchText(1, "A.md", "A", ("B",), tags, (ChunkText(1, (), "bees"),))

    ((_, fields),) = note_documents(note)
    assert fields["tags"].split()[0] == "garden"
    assert "plan" in fields["tags"]
    assert fields["tags"].count("x") == 64  # no token is longer
    assert fields["title"].split()[0::2] == ["a", "b"]
