"""An index that is made, and one that changes: what has to hold after a call to the disk failed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

import numpy as np

from notewell.base.errors import NotewellError
from notewell.base.types import Batch, NotePut, StoredChunk
from notewell.index.embedded import EmbeddedIndex
from notewell.index.lexical import QueryTerm
from tests.faults.injection import Operation
from tests.index.conftest import Material

MAKE = Material()
QUERIES = (("honey",), ("snow", "hive"), ("winter", "bees", "spring"))


def notes(changed: bool) -> dict[str, NotePut]:
    """Some notes, before and after a batch: one is new, one changed, one gone."""
    texts = {f"{n}.md": (f"honey in hive {n}", "snow and winter " * (n + 1)) for n in range(6)}
    if changed:
        del texts["5.md"]
        texts |= {"0.md": ("bees in spring", "snow and winter "), "New.md": ("winter bees",)}
    links = {path: ["1" if path != "1.md" else "2"] for path in texts}
    return {
        path: MAKE.note(path, *parts, links=links[path], headings=["Apiary"])
        for path, parts in texts.items()
    }


def open_index(root: Path) -> EmbeddedIndex:
    index = EmbeddedIndex.open(root / "index", writable=True)
    index.use_model(MAKE.model, MAKE.dimensions)
    return index


def _batch() -> Batch:
    now = notes(changed=True)
    return Batch(puts=(now["0.md"], now["New.md"]), removes=("5.md",))


def _index_is_there(root: Path) -> None:
    _keep_fresh(root)
    index = open_index(root)
    index.apply(Batch(puts=tuple(notes(changed=False).values())))
    MAKE.embed(index)
    index.close()
    (root / "old.txt").touch()  # notes are there before the batch


def _index_batch(root: Path) -> None:
    index = open_index(root)
    try:
        index.apply(_batch())
        MAKE.embed(index)
    finally:
        index.close()


def _index_made(root: Path) -> None:
    index = open_index(root)
    try:
        index.apply(Batch(puts=tuple(notes(changed=True).values())))
        MAKE.embed(index)
    finally:
        index.close()


def picture(index: EmbeddedIndex) -> dict[str, object]:
    """What an index answers, without what belongs to its history."""
    paths = {note.id: note.path for note in index.all_notes()}
    chunks = {
        chunk.id: f"{path}#{chunk.ordinal}"
        for note_id, path in paths.items()
        for chunk in index.chunks_of(note_id)
    }
    shown: dict[str, object] = {}
    for words in QUERIES:
        hits = index.keywords.search([QueryTerm(word) for word in words], limit=100)
        shown[" ".join(words)] = {
            chunks.get(chunk, "gone"): round(score, 4)
            for chunk, score in zip(hits.chunk_ids.tolist(), hits.scores.tolist(), strict=True)
        }
        shown[f"notes with {words[0]}"] = sorted(
            paths.get(note, "gone") for note in index.keywords.notes_with_all(words[:1]).tolist()
        )
    near = index.vectors.search(MAKE.vector(b"12345678"), limit=100)
    shown["vectors"] = {
        chunks.get(chunk, "gone"): round(score, 3)
        for chunk, score in zip(near.chunk_ids.tolist(), near.scores.tolist(), strict=True)
    }
    shown["owners"] = index.note_ids_of(np.array(sorted(chunks), np.int64)).tolist() == [
        next(note for note, path in paths.items() if chunks[chunk].startswith(f"{path}#"))
        for chunk in sorted(chunks)
    ]
    shown["links"] = {
        path: [
            (*astuple(link), paths.get(target) if target is not None else None)
            for link, target in index.graph.links_out(note)
        ]
        for note, path in sorted(paths.items())
    }
    shown["texts"] = {
        path: [_place(chunk) for chunk in index.chunks_of(note)] for note, path in paths.items()
    }
    return dict(json.loads(json.dumps(shown)))  # as it is when it was written down


def _place(chunk: StoredChunk) -> tuple[object, ...]:
    return chunk.text, chunk.headings, chunk.block, chunk.start, chunk.end, chunk.lines


def _keep_fresh(root: Path) -> None:
    """Write down what indexes made from nothing answer."""
    pictures = {name: fresh(root / name, notes(changed=name == "new")) for name in ("old", "new")}
    (root / "fresh.json").write_text(json.dumps(pictures), encoding="utf-8")


def fresh(directory: Path, puts: Mapping[str, NotePut]) -> dict[str, object]:
    """The picture of an index made from nothing."""
    index = EmbeddedIndex.open(directory, writable=True)
    index.use_model(MAKE.model, MAKE.dimensions)
    index.apply(Batch(puts=tuple(puts.values())))
    MAKE.embed(index)
    index.save()
    shown = picture(index)
    index.close()
    shutil.rmtree(directory)
    return shown


def _picture_now(root: Path) -> dict[str, object]:
    """The picture at the next start; with the vectors that a writer would still store."""
    index = open_index(root)
    try:
        MAKE.embed(index)
        index.save()
        return picture(index)
    finally:
        index.close()


def _check_index(root: Path, done: bool) -> list[str]:
    """The old state, the new one, or before the first batch none; what is wrong otherwise."""
    pictures = json.loads((root / "fresh.json").read_text(encoding="utf-8"))
    new = pictures["new"]
    allowed = [new] if done else [new, pictures["old"] if _has_batch(root) else {"texts": {}}]
    _picture_of_reader(root)
    now = _picture_now(root)
    fitting = [each for each in allowed if each["texts"] == now["texts"]]
    wrong = differences(now, fitting[0]) if fitting else [f"it has {now['texts']}"]
    (_index_batch if _has_batch(root) else _index_made)(root)
    return wrong + differences(_picture_now(root), new)


def _has_batch(root: Path) -> bool:
    return (root / "old.txt").exists()


def _picture_of_reader(root: Path) -> dict[str, object]:
    """As a reader in another process sees it, without any repair."""
    try:
        index = EmbeddedIndex.open(root / "index", writable=False)
    except NotewellError:
        return {"texts": {}}
    try:
        index.use_model(MAKE.model, MAKE.dimensions)
        return picture(index)
    finally:
        index.close()


def differences(now: Mapping[str, object], wanted: Mapping[str, object]) -> list[str]:
    return [
        f"{key}: {now.get(key)}, not {wanted[key]}" for key in wanted if now.get(key) != wanted[key]
    ]


INDEX = (
    Operation("index", _index_is_there, _index_batch, _check_index),
    Operation("index_made", _keep_fresh, _index_made, _check_index),
)
