"""The promises of every source of notes, tested for all that are registered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell.base.errors import NotFoundError, OutsideVaultError, UnreadableNoteError, VaultError
from notewell.base.types import Settings, VaultRecord, VaultRules
from notewell.contract.status import Change
from notewell.engine.feature import load, open_source, provided
from notewell.features import FEATURES
from notewell.vault.sources import SOURCES, Source

# Those of the core, and those of features.
KINDS = {
    **SOURCES,
    **{kind: load(place) for kind, place in provided(FEATURES, "source").items()},
}
Fill = Callable[[Source, str, str], None]


def into_folder(root: Path) -> Fill:
    def fill(_: Source, path: str, content: str) -> None:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")

    return fill


def by_a_client(source: Source, path: str, content: str) -> None:
    receiver = source.receiver()
    assert receiver is not None
    receiver.apply([Change("create", path, content=content, mtime=1_700_000_000_000)])


class Place:
    """A source of one kind, and how notes get into it."""

    def __init__(self, kind: str, root: Path, rules: VaultRules | None = None) -> None:
        self.record = VaultRecord("v1", "Garden", root, source=kind)  # type: ignore[arg-type]
        self.source = KINDS[kind](self.record, rules or VaultRules())
        self._fill = by_a_client if kind == "mirror" else into_folder(root)

    def put(self, path: str, content: str) -> None:
        self._fill(self.source, path, content)


@pytest.fixture(params=list(KINDS))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    root = tmp_path / "Garden"
    root.mkdir()
    return Place(request.param, root)


def test_lists_notes_in_order_and_reads_them(place: Place) -> None:
    place.put("b/Wasps.md", "# Wasps\n\nThey sting.")
    place.put("Bees.md", "They dance.")

    listed = place.source.list()

    assert [stamp.path for stamp in listed.files] == ["Bees.md", "b/Wasps.md"]
    bees = place.source.read(listed.files[0])
    assert bees.note.title == "Bees"
    assert bees.text == "They dance."
    assert bees.content_hash == hashlib.blake2b(b"They dance.", digest_size=16).digest()
    assert place.source.content_hash(listed.files[0]) == bees.content_hash


def test_lists_only_the_given_folders(place: Place) -> None:
    for path in ("Bees.md", "b/Wasps.md", "c/Ants.md"):
        place.put(path, "x")

    within = place.source.list(("b", "Bees.md", "gone.md"))

    assert [stamp.path for stamp in within.files] == ["Bees.md", "b/Wasps.md"]


def test_the_stamp_of_one_note_equals_the_listed_one(place: Place) -> None:
    place.put("b/Wasps.md", "They sting.")

    assert (place.source.stamp("b/Wasps.md"),) == place.source.list().files


def test_a_change_changes_the_stamp(place: Place) -> None:
    place.put("Bees.md", "They dance.")
    before = place.source.stamp("Bees.md")

    place.put("Bees.md", "They dance no more.")

    after = place.source.stamp("Bees.md")
    assert (after.size, after.mtime_ns) != (before.size, before.mtime_ns)


def test_missing_and_outside_paths_are_errors(place: Place) -> None:
    place.put("Bees.md", "They dance.")

    with pytest.raises(UnreadableNoteError) as gone:
        place.source.stamp("Wasps.md")
    assert gone.value.code == "vanished"
    with pytest.raises(OutsideVaultError):
        place.source.stamp("../Bees.md")
    with pytest.raises(OutsideVaultError):
        place.source.list(("../Bees.md",))


def test_limits_are_enforced(place: Place, tmp_path: Path) -> None:
    small = Place(place.record.source, place.record.path, VaultRules(max_note_bytes=5))
    small.put("Bees.md", "They dance.")

    with pytest.raises(UnreadableNoteError) as refused:
        small.source.read(small.source.stamp("Bees.md"))
    assert refused.value.code == "too_large"


def test_says_which_rule_excludes_a_path(place: Place) -> None:
    place.put("b/Wasps.md", "They sting.")

    assert place.source.excluded("b/Wasps.md") is None
    for path, rule in (("b", "folder"), ("Bees.png", "file_type"), (".hidden.md", "hidden")):
        decided = place.source.excluded(path)
        assert decided is not None
        assert decided[0] == rule


def test_types_follow_the_rules(place: Place) -> None:
    both = Place(place.record.source, place.record.path, VaultRules(types=(".md", ".txt", ".xyz")))
    for path in ("Bees.md", "Wasps.txt"):
        both.put(path, "x")

    assert {".md", ".txt"} <= set(both.source.types)
    assert ".xyz" not in both.source.types
    assert [stamp.path for stamp in both.source.list().files] == ["Bees.md", "Wasps.txt"]


def test_a_uri_opens_the_note_at_its_anchor(place: Place) -> None:
    if place.record.is_converted:
        assert place.source.uri("Bees.md") == ""  # no sync has said where it comes from
        return
    uri = place.source.uri

    assert uri("b/Wasps.md") == "obsidian://open?vault=Garden&file=b%2FWasps"
    assert uri("Bees.md", "hive") == "obsidian://open?vault=Garden&file=Bees%23%5Ehive"
    assert uri("Board.canvas", "node") == "obsidian://open?vault=Garden&file=Board.canvas"
    assert uri("Paper.pdf", "3") == "obsidian://open?vault=Garden&file=Paper.pdf%23page%3D3"
    settings = Settings(place.record.path, place.record.path, place.record.path)
    assert open_source(FEATURES, place.record, settings).uri("Bees.md") == uri("Bees.md")


def test_creating_a_source_writes_nothing(place: Place, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"

    source = Place(place.record.source, nowhere).source

    assert not nowhere.exists()
    with pytest.raises(VaultError):
        source.list()


def test_a_folder_is_watched_and_a_mirror_is_filled_by_clients(tmp_path: Path) -> None:
    folder, mirror = Place("folder", tmp_path), Place("mirror", tmp_path)

    assert (folder.source.watched, mirror.source.watched) == (True, False)
    assert folder.source.receiver() is None
    assert mirror.source.receiver() is not None


def test_notes_that_no_feature_reads_are_refused(tmp_path: Path) -> None:
    record = VaultRecord("v1", "Garden", tmp_path, source="roam")
    with pytest.raises(NotFoundError, match="feature"):
        open_source((), record, Settings(tmp_path, tmp_path, tmp_path))
