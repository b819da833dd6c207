"""Queries with conditions, made from a known-item set: its anchors, each within a folder.

The folder is that of the note that is asked for, so that a condition which filters wrongly, or
starves the ranking, shows.
"""

from __future__ import annotations

from pathlib import Path

import orjson

FILES = ("queries.jsonl", "qrels.tsv", "drops.tsv")


def with_conditions(folder: Path, target: Path) -> tuple[Path, Path, Path]:
    """Write the set with these queries beside its own (class `syntax`); gives the three files."""
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
    for query in made:
        query["_id"] += "-syntax"
    target.mkdir(parents=True, exist_ok=True)
    texts = (
        queries.rstrip() + "\n" + "\n".join(orjson.dumps(query).decode() for query in made),
        *(_repeated(lines, chosen) for lines in (qrels, drops)),
    )
    for name, text in zip(FILES, texts, strict=True):
        (target / name).write_text(text.rstrip() + "\n", encoding="utf-8")
    return target / FILES[0], target / FILES[1], target / FILES[2]


def _repeated(lines: str, chosen: set[str]) -> str:
    """Rows of a table, those of the chosen queries once more under their new names."""
    rows = [line.split("\t") for line in lines.splitlines()]
    again = ["\t".join([f"{row[0]}-syntax", *row[1:]]) for row in rows if row[0] in chosen]
    return "\n".join([*lines.splitlines(), *again])
