"""A library of Zotero is found with the notes of a vault, and never written."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from notewell.api.errors import SourceError
from notewell.api.types import Settings, VaultRules
from notewell.api.vault import FileRef
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.vault.read_notes import make_note
from notewell_zotero import ZoteroRules
from notewell_zotero.library import Annotation, LibraryItem, read_library
from notewell_zotero.notes import note_of
from notewell_zotero.source import ROOT
from tests.vaults import settings_in
from tests.zotero_libraries import MadeLibrary


@pytest.fixture
def library(tmp_path: Path) -> MadeLibrary:
    """Two items: one with all that an item can have, one of a group."""
    made = MadeLibrary(tmp_path / "Zotero")
    paper = made.add(
        "AAAA1111",
        title="Replay in the hippocampus",
        date="2019-05-00 May 2019",
        abstractNote="Place cells fire again in the order of a past journey.",
        publicationTitle="Neuron",
        DOI="10.1/replay",
        extra="Citation Key: foster2019replay\nOther: x",
    )
    made.person(paper, "Ada", "Foster")
    made.person(paper, "", "Sleep Group")
    made.tag(paper, "place cells")
    file = made.file_of(paper)
    made.annotate(file, "ripples last a tenth of a second", "see [[Bees]] #urgent", "12")
    made.annotate(file, None, "ask Tom about theta", "3")
    made.note(paper, "<p>Read with <b>Tom</b></p><ul><li>good figures</li></ul>")
    made.add("GGGG1111", "book", library=2, title="Bees of the world")
    made.save()
    return made


def opened(tmp_path: Path, **rules: object) -> tuple[Vaults, Engine]:
    """A vault of one note with the library, indexed."""
    (tmp_path / "vault").mkdir(exist_ok=True)
    (tmp_path / "vault" / "Bees.md").write_text("Bees hum in summer.", encoding="utf-8")
    settings: Settings = settings_in(tmp_path, vault=VaultRules(watch="off"))
    own = ZoteroRules(**{"library": str(tmp_path / "Zotero"), **rules})  # type: ignore[arg-type]
    vaults = Vaults(replace(settings, of_features={"zotero": own}), features=FEATURES)
    engine = vaults.open(vaults.add(tmp_path / "vault"), writable=True)
    engine.index_now()
    return vaults, engine


def paths(engine: Engine, query: str) -> list[str]:
    reply = engine.search(SearchRequest(query, mode="keyword"))
    return [result.path for result in reply.results]


PAPER, BOOK = f"{ROOT}/AAAA1111.md", f"{ROOT}/group 77/GGGG1111.md"


def test_abstracts_annotations_and_notes_are_found_and_open_in_zotero(
    library: MadeLibrary, tmp_path: Path
) -> None:
    vaults, engine = opened(tmp_path)
    with closing(vaults):
        for query in (
            "place cells journey",
            "ripples tenth",
            "theta",
            "good figures",
            "Foster 2019",
        ):
            assert paths(engine, query) == [PAPER], query
        assert set(paths(engine, "bees of")) >= {"Bees.md", BOOK}
        (result,) = engine.search(SearchRequest("ripples", mode="keyword")).results
        assert result.uri == "zotero://select/library/items/AAAA1111"
        assert "ripples last a tenth of a second (p. 12)" in result.snippet
        assert result.title == "Replay in the hippocampus"
        assert result.properties["authors"] == ("Ada Foster", "Sleep Group")
        (book,) = engine.search(SearchRequest("world", mode="keyword")).results
        assert book.uri == "zotero://select/groups/77/items/GGGG1111"
        assert paths(engine, "tag:place-cells") == [PAPER]
        assert paths(engine, "path:.documents/.zotero replay") == [PAPER]


def test_what_is_written_in_zotero_makes_no_link_and_no_tag_in_the_vault(
    library: MadeLibrary, tmp_path: Path
) -> None:
    vaults, engine = opened(tmp_path)
    with closing(vaults):
        assert paths(engine, "tag:urgent") == []
        assert paths(engine, "see Bees urgent") == [PAPER]
        paper = engine.vault.index.note_at(PAPER)
        assert paper is not None
        assert engine.vault.index.graph.links_out(paper.id) == ()


def test_changes_and_the_bin_are_followed(library: MadeLibrary, tmp_path: Path) -> None:
    vaults, engine = opened(tmp_path)
    with closing(vaults):
        (number,) = library.connection.execute(
            "SELECT itemID FROM items WHERE key = 'AAAA1111'"
        ).fetchone()
        library.note(number, "<p>zebrafish</p>", key="MORE")
        library.save()
        engine.work.look_now(ROOT)
        assert paths(engine, "zebrafish") == [PAPER]

        library.delete(number)
        library.save()
        engine.work.look_now(ROOT)
        assert paths(engine, "replay") == []
        assert set(paths(engine, "bees")) == {"Bees.md", BOOK}


def test_it_is_read_while_zotero_holds_its_lock(library: MadeLibrary, tmp_path: Path) -> None:
    library.close()
    with closing(sqlite3.connect(library.file)) as zotero:
        zotero.execute("PRAGMA locking_mode = EXCLUSIVE")
        zotero.execute("PRAGMA cache_size = 1")  # so that a change reaches the file at once
        zotero.execute("BEGIN EXCLUSIVE")
        zotero.executemany(
            "INSERT INTO tags VALUES (NULL, ?)", [(f"{n}" * 99,) for n in range(999)]
        )
        with pytest.raises(SourceError, match="is being changed"):
            read_library(library.file)
        zotero.rollback()  # it keeps the lock
        assert [item.key for item in read_library(library.file)] == ["AAAA1111", "GGGG1111"]


def test_a_library_that_is_away_keeps_what_was_indexed_and_says_so(
    library: MadeLibrary, tmp_path: Path
) -> None:
    vaults, engine = opened(tmp_path)
    with closing(vaults):
        library.close()
        library.file.rename(library.file.with_name("away"))
        engine.index_now()
        assert paths(engine, "replay") == [PAPER]
        library.file.write_bytes(b"no database" * 1000)
        engine.index_now()
        assert paths(engine, "replay") == [PAPER]


def test_without_the_setting_or_for_another_vault_nothing_is_read(
    library: MadeLibrary, tmp_path: Path
) -> None:
    for rules in ({"library": ""}, {"vaults": ("another",)}):
        vaults, engine = opened(tmp_path, **rules)
        with closing(vaults):
            assert paths(engine, "replay") == []
    vaults, engine = opened(tmp_path, vaults=("vault",))
    with closing(vaults):
        assert paths(engine, "replay") == [PAPER]


def test_a_vault_cannot_name_a_library(library: MadeLibrary, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / ".notewell.toml").write_text(
        f"[zotero]\nlibrary = '{tmp_path / 'Zotero'}'\n", encoding="utf-8"
    )
    vaults, engine = opened(tmp_path, library="")
    with closing(vaults):
        assert paths(engine, "replay") == []


def test_the_library_is_never_written(library: MadeLibrary, tmp_path: Path) -> None:
    library.close()
    before = library.file.read_bytes(), library.file.stat().st_mtime_ns
    vaults, _ = opened(tmp_path)
    vaults.close()
    assert (library.file.read_bytes(), library.file.stat().st_mtime_ns) == before
    assert [path.name for path in library.file.parent.iterdir()] == ["zotero.sqlite"]


TEXTS = st.text() | st.text("[]()#`<>|^%$=-*+\n\\ a1:!_~/.@")


@settings(max_examples=300)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
@example("[a](b.md)", "<https://a.b>", "![a](b.md)", "see <a href='x.md'>x</a>")
@example("#a", "x\n#b", "(#c", "<p>#d</p><p>[[e]]</p>")
def test_any_text_makes_a_note_without_links(
    title: str, abstract: str, mark: str, html: str
) -> None:
    item = LibraryItem("KKKK1111", "book", None, 0.0, 0.0)
    item.fields = {"title": title, "abstractNote": abstract}
    item.annotations = [Annotation(mark, abstract, title)]
    item.notes = [html]
    text = note_of(item).text.encode("utf-8", "replace")
    file = FileRef("a.md", Path("a.md"), len(text), 0)
    read = make_note(file, text, VaultRules()).note
    assert read.links == ()
    assert set(read.tags) == {"zotero"}
    assert {heading.text for heading in read.headings[1:]} <= {"Annotations", "Note"}
