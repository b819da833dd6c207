"""The service that answers questions about a vault, made when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from notewell.ask.vault import Vault
from notewell.types import AskRules, Settings, VaultRecord
from notewell.vault.write import VaultWriter

if TYPE_CHECKING:
    from notewell.ask.service import AskService


class AskOnDemand:
    """Makes the service once. Few vaults are ever asked, and it is a tenth of an engine's imports.

    Any thread may call `get`.
    """

    def __init__(
        self,
        record: VaultRecord,
        settings: Settings,
        vault: Vault,
        writer: VaultWriter | None,
        changed: Callable[[str], None],
    ) -> None:
        """`changed` is called with the path of a note that `writer` wrote; None: none may be."""
        self._record = record
        self._settings = settings
        self._vault = vault
        self._writer = writer
        self._changed = changed
        self._making = threading.Lock()
        self._made: AskService | None = None

    def use_rules(self, rules: AskRules) -> None:
        """Answer the next questions with another language model."""
        with self._making:
            self._settings = replace(self._settings, ask=rules)
            if self._made is not None:
                self._made.use_rules(rules)

    def get(self) -> AskService:
        """The service, always the same."""
        with self._making:
            if self._made is None:
                from notewell.ask.service import AskService  # noqa: PLC0415

                self._made = AskService(
                    self._record, self._settings, self._vault, self._writer, self._changed
                )
            return self._made
