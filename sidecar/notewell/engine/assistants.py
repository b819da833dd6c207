"""The vault as assistants see it: a view without the notes that its owner keeps from them.

Where some notes are kept from assistants, these get an index of their own, which lacks them: so
neither results nor counts, ranks, suggestions or errors can tell that they exist. What features
store for assistants is apart from the owner's too; only what assistants write into notes is entered
in the owner's journal, who can undo it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from notewell.base.errors import ForbiddenError, NotFoundError
from notewell.base.types import AssistantRules, Batch, Settings, VaultRecord
from notewell.base.types.frozen import frozen
from notewell.contract.search import SearchReply, SearchRequest
from notewell.engine.feature import Feature, engines, open_source
from notewell.engine.ingest.borrowed_vectors import Lend
from notewell.index.engines import Engines, open_index
from notewell.index.port import Index, IndexReader
from notewell.vault.shown_source import PROPERTY, ShownSource
from notewell.vault.write import CheckPath

VIEW: Literal["assistants"] = "assistants"
FIRST_RUN_S = 5.0  # how long a tool waits for the first reading of a view, which may take long
_MARKED = f"[{PROPERTY}]"  # the query for notes with the property


def view_of(record: VaultRecord) -> VaultRecord:
    """The vault as assistants see it."""
    return replace(record, view=VIEW)


@frozen
class AssistantsView:
    """The parts of an engine that is the assistants' view of a vault.

    `check` is asked before notes are read or written. `lend` opens the owner's index, whose vectors
    are the same; None: nothing is hidden, and that index is used itself. `tell_owner` is called
    with the path of each note that was written.
    """

    source: ShownSource
    check: CheckPath
    lend: Lend | None
    tell_owner: Callable[[str], None]

    @classmethod
    def of(
        cls,
        record: VaultRecord,
        settings: Settings,
        features: Sequence[Feature],
        *,
        owners_index: Path | None,
        tell_owner: Callable[[str], None],
    ) -> AssistantsView:
        """The view of a vault; `owners_index` is the folder of the index to take vectors from.

        ConfigError for a glob that cannot be used.
        """
        rules = settings.assistants
        source = ShownSource(open_source(features, record, settings), record.path, rules)
        lend = None if owners_index is None else partial(_lend, owners_index, engines(features))
        return cls(source, _checker(source, rules), lend, tell_owner)


class MarkedNotes:
    """Tells whether a note of a vault has the property `assistants`. Any thread may call."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, bool]] = {}  # by vault, at a generation of its index

    def look(
        self, vault: str, generation: int, search: Callable[[SearchRequest], SearchReply]
    ) -> bool:
        """True if a note has it; searched for again when the index has changed."""
        seen, has_hidden = self._seen.get(vault, (-1, False))
        if seen != generation:
            request = SearchRequest(_MARKED, mode="keyword", limit=1, everything=True)
            has_hidden = bool(search(request).results)
            self._seen[vault] = generation, has_hidden
        return has_hidden

    def last_seen(self, vault: str) -> bool:
        """The last answer for a vault, by its id, whose engine may be closed now."""
        return self._seen.get(vault, (-1, False))[1]


def hides_by_rule(rules: AssistantRules) -> bool:
    """True if a setting, and not notes alone, keeps notes from assistants."""
    return bool(rules.exclude or rules.exclude_tags)


def write_folder(rules: AssistantRules) -> str:
    """The one folder in which assistants may write; "": any."""
    return rules.write_folder.strip("/ ")


def features_of_view(features: Sequence[Feature]) -> tuple[Feature, ...]:
    """The features that assistants use; the others would read the vault around its view."""
    return tuple(row for row in features if row.tools)


def drop_hidden(index: Index, source: ShownSource) -> None:
    """Take out of an index what is hidden now, before anybody searches it."""
    shown = {file.path for file in source.list().files}
    gone = tuple(path for path in index.manifest() if path not in shown)
    if gone:
        index.apply(Batch(removes=gone))


def _checker(source: ShownSource, rules: AssistantRules) -> CheckPath:
    """The check of a writer before it reads or writes a note for an assistant."""
    folder = write_folder(rules)

    def check(path: str, *, writes: bool) -> None:
        if not source.is_shown(path):
            raise NotFoundError(f"There is no note {path} in the vault. Check its path.")
        if writes and folder and not path.startswith(f"{folder}/"):
            raise ForbiddenError(
                f"Assistants may write in the folder {folder} alone (setting"
                f" assistants.write_folder); {path} is outside of it.",
                code="outside_write_folder",
            )

    return check


def _lend(directory: Path, added: Engines) -> closing[IndexReader]:
    return closing(open_index(directory, writable=False, added=added))
