"""The vault as assistants see it: an index of its own, which costs no second embedding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from notewell.base.errors import ConfigError, ForbiddenError, NotFoundError
from notewell.base.types import AssistantRules, ServerRules, Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.assistants import view_of
from notewell.engine.engine import Engine
from notewell.engine.ingest.embed import model_work
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.vaults import settings_in, tiny_rules, write_notes
from tests.waiting import until

NOTES = {f"Open/{number}.md": f"A note of number {number} about bread.\n" for number in range(80)}
HIDDEN = {"Private/Diary.md": "A quiet day about bread.\n"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a computer whose one vault is indexed, with a rule for assistants."""
    rules = AssistantRules(exclude=("Private/",))
    settings = settings_in(tmp_path, model=tiny_rules(tmp_path), assistants=rules)
    folder = write_notes(tmp_path / "Notes", NOTES | HIDDEN)
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        vaults.open(vaults.add(folder), writable=True).index_now()
    return settings


def opened(settings: Settings) -> Iterator[tuple[Vaults, VaultRecord, Engine]]:
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        (record,) = vaults.records()
        vaults.open(record, writable=True)
        seen = vaults.for_assistants(record)
        view = vaults.open(seen, writable=True)
        view.wait_for_model()
        view.start()
        until(lambda: view.status().state == "ready")
        yield vaults, record, view


@pytest.fixture
def view(settings: Settings) -> Iterator[tuple[Vaults, VaultRecord, Engine]]:
    yield from opened(settings)


def paths(engine: Engine) -> set[str]:
    return set(engine.vault.index.manifest())


def test_vectors_are_taken_from_the_owners_index(
    view: tuple[Vaults, VaultRecord, Engine],
) -> None:
    _, _, engine = view
    assert paths(engine) == set(NOTES)
    status = engine.status()
    assert status.vectors == status.chunks > 64
    work = model_work(engine.vault.index)
    assert (work.embedded, work.reused) == (0, status.chunks)


def test_the_owner_finds_all_and_the_view_is_no_vault_of_its_own(
    view: tuple[Vaults, VaultRecord, Engine],
) -> None:
    vaults, record, _ = view
    owner = vaults.open(record, writable=True)
    assert owner.search(SearchRequest("quiet day", mode="keyword")).results[0].path in HIDDEN
    assert [each.key for each in vaults.records()] == [record.id]
    assert vaults.served() == (record,)


def test_what_a_new_rule_hides_is_gone_before_anything_is_answered(settings: Settings) -> None:
    for _ in opened(settings):
        pass
    stricter = replace(settings, assistants=AssistantRules(exclude=("Private/", "Open/1*.md")))
    with closing(Vaults(stricter, features=FEATURES)) as vaults:
        (record,) = vaults.records()
        view = vaults.open(view_of(record), writable=True)  # nothing is read by it yet
        assert not any(path.startswith("Open/1") for path in paths(view))
        assert "Open/2.md" in paths(view)


def test_without_a_rule_or_a_mark_there_is_no_second_index(
    settings: Settings, tmp_path: Path
) -> None:
    free = replace(settings, assistants=AssistantRules())
    with closing(Vaults(free, features=FEATURES)) as vaults:
        (record,) = vaults.records()
        owner = vaults.open(record, writable=True)
        assert vaults.for_assistants(record) == record
        note = tmp_path / "Notes" / "Open" / "1.md"
        note.write_text("---\nassistants: false\n---\nBread.\n", encoding="utf-8")
        owner.index_now()
        assert vaults.for_assistants(record) == view_of(record)


def test_one_folder_to_write_in_shares_the_owners_index(settings: Settings) -> None:
    rules = AssistantRules(write_folder="Inbox")
    with closing(Vaults(replace(settings, assistants=rules), features=FEATURES)) as vaults:
        (record,) = vaults.records()
        view = vaults.open(vaults.for_assistants(record), writable=True)
        assert paths(view) == set(NOTES | HIDDEN)
        writer = view.vault.open_writer()
        for elsewhere in ("Open/New.md", "inbox/New.md", "Inbox.md", "Inboxes/New.md"):
            with pytest.raises(ForbiddenError):
                writer.create(elsewhere, "Text.", action="test")
        writer.create("Inbox/New.md", "Text.", action="test")
        owner = vaults.open(record, writable=True)
        owner.vault.open_writer().undo()
        assert not (record.path / "Inbox" / "New.md").exists()


def test_a_hidden_note_is_neither_read_nor_written(
    view: tuple[Vaults, VaultRecord, Engine],
) -> None:
    writer = view[2].vault.open_writer()
    for path in (*HIDDEN, "Private/New.md"):
        for ask in (
            lambda path=path: writer.read(path),
            lambda path=path: writer.create(path, "x", action="test"),
            lambda path=path: writer.edit(path, str.upper, seen=None, action="test"),
        ):
            with pytest.raises(NotFoundError, match="There is no note"):
                ask()


def test_a_glob_that_cannot_be_used_shows_nothing(settings: Settings) -> None:
    rules = AssistantRules(exclude=("!",))
    with closing(Vaults(replace(settings, assistants=rules), features=FEATURES)) as vaults:
        (record,) = vaults.records()
        with pytest.raises(ConfigError, match="assistants see nothing"):
            vaults.open(vaults.for_assistants(record), writable=True)


def test_a_server_of_one_open_vault_holds_both(settings: Settings) -> None:
    one = replace(settings, server=ServerRules(open_vaults=1))
    with closing(Vaults(one, features=FEATURES)) as vaults:
        (record,) = vaults.records()
        with vaults.hold(record) as owner, vaults.hold(vaults.for_assistants(record)) as view:
            until(lambda: view.status().state == "ready")
            assert paths(owner) == set(NOTES | HIDDEN)
            assert paths(view) == set(NOTES)


def test_a_vault_that_is_deleted_leaves_no_view(settings: Settings) -> None:
    for vaults, record, _ in opened(settings):
        vaults.remove(record, delete_data=True)
        assert not list((settings.data_dir / "vaults").rglob("index.db"))
