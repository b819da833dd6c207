"""Syncs: what changed is fetched and written, whatever happens between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import CancelledError
from notewell.base.types import VaultRules
from notewell.features.sources.page_store import PageAddresses, PageStore
from notewell.features.sources.pages import (
    Item,
    SourceBlock,
    SourceDocument,
    SourcePage,
    Target,
    Unread,
    file_path,
    load_page,
    write_page,
)
from notewell.features.sources.sync import Synced, sync
from notewell.vault.read_notes import read_note
from notewell.vault.walker import walk


@dataclass
class Counting:
    """Counts; cancels at the so-manieth check."""

    stop_at: int = -1
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def check(self) -> None:
        self.stop_at -= 1
        if self.stop_at == 0:
            raise CancelledError("stopped")

    def problem(self, path: str | None, why: str) -> None:
        self.problems.append(f"{path}: {why}")


@dataclass
class Pages:
    """A source in memory, which says what it was asked for."""

    pages: dict[str, SourcePage]
    tells: bool = True
    unreadable: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    def stamps(self, known: Mapping[str, int]) -> dict[str, int] | None:
        return {uid: page.edited for uid, page in self.pages.items()} if self.tells else None

    def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
        for uid in self.pages if uids is None else uids:
            self.asked.append(uid)
            yield Unread(uid, "no") if uid in self.unreadable else self.pages[uid]


def made(*titles: str) -> dict[str, SourcePage]:
    return {
        f"page-{title}": SourcePage(
            f"page-{title}", title, (SourceBlock(f"b-{title}-1", 0, title),), 1, 1
        )
        for title in titles
    }


class Place:
    """A store on disk that is opened anew for each sync."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.watch = Counting()

    def sync(self, feed: Pages, watch: Counting | None = None, *, remove: bool = False) -> Synced:
        store = PageStore(self.folder / "data", self.folder / "notes", "roam")
        self.watch = watch or Counting()
        try:
            return sync(store, feed, self.watch, remove_missing=remove)
        finally:
            store.close()

    def notes(self) -> dict[str, str]:
        root = self.folder / "notes"
        return {
            file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
            for file in sorted(root.rglob("*.md"))
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_second_sync_asks_for_what_changed(place: Place) -> None:
    feed = Pages(made("a", "b", "c"))
    assert place.sync(feed).changed == 3
    feed.asked.clear()
    assert place.sync(feed).changed == 0
    assert feed.asked == []

    feed.pages["page-b"] = replace(
        feed.pages["page-b"], edited=2, blocks=(SourceBlock("x", 0, "new"),)
    )
    assert place.sync(feed).changed == 1
    assert feed.asked == ["page-b"]
    assert "- new ^x" in place.notes()["b.md"]


def test_a_file_whose_page_is_the_same_is_not_touched(place: Place) -> None:
    feed = Pages(made("a"), tells=False)
    place.sync(feed)
    file = place.folder / "notes" / "a.md"
    before = file.stat().st_ino
    feed.pages["page-a"] = replace(feed.pages["page-a"], edited=5)
    assert place.sync(feed).changed == 0
    assert file.stat().st_ino == before


def test_a_sync_that_was_stopped_goes_on(place: Place) -> None:
    feed = Pages(made(*map(str, range(120))))
    with pytest.raises(CancelledError):
        place.sync(feed, Counting(stop_at=2))
    kept = set(feed.asked)
    feed.asked.clear()
    place.sync(feed)

    assert len(place.notes()) == 120
    assert len(kept & set(feed.asked)) <= 50  # at most the batch in hand is asked for again


def test_a_sync_that_was_stopped_while_writing_writes_the_rest(place: Place) -> None:
    feed = Pages(made(*map(str, range(10))))
    with pytest.raises(CancelledError):
        place.sync(feed, Counting(stop_at=5))
    assert len(place.notes()) < 10
    feed.asked.clear()
    place.sync(feed)
    assert feed.asked == []
    assert len(place.notes()) == 10


def test_missing_pages_are_removed_and_very_many_are_held(place: Place) -> None:
    feed = Pages(made(*map(str, range(10))))
    place.sync(feed)
    feed.pages.pop("page-3")
    assert place.sync(feed).removed == 1
    feed.pages = made("0")
    done = place.sync(feed)
    assert (done.removed, done.held) == (0, 8)
    assert len(place.notes()) == 9
    assert place.sync(feed, remove=True).removed == 8
    assert list(place.notes()) == ["0.md"]


def test_an_unreadable_page_stays_as_it_was(place: Place) -> None:
    feed = Pages(made("a", "b"))
    place.sync(feed)
    feed.pages["page-a"] = replace(feed.pages["page-a"], edited=2)
    feed.unreadable = frozenset({"page-a"})
    assert place.sync(feed).unread == 1
    assert list(place.notes()) == ["a.md", "b.md"]
    # Of an export that is cut off, nobody knows what is missing.
    feed.tells = False
    feed.pages.pop("page-b")
    place.sync(feed)
    assert list(place.notes()) == ["a.md", "b.md"]
    feed.unreadable = frozenset()
    place.sync(feed)
    assert list(place.notes()) == ["a.md"]


def test_a_reference_follows_its_block(place: Place) -> None:
    feed = Pages(made("a", "b"))
    feed.pages["page-b"] = replace(
        feed.pages["page-b"], blocks=(SourceBlock("other-1", 0, "as ((b-a-1)) and [[a]]"),)
    )
    place.sync(feed)
    assert "[[a#^b-a-1|a]] and [[a]]" in place.notes()["b.md"]

    feed.pages["page-a"] = replace(
        feed.pages["page-a"], title="A: new", edited=2, blocks=(SourceBlock("b-a-1", 0, "changed"),)
    )
    feed.asked.clear()
    place.sync(feed)
    assert feed.asked == ["page-a"]
    assert list(place.notes()) == ["A new.md", "b.md"]
    assert "[[A new#^b-a-1|changed]]" in place.notes()["b.md"]


def test_pages_of_the_same_name_and_blocks_of_the_same_uid_are_told_apart(place: Place) -> None:
    feed = Pages(
        {
            "one": SourcePage("one", "Bees", (SourceBlock("same-uid", 0, "first"),)),
            "two": SourcePage("two", "bees", (SourceBlock("same-uid", 0, "second"),)),
        },
        tells=False,
    )
    place.sync(feed)
    assert sorted(place.notes()) == ["Bees.md", "bees 2.md"]
    assert any("same-uid" in problem for problem in place.watch.problems)


def test_files_of_an_export_are_kept_as_they_are(place: Place) -> None:
    class Files(Pages):
        def items(self, uids: Sequence[str] | None) -> Iterator[Item]:
            yield SourceDocument("x", "a/Bees.html", b"<p>dance", 5000)

    place.sync(Files({}, tells=False))
    file = place.folder / "notes" / "a" / "Bees.html"
    assert file.read_bytes() == b"<p>dance"
    assert file.stat().st_mtime == 5


def test_uids_are_found_by_path_and_block(place: Place) -> None:
    place.sync(Pages({"p": SourcePage("p", "Bees", (SourceBlock("a_b-c_d", 0, "x"),))}))
    addresses = PageAddresses(place.folder / "data")
    assert addresses.uid("Bees", None) == "p"
    assert addresses.uid("Bees", "a-b-c-d") == "a_b-c_d"
    assert addresses.uid("Wasps", None) is None
    assert PageAddresses(place.folder / "nowhere").uid("Bees", None) is None


def test_names_that_no_file_may_have() -> None:
    assert file_path('a: "b" <c>?') == "a b c"
    assert file_path("../../etc") == "etc"
    assert file_path("a/b") == "a/b"
    assert file_path("CON") == "_CON"
    assert file_path("///") == "Untitled"
    assert len(file_path("x" * 500).encode()) <= 255


TITLES = ("Ada", "Bees: all", "two words", "Zürich")
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(["words", "and", "`code`", "**bold**"]),
        st.sampled_from(TITLES).map("[[{}]]".format),
        st.sampled_from(["garden", "bees"]).map("#{}".format),
        st.integers(0, 7).map("((block-{}))".format),
    ),
    min_size=1,
    max_size=5,
).map(" ".join)


@given(drawn=st.lists(st.tuples(st.integers(0, 2), TEXTS), min_size=8, max_size=8))
def test_references_survive_the_way_to_a_note(
    drawn: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A random tree of blocks: its note has the same links, tags and references to blocks."""
    depth, blocks = 0, []
    for number, (step, text) in enumerate(drawn):
        depth = min(depth + 1, step) if number else 0
        blocks.append(SourceBlock(f"block-{number}", depth, text))
    page = SourcePage("page", "Tree", tuple(blocks))
    texts = {block.uid: block.text for block in blocks}

    class All:
        def note(self, title: str) -> str | None:
            return file_path(title)

        def block(self, uid: str) -> Target | None:
            return Target("Tree", uid, texts[uid]) if uid in texts else None

    root = tmp_path_factory.mktemp("tree")
    (root / "Tree.md").write_bytes(
        write_page(load_page(page.dump()), "roam", "Tree", All()).content
    )
    (stamp,) = walk(root, VaultRules()).files
    note = read_note(stamp, VaultRules()).note

    written = {f"{link.target}#^{link.block}" if link.block else link.target for link in note.links}
    wanted = {
        file_path(title) for title in TITLES for text in texts.values() if f"[[{title}]]" in text
    }
    wanted |= {
        f"Tree#^block-{n}" for n in range(8) for text in texts.values() if f"((block-{n}))" in text
    }
    assert written == wanted
    assert set(note.tags) == {
        tag for tag in ("garden", "bees") if any(f"#{tag}" in text for text in texts.values())
    }
