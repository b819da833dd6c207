"""Passages by id: the one that it means, or the nearest one by its hash."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from notewell.base.errors import StalePassageError, UsageError
from notewell.base.types import ChunkRules
from notewell.contract.notes import NoteReply, NoteRequest
from notewell.contract.search import Result, SearchRequest
from notewell.engine.engine import Engine
from tests.vaults import indexed

GARDEN = "# Garden\n\n## Bees\n\nBees dance in spring.\n\n## Figs\n\nFigs like the southern wall.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "Garden.md").write_text(GARDEN, encoding="utf-8")
    return folder


@pytest.fixture
def engine(vault: Path, tmp_path: Path) -> Iterator[Engine]:
    chunking = ChunkRules(max_tokens=12, min_tokens=1, overlap_tokens=0)
    with indexed(tmp_path, chunking=chunking) as opened:
        yield opened


def figs(engine: Engine) -> Result:
    (found,) = engine.search(SearchRequest("southern wall", mode="keyword")).results
    return found


def read(engine: Engine, found: Result, *, hashed: bool = True) -> NoteReply:
    return engine.note(NoteRequest(id=found.id, hash=found.hash if hashed else None))


def nearest(engine: Engine, found: Result, *, hashed: bool = True) -> NoteReply:
    with pytest.raises(StalePassageError) as caught:
        read(engine, found, hashed=hashed)
    assert caught.value.nearest is not None
    return engine.note(NoteRequest(id=caught.value.nearest))


def test_a_result_tells_which_passage_it_shows(engine: Engine, vault: Path) -> None:
    found = figs(engine)
    assert found.id == "Garden.md#1"
    assert found.lines == (9, 9)
    assert found.heading == "Garden > Figs"
    assert found.hash is not None
    assert len(found.hash) == 32
    assert found.mtime is not None
    assert all(passage.id for passage in found.passages)

    note = read(engine, found)

    assert note.passage is not None
    assert (note.passage.id, note.passage.hash) == (found.id, found.hash)
    assert note.content.splitlines()[note.passage.lines[0] - 1] == "Figs like the southern wall."
    assert [chunk.id for chunk in note.chunks] == ["Garden.md#0", "Garden.md#1"]


def test_a_stale_id_names_the_passage_with_its_hash(engine: Engine, vault: Path) -> None:
    found = figs(engine)
    new = "## Ants\n\nAnts keep aphids on the old plum.\n\n## Bees"
    (vault / "Garden.md").write_text(GARDEN.replace("## Bees", new), encoding="utf-8")
    engine.index_now()

    assert read(engine, found, hashed=False).passage is not None  # nobody can tell
    moved = nearest(engine, found)

    assert moved.passage is not None
    assert moved.passage.id != found.id
    assert moved.passage.hash == found.hash


def test_the_passage_is_found_in_the_note_that_the_file_became(engine: Engine, vault: Path) -> None:
    found = figs(engine)
    (vault / "Old").mkdir()
    (vault / "Garden.md").rename(vault / "Old" / "Garden.md")
    engine.index_now()

    assert nearest(engine, found).path == "Old/Garden.md"


def test_of_changed_text_the_passage_at_its_place_is_named(engine: Engine, vault: Path) -> None:
    found = figs(engine)
    (vault / "Garden.md").write_text(GARDEN.replace("southern", "western"), encoding="utf-8")
    engine.index_now()
    assert nearest(engine, found).path == "Garden.md"

    (vault / "Garden.md").write_text("# Garden\n\nEmpty.\n", encoding="utf-8")
    engine.index_now()
    assert nearest(engine, found, hashed=False).path == "Garden.md"


def test_an_id_of_nothing_is_refused(engine: Engine) -> None:
    with pytest.raises(StalePassageError) as caught:
        engine.note(NoteRequest(id="None.md#0", hash="0" * 32))
    assert caught.value.nearest is None
    for request in (NoteRequest(), NoteRequest("Garden.md", "Garden.md#0")):
        with pytest.raises(UsageError, match="`id`"):
            engine.note(request)


def test_blocks_have_the_id_of_their_passage_and_all_items_around_them(
    engine: Engine, vault: Path
) -> None:
    (vault / "List.md").write_text("- Tree\n  - Stone\n    - Damson\n", encoding="utf-8")
    engine.index_now()

    request = SearchRequest("damson", mode="keyword", group="block")
    (found,) = engine.search(request).results

    assert (found.parent, found.id) == ("Tree > Stone", "List.md#0")


def test_all_items_around_a_block_are_named_where_its_list_was_cut(
    engine: Engine, vault: Path
) -> None:
    (vault / "List.md").write_text(
        "# Orchard\n- Other trees\n- Tree\n  - Root\n  - Stone\n    - Plum and pear\n"
        "    - Quince and medlar here\n    - Damson\n  - Bark, which is below the tree\n",
        encoding="utf-8",
    )
    engine.index_now()

    (damson,) = engine.search(SearchRequest("damson", mode="keyword", group="block")).results
    (bark,) = engine.search(SearchRequest("bark", mode="keyword", group="block")).results

    assert damson.id != "List.md#0"
    assert damson.parent == "Tree > Stone"
    assert bark.parent == "Tree"
    (below,) = engine.search(SearchRequest("below", mode="keyword", group="block")).results
    assert (below.line, below.parent) == (9, "Tree")  # the rest of an item that was cut
