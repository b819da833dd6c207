"""The checks of the gardener: what each suggests, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from notewell.base.types import StoredNote
from notewell.features.gardener.checks import CHECKS
from notewell.features.gardener.garden import Garden, NoteBody
from notewell.features.gardener.plans import apply_edits
from notewell.features.gardener.requests import SuggestionView
from notewell.vault.topics import read_ontology
from tests.eval.gardening.gardens import NO_VECTORS, Vectors, garden_of

WORDS = "one two three four five six seven eight nine ten".split()  # noqa: SIM905


def garden(texts: Mapping[str, str], vectors: Mapping[str, tuple[float, ...]] = {}) -> Garden:
    if not vectors:
        return garden_of(texts, NO_VECTORS)
    rows = np.array(list(vectors.values()), np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return garden_of(texts, Vectors(tuple(vectors), rows))


def found(check: str, where: Garden) -> list[SuggestionView]:
    return list(CHECKS[check].find(where))


def after(texts: Mapping[str, str], suggestions: list[SuggestionView]) -> dict[str, str]:
    """The notes that change, after all suggestions were followed."""
    edits: dict[str, list[object]] = {}
    for suggestion in suggestions:
        for edit in suggestion.edit:
            edits.setdefault(edit.path, []).append(edit)
    return {path: apply_edits(texts[path], some) for path, some in edits.items()}  # type: ignore[arg-type]


def test_broken_links_lead_to_the_note_that_was_meant() -> None:
    texts = {
        "Sub/Queen Bee.md": "",
        "Plants/Garden.md": "---\naliases: [Allotment]\n---\n",
        "A.md": "[[Old/Garden#Spring|the garden]], [[queen-bees]], [[Allotmnet]], ![[Garten.png]],"
        " [[Nothing]], `[[Gardn]]`\r\nand [a](Old/Garden.md) [[Gardeen]]\r\n",
    }
    made = found("broken_links", garden(texts))

    assert after(texts, made)["A.md"] == (
        "[[Garden#Spring|the garden]], [[Queen Bee]], [[Garden]], ![[Garten.png]],"
        " [[Nothing]], `[[Gardn]]`\r\nand [a](Plants/Garden.md) [[Garden]]\r\n"
    )
    assert all(0.7 <= each.confidence < 1 for each in made)


def test_nothing_is_suggested_where_two_notes_fit() -> None:
    texts = {"a/Garden.md": "", "b/garden!.md": "", "A.md": "[[x/Gar-den]]"}
    assert found("broken_links", garden(texts)) == []


def test_links_name_files_since_obsidian_resolves_no_titles_and_aliases() -> None:
    """Obsidian's help, "Internal links" and "Aliases", says what a link means there."""
    many = {
        f"{n}.md": "[[Mind|Artificial Intelligence]] and [[Laws]] [[b/Twin|twin law]]"
        for n in range(9)
    }
    texts = many | {
        "Deep/Mind.md": "---\naliases: [Artificial Intelligence]\ntitle: Machine Mind\n---\n",
        "Laws.md": "---\naliases: [Three laws of motion]\n---\n",
        "Straße.md": "---\naliases: [Main Straße]\n---\n",
        "a/Twin.md": "",
        "b/Twin.md": "---\naliases: [Twin Law]\n---\n",
        "A.md": "He said that artificial intelligence obeys laws.",
        "B.md": "| x | y |\n|---|:-:|\n| an Artificial Intelligence | z |\n",
        "C.md": "x | y\n--- | ---\nan Artificial Intelligence | z\n\nNo table | has laws\n",
        "D.md": "| a line | with an Artificial Intelligence, no table\n",
        "E.md": "> [!note] Artificial Intelligence\n> of a twin law\n",
    }
    made = found("unlinked_mentions", garden(texts))

    assert after(texts, made) == {
        "A.md": "He said that [[Mind|artificial intelligence]] obeys [[laws]].",
        "B.md": texts["B.md"]
        .replace("an Artificial", "an [[Mind\\|Artificial")
        .replace("ce |", "ce]] |"),
        "C.md": "x | y\n--- | ---\nan [[Mind\\|Artificial Intelligence]] | z\n\nNo table | has [[laws]]\n",
        "D.md": "| a line | with an [[Mind|Artificial Intelligence]], no table\n",
        "E.md": "> [!note] Artificial Intelligence\n> of a [[b/Twin|twin law]]\n",
    }


def test_a_name_that_several_notes_link_may_become_a_note() -> None:
    texts = {
        "in/A.md": "[[Japan]] [[2023-06]] [[Japan]] [[once]] [[x.excalidraw]] [[Kyot]] [[a:b]]",
        "B.md": "[[japan]] [[2023-06]] [[Trips/Osaka]] ![[Chart]] [[x.excalidraw]] [[a:b]]",
        "C.md": "[[Trips/Osaka]] ![[Chart]]",
    }
    made = found("broken_links", garden(texts))

    assert [(each.path, each.title, each.edit[0].path) for each in made] == [
        ("B.md", "[[japan]] → a new note", "japan.md"),
        ("B.md", "[[Trips/Osaka]] → a new note", "Trips/Osaka.md"),
    ]
    beside = replace(garden(texts), new_notes=None)
    assert found("broken_links", beside)[0].edit[0].path == "japan.md"
    within = replace(garden(texts), new_notes="Inbox")
    assert found("broken_links", within)[0].edit[0].path == "Inbox/japan.md"


USES = {f"use {n}.md": "We saw the [[Queen Bee]] and a [[Garden]]." for n in range(6)}


def test_names_in_running_text_become_links_once_a_note() -> None:
    texts = USES | {
        "Queen Bee.md": "",
        "Garden.md": "---\naliases: [Kitchen Garden]\n---\n",
        "A.md": "# Queen Bee\n\n`Queen Bee` <a b='Queen Bee'> #Garden [Garden](x) the Queen Bees,"
        " Queen Bee-like; ![[Queen Bee.png]] $Queen Bee$ %%Queen Bee%%\nwww.x.y/Garden"
        " https://x.y/Queen Bee and the Queen Bee. Queen Bee.\n\nA Garden\n===\n",
        "B.md": "---\nabout: Queen Bee\n---\n| x | the queen bee |\n|---|---|\n\n> A Garden.\n",
    }
    made = found("unlinked_mentions", garden(texts))

    assert after(texts, made) == {
        "A.md": texts["A.md"].replace("the Queen Bee. Queen", "the [[Queen Bee]]. Queen"),
        "B.md": texts["B.md"]
        .replace("the queen bee", "the [[queen bee]]")
        .replace("A Garden.", "A [[Garden]]."),
    }


def test_common_words_and_known_links_are_no_mentions() -> None:
    said = {f"{n}.md": "we think of this and that" for n in range(30)}
    # Links in properties say nothing of how often running text links a name.
    said |= {f"p{n}.md": '---\nof: "[[Think]]"\n---\nwe' for n in range(30)}
    texts = said | {"Think.md": "", "This.md": "", "C.md": "[[Think]] we think of ![[This]]"}
    assert found("unlinked_mentions", garden(texts)) == []


@pytest.mark.parametrize(
    ("name", "text", "linked"),
    [
        ("量子力学", "他学量子力学很久了", "他学[[量子力学]]很久了"),
        ("Пчела", "Это Пчела, не Пчелаа", "Это [[Пчела]], не Пчелаа"),
        ("カメラ", "新カメラと カメラマン カメラ", "新[[カメラ]]と カメラマン カメラ"),
        ("ثدييات", "هذه ثدييات كبيرة", "هذه [[ثدييات]] كبيرة"),
        ("हिन्दी", "हिन्दीभाषा और हिन्दी है", "हिन्दीभाषा और [[हिन्दी]] है"),
        ("C++ basics", "the C++ basics, first", "the [[C++ basics]], first"),
    ],
)
def test_mentions_are_whole_words_in_any_script(name: str, text: str, linked: str) -> None:
    uses = {f"{n}.md": f"[[{name}]]" for n in range(6)}
    texts = uses | {f"{name}.md": "", "A.md": text}
    assert after(texts, found("unlinked_mentions", garden(texts))) == {"A.md": linked}


def test_near_duplicates_are_marked_and_templates_are_not() -> None:
    own = " ".join(f"{a} {b} {c}" for a in WORDS for b in WORDS[:4] for c in WORDS[:3])
    template = " ".join(f"template{n}" for n in range(200))
    texts = {
        "Old.md": own,
        "Copy.md": own.replace("ten one", "eleven one"),
        "Link.md": "[[Old]]",
        **{f"T{n}.md": f"{template} and {n}" for n in range(8)},
    }
    made = found("near_duplicates", garden(texts))

    assert [(each.path, each.confidence > 0.9) for each in made] == [("Copy.md", True)]
    marked = after(texts, made)["Copy.md"]
    assert marked.startswith('---\nduplicate_of: "[[Old]]"\n---\none')
    assert found("near_duplicates", garden(texts | {"Copy.md": marked})) == []


def test_of_two_near_duplicates_the_one_with_the_longer_name_is_marked() -> None:
    own = " ".join(f"{a} {b} {c}" for a in WORDS for b in WORDS[:4] for c in WORDS[:3])
    texts = {"2.4.2-rc-1.md": own, "2.4.2.md": own, "Link.md": "[[2.4.2-rc-1]]"}

    (made,) = found("near_duplicates", garden(texts))
    assert made.path == "2.4.2-rc-1.md"


def near(texts: Mapping[str, str]) -> dict[str, tuple[float, ...]]:
    """Vectors by which notes whose names begin alike are similar."""
    rng = np.random.default_rng(1)
    axes = {letter: n for n, letter in enumerate(sorted({path[0] for path in texts}))}
    return {
        path: tuple(np.eye(len(axes))[axes[path[0]]] + rng.normal(0, 0.05, len(axes)))
        for path in texts
    }


def test_tags_are_those_of_similar_notes() -> None:
    texts = {f"b{n}.md": "---\ntags: [bees, rare]\n---\n" for n in range(8)}
    texts |= {f"c{n}.md": "#cats" for n in range(8)} | {"b-new.md": "x", "b-own.md": "#bees/wild"}
    made = found("missing_tags", garden(texts, near(texts)))

    changed = after(texts, made)
    assert changed["b-new.md"] == "---\ntags:\n  - bees\n  - rare\n---\nx"
    assert "b-own.md" not in {each.path for each in made if each.title == "#bees"}
    assert all(path.startswith("b") for path in changed)


def test_one_tag_in_several_spellings() -> None:
    texts = {
        "1.md": "---\ntags: [book-notes, x]\n---\n#book-notes",
        "2.md": "#book-notes and #Reading/A #book-notes/sub",
        "3.md": "---\ntags: bookNotes\n---\n`#bookNotes` #bookNotes. #bookNotesX #bookNotes/y",
        "4.md": "#Reading/A",
        "5.md": "#readings",
    }
    made = found("tag_variants", garden(texts))

    assert after(texts, made) == {
        "3.md": "---\ntags: book-notes\n---\n`#bookNotes` #book-notes. #bookNotesX #bookNotes/y"
    }


def test_orphans_are_linked_from_similar_notes() -> None:
    texts = {"b0.md": "", "b1.md": "[[b2]]", "b2.md": "", "c0.md": "[[c1]]", "c1.md": ""}
    made = found("orphans", garden(texts, near(texts)))

    assert {(each.path, each.edit[0].path) for each in made} == {
        ("b0.md", "b1.md"),
        ("b0.md", "b2.md"),
    }
    assert after(texts, made)["b2.md"] == '---\nrelated:\n  - "[[b0]]"\n---\n'


def ontology(where: Garden) -> Garden:
    stored = [
        StoredNote(n, one.path, one.title, one.aliases, (), one.properties, None, None, None, 0, ())
        for n, one in enumerate(where.notes.values())
    ]
    return Garden(
        where.notes, where.tended, where.read, where.known, where.vectors,
        read_ontology(stored, "Ontology"),
    )  # fmt: skip


def test_topics_of_notes_without_any() -> None:
    texts = {f"b{n}.md": '---\ntopics: ["[[Bees]]"]\n---\n' for n in range(5)}
    texts |= {"Ontology/Bees.md": "", "Ontology/Cats.md": "", "b-new.md": "", "d.md": "[[Cats]]"}
    vectors = {path: row for path, row in near(texts).items() if not path.startswith("O")}
    made = found("missing_topics", ontology(garden(texts, vectors)))

    assert after(texts, made) == {
        "b-new.md": '---\ntopics:\n  - "[[Bees]]"\n---\n',
        "d.md": '---\ntopics:\n  - "[[Cats]]"\n---\n[[Cats]]',
    }


def test_a_topic_that_is_by_far_the_nearest_is_suggested() -> None:
    vectors = {
        "Ontology/Bees.md": (1.0, 0.0, 0.0),
        "Ontology/Cats.md": (0.0, 1.0, 0.0),
        "swarm.md": (0.9, 0.0, 0.1),
        "purring.md": (0.0, 0.9, 0.1),
        "both.md": (0.7, 0.7, 0.0),
        "neither.md": (0.0, 0.0, 1.0),
    }
    texts = dict.fromkeys(vectors, "")
    made = found("missing_topics", ontology(garden(texts, vectors)))
    assert {each.path: each.edit[0].add for each in made} == {
        "swarm.md": {"topics": ("[[Bees]]",)},
        "purring.md": {"topics": ("[[Cats]]",)},
    }


def test_similar_topics_become_the_one_that_more_notes_name() -> None:
    texts = {
        "Ontology/Bee keeping.md": "",
        "Ontology/Bee-Keeping.md": "",
        "Ontology/Zebra.md": "---\ngardener: ignore\n---\n",
        "Ontology/Zebras.md": "",
        "A.md": "---\ntopics: [Bee keeping]\n---\n",
        "B.md": "---\ntopics: [Bee keeping]\n---\n",
        "C.md": '---\ntopics:\n  - Other\n  - "[[Bee-Keeping]]" # mine\n---\n',
    }
    made = found("similar_topics", ontology(garden(texts)))

    assert after(texts, made) == {
        "C.md": '---\ntopics:\n  - Other\n  - "[[Bee keeping]]" # mine\n---\n',
        "Ontology/Bee-Keeping.md": '---\nduplicate_of: "[[Bee keeping]]"\n---\n',
    }


def test_topics_are_similar_by_meaning_as_well() -> None:
    texts = {
        "Ontology/Bees.md": "",
        "Ontology/Apiculture.md": "",
        "Ontology/Cats.md": "",
        "A.md": "---\ntopics: [Bees]\n---\n",
    }
    vectors = {
        "Ontology/Bees.md": (1.0, 0.1, 0.0),
        "Ontology/Apiculture.md": (1.0, 0.0, 0.1),
        "Ontology/Cats.md": (0.0, 1.0, 0.0),
    }
    (suggestion,) = found("similar_topics", ontology(garden(texts, vectors)))

    assert [edit.path for edit in suggestion.edit] == ["Ontology/Apiculture.md"]
    assert suggestion.edit[0].set == {"duplicate_of": "[[Bees]]"}
    assert "alike in meaning" in str(suggestion.evidence)


def test_untitled_notes_have_the_title_of_their_heading() -> None:
    journal = {f"J/2026-01-0{n}.md": "# Not a title" for n in range(1, 7)}
    texts = journal | {
        "Untitled 3.md": "\n# **Bees** in [[May|spring]] #x\n\n```\n# code\n```\n",
        "notes/2025-03-02.md": "# A walk by the sea",
        "Unbenannt.md": "no heading",
        "Untitled.md": "# New\n\na\n\n# Fixed\n\nb",
        "无标题.md": "---\ntitle: Known\n---\n# Other",
        "Titled.md": "# Other",
    }
    made = found("untitled", garden(texts))

    assert {each.path: each.edit[0].set for each in made} == {
        "Untitled 3.md": {"title": "Bees in spring"},
        "notes/2025-03-02.md": {"title": "A walk by the sea"},
    }


def test_properties_that_the_folder_has() -> None:
    texts = {f"B/{n}.md": f"---\ntype: book\nrating: {n}\n---\n" for n in range(9)}
    texts |= {"B/new.md": "---\nRating: 5\n---\n", "B/🗂️ B.md": "", "C/x.md": ""}
    made = found("missing_properties", garden(texts))

    assert after(texts, made) == {"B/new.md": "---\nRating: 5\ntype: book\n---\n"}


def test_ids_do_not_change_with_the_rest_of_the_note() -> None:
    texts = USES | {"Queen Bee.md": "", "Garden.md": "", "A.md": "the Queen Bee"}
    (one,) = found("unlinked_mentions", garden(texts))
    (again,) = found("unlinked_mentions", garden(texts | {"A.md": "new lines\n\nthe Queen Bee"}))

    assert one.id == again.id
    assert one.edit != again.edit


def test_a_conflict_copy_is_shown_beside_its_note_and_nothing_is_edited() -> None:
    texts = {"A.md": "Quinces.\n\nThe pump is new.\n", "B.md": "Bees.\n"}
    copies = {"A 2.md": "Quinces.\n\nThe pump leaks.\nMedlars.\n"}
    where = replace(
        garden(texts),
        copies={"A.md": ("A 2.md",), "B.md": ("gone.md",)},
        read_copy=lambda path: NoteBody(copies[path]) if path in copies else None,
    )
    (made,) = found("conflict_copy", where)

    assert (made.path, made.edit) == ("A.md", ())
    assert "A 2.md" in made.title
    assert "copy alone: 2" in made.evidence
    assert "note alone: 1" in made.evidence
    assert {"-The pump is new.", "+The pump leaks.", "+Medlars."} <= set(made.diff.split("\n"))
    assert found("conflict_copy", where) == [made]
    copies["A 2.md"] += "\nMore.\n"
    (changed,) = found("conflict_copy", where)
    assert changed.id != made.id  # what was rejected comes again once the copy has changed
