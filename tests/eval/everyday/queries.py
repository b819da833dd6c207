"""Reads queries that were judged by hand, and says which vault each file is for.

A file has one JSON object a line, `{id, kind, text, best, right}`; its name is that of the vault
(`hub.jsonl`, also `everyday-hub.jsonl`). `best` and `right` are paths in the vault; both are empty
if nothing in it answers the query.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

Half = Literal["fitting", "checking"]
NO_ANSWER = "noanswer"
HALF_TYPED = "half"  # queries whose last word, or title, is unfinished
_I18N = "vault-obsidian-help-i18n"
# The archive and the folder in it that has the notes, by the name of the file of queries.
VAULTS: Mapping[str, tuple[str, str]] = {
    "hub": ("vault-obsidian-hub", "obsidian-hub"),
    "help-en": ("vault-obsidian-help-en", "obsidian-help-en"),
    "excalidraw": ("vault-excalidraw-wiki", "excalidraw-wiki"),
    "kepano": ("vault-kepano", "kepano-obsidian"),
    "help-de": (_I18N, "obsidian-help-i18n/de"),
    "help-ru": (_I18N, "obsidian-help-i18n/ru"),
    "help-zh": (_I18N, "obsidian-help-i18n/zh"),
    "help-ja": (_I18N, "obsidian-help-i18n/ja"),
}
_GAINS = {"best": 3, "right": 1}  # 2^grade - 1, for the grades 2 and 1


@dataclass(frozen=True, slots=True)
class Query:
    """A query as a person types it. `gains` of the notes that answer it, by path; 0 of all others."""

    id: str
    vault: str
    kind: str
    text: str
    gains: Mapping[str, int]

    @property
    def half(self) -> Half:
        """The half that the query is in, which depends on its id alone."""
        digest = hashlib.blake2b(self.id.encode(), digest_size=8).digest()
        return "fitting" if digest[-1] % 2 else "checking"


def read(
    folders: Sequence[Path], *, vaults: Sequence[str] | None = None, half: Half | None = None
) -> list[Query]:
    """Read the files in these folders and in the folders in them, for some vaults or all.

    Raises ValueError if two queries have the same id.
    """
    files = [file for folder in folders for file in sorted(folder.rglob("*.jsonl"))]
    found = [query for file in files for query in read_file(file)]
    if len({query.id for query in found}) != len(found):
        raise ValueError(f"{' and '.join(map(str, folders))} have several queries with one id.")
    return [
        query
        for query in found
        if vaults is None or query.vault in vaults
        if half in (None, query.half)
    ]


def read_file(file: Path) -> list[Query]:
    """Read one file, whose name says which vault is searched."""
    vault = file.stem.removeprefix("everyday-")
    if vault not in VAULTS:
        raise ValueError(f"{file}: no vault is named {vault}; there are {', '.join(VAULTS)}.")
    return [_query(orjson.loads(line), vault) for line in file.read_bytes().splitlines()]


def _query(row: Mapping[str, str | list[str]], vault: str) -> Query:
    gains = {
        unicodedata.normalize("NFC", path): gain
        for field, gain in _GAINS.items()
        for path in row[field]
    }
    kind = NO_ANSWER if not gains else str(row["kind"])
    return Query(str(row["id"]), vault, kind, str(row["text"]), gains)
