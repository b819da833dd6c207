"""The memories of a vault, put together from its folder, its journal and its ordinary search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from notewell.contract.search import SearchReply
from notewell.index.embedded.index import Index
from notewell.memory.folder import MemoryFolder
from notewell.memory.service import Helpers, Memories
from notewell.types import CountTokens, SearchRequest, Settings, VaultRecord
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal


def open_writer(record: VaultRecord, data_dir: Path) -> VaultWriter | None:
    """The safe writer of a vault; None where it may not be written.

    A mirror is what its clients say it is. A data directory inside a vault would be synced with it,
    and the journal with it.
    """
    folder = journal_folder(record, data_dir)
    apart = not folder.absolute().is_relative_to(record.path)
    return (
        VaultWriter(record.path, Journal(folder)) if apart and record.source == "folder" else None
    )


def journal_folder(record: VaultRecord, data_dir: Path) -> Path:
    """Where the journal of a vault lives, also when its index was put elsewhere by a setting."""
    return data_dir / "vaults" / record.id


def open_memories(
    record: VaultRecord,
    settings: Settings,
    index: Index,
    *,
    writer: VaultWriter | None,
    search: Callable[[SearchRequest], SearchReply],
    count_tokens: CountTokens,
    changed: Callable[[str], None],
) -> Memories:
    """Put the memories of a vault together; `changed` is told the path of every note written."""

    def similarities(query: str, paths: Sequence[str]) -> Mapping[str, float]:
        others = frozenset(note.path for note in index.all_notes()) - set(paths)
        request = SearchRequest(
            query=query, limit=len(paths), plain=True, hidden=others, everything=True
        )
        found = search(request).results if paths else ()
        return {one.path: one.raw.cosine for one in found if one.raw.cosine is not None}

    folder = MemoryFolder(record.path, settings.memory.folder, writer, changed)
    return Memories(record.name, folder, Helpers(similarities, count_tokens))
