"""Measure questions in one language against paragraphs in another, by meaning alone.

    python tests/eval/cross_language.py --data FOLDER [--model NAME] [--pairs de-zh,zh-de]

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
from dataclasses import dataclass
from pathlib import Path

import frontmatter
import numpy as np
from archives import locate
from held_out import held_out

from notewell.config.load import load_settings
from notewell.evaluate import eval_settings
from notewell.models import load_embedder
from notewell.types import Embedder, FloatArray, ModelRules

_ARCHIVE = "ir-xquad-de-ru-zh"
_TOP = 10


def main() -> int:
    """Print nDCG@10 and the share of answers in first place for each pair. Returns 0."""
    options = _options()
    settings = eval_settings(load_settings(environ=os.environ))
    embedder = load_embedder(
        ModelRules(name=options.model),
        model_dir=settings.model_dir,
        offline=settings.offline,
        fetch_missing=True,
        say=print,
    )
    passages: dict[str, tuple[list[str], FloatArray]] = {}
    for pair in options.pairs.split(","):
        asked, read = pair.split("-")
        folders = [
            locate(options.data, _ARCHIVE, f"xquad/xquad-{one}", settings.data_dir)
            for one in (asked, read)
        ]
        if None in folders:
            sys.stderr.write(f"skipped: {options.data} does not have {_ARCHIVE}.tar.gz\n")
            return 0
        queries, corpus = (folder for folder in folders if folder is not None)
        if read not in passages:
            passages[read] = _embedded(corpus, embedder)
        gain, first, count = _measured(
            queries, passages[read], embedder, settings.data_dir / "held-out" / f"xquad-{asked}"
        )
        sys.stdout.write(
            f"{asked} asked, {read} read: nDCG@10 {gain:.3f}, first {first:.3f}, {count} queries\n"
        )
        sys.stdout.flush()
    for line in _of_pages(options.data, settings.data_dir, embedder):
        sys.stdout.write(f"{line}\n")
    embedder.close()
    return 0


def _of_pages(data: Path, work: Path, embedder: Embedder) -> Iterator[str]:
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
        gain, first, count = _ranked(queries, {one: one for one in queries}, passages, embedder)
        yield (
            f"German {what}, English page: nDCG@10 {gain:.3f}, first {first:.3f}, {count} queries"
        )


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
    parser.add_argument("--model", default="multilingual-e5-small-q4")
    parser.add_argument("--pairs", default="de-zh,zh-de,ru-de")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
