"""Measure questions in one language against paragraphs in another.

    python tests/eval/cross_language.py --data FOLDER [--model NAMES] [--pairs de-zh,zh-de] [--out F]

The sets of XQuAD are translations of each other, so a question has its answer in each language.
Paragraphs are embedded whole, up to the model's limit. The pages of Obsidian's help have the same
address in each language: a German title, or description, asks for the English page, and, through
the search with its three modes, an English title or description for the page of a German vault.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import frontmatter
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))  # to import modules of the benchmarks

from archives import locate
from held_out import held_out

from bench.provenance import provenance
from notewell.base.config import load_settings
from notewell.base.types import Embedder, FloatArray, ModelRules, SearchMode, SearchRules
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.features.evaluate.report import ndcg
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
    text = (
        f"# Search across languages\n\n{facts.markdown()}\nBy meaning alone:\n\n{_table(tables)}\n"
    )
    text += "\nThrough the search, nDCG@10:\n\n" + _searched_table(options)
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
                locate(options.data, _ARCHIVE, f"xquad/xquad-{each}", settings.data_dir)
                for each in (asked, read)
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
        figures = " | ".join(f"{each.gain:.3f} / {each.first:.3f}" for each in same)
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
        queries = {each: text for each in shared if (text := getattr(asked[each], what))}
        found = _ranked(queries, {query: query for query in queries}, passages, embedder)
        yield _Row(f"German {what}, English page", model, *found)


def _searched_table(options: argparse.Namespace) -> str:
    """A row for each model and kind of query, with the three modes of the search."""
    lines = ["| model | asked of the German manual | queries | words | meaning | hybrid |"]
    lines.append("| --- | --- | ---: | --- | --- | --- |")
    for name in options.model.split(","):
        lines += _searched(options.data, name)
    return "\n".join(lines) + "\n"


def _searched(data: Path, model: str) -> Iterator[str]:
    """Search a vault of the German pages for English titles and descriptions."""
    settings = eval_settings(load_settings(environ=os.environ))
    settings = replace(settings, model=ModelRules(name=model), search=SearchRules())
    work = settings.data_dir
    settings = replace(settings, data_dir=work / model, state_dir=work / model / "state")
    german = locate(data, "vault-obsidian-help-i18n", "obsidian-help-i18n/de", work)
    english = locate(data, "vault-obsidian-help-en", "obsidian-help-en", work)
    if german is None or english is None:
        return
    paths = {_address(file): file.relative_to(german).as_posix() for file in german.rglob("*.md")}
    asked = _pages(english)
    with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
        engine = vaults.open(vaults.add(german, name="german"), writable=True)
        engine.index_now()
        engine.wait_for_model()
        for what in ("title", "description"):
            queries = {page: text for page in asked if (text := getattr(asked[page], what))}
            queries = {one: text for one, text in queries.items() if one in paths}
            means = []
            for mode in ("keyword", "semantic", "hybrid"):
                gains = [
                    _gain(engine, text, cast("SearchMode", mode), paths[one])
                    for one, text in queries.items()
                ]
                means.append(f"{np.mean(gains):.3f}")
            yield f"| {model} | English {what} | {len(queries)} | {' | '.join(means)} |"


def _gain(engine: Engine, text: str, mode: SearchMode, path: str) -> float:
    """nDCG@10 of one search with one right note."""
    request = SearchRequest(q=text, limit=_TOP, mode=mode, plain=True, weak=True, passages=0)
    paths = [unicodedata.normalize("NFC", result.path) for result in engine.search(request).results]
    return ndcg(paths, {unicodedata.normalize("NFC", path): 1}, _TOP)


def _address(file: Path) -> str:
    return str(frontmatter.loads(file.read_text(encoding="utf-8")).get("permalink") or file)


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
    texts = [f"{document.get('title', '')}\n{document['text']}".strip() for document in documents]
    return [document["_id"] for document in documents], embedder.embed_passages(texts)


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
