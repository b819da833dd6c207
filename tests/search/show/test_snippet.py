"""Snippets: the right window, cut at words, with UTF-16 highlights."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.index.analyze import spans, tokens
from notewell.search.show.snippets import Snippets
from notewell.search.show.windows import ELLIPSIS, Snippet
from tests.search.library import MakeLibrary

FILLER = "Some other words that are of no interest fill this part of the passage. " * 8


def sliced(text: str, start: int, end: int) -> str:
    """What `text.slice(start, end)` gives in JavaScript."""
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


def marked(snippet: Snippet) -> list[str]:
    return [sliced(snippet.text, start, end) for start, end in snippet.highlights]


def test_a_short_passage_is_shown_whole() -> None:
    snippet = Snippets({"fox": 1.0}, 200).make("The quick\n\nbrown   fox.")
    assert snippet.text == "The quick brown fox."
    assert marked(snippet) == ["fox"]


def test_the_window_covers_most_of_the_query_terms() -> None:
    text = FILLER + "Reciprocal rank fusion joins two lists. " + FILLER + "A rank alone. "
    snippet = Snippets({"reciprocal": 3.0, "rank": 1.0, "fusion": 3.0}, 120).make(text)
    assert snippet.text.startswith("Reciprocal rank fusion")
    assert snippet.text.endswith("this part of the passage.")
    assert marked(snippet)[:3] == ["Reciprocal", "rank", "fusion"]
    assert text[snippet.at :].startswith(("Reciprocal", "fusion"))


def test_a_phrase_is_shown_rather_than_more_of_its_words() -> None:
    text = "Rank fusion, fusion of rank. " + FILLER + "In the end *rank*\n fusion wins. " + FILLER
    weights = {"rank": 1.0, "fusion": 2.0}
    assert Snippets(weights, 120).make(text).text.startswith("Rank fusion,")
    snippet = Snippets(weights, 120, phrases=["wins in", "Rank fusion  wins"]).make(text)
    assert marked(snippet) == ["rank* fusion wins"]
    assert text[snippet.at :].startswith("rank*\n fusion wins")


def test_without_a_match_the_passage_is_shown_from_its_start() -> None:
    snippet = Snippets({}, 50).make(FILLER)
    assert snippet.text == "Some other words that are of no interest fill this" + ELLIPSIS
    assert snippet.highlights == ()
    assert snippet.at == 0


def test_compounds_accents_and_emoji_are_highlighted() -> None:
    text = "🎉🎉 Our Café takes orders by E-mail 🎉."
    snippet = Snippets({"cafe": 1.0, "email": 1.0}, 200).make(text)
    assert marked(snippet) == ["Café", "E-mail"]


def test_chinese_is_cut_and_marked() -> None:
    text = "人工智能的历史可以追溯到二十世纪。" * 20 + "向量检索与关键词检索可以融合。" * 2
    snippet = Snippets(dict.fromkeys(tokens("融合"), 1.0), 60).make(text)
    assert "融合" in marked(snippet)
    assert len(snippet.text) <= 70  # approximately


@pytest.mark.parametrize(
    ("query", "text", "shown"),
    [
        ("图书馆", "我在圖書館學習。", "圖書館"),
        ("沢辺", "澤邊さんに会う。", "澤邊"),
        ("りんご", "リンゴを買った。", "リンゴ"),
        ("हिंदी", "हिन्दी की किताब।", "हिन्दी"),
        ("parallel", "Un edifici paral·lel.", "paral·lel"),
        ("∞", "A sign, ∞, of no end.", "∞"),
    ],
)
def test_another_way_to_write_a_word_is_marked(query: str, text: str, shown: str) -> None:
    snippet = Snippets(dict.fromkeys(tokens(query), 1.0), 60).make(text)
    assert shown in marked(snippet)


WORDS = st.sampled_from(["alpha", "Beta", "naïve", "🎉", "日本語", "x", "e-mail", "\n", "  ", "𝔘"])


@given(
    st.lists(WORDS, max_size=120).map(" ".join),
    st.sets(st.sampled_from(["alpha", "beta", "naive", "日本", "email", "mail", "🎉"])),
    st.integers(20, 120),
)
def test_every_highlight_contains_a_token_of_the_query(
    text: str, wanted: set[str], chars: int
) -> None:
    snippet = Snippets(dict.fromkeys(wanted, 1.0), chars).make(text)
    for part in marked(snippet):
        assert set(tokens(part)) & wanted
    assert 0 <= snippet.at <= len(text)
    assert "\n" not in snippet.text
    assert [edge for pair in snippet.highlights for edge in pair] == sorted(
        edge for pair in snippet.highlights for edge in pair
    )


@given(st.text(max_size=400), st.integers(1, 60))
def test_no_text_makes_the_snippet_raise(text: str, chars: int) -> None:
    found = tokens(text)
    snippet = Snippets(dict.fromkeys(found[:5], 1.0), chars).make(text)
    assert len(snippet.text) <= max(chars, *map(len, found), 0) + 70


PIECES = (
    "note",
    "taking",
    "NoteTaking",
    "c++",
    "1.5",
    "15",
    "it's",
    "-",
    ".",
    " ",
    "\n",
    "é",
    "字",
)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_every_token_of_the_query_is_found_in_any_compound(text: str) -> None:
    weights = dict.fromkeys(("note", "notetaking", "taking", "c++", "15", "1.5", "e"), 1.0)
    wanted = {(span.start, span.text) for span in spans(text) if span.text in weights}
    assert wanted <= set(Snippets(weights, 200).matches(text))


def test_other_forms_of_a_word_are_marked() -> None:
    text = "She studies bees; a study of hives, studied with studious care. Sturdy studs."
    assert marked(Snippets({"studies": 1.0}, 200).make(text)) == ["studies", "study", "studied"]
    assert marked(Snippets({"using": 1.0}, 200).make("Use, used; user, us, usher.")) == [
        "Use",
        "used",
    ]


def test_a_word_form_inside_another_word_is_not_marked() -> None:
    assert Snippets({"ring": 1.0}, 200).make("Bringing spring").highlights == ()


def test_the_closest_sentence_is_shown_where_no_word_matches() -> None:
    text = FILLER + "The physician prescribed rest. " + FILLER
    start = text.index("The physician")
    where = (start, start + len("The physician prescribed rest."))
    snippets = Snippets({"doctor": 1.0}, 120, closest=lambda _: where)
    snippet = snippets.make(text, semantic=True)
    assert marked(snippet) == ["The physician prescribed rest."]
    assert snippet.at == start
    assert snippets.make(text).highlights == ()
    assert marked(snippets.make("A doctor came.", semantic=True)) == ["doctor"]


def test_a_sentence_longer_than_a_snippet_is_marked_as_far_as_it_is_shown() -> None:
    text = "Short one here. " + "word " * 200
    snippets = Snippets({"x": 1.0}, 60, closest=lambda _: (16, len(text) - 1))
    (mark,) = marked(snippets.make(text, semantic=True))
    assert mark.startswith("word word")
    assert len(mark) <= 100


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Eski \u0130STANBUL ve \u0130stanbul", "istanbul", ["\u0130STANBUL", "\u0130stanbul"]),
        ("\u0130\u0130\u0130 then \u0130zmir", "izmir", ["\u0130zmir"]),
        ("The \u01c6ungla road", "d\u017eungla", ["\u01c6ungla"]),
        ("A \u01f0azz bar", "jazz", ["\u01f0azz"]),
        ("A q\u0303uip\u0303 here", "quip", ["q\u0303uip\u0303"]),
    ],
)
def test_letters_whose_folded_form_is_longer_are_marked(
    make_library: MakeLibrary, text: str, query: str, marked: list[str]
) -> None:
    library = make_library({"A.md": f"{text}\n"})
    (result,) = library.search(query, mode="keyword").results
    assert [result.snippet[a:b] for a, b in result.highlights] == marked
