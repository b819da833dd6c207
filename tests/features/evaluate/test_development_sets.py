"""The development sets: made by fixed rules, apart from the test sets, and with hidden sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.eval.development import dates, links, names, properties, title_parts, topics
from tests.eval.development.corpora import XQUAD_DEVELOPMENT
from tests.eval.development.notes import Notes
from tests.eval.development.query import DevQuery, chosen, read, write
from tests.eval.development.run import all_sets
from tests.eval.development.sets import Locate
from tests.eval.development.typing_mistakes import MISTAKES, mistyped

NOTES = {
    "Bees/Waggle Dance.md": "---\naliases: [Bee dance]\n---\n"
    "Bees tell each other by a dance where flowers are, and how far away, "
    "and how good they are; the steeper the run, the nearer the sun.",
    "Garden.md": "In summer I read about [[Waggle Dance|how bees find their way]] on the bench.\n"
    "Every forager that comes back moves in a figure of eight, says [[Waggle Dance]] somewhere.",
    "Hive inspection spring checklist.md": "---\nauthor: '[[Karl Frisch]]'\n"
    "categories: ['[[Lists]]']\ndate: 2024-03-09\n---\n" + "Look for the queen, and for food. " * 4,
}


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    for path, text in NOTES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return Notes("garden", "en", tmp_path)


def test_the_text_of_a_link_asks_for_its_target_and_its_source_is_hidden(notes: Notes) -> None:
    (query,) = links.link_texts(notes)
    assert query.text == "how bees find their way"
    assert query.relevant == {"Bees/Waggle Dance.md": 1}
    assert query.hidden == ("Garden.md",)


def test_a_sentence_around_a_link_does_not_name_its_target(notes: Notes) -> None:
    texts = {query.text: query for query in links.sentences(notes)}
    query = texts["Every forager that comes back moves in a figure of eight, says somewhere."]
    assert query.relevant == {"Bees/Waggle Dance.md": 1}
    assert query.hidden == ("Garden.md",)


def test_a_note_is_asked_for_by_its_name_and_by_a_part_of_it(notes: Notes) -> None:
    asked = {query.text for query in names.names(notes, list(notes), ("{} note",))}
    assert asked == {"waggle dance note", "garden note", "hive inspection spring checklist note"}
    (part,) = title_parts.title_parts(notes, list(notes))
    assert 2 <= len(part.text.split()) <= 3
    assert set(part.text.split()) < {"hive", "inspection", "spring", "checklist"}


def test_a_topic_asks_for_what_is_listed_under_it_and_its_lists_are_hidden(tmp_path: Path) -> None:
    places = ("Lisbon", "Porto", "Faro")
    listed = "".join(f"- [[{place}]]: by train\n" for place in places)
    texts = {place: f"{place} has trams." for place in places} | {
        "Trips": f"# Cities by the sea\n{listed}# See also\n- [[Porto]]\n",
        "Packing": "Take water to [[Lisbon]], [[Porto]] and [[Faro]].",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    (query,) = topics.topics(Notes("trips", "en", tmp_path))
    assert query.text == "cities by the sea"
    assert set(query.relevant) == {f"{place}.md" for place in places}
    assert query.hidden == ("Packing.md", "Trips.md")


def test_a_value_of_a_property_asks_for_the_notes_that_have_it(notes: Notes) -> None:
    asked = {query.text: dict(query.relevant) for query in properties.values(notes)}
    only = {"Hive inspection spring checklist.md": 1}
    assert asked == {"karl frisch": only, "karl frisch lists": only, "lists": only}


def test_a_dated_note_is_asked_for_by_its_month_and_by_its_day(notes: Notes) -> None:
    found = list(dates.dated(notes, list(notes), dates.in_properties, ("minutes",)))
    assert len(found) == 3
    assert all("2024" in query.text for query in found)
    assert {path for query in found for path in query.relevant} == {
        "Hive inspection spring checklist.md"
    }


@pytest.mark.parametrize("kind", sorted(MISTAKES))
def test_every_kind_of_typing_mistake_changes_the_word(kind: str) -> None:
    for word, lang in (("calendar", "en"), ("Füllung".lower(), "de"), ("календарь", "ru")):
        wrong = MISTAKES[kind](word, lang, f"{word} view")
        assert wrong != word or word[1:].count(word[0])
        assert abs(len(wrong) - len(word)) <= 2


def test_a_query_with_a_typing_mistake_keeps_its_answer() -> None:
    query = DevQuery("hub", "name", "{}", "en", "calendar heatmap plugin", {"a.md": 1})
    (wrong,) = mistyped([query])
    assert (wrong.kind, wrong.relevant, wrong.half) == ("typo", {"a.md": 1}, query.half)
    assert wrong.text != query.text
    assert wrong.text.endswith("plugin")


def test_a_choice_does_not_depend_on_the_order_of_the_candidates() -> None:
    queries = [DevQuery("v", "k", "f", "en", f"query {n}", {f"{n % 7}.md": 1}) for n in range(40)]
    first = chosen(queries, 10)
    assert first == chosen(reversed(queries), 10)
    answers = [next(iter(query.relevant)) for query in first]
    assert len(first) == 10
    assert max(answers.count(path) for path in answers) <= 2


def test_queries_for_the_same_note_are_in_the_same_half() -> None:
    queries = [DevQuery("v", "k", "f", "en", f"query {n}", {"a.md": 1}) for n in range(20)]
    assert len({query.half for query in queries}) == 1
    others = [DevQuery("v", "k", "f", "en", "query", {f"{n}.md": 1}) for n in range(40)]
    assert {query.half for query in others} == {"fit", "check"}


def test_queries_are_read_as_they_were_written(tmp_path: Path) -> None:
    query = DevQuery("v", "link", "link text", "de", "Bienen – Tanz", {"Ä.md": 2}, ("B.md",))
    write([query], tmp_path / "v.jsonl")
    assert read(tmp_path / "v.jsonl") == [query]


ARCHIVES = {  # by the name of the data set
    "kepano": "vault-kepano",
    "xquad-de-ru-zh": "ir-xquad-de-ru-zh",
    "obsidian-help-i18n": "vault-obsidian-help-i18n",
    "known-obsidian-help-en": "known-obsidian-help-en",
}


@pytest.fixture(scope="module")
def locate(shared_data: Callable[[str], Path]) -> Locate:
    """Finds a part of the data, whose sets are made in a second."""
    places = {archive: shared_data(name).parent for name, archive in ARCHIVES.items()}

    def find(archive: str, folder: str) -> Path | None:
        left_out = archive not in places or folder.endswith(("/ru", "/zh"))
        return None if left_out else places[archive] / folder

    return find


@pytest.fixture(scope="module")
def sets(locate: Locate) -> dict[str, list[DevQuery]]:
    return all_sets(locate)


@pytest.mark.data
def test_the_same_notes_make_the_same_queries(locate: Locate) -> None:
    folder = locate("vault-kepano", "kepano-obsidian")
    assert folder is not None

    def kepano(archive: str, _: str) -> Path | None:
        return folder if archive == "vault-kepano" else None

    assert all_sets(kepano) == all_sets(kepano)


@pytest.mark.data
def test_no_query_is_empty_repeated_in_its_class_or_answered_by_what_is_hidden(
    sets: dict[str, list[DevQuery]],
) -> None:
    assert {"kepano", "help-de", "help-ja", "xquad-ru", "unanswerable"} <= set(sets)
    for name, queries in sets.items():
        assert len({query.id for query in queries}) == len(queries), name
        for query in queries:
            assert query.text.strip()
            assert not set(query.hidden) & set(query.relevant), query
            assert bool(query.relevant) == (name != "unanswerable"), query
            assert bool(query.hidden) or query.form not in ("link text", "around a link", "remark")


@pytest.mark.data
def test_the_test_s_questions_are_no_development_queries(sets: dict[str, list[DevQuery]]) -> None:
    paragraphs = {
        int(path.removeprefix("p").removesuffix(".md"))
        for lang in ("de", "ru", "zh")
        for query in sets[f"xquad-{lang}"]
        for path in query.relevant
    }
    assert max(paragraphs) < XQUAD_DEVELOPMENT


@pytest.mark.data
def test_both_halves_have_a_fair_share_of_every_set(sets: dict[str, list[DevQuery]]) -> None:
    for name, queries in sets.items():
        share = sum(query.half == "fit" for query in queries) / len(queries)
        assert 0.35 < share < 0.65, (name, share)
