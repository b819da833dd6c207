"""A mirror that the server and several clients write: nothing is lost, nothing comes twice."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from notewell.contract.status import Change, ConfirmedWrite
from notewell.vault.mirror import Mirror, MirrorMerge
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal, ServerWrites, digest

SAVED = 1_772_445_600_123
NOTE = "Memory/Keys.md"
FIRST = "The spare key lies under the bucket.\n"


class Server:
    """A mirror as the engine makes it, with one note that all clients have."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "vault"
        journal = Journal(root / "data")
        self.writer = VaultWriter(self.folder, journal, ServerWrites(journal))
        self.merge = MirrorMerge(self.folder, Mirror(self.folder), self.writer)
        self.merge.apply([Change("create", NOTE, mtime=SAVED, content=FIRST)])

    def adds(self, text: str) -> None:
        """The server writes to the note itself."""
        self.writer.edit(NOTE, lambda now: now + text, seen=None, action="test")

    def notes(self) -> dict[str, str]:
        return {
            file.relative_to(self.folder).as_posix(): file.read_text(encoding="utf-8")
            for file in sorted(self.folder.rglob("*.md"))
        }


class Client:
    """A device with a copy of the vault; takes what the server wrote, as the plugin does."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.notes = server.notes()

    def takes(self) -> list[ConfirmedWrite]:
        """Apply what fits this copy; returns what is to be confirmed."""
        told, _ = self.server.merge.feed(0, 100)
        taken = []
        for each in told:
            mine = self.notes.get(each.path)
            now = None if mine is None else digest(mine.encode())
            if now not in (each.hash, each.base_hash):
                self.sends(each.path)
                continue
            if each.content is None:
                self.notes.pop(each.path, None)
            else:
                self.notes[each.path] = each.content
            taken.append(ConfirmedWrite(each.path, each.hash, SAVED + 1))
        return taken

    def confirms(self, taken: list[ConfirmedWrite]) -> int:
        return self.server.merge.confirm(taken)

    def sends(self, path: str) -> tuple[str, ...]:
        change = Change("modify", path, mtime=SAVED + 2, content=self.notes[path])
        return self.server.merge.apply([change]).warnings


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def test_a_client_waits_for_a_write_of_the_server_that_has_begun(server: Server) -> None:
    """Even while nothing is unconfirmed: the server has read the note, and not written it yet."""
    change = Change("modify", NOTE, mtime=SAVED + 1, content=FIRST + "Written on the phone.\n")
    phone = threading.Thread(target=server.merge.apply, args=([change],))

    def edit(text: str) -> str:
        phone.start()
        phone.join(0.3)  # long enough to overwrite the note, if it did not wait
        return text + "Written by the server.\n"

    server.writer.edit(NOTE, edit, seen=None, action="test")
    phone.join()

    assert sorted(server.notes().values()) == [
        FIRST + "Written by the server.\n",
        FIRST + "Written on the phone.\n",
    ]
    assert server.notes()[NOTE] == FIRST + "Written on the phone.\n"


def test_many_changes_are_applied_in_their_order(server: Server) -> None:
    changes = [Change("modify", NOTE, mtime=SAVED + n, content=f"{n}") for n in range(50)]
    server.merge.apply([*changes, Change("create", "Last.md", content="last")])
    assert server.notes() == {NOTE: "49", "Last.md": "last"}


def test_two_clients_that_both_take_a_write_have_it_once(server: Server) -> None:
    phone, laptop = Client(server), Client(server)
    server.adds("And under the mat.\n")
    server.writer.create("Memory/New.md", "A new one.\n", action="test")

    both = phone.takes(), laptop.takes()
    assert [phone.confirms(both[0]), laptop.confirms(both[1])] == [2, 0]
    for client in (phone, laptop):  # as the app of each reports the files that it wrote
        for path in client.notes:
            assert client.sends(path) == ()

    expected = {NOTE: FIRST + "And under the mat.\n", "Memory/New.md": "A new one.\n"}
    assert server.notes() == phone.notes == laptop.notes == expected
    assert server.merge.feed(0, 100) == ((), 0)


def test_a_second_client_that_edited_meanwhile_loses_nothing(server: Server) -> None:
    phone, laptop = Client(server), Client(server)
    server.adds("And under the mat.\n")
    taken = laptop.takes()
    phone.notes[NOTE] += "Written on the phone.\n"
    phone.takes()

    laptop.confirms(taken)

    assert sorted(server.notes().values()) == [
        FIRST + "And under the mat.\n",
        FIRST + "Written on the phone.\n",
    ]


def test_a_client_that_confirms_late_does_not_hide_a_newer_write(server: Server) -> None:
    phone, laptop = Client(server), Client(server)
    server.adds("And under the mat.\n")
    first, late = phone.takes(), laptop.takes()
    phone.confirms(first)
    server.adds("Or in the shed.\n")

    assert laptop.confirms(late) == 0
    laptop.sends(NOTE)  # the version before the newest

    assert phone.confirms(phone.takes()) == 1  # one is enough: both have copies of one vault

    assert server.notes() == phone.notes == {NOTE: f"{FIRST}And under the mat.\nOr in the shed.\n"}
