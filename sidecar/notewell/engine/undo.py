"""What Notewell wrote to a vault, and taking it back."""

from __future__ import annotations

from collections.abc import Callable

from notewell.contract.fields import iso
from notewell.contract.writes import UndoneReply, WritesReply, WriteView
from notewell.errors import ReadOnlyError
from notewell.vault.write import VaultWriter


class VaultUndo:
    """The journal of one vault. `changed` is called with the path of every note written."""

    def __init__(
        self, vault: str, writer: VaultWriter | None, changed: Callable[[str], None]
    ) -> None:
        """`writer` None: this vault is never written."""
        self._vault = vault
        self._writer = writer
        self._changed = changed

    def writes(self, limit: int) -> WritesReply:
        """List the newest writes."""
        entries = () if self._writer is None else self._writer.entries(limit)
        return WritesReply(
            self._vault,
            tuple(
                WriteView(one.number, iso(one.at), one.path, one.action, one.undone)
                for one in entries
            ),
        )

    def undo(self, number: int | None) -> UndoneReply:
        """Take a write back, the newest where none is named; see `VaultWriter.undo`."""
        if self._writer is None:
            raise ReadOnlyError("This vault is never written, so there is nothing to undo.")
        written = self._writer.undo(number)
        self._changed(written.path)
        return UndoneReply(self._vault, written.path, written.number)
