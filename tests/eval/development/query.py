"""A judged query of a development set, and its line in a JSONL file."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

Half = Literal["fit", "check"]
LONGEST = 1000  # characters of a query; all engines accept as many


@dataclass(frozen=True, slots=True)
class DevQuery:
    """A query, and the notes that answer it.

    `kind` is its class in the tables, `form` how it was made. `vault` is the collection that is
    asked. `relevant` has a grade above 0 by vault path; it is empty if nothing answers. `hidden`
    are the notes that the text was taken from: the whole search must leave them out.
    """

    vault: str
    kind: str
    form: str
    lang: str
    text: str
    relevant: Mapping[str, int]
    hidden: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A name that stays the same while the query and its answers do."""
        digest = _digest(self.vault, self.kind, self.text, *sorted(self.relevant))
        return f"{self.vault}.{self.kind}.{digest[:10]}"

    @property
    def half(self) -> Half:
        """The half that the query is in: all queries for the same single note are in the same."""
        asked = next(iter(self.relevant)) if len(self.relevant) == 1 else self.text
        return "fit" if int(_digest(self.vault, asked)[-1], 16) % 2 else "check"

    def line(self) -> str:
        """The query as one line of JSON."""
        fields = {
            "id": self.id,
            "text": self.text,
            "class": self.kind,
            "form": self.form,
            "lang": self.lang,
            "vault": self.vault,
            "relevant": dict(self.relevant),
            "hidden": list(self.hidden),
            "half": self.half,
        }
        return orjson.dumps(fields).decode()


def read(path: Path) -> list[DevQuery]:
    """Read the queries of a file that `write` has written."""
    rows = (orjson.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [
        DevQuery(
            vault=row["vault"],
            kind=row["class"],
            form=row["form"],
            lang=row["lang"],
            text=row["text"],
            relevant=row["relevant"],
            hidden=tuple(row["hidden"]),
        )
        for row in rows
    ]


def write(queries: Iterable[DevQuery], path: Path) -> None:
    """Write queries, one JSON object a line, in the order of their ids."""
    lines = sorted(query.line() for query in queries)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def chosen(candidates: Iterable[DevQuery], most: int, *, each: int = 2) -> list[DevQuery]:
    """Choose at most `most` queries, evenly over all, with at most `each` for the same note.

    The order is that of a hash of the text, so the choice does not depend on the order of the
    candidates, and repeated texts are left out.
    """
    order = sorted(candidates, key=lambda one: (_digest(one.text, one.form), one.id))
    taken: dict[str, DevQuery] = {}
    uses: Counter[str] = Counter()
    for candidate in order:
        if len(taken) >= most:
            break
        text = candidate.text.casefold()
        if text in taken or not 2 <= len(text) <= LONGEST:
            continue
        if len(candidate.relevant) == 1 and max(uses[path] for path in candidate.relevant) >= each:
            continue
        taken[text] = candidate
        uses.update(candidate.relevant.keys())
    return list(taken.values())


def draw(count: int, *key: str) -> int:
    """A number from 0 to `count` - 1 that depends on `key` alone."""
    return int(_digest(*key)[:12], 16) % count


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
