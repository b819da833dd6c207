"""Makes queries with a condition from a known-item set: each link text with a `path:` filter.

The filter names the folder of the right note, so that the figures show a condition that filters
wrongly or leaves too few candidates.
"""

from __future__ import annotations

from pathlib import Path

import orjson

FILES = ("queries.jsonl", "qrels.tsv", "drops.tsv")


def with_conditions(folder: Path, target: Path) -> Path:
    """Write a set of these queries (class `syntax`) to `target`; returns it."""
    queries, qrels, drops = ((folder / name).read_text(encoding="utf-8") for name in FILES)
    answers = dict(line.split("\t")[:2] for line in qrels.splitlines()[1:])
    made = []
    for line in queries.splitlines():
        query = orjson.loads(line)
        place = answers.get(query["_id"], "").rpartition("/")[0]
        if query["metadata"]["type"] == "anchor" and place and '"' not in query["text"]:
            query["text"] = f'path:"{place}" {query["text"]}'
            query["metadata"] = {"type": "syntax", "plain": False}
            made.append(query)
    chosen = {query["_id"] for query in made}
    target.mkdir(parents=True, exist_ok=True)
    texts = (
        "\n".join(orjson.dumps(query).decode() for query in made),
        *(_of(lines, chosen) for lines in (qrels, drops)),
    )
    for name, text in zip(FILES, texts, strict=True):
        (target / name).write_text(text.rstrip() + "\n", encoding="utf-8")
    return target


def _of(lines: str, chosen: set[str]) -> str:
    """The header of a table and its rows of the chosen queries."""
    head, *rows = lines.splitlines()
    return "\n".join([head, *(row for row in rows if row.partition("\t")[0] in chosen)])
