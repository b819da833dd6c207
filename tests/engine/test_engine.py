"""An open vault: indexing, searching, changes on disk, and its reported status."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import IndexInUseError, NotFoundError, OutsideVaultError, UsageError
from notewell.base.types import ModelRules, Progress, SearchRules, Settings, VaultRecord, VaultRules
from notewell.contract.notes import NoteRequest
from notewell.contract.search import SearchRequest, SimilarRequest
from notewell.engine.engine import Engine
from notewell.engine.event_loop import READERS
from notewell.features import FEATURES
from tests.tiny_model import write_tiny_judge, write_tiny_model
from tests.vaults import settings_in
from tests.waiting import until

NOTES = {
    "Bread/Starter.md": "---\ntags: [baking]\n---\n# Feeding\nFeed the sourdough starter with rye flour.\n",
    "Bread/Loaf.md": "The loaf uses the [[Starter]] and bakes for an hour. ^first\n",
    "Bicycle.md": "# Chain\nThe chain slips because the cassette is worn.\n\n# Brake\nPads squeal.\n",
    "Empty.md": "",
}


def write(vault: Path, notes: dict[str, str]) -> None:
    for path, text in notes.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, encoding="utf-8")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    write(tmp_path / "vault", NOTES)
    return tmp_path / "vault"


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def settings(tmp_path: Path, weights: Path) -> Settings:
    return settings_in(
        tmp_path,
        model=ModelRules(name="tiny", folder=str(weights), quantisation="fp32", threads=1),
    )


@pytest.fixture
def no_model(tmp_path: Path) -> Settings:
    return settings_in(
        tmp_path,
    )


@pytest.fixture
def open_engine(vault: Path, tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    opened: list[Engine] = []

    def opener(settings: Settings, *, writable: bool = True) -> Engine:
        record = VaultRecord("v1", "vault", vault)
        engine = Engine.open(
            record, tmp_path / "index", settings, writable=writable, features=FEATURES
        )
        opened.append(engine)
        return engine

    yield opener
    for engine in opened:
        engine.close()


def paths(engine: Engine, query: str, **asked: object) -> list[str]:
    reply = engine.search(SearchRequest(query, **asked))  # type: ignore[arg-type]
    return [result.path for result in reply.results]


def test_a_reranker_in_a_folder_reranks_the_first_results(
    open_engine: Callable[..., Engine], settings: Settings, tmp_path: Path
) -> None:
    folder = write_tiny_judge(tmp_path / "judge")
    rules = SearchRules(reranker="tiny", rerank_folder=str(folder), rerank_ms=10_000)
    engine = open_engine(replace(settings, search=rules))
    engine.index_now()

    reply = engine.search(SearchRequest("the chain slips", rerank=True))

    assert reply.warnings == ()
    assert reply.fusion.params["reranker"] == "tiny"
    assert reply.results
    assert all(result.scores.rerank is not None for result in reply.results)


def test_a_vault_is_searched_by_keyword_and_by_meaning(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)

    report = engine.index_now()

    assert (report.notes, report.failed, report.excluded) == (4, 0, 0)
    assert report.embedded == report.chunks > 0
    assert paths(engine, "cassette", mode="keyword") == ["Bicycle.md"]
    assert "Bread/Starter.md" in paths(engine, "sourdough", mode="semantic")
    assert paths(engine, "cassette worn")[0] == "Bicycle.md"
    status = engine.status()
    assert (status.state, status.semantic, status.vectors) == ("ready", "ready", report.chunks)


def test_a_second_run_changes_nothing(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)
    engine.index_now()
    generation = engine.status().generation

    again = engine.index_now()

    assert (again.embedded, again.reused, again.removed) == (0, 0, 0)
    assert engine.status().generation == generation


def test_a_full_run_reads_every_note_and_embeds_nothing(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)
    first = engine.index_now()

    again = engine.index_now(full=True)

    assert again.embedded == 0
    assert again.reused == first.chunks


def test_without_a_model_keyword_search_works_and_the_reason_is_given(
    open_engine: Callable[..., Engine], no_model: Settings
) -> None:
    engine = open_engine(no_model)
    report = engine.index_now()

    reply = engine.search(SearchRequest("cassette"))
    status = engine.status()

    assert [result.path for result in reply.results] == ["Bicycle.md"]
    assert reply.warnings
    assert report.embedded == 0
    assert (status.state, status.semantic) == ("ready", "unavailable")
    assert "notewell models get" in (status.semantic_reason or "")
    assert status.ledger["keyword_only"] + status.ledger["indexed"] == 4


def test_a_model_that_becomes_available_embeds_indexed_notes(
    open_engine: Callable[..., Engine], no_model: Settings, settings: Settings
) -> None:
    first = open_engine(no_model)
    first.index_now()
    first.close()

    report = open_engine(settings).index_now()

    assert report.embedded == report.chunks > 0


def test_renaming_a_folder_embeds_nothing(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    engine = open_engine(settings)
    engine.index_now()
    (vault / "Bread").rename(vault / "Bakery")

    report = engine.index_now()

    assert (report.embedded, report.removed, report.notes) == (0, 0, 4)
    assert paths(engine, "rye flour", mode="keyword") == ["Bakery/Starter.md"]
    assert engine.note(NoteRequest("Bakery/Loaf.md")).links_out[0].path == "Bakery/Starter.md"


def test_renaming_a_note_embeds_nothing(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    engine = open_engine(settings)
    first = engine.index_now()
    passages = len(engine.note(NoteRequest("Bicycle.md")).chunks)
    (vault / "Bicycle.md").rename(vault / "Velocipede.md")

    report = engine.index_now()

    assert (report.embedded, report.reused, report.removed) == (0, passages, 0)
    assert engine.status().semantic == "ready"
    # By keyword and by name the note has its new title at once.
    assert paths(engine, "velocipede", mode="keyword") == ["Velocipede.md"]
    assert engine.search(SearchRequest("cassette")).results[0].title == "Velocipede"
    # Nor does a second name, a move, or the first name again need the model.
    place = vault / "Velocipede.md"
    for name in ("Penny-farthing.md", "Bread/Penny-farthing.md", "Bicycle.md"):
        place = place.rename(vault / name)
        assert engine.index_now().embedded == 0
    work = engine.stats(limit=1).model_work
    assert work.embedded == first.embedded
    assert work.reused >= 2 * passages


def test_a_renamed_note_is_embedded_under_its_new_name_once_all_of_it_changed(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    sections = [f"# {part}\n" + f"The {part} of the bicycle. " * 20 for part in ("Chain", "Brake")]
    write(vault, {"Bicycle.md": "\n".join(sections)})
    engine = open_engine(settings)
    engine.index_now()
    (vault / "Bicycle.md").rename(vault / "Velocipede.md")
    engine.index_now()

    def embedded_titles() -> set[str]:
        read = [passage.text for passage in engine.passages() if passage.path == "Velocipede.md"]
        return {text.partition(" > ")[0] for text in read}

    write(vault, {"Velocipede.md": "\n".join([*sections, "New pads from the shop."])})
    assert engine.index_now().embedded == 1  # the other passage keeps its vector
    assert embedded_titles() == {"Bicycle"}

    write(vault, {"Velocipede.md": "\n".join(sections).replace("bicycle", "velocipede")})
    assert engine.index_now().embedded == len(engine.note(NoteRequest("Velocipede.md")).chunks)
    assert embedded_titles() == {"Velocipede"}


def test_a_renamed_note_costs_nothing_after_a_change_of_model_and_back(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path, tmp_path: Path
) -> None:
    weights = write_tiny_model(tmp_path / "other", seed=1)
    other = replace(settings.model, name="other", folder=str(weights))

    def index(rules: ModelRules) -> int:
        engine = open_engine(replace(settings, model=rules))
        try:
            return engine.index_now().embedded
        finally:
            engine.close()

    index(settings.model)
    (vault / "Bicycle.md").rename(vault / "Velocipede.md")
    assert index(settings.model) == 0
    assert index(other) > 0
    assert index(settings.model) == 0


def test_an_edit_embeds_only_what_changed(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    engine = open_engine(settings)
    engine.index_now()
    text = (vault / "Bicycle.md").read_text(encoding="utf-8")
    (vault / "Bicycle.md").write_text(text + "New pads from the shop.\n", encoding="utf-8")

    report = engine.index_now()

    assert report.embedded == 1
    assert paths(engine, "shop", mode="keyword") == ["Bicycle.md"]


def test_a_restored_note_is_not_embedded_again(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    engine = open_engine(settings)
    engine.index_now()
    text = (vault / "Bicycle.md").read_bytes()
    (vault / "Bicycle.md").unlink()

    assert engine.index_now().removed == 1
    assert paths(engine, "cassette") == [] or "Bicycle.md" not in paths(engine, "cassette")

    (vault / "Bicycle.md").write_bytes(text)
    assert engine.index_now().embedded == 0
    assert paths(engine, "cassette", mode="keyword") == ["Bicycle.md"]


def test_the_ledger_accounts_for_every_file(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    (vault / "Binary.md").write_bytes(b"\x00\x01\x02" * 50)
    (vault / "Latin.md").write_bytes("caf\u00e9 cr\u00e8me".encode("latin-1"))
    (vault / "Broken.md").write_text("---\na: [1\n---\ntext\n", encoding="utf-8")
    (vault / "Large.md").write_text("x " * 2000, encoding="utf-8")
    (vault / "picture.png").write_bytes(b"png")
    limited = Settings(
        data_dir=settings.data_dir,
        model_dir=settings.model_dir,
        state_dir=settings.state_dir,
        offline=True,
        vault=VaultRules(max_note_bytes=3000),
        model=settings.model,
    )
    engine = open_engine(limited)
    engine.index_now()

    ledger = engine.ledger()
    entries = {entry.path: entry for entry in ledger.entries}

    assert ledger.total == 9 == sum(ledger.counts.values())
    assert (entries["*.png"].state, entries["*.png"].rule) == ("excluded", "file_type")
    assert (entries["Binary.md"].state, entries["Binary.md"].rule) == ("excluded", "binary")
    assert (entries["Large.md"].state, entries["Large.md"].rule) == ("excluded", "too_large")
    assert entries["Broken.md"].state == "indexed"
    assert entries["Broken.md"].warnings
    assert entries["Latin.md"].warnings
    assert [row.path for row in engine.ledger(path="Binary.md").entries] == ["Binary.md"]


def test_an_unreadable_note_keeps_its_earlier_state(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    engine = open_engine(settings)
    engine.index_now()
    (vault / "Bicycle.md").chmod(0)
    (vault / "Bicycle.md").touch()

    report = engine.index_now()

    assert report.failed == 1
    assert paths(engine, "cassette", mode="keyword") == ["Bicycle.md"]


def test_a_note_is_shown_with_its_links(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)
    engine.index_now()

    note = engine.note(NoteRequest("Bread/Starter"))

    assert note.title == "Starter"
    assert note.content == NOTES["Bread/Starter.md"]
    assert note.tags == ("baking",)
    assert [heading.text for heading in note.headings] == ["Feeding"]
    assert [link.path for link in note.links_in] == ["Bread/Loaf.md"]
    assert note.ledger is not None
    assert note.ledger.state == "indexed"
    assert [chunk.heading for chunk in note.chunks] == ["Feeding"]
    assert all(chunk.line >= 1 and chunk.chars > 0 for chunk in note.chunks)
    with pytest.raises(NotFoundError, match=r"Bread/Starter\.md"):
        engine.note(NoteRequest("Bread/Startre.md"))


def test_similar_notes_do_not_include_the_note_itself(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)
    engine.index_now()

    reply = engine.searcher.similar(SimilarRequest(path="Bread/Starter.md"))

    assert reply.results
    assert "Bread/Starter.md" not in [result.path for result in reply.results]


def test_an_index_has_one_writer_and_several_readers(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    writer = open_engine(settings)
    writer.index_now()

    with pytest.raises(IndexInUseError):
        open_engine(settings)

    assert paths(open_engine(settings, writable=False), "cassette", mode="keyword") == [
        "Bicycle.md"
    ]


def test_a_missing_index_is_not_found(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    with pytest.raises(NotFoundError):
        open_engine(settings, writable=False)


def test_a_served_vault_indexes_by_itself_and_on_demand(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    engine = open_engine(settings)
    engine.start()
    until(lambda: engine.status().state == "ready" and engine.status().semantic == "ready")
    assert engine.status().notes == 4

    write(vault, {"New.md": "A note about lighthouses."})
    accepted = engine.work.reindex(paths=["New.md"])
    until(lambda: engine.status().notes == 5 and engine.status().state == "ready")

    assert engine.status().generation > accepted.generation
    assert paths(engine, "lighthouses", mode="keyword") == ["New.md"]
    with pytest.raises(UsageError):
        engine.index_now()


def test_paths_that_neither_vault_nor_index_has_are_refused(
    open_engine: Callable[..., Engine], no_model: Settings, vault: Path
) -> None:
    engine = open_engine(no_model)
    engine.start()
    until(lambda: engine.status().state == "ready")

    with pytest.raises(NotFoundError, match=r"Bread/Loav.md .* did you mean Bread/Loaf.md"):
        engine.work.reindex(paths=["Bicycle.md", "Bread/Loav.md"])
    for path in ("/etc/hosts", "../vault/Bicycle.md"):
        with pytest.raises(OutsideVaultError):
            engine.work.reindex(paths=[path])

    (vault / "Bicycle.md").unlink()
    assert engine.work.reindex(paths=["Bicycle.md", "Bread"]).accepted == 2
    until(lambda: engine.status().notes == 3)


def test_call_runs_engine_work_off_the_event_loop(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)
    engine.index_now()

    async def ask() -> int:
        reply = await engine.threads.call(engine.search, SearchRequest("cassette", mode="keyword"))
        return reply.total

    assert asyncio.run(ask()) == 1


def test_status_does_not_wait_for_searches(
    open_engine: Callable[..., Engine], settings: Settings
) -> None:
    engine = open_engine(settings)
    engine.index_now()
    go = threading.Event()

    async def ask() -> int:
        searches = [asyncio.create_task(engine.threads.call(go.wait)) for _ in range(2 * READERS)]
        try:
            reply = await engine.threads.call_quickly(engine.status)
            return reply.notes
        finally:
            go.set()
            await asyncio.gather(*searches)

    assert asyncio.run(ask()) == 4


def test_progress_is_reported(open_engine: Callable[..., Engine], settings: Settings) -> None:
    heard: list[Progress] = []

    open_engine(settings).index_now(progress=heard.append)

    assert {progress.stage for progress in heard} == {"scan", "read", "embed", "done"}
    assert all(progress.done <= progress.total for progress in heard)


def test_a_missing_vault_keeps_its_index(
    open_engine: Callable[..., Engine], settings: Settings, vault: Path
) -> None:
    engine = open_engine(settings)
    engine.start()
    until(lambda: engine.status().state == "ready" and engine.status().semantic == "ready")
    vault.rename(vault.parent / "unmounted")

    engine.work.reindex()
    until(lambda: engine.status().state == "degraded")

    assert engine.status().notes == 4
    assert paths(engine, "cassette", mode="keyword") == ["Bicycle.md"]

    (vault.parent / "unmounted").rename(vault)
    engine.work.reindex()
    until(lambda: engine.status().state == "ready")
