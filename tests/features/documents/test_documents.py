"""Documents outside the vault: indexed with it, found with it, read only, and only where allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import (
    ForbiddenError,
    NotewellError,
    NotFoundError,
    OutsideVaultError,
    UsageError,
)
from notewell.base.types import DocumentRules, Settings, VaultRecord
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest
from notewell.contract.status import Change
from notewell.doors.web.attachments import read_document
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.documents.requests import (
    AddDocuments,
    AddedReply,
    ListDocuments,
    RemoveDocuments,
)
from notewell.features.properties.requests import EditProperties
from tests.vault.pdf_files import pdf
from tests.vaults import settings_in
from tests.waiting import until


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "Papers"
    (folder / "old").mkdir(parents=True)
    (folder / "Quince.md").write_text("# Quince\n\nQuince jelly sets well.", encoding="utf-8")
    (folder / "Pears.txt").write_text("Pears keep in the cellar.", encoding="utf-8")
    (folder / "old" / "Medlar.csv").write_text("fruit,colour\nmedlar,brown\n", encoding="utf-8")
    return folder


@pytest.fixture
def settings(tmp_path: Path, papers: Path) -> Settings:
    return settings_in(
        tmp_path,
        documents=DocumentRules(allow=(str(papers),)),
    )


Reopen = Callable[[Settings], Engine]


@pytest.fixture
def reopen(tmp_path: Path) -> Iterator[Reopen]:
    opened: list[Engine] = []
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Bees.md").write_text("Bees dance. [[Quince]]", encoding="utf-8")

    def opener(settings: Settings) -> Engine:
        while opened:
            opened.pop().close()
        record = VaultRecord("v1", "vault", vault)
        opened.append(
            Engine.open(record, tmp_path / "index", settings, writable=True, features=FEATURES)
        )
        opened[0].index_now()
        return opened[0]

    yield opener
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(reopen: Reopen, settings: Settings) -> Engine:
    return reopen(settings)


def add(engine: Engine, place: Path, **fields: object) -> AddedReply:
    return engine.answer(AddDocuments(str(place), "Papers", **fields))  # type: ignore[arg-type]


def paths(engine: Engine) -> set[str]:
    return {entry.path for entry in engine.ledger().entries if entry.state != "excluded"}


def found(engine: Engine, query: str) -> list[str]:
    reply = engine.search(SearchRequest(query, mode="keyword", weak=True))
    return [result.path for result in reply.results]


def test_a_folder_is_indexed_and_found_with_the_vault(engine: Engine, papers: Path) -> None:
    pages = [["Clover."], ["Medlar cheese is brown."]]
    (papers / "old" / "Medlar.csv").unlink()
    (papers / "old" / "Medlar.pdf").write_bytes(pdf(pages))

    added = add(engine, papers)

    assert (added.files, added.waiting, added.failed, added.duplicates) == (3, 0, 0, 0)
    assert added.chunks_created == len(added.chunk_ids) == 3
    assert ".documents/Papers/Papers/Quince.md#0" in added.chunk_ids
    (one,) = engine.search(SearchRequest("medlar cheese", mode="keyword")).results
    assert (one.path, one.page) == (".documents/Papers/Papers/old/Medlar.pdf", 2)
    assert one.uri == (papers / "old" / "Medlar.pdf").as_uri() + "#page=2"
    assert found(engine, "bees") == ["Bees.md"]
    assert found(engine, "path:.documents/Papers jelly") == [".documents/Papers/Papers/Quince.md"]
    assert "jelly" in engine.note(NoteRequest(".documents/Papers/Papers/Quince.md")).content


def test_globs_and_recursion_narrow_what_is_read(engine: Engine, papers: Path) -> None:
    assert add(engine, papers, recursive=False).files == 2
    assert add(engine, papers, include=("*.csv",)).files == 1
    assert add(engine, papers, exclude=("old/",)).files == 2
    assert [namespace.path for namespace in engine.answer(ListDocuments()).namespaces] == [
        ".documents/Papers"
    ]


def test_a_second_look_counts_what_was_there_and_what_is_new(engine: Engine, papers: Path) -> None:
    first = add(engine, papers)
    (papers / "Copy.md").write_bytes((papers / "Quince.md").read_bytes())
    (papers / "Sloe.md").write_text("Sloe gin.", encoding="utf-8")

    again = add(engine, papers)

    assert (again.chunks_created, again.duplicates) == (1, first.chunks_created + 1)
    assert add(engine, papers / "Sloe.md").duplicates == 1


def test_namespaces_are_listed_counted_cleared_and_deleted(engine: Engine, papers: Path) -> None:
    add(engine, papers)
    engine.answer(AddDocuments(str(papers / "Pears.txt"), "Fruit"))

    fruit, both = engine.answer(ListDocuments()).namespaces
    assert (fruit.name, fruit.files, fruit.chunks, fruit.waiting) == ("Fruit", 1, 1, 0)
    assert (both.name, both.files, both.chunks) == ("Papers", 3, 3)
    assert both.places[0].place == str(papers)

    cleared = engine.answer(RemoveDocuments("Papers", keep=True))
    assert [(namespace.name, namespace.files) for namespace in cleared.namespaces] == [
        ("Fruit", 1),
        ("Papers", 0),
    ]
    assert paths(engine) == {"Bees.md", ".documents/Fruit/Pears.txt"}

    left = engine.answer(RemoveDocuments("Fruit"))
    assert [namespace.name for namespace in left.namespaces] == ["Papers"]
    assert paths(engine) == {"Bees.md"}
    assert (papers / "Pears.txt").exists()
    with pytest.raises(NotFoundError, match="known: Papers"):
        engine.answer(RemoveDocuments("Fruit"))


def test_a_file_of_two_namespaces_is_one_result(engine: Engine, papers: Path) -> None:
    add(engine, papers)
    engine.answer(AddDocuments(str(papers), "Fruit"))

    reply = engine.search(SearchRequest("quince jelly", mode="keyword", everything=True))

    (one,) = [result.path for result in reply.results if "Quince.md" in result.path]
    assert reply.filtered["near_duplicate"] == 1
    for name in ("Papers", "Fruit"):
        alone = found(engine, f"path:.documents/{name} quince")
        assert alone == [f".documents/{name}/Papers/Quince.md"]
    assert one in {f".documents/{name}/Papers/Quince.md" for name in ("Papers", "Fruit")}


def test_only_what_a_person_allowed_is_read(
    engine: Engine, papers: Path, tmp_path: Path, reopen: Reopen, settings: Settings
) -> None:
    secret = tmp_path / "Secret"
    secret.mkdir()
    (secret / "Diary.md").write_text("Secret.", encoding="utf-8")
    (papers / "out").symlink_to(secret)
    (papers / "Diary.md").symlink_to(secret / "Diary.md")
    refused: list[tuple[Path | str, type[NotewellError]]] = [
        (secret, ForbiddenError),
        (secret / "None.md", ForbiddenError),  # not even whether it exists is told
        (papers / ".." / "Secret", ForbiddenError),
        (papers / "out", OutsideVaultError),
        (papers / "out" / "Diary.md", OutsideVaultError),
        (papers / "None.md", NotFoundError),
        ("Papers", UsageError),
    ]
    for place, error in refused:
        with pytest.raises(error):
            engine.answer(AddDocuments(str(place)))
    assert engine.answer(ListDocuments()).namespaces == ()

    add(engine, papers)
    assert found(engine, "secret") == []
    forbidding = reopen(replace(settings, documents=DocumentRules()))
    assert paths(forbidding) == {"Bees.md"}
    with pytest.raises(ForbiddenError, match="documents allow"):
        add(forbidding, papers)


def test_a_place_that_became_a_link_is_left_out(
    engine: Engine, papers: Path, tmp_path: Path
) -> None:
    add(engine, papers / "old")
    (papers / "old").rename(tmp_path / "moved")
    (papers / "old").symlink_to(tmp_path / "moved")

    engine.index_now()

    assert paths(engine) == {"Bees.md"}


def test_what_nothing_reads_and_what_the_vault_has_is_refused(
    engine: Engine, papers: Path, settings: Settings, reopen: Reopen, tmp_path: Path
) -> None:
    (papers / "tool.exe").write_bytes(b"MZ")
    with pytest.raises(UsageError, match="Nothing reads"):
        add(engine, papers / "tool.exe")
    wide = reopen(replace(settings, documents=DocumentRules(allow=(str(tmp_path),))))
    for place in (tmp_path, tmp_path / "vault"):
        with pytest.raises(UsageError, match="one in the other"):
            wide.answer(AddDocuments(str(place)))


def test_documents_stay_while_their_drive_is_away_and_follow_their_folder(
    engine: Engine, papers: Path
) -> None:
    add(engine, papers)
    papers.rename(papers.with_name("Away"))
    engine.index_now()
    assert len(paths(engine)) == 4

    papers.with_name("Away").rename(papers)
    (papers / "Pears.txt").unlink()
    engine.index_now()
    assert len(paths(engine)) == 3


def test_nothing_is_written_to_documents(engine: Engine, papers: Path) -> None:
    add(engine, papers)
    before = (papers / "Quince.md").read_bytes()
    edit = EditProperties(".documents/Papers/Papers/Quince.md", set={"status": "done"})
    with pytest.raises(NotewellError):
        engine.answer(edit)
    assert (papers / "Quince.md").read_bytes() == before


def test_lists_of_clients_and_the_guard_of_removals_leave_documents_alone(
    engine: Engine, papers: Path, tmp_path: Path
) -> None:
    for number in range(60):
        (papers / f"{number}.md").write_text(f"Paper {number}.", encoding="utf-8")
    add(engine, papers)
    for path in papers.glob("*.md"):
        path.unlink()
    engine.index_now()
    assert engine.status().guard is None
    assert len(paths(engine)) == 3

    engine.start()
    assert engine.work.sync([]).gone == ("Bees.md",)
    engine.work.take([Change("modify", ".documents/Papers/Papers/Pears.txt")])
    until(lambda: not engine.busy)
    assert ".documents/Papers/Papers/Pears.txt" in paths(engine)


def test_a_server_reads_a_folder_while_the_request_waits(engine: Engine, papers: Path) -> None:
    engine.start()
    added = add(engine, papers, wait=50)
    assert (added.files, added.waiting) == (3, 0)
    assert add(engine, papers / "old", wait=0).path == ".documents/Papers/old"


def test_only_indexed_documents_are_sent_to_pages(engine: Engine, papers: Path) -> None:
    (papers / "Plum.pdf").write_bytes(pdf([["A plum."]]))
    (papers / "Not.png").write_bytes(b"no image")
    add(engine, papers, include=("*.pdf",))

    sent = read_document(engine.file(".documents/Papers/Papers/Plum.pdf"))

    assert (sent.media, sent.raw[:5]) == ("application/pdf", b"%PDF-")
    for path in ("Papers/Papers/Not.png", "Papers/Papers/../../Plum.pdf", "Papers/x.pdf"):
        with pytest.raises(NotFoundError):
            engine.file(f".documents/{path}")
