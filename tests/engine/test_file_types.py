"""File types other than Markdown, from the setting to the search result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.types import VaultRecord, VaultRules
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.ingest.indexer import Indexer, RunTotals
from notewell.engine.ingest.queue import Work
from notewell.engine.ingest.signals import Signals
from notewell.features import FEATURES
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.sources import source_of
from tests.search.library import HashedWords
from tests.vault.pdf_files import pdf
from tests.vaults import settings_in

BOARD = json.dumps(
    {
        "nodes": [
            {
                "id": "g",
                "type": "group",
                "label": "Orchard",
                "x": 0,
                "y": 0,
                "width": 900,
                "height": 900,
            },
            {
                "id": "n1",
                "type": "text",
                "text": "Quince jelly",
                "x": 10,
                "y": 10,
                "width": 9,
                "height": 9,
            },
            {
                "id": "n2",
                "type": "text",
                "text": "Medlar cheese",
                "x": 10,
                "y": 50,
                "width": 9,
                "height": 9,
            },
            {
                "id": "n3",
                "type": "file",
                "file": "Bees.md",
                "x": 10,
                "y": 90,
                "width": 9,
                "height": 9,
            },
        ],
        "edges": [{"id": "e", "fromNode": "n1", "toNode": "n3", "label": "pollinated"}],
    }
)

Open = Callable[[tuple[str, ...]], Engine]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Bees.md").write_text("They dance. See ![[Board.canvas]]", encoding="utf-8")
    (folder / "Plan.txt").write_text("Spring\n\nPlant the damson tree.", encoding="utf-8")
    (folder / "Board.canvas").write_text(BOARD, encoding="utf-8")
    return folder


@pytest.fixture
def open_engine(vault: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Engine] = []
    settings = settings_in(tmp_path)

    def opener(types: tuple[str, ...]) -> Engine:
        while opened:
            opened.pop().close()
        record = VaultRecord("v1", "vault", vault)
        mine = replace(settings, vault=VaultRules(types=types))
        opened.append(
            Engine.open(record, tmp_path / "index", mine, writable=True, features=FEATURES)
        )
        opened[0].index_now()
        return opened[0]

    yield opener
    for engine in opened:
        engine.close()


def found(engine: Engine, query: str) -> list[tuple[str, str | None, int, str | None]]:
    reply = engine.search(SearchRequest(query, mode="keyword"))
    return [(result.path, result.heading, result.line, result.block) for result in reply.results]


def states(engine: Engine) -> dict[str, str]:
    return {entry.path: entry.state for entry in engine.ledger().entries}


def test_enabled_canvas_and_text_files_are_found(open_engine: Open) -> None:
    engine = open_engine((".md", ".canvas", ".txt"))

    assert found(engine, "damson") == [("Plan.txt", None, 3, None)]
    embedding = ("Bees.md", None, 1, None)
    assert found(engine, "medlar") == [("Board.canvas", "Orchard", 7, "n2"), embedding]
    assert found(engine, "pollinated") == [("Board.canvas", "Orchard", 5, "n1"), embedding]
    assert states(engine) == dict.fromkeys(("Bees.md", "Board.canvas", "Plan.txt"), "keyword_only")


def test_a_pdf_is_found_with_its_page_and_the_notes_that_embed_it(
    open_engine: Open, vault: Path
) -> None:
    pages = [["Clover is sweet."], ["The damson tree blossoms."], ["Medlars are late."]]
    (vault / "Paper.pdf").write_bytes(pdf(pages, title="On fruit", author="Quill"))
    (vault / "Reading.md").write_text("As in ![[Paper.pdf#page=2]].", encoding="utf-8")
    (vault / "Other.md").write_text("See [[Paper.pdf]].", encoding="utf-8")

    engine = open_engine((".md", ".pdf"))

    one, lent = engine.search(SearchRequest("medlars late", mode="keyword")).results
    assert (one.path, one.title, one.page, one.block) == ("Paper.pdf", "On fruit", 3, None)
    assert one.uri.endswith("file=Paper.pdf%23page%3D3")
    assert one.embedded_in == ("Reading.md",)
    assert engine.search(SearchRequest("quill", mode="keyword")).results[0].path == "Paper.pdf"
    reading = engine.search(SearchRequest("as in", mode="keyword", weak=True)).results[0]
    assert (reading.page, reading.embedded_in) == (None, ())
    assert (lent.path, lent.snippet, lent.score) == ("Reading.md", reading.snippet, one.score / 2)
    assert [reason.text for reason in lent.reasons] == ["embeds Paper.pdf, page 3"]


def test_a_note_that_ranks_by_itself_is_not_listed_again_for_what_it_embeds(
    open_engine: Open, vault: Path
) -> None:
    (vault / "Paper.pdf").write_bytes(pdf([["Medlars are late."]]))
    (vault / "Reading.md").write_text("On medlars:\n\n![[Paper.pdf]]", encoding="utf-8")
    for number in range(6):
        (vault / f"{number}.md").write_text("![[Logo.pdf]]", encoding="utf-8")
    (vault / "Logo.pdf").write_bytes(pdf([["Quince and company"]]))
    engine = open_engine((".md", ".pdf"))

    both = engine.search(SearchRequest("medlars", mode="keyword"))
    assert [result.reasons for result in both.results] == [(), ()]
    assert {result.path for result in both.results} == {"Paper.pdf", "Reading.md"}
    # A file that many notes embed, such as a logo, says nothing about each of them.
    logo = engine.search(SearchRequest("quince", mode="keyword"))
    assert [result.path for result in logo.results] == ["Logo.pdf"]
    blocks = engine.search(SearchRequest("late", mode="keyword", group="block"))
    assert [result.path for result in blocks.results] == ["Paper.pdf"]


def test_a_file_has_tags_properties_and_folder_of_the_notes_that_embed_it(
    open_engine: Open, vault: Path
) -> None:
    files = vault / "Files"
    files.mkdir()
    (files / "Paper.pdf").write_bytes(pdf([["Medlars are late."]]))
    (files / "Loose.pdf").write_bytes(pdf([["Medlars are brown."]]))
    (vault / "Orchard").mkdir()
    note = "---\nstage: draft\ntags: [fruit]\n---\n#own ![[Paper.pdf]]"
    (vault / "Orchard/Reading.md").write_text(note, encoding="utf-8")
    (vault / "Secret.md").write_text("#secret ![[Paper.pdf]] ![[Loose.pdf]]", encoding="utf-8")
    engine = open_engine((".md", ".pdf"))

    def paths(query: str) -> list[str]:
        return [
            result.path for result in engine.search(SearchRequest(query, mode="keyword")).results
        ]

    here = ["Files/Paper.pdf", "Orchard/Reading.md"]
    for condition in ("tag:fruit", "[stage:draft]", "path:Orchard", "tag:own path:Orchard"):
        assert paths(f"medlars {condition}") == here, condition
    # The same note meets all conditions, or none of them is lent.
    assert paths("medlars tag:secret path:Orchard") == []
    assert paths("medlars tag:secret -tag:fruit") == [
        "Files/Loose.pdf",
        "Files/Paper.pdf",
        "Secret.md",
    ]
    # What is left out, kinds of files, names and words are those of the file.
    assert paths("medlars tag:fruit -path:Files") == []
    assert paths("medlars tag:fruit type:markdown") == []
    assert paths("medlars tag:fruit file:Reading") == []
    assert paths('"medlars are brown" tag:fruit') == []
    assert paths("tag:fruit") == ["Orchard/Reading.md"]  # a query of conditions lists notes


def test_the_filter_type_knows_the_types_of_files(open_engine: Open, vault: Path) -> None:
    (vault / "Paper.pdf").write_bytes(pdf([["A damson tree."]]))
    (vault / "Own.md").write_text("---\ntype: pdf\n---\nThe damson again.", encoding="utf-8")
    engine = open_engine((".md", ".pdf", ".txt", ".canvas"))

    def paths(query: str) -> set[str]:
        return {
            result.path for result in engine.search(SearchRequest(query, mode="keyword")).results
        }

    assert paths("damson type:pdf") == {"Paper.pdf", "Own.md"}
    assert paths("damson type:text") == paths("damson type:txt") == {"Plan.txt"}
    assert paths("type:canvas") == {"Board.canvas"}
    assert paths("type:markdown") == {"Bees.md"}
    assert paths("damson -type:pdf") == {"Plan.txt"}


def test_hostile_files_have_reasons_and_every_file_is_counted(
    open_engine: Open, vault: Path
) -> None:
    whole = pdf([["A damson tree."]])
    (vault / "Whole.pdf").write_bytes(whole)
    (vault / "Cut.pdf").write_bytes(whole[:200])
    (vault / "Secret.pdf").write_bytes(pdf([["x"]], encrypted=True))
    (vault / "Scan.pdf").write_bytes(pdf([[]]))
    with (vault / "Huge.txt").open("wb") as huge:
        huge.truncate(2 * 1024**3)
    (vault / "Photo.xyz").write_bytes(b"x")

    engine = open_engine((".md", ".pdf", ".txt"))

    of = {entry.path: entry for entry in engine.ledger().entries}
    assert (of["Cut.pdf"].state, of["Secret.pdf"].state) == ("failed", "excluded")
    assert (of["Secret.pdf"].rule, of["Huge.txt"].rule) == ("encrypted", "too_large")
    assert of["Scan.pdf"].warnings[0].startswith("no text (scanned)")
    assert of["*.xyz"].rule == "file_type"
    assert sum(entry.count for entry in of.values()) == len(list(vault.iterdir()))
    assert found(engine, "damson tree")[0][0] in {"Whole.pdf", "Plan.txt"}


def test_a_canvas_is_a_note_among_linked_notes(open_engine: Open) -> None:
    engine = open_engine((".md", ".canvas"))

    board, bees = engine.note(NoteRequest("Board.canvas")), engine.note(NoteRequest("Bees"))
    assert board.title == "Board"
    assert "Quince jelly" in board.content
    assert board.uri.endswith("file=Board.canvas")
    assert {link.path for link in board.links_out} == {"Bees.md"}
    assert [link.path for link in bees.links_out] == ["Board.canvas"]
    assert {link.path for link in bees.links_in} == {"Board.canvas"}


def test_what_obsidian_shows_is_indexed_by_default(open_engine: Open, vault: Path) -> None:
    (vault / "Page.html").write_text("<p>Medlar</p>", encoding="utf-8")

    engine = open_engine(VaultRules().types)

    notes = dict.fromkeys(("Bees.md", "Plan.txt", "Board.canvas"), "keyword_only")
    assert states(engine) == {**notes, "*.html": "excluded"}
    (entry,) = engine.ledger(path="Page.html").entries
    assert (entry.state, entry.rule) == ("excluded", "file_type")


def test_an_index_of_markdown_alone_keeps_its_vectors_when_types_are_added(
    vault: Path, tmp_path: Path
) -> None:
    settings = settings_in(tmp_path)
    record = VaultRecord("v1", "vault", vault)
    index = EmbeddedIndex.open(tmp_path / "index", writable=True)
    embedder = HashedWords()

    def run(types: tuple[str, ...]) -> RunTotals:
        mine = replace(settings, vault=VaultRules(types=types))
        indexer = Indexer(source_of(record, mine.vault), index, mine)
        index.use_model(embedder.key, embedder.dimensions)
        return indexer.run(Work(), embedder, Signals())

    assert run((".md",)).embedded == 1
    added = run(VaultRules().types)
    again = run(VaultRules().types)
    index.close()

    assert (added.read, added.reused, added.removed) == (3, 1, 0)
    assert added.embedded > 0
    assert (again.read, again.embedded) == (0, 0)


def test_a_broken_canvas_is_recorded_and_the_others_are_indexed(
    open_engine: Open, vault: Path
) -> None:
    (vault / "Torn.canvas").write_text(BOARD[:40], encoding="utf-8")

    engine = open_engine((".md", ".canvas"))

    assert states(engine)["Torn.canvas"] == "failed"
    (entry,) = engine.ledger(path="Torn.canvas").entries
    assert "broken or cut off at line 1" in (entry.reason or "")
    assert found(engine, "medlar")


def test_files_of_a_type_are_indexed_while_it_is_enabled(open_engine: Open, vault: Path) -> None:
    for number in range(60):  # more than the guard lets go at once
        (vault / f"{number}.txt").write_text("damson", encoding="utf-8")

    assert found(open_engine((".md",)), "damson") == []
    assert found(open_engine((".md", ".txt")), "damson")
    engine = open_engine((".md",))
    assert found(engine, "damson") == []
    assert engine.status().guard is None
