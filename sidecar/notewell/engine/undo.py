"""What Notewell wrote to a vault, and taking it back."""

from __future__ import annotations

from collections.abc import Callable

from notewell.contract.fields import iso
from notewell.contract.writes import RefusedWrite, UndoneReply, WritesReply, WriteView
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
        """Take a write back, the newest where none is named; see `VaultWriter.undo_together`."""
        if self._writer is None:
            raise ReadOnlyError("This vault is never written, so there is nothing to undo.")
        undone = self._writer.undo_together(number)
        paths = tuple(dict.fromkeys(one.path for one in undone.written))
        for path in paths:
            self._changed(path)
        numbers = [one.number for one in undone.written if one.number is not None]
        return UndoneReply(
            vault=self._vault,
            path=paths[0],
            undo=numbers[-1] if numbers else None,
            paths=paths,
            refused=tuple(
                RefusedWrite(path, error.code, error.message) for path, error in undone.refused
            ),
        )
