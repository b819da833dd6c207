"""Measure questions in one language against paragraphs in another, by meaning alone.

    python tests/eval/cross_language.py --data FOLDER [--model NAMES] [--pairs de-zh,zh-de] [--out F]

The sets of XQuAD are translations of each other, so a question has its answer in each language.
Paragraphs are embedded whole, up to the model's limit. The pages of Obsidian's help have the same
address in each language: a German title, or description, asks for the English page.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import frontmatter
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))  # to import modules of the benchmarks

from archives import locate
from held_out import held_out

from bench.provenance import provenance
from notewell.base.config.load import load_settings
from notewell.base.types import Embedder, FloatArray, ModelRules
from notewell.features.evaluate.run import eval_settings
from notewell.models.loading import load_embedder

_ARCHIVE = "ir-xquad-de-ru-zh"
_NAMES = {"de": "German", "ru": "Russian", "zh": "Chinese"}
_TOP = 10


def main() -> int:
    """Print nDCG@10 and the share of answers in first place for each pair and model. Returns 0."""
    options = _options()
    tables = []
    for name in options.model.split(","):
        rows = list(_rows(name, options))
        if not rows:
            sys.stderr.write(f"skipped: {options.data} does not have {_ARCHIVE}.tar.gz\n")
            return 0
        tables.append(rows)
    facts = provenance(("notewell", "numpy", "onnxruntime", "tokenizers"))
    text = f"# Search across languages, by meaning alone\n\n{facts.markdown()}\n{_table(tables)}\n"
    sys.stdout.write(text)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / f"{facts.stem}-cross-language.md").write_text(text, encoding="utf-8")
    return 0


@dataclass(frozen=True)
class _Row:
    """What one model found: nDCG@10, and the share of answers in first place."""

    what: str
    model: str
    gain: float
    first: float
    queries: int


def _rows(model: str, options: argparse.Namespace) -> Iterator[_Row]:
    """Measure a model; nothing where the data folder has no pairs."""
    settings = eval_settings(load_settings(environ=os.environ))
    embedder = load_embedder(
        ModelRules(name=model),
        model_dir=settings.model_dir,
        offline=settings.offline,
        fetch_missing=True,
        say=lambda text: sys.stderr.write(f"{text}\n"),
    )
    passages: dict[str, tuple[list[str], FloatArray]] = {}
    with closing(embedder):
        for pair in options.pairs.split(","):
            asked, read = pair.split("-")
            folders = [
                locate(options.data, _ARCHIVE, f"xquad/xquad-{one}", settings.data_dir)
                for one in (asked, read)
            ]
            if None in folders:
                return
            queries, corpus = (folder for folder in folders if folder is not None)
            if read not in passages:
                passages[read] = _embedded(corpus, embedder)
            work = settings.data_dir / "held-out" / f"xquad-{asked}"
            found = _measured(queries, passages[read], embedder, work)
            yield _Row(f"{_NAMES[asked]} question, {_NAMES[read]} paragraph", model, *found)
        yield from _of_pages(options.data, settings.data_dir, embedder, model)


def _table(tables: Sequence[Sequence[_Row]]) -> str:
    """A row for each pair, and for each model a column of nDCG@10 / share of first places."""
    names = [rows[0].model for rows in tables]
    lines = [
        f"| asked, read | queries | {' | '.join(names)} |",
        "| --- | ---: |" + " --- |" * len(names),
    ]
    for same in zip(*tables, strict=True):
        figures = " | ".join(f"{one.gain:.3f} / {one.first:.3f}" for one in same)
        lines.append(f"| {same[0].what} | {same[0].queries} | {figures} |")
    return "\n".join(lines)


def _of_pages(data: Path, work: Path, embedder: Embedder, model: str) -> Iterator[_Row]:
    """Measure German titles and descriptions of pages against the English pages."""
    german = locate(data, "vault-obsidian-help-i18n", "obsidian-help-i18n/de", work)
    english = locate(data, "vault-obsidian-help-en", "obsidian-help-en", work)
    if german is None or english is None:
        return
    asked, read = _pages(german), _pages(english)
    shared = sorted(asked.keys() & read.keys())
    texts = [f"{read[address].title}\n{read[address].text}" for address in shared]
    passages = (shared, embedder.embed_passages(texts))
    for what in ("title", "description"):
        queries = {one: text for one in shared if (text := getattr(asked[one], what))}
        found = _ranked(queries, {one: one for one in queries}, passages, embedder)
        yield _Row(f"German {what}, English page", model, *found)


@dataclass(frozen=True)
class _Page:
    title: str
    description: str
    text: str


def _pages(folder: Path) -> dict[str, _Page]:
    """The pages by their address, without their properties."""
    found = {}
    for file in sorted(folder.rglob("*.md")):
        page = frontmatter.loads(file.read_text(encoding="utf-8"))
        if page.get("permalink"):
            description = str(page.get("description") or "")
            found[str(page["permalink"])] = _Page(file.stem, description, page.content)
    return found


def _embedded(folder: Path, embedder: Embedder) -> tuple[list[str], FloatArray]:
    """The ids and the vectors of the paragraphs."""
    documents = _lines(folder / "corpus.jsonl")
    texts = [f"{one.get('title', '')}\n{one['text']}".strip() for one in documents]
    return [one["_id"] for one in documents], embedder.embed_passages(texts)


def _measured(
    folder: Path, passages: tuple[list[str], FloatArray], embedder: Embedder, work: Path
) -> tuple[float, float, int]:
    """Mean nDCG@10, the share of first places, and the number of held-out queries."""
    rows = held_out(folder, work).read_text(encoding="utf-8").splitlines()[1:]
    answers = {query: document for query, document, _ in (row.split("\t") for row in rows)}
    queries = {
        query["_id"]: query["text"]
        for query in _lines(folder / "queries.jsonl")
        if query["_id"] in answers
    }
    return _ranked(queries, answers, passages, embedder)


def _ranked(
    queries: Mapping[str, str],
    answers: Mapping[str, str],
    passages: tuple[list[str], FloatArray],
    embedder: Embedder,
) -> tuple[float, float, int]:
    """Mean nDCG@10, the share of first places, and the number of queries; one answer each."""
    ids, vectors = passages
    ranks = []
    for query, text in queries.items():
        order = np.argsort(-(vectors @ embedder.embed_query(text)))
        ranks.append([ids[place] for place in order].index(answers[query]))
    gains = [1 / np.log2(rank + 2) if rank < _TOP else 0.0 for rank in ranks]
    return float(np.mean(gains)), ranks.count(0) / len(ranks), len(ranks)


def _lines(path: Path) -> Sequence[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the archives")
    both = "all-MiniLM-L6-v2,multilingual-e5-small-q4"
    parser.add_argument("--model", default=both, help="models of the catalogue, with commas")
    parser.add_argument("--out", type=Path, help="folder for the table")
    parser.add_argument("--pairs", default="de-zh,zh-de,ru-de")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
