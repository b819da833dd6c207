"""Notes that clients send, kept in a folder of the data directory."""

from __future__ import annotations

from notewell.sources.folder import FolderSource
from notewell.types import VaultRecord, VaultRules
from notewell.vault.mirror import Mirror


class MirrorSource(FolderSource):
    """The notes of a mirror. They change only when a client sends a change."""

    watched = False

    def __init__(self, record: VaultRecord, rules: VaultRules) -> None:
        """`rules` say which of the files that clients send are notes."""
        super().__init__(record, rules)
        self._folder = record.path

    def receiver(self) -> Mirror | None:
        """See `Source.receiver`. Makes the folder where it is missing; one writer at a time."""
        return Mirror(self._folder, self.types)
