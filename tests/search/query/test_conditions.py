"""Conditions against a second evaluation of them, on real files.

Random queries are searched by words, and what they find is compared with `brute_force`, which reads
the files and evaluates the query as docs/search.md says. Words that are scored and not required are
the one thing that is taken from the product: which notes have one of them in any form.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest

from notewell.base.types import Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from tests.search.brute_force import PaperVault
from tests.search.random_queries import Condition, queries

COUNT = 100  # queries of each vault
HOUR = 3600
MADE = {
    "2026-01-05.md": "A daily note of the **garden** plan. #garden/beds\n",
    "Journal/2026-02-01.md": "---\ntype: daily\ncreated: 2020-01-01\n---\nRain, and the old plan.\n",
    "Notes/Novel.md": "---\nauthor: Jane Doe\ntopics:\n  - '[[Topics/Sea stories|Sea]]'\n  - Gardens\n"
    "rating: 4.5\npublished: 2024-03-05\nstatus: Reading\n---\n# The harbour\n\nA quiet story by the sea.\n",
    "Notes/Card.md": "---\nauthor: [Jane Roe, John Doe]\nrating: 3\nstatus: done\nempty:\n---\n",
    "Notes/Café.md": "---\naliases: [Coffee house, Kaffeehaus]\ntags: [places/town, food]\n---\n"
    "## Crème brûlée\n\nA well-known dish, from `getUserName` to e-mail.\n",
    "Notes/Empty.md": "",
    "Old/20240110 Minutes.md": "---\nupdated: 2024-02-01T10:00\npeople: Ann Lee, Bob\n---\n"
    "- [ ] Write to **Ann** Lee\n- The annual report\n  - of 2025, final\n",
    "Old/05.03.2023 Talk.md": "---\ntitle: The annual talk\nyear: 2023\nopen: true\n---\n"
    "> [!note] Remember\n> The annual report is old.\n\nSee [[Novel|the novel]] and [a site](https://example.com/annual).\n",
    "Old/Draft.md": "---\nstatus: draft\nrating: 5\nday: 2025-12-24\n---\nstage:: old draft\n\nThe old draft of a plan.\n",
    "日記.md": "---\nauthor: 田中\n---\n東京の図書館で本を読んだ。Obsidianの笔记。\n",
    "Table.md": "| Name | Place |\n|---|---|\n| Jane | Doe |\n| annual | report |\n\n%% hidden words %%\n",
    "Code.md": "```python\ndef annual_report():\n    return 'draft'\n```\n\nInline `old plan` code. #done\n",
}


def _made(target: Path) -> None:
    for path, text in MADE.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")


@contextmanager
def _indexed(vault: PaperVault, folder: Path) -> Iterator[Engine]:
    settings = Settings(
        data_dir=folder / "data", model_dir=folder / "models", state_dir=folder, offline=True
    )
    record = VaultRecord("v1", "vault", vault.root)
    engine = Engine.open(record, folder / "index", settings, writable=True)
    try:
        report = engine.index_now()
        assert report.notes == len(vault.notes)
        yield engine
    finally:
        engine.close()


def _found(engine: Engine, query: str, *, plain: bool = False) -> set[str]:
    request = SearchRequest(
        query,
        mode="keyword",
        limit=1000,
        weak=True,
        everything=True,
        plain=plain,
        ignore=frozenset({"spelling"}),
    )
    reply = engine.search(request)
    assert reply.total == len(reply.results)
    return {result.path for result in reply.results}


def _expected(engine: Engine, vault: PaperVault, query: Condition) -> set[str]:
    met = {path for path, note in vault.notes.items() if query.meets(note)}
    return met & _found(engine, " ".join(query.words), plain=True) if query.needs_word else met


def _ready(source: Path, target: Path, now: datetime) -> PaperVault:
    """A copy of the notes whose properties are valid, with times spread over some months."""
    for file in source.rglob("*.md"):
        path = file.relative_to(source)
        if not path.as_posix().startswith("."):
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target / path)
    for path in PaperVault.read(target).unread:
        (target / path).unlink()
    for number, file in enumerate(sorted(target.rglob("*.md"))):
        time = now.timestamp() - (number * 29 + 0.5) * HOUR
        os.utime(file, (time, time))
    return PaperVault.read(target)


@pytest.mark.parametrize(
    "name",
    [
        "made",
        pytest.param("kepano", marks=pytest.mark.data),
        pytest.param("obsidian-help-en", marks=pytest.mark.data),
    ],
)
def test_random_queries_find_what_a_reader_of_the_files_finds(
    name: str, shared_data: Callable[[str], Path], tmp_path: Path
) -> None:
    now = datetime.now().astimezone()
    if name == "made":
        _made(tmp_path / "made")
    source = tmp_path / "made" if name == "made" else shared_data(name)
    vault = _ready(source, tmp_path / "vault", now)
    assert len(vault.notes) >= len(MADE)

    wrong, some = [], 0
    with _indexed(vault, tmp_path) as engine:
        for query in queries(vault, COUNT, seed=7, now=now):
            expected, found = _expected(engine, vault, query), _found(engine, query.text)
            some += 0 < len(found) < len(vault.notes)
            if found != expected:
                wrong.append(
                    (query.text, sorted(found - expected)[:3], sorted(expected - found)[:3])
                )

    assert wrong == []
    assert some > COUNT // 3  # most queries tell notes apart
