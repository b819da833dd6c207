"""Measure the note that is suggested while a paragraph is written.

    python -m tests.eval.writing.measure [--vault NAME,…] [--paragraphs N] [--data FOLDER] [--table]

In the root of the repository, with its environment active. A paragraph that links other notes is taken
as if its links were not made yet, in two ways: with the words of the links (`kept`), and without them
(`removed`), as whoever does not know the other note's name would write. Paragraphs without links (`none`)
show how often something is suggested that nobody linked; some of these suggestions are right all the
same. With `--table` the paragraph's vector is that of the query table, as where no helper runs, in place of
the model's; all else is the server's search. The vaults have no history, so their other notes are all there,
also later ones.

Printed are, by vault and half (by a hash of the note's path): how often a linked note is the first, and
among the first three; and, for each distance that the first note must have from the next (the plugin's
`STANDS_OUT` is one), how often a note is suggested, and how often it is one that the writer linked.
"""

from __future__ import annotations

import argparse
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from notewell.base.errors import ModelError
from notewell.base.types import Embedder, FloatArray, ModelRules, SearchRules
from notewell.base.types.embedding import knows_cosines
from notewell.contract.search import Result, SearchReply, SimilarTextRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from notewell.models.query_table import QueryTable
from notewell.search.show.similar import similar
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.measure import fitted_table
from tests.eval.everyday.queries import VAULTS

Ask = Callable[[SimilarTextRequest], SearchReply]

_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
LINK = re.compile(r"(?<!!)\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_NO_PROSE = re.compile(r"^\s*([#>|`<%!]|\$\$|---|\d+\.|[-*+]\s)|^\s*\w[\w -]*::", re.MULTILINE)
LEAST_LETTERS = 60
_FIRST = 3
_DISTANCES = (0.0, 0.06, 0.1, 0.12, 0.16, 0.2)


@dataclass(frozen=True)
class QueryRequirements:
    """A paragraph of a note without its links, and the notes that it links (none, of most)."""

    path: str
    kind: str
    text: str
    linked: Sequence[str]


@dataclass(frozen=True)
class Answered:
    """The first notes for one paragraph: whether each is linked, and how far the first stands out."""

    vault: str
    half: str
    kind: str
    right: Sequence[bool]
    distance: float  # from the next note; -1 where none is a strong match


def main() -> int:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vault", default="help-en,hub")
    parser.add_argument(
        "--paragraphs", type=int, default=400, help="of each kind and vault, at most"
    )
    parser.add_argument("--table", action="store_true", help="without the model")
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    options = parser.parse_args()
    settings = own_settings("everyday", ModelRules().name)  # whose vaults are indexed there
    answers: list[Answered] = []
    for vault in options.vault.split(","):
        folder = locate(options.data, *VAULTS[vault], settings.data_dir)
        if folder is None:
            sys.stderr.write(f"{vault}: skipped, its archive is not in {options.data}\n")
            continue
        with closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults:
            engine = vaults.open(vaults.add(folder, name=vault), writable=True)
            engine.index_now()
            engine.wait_for_model()
            ask = _by_table(engine) if options.table else engine.answer
            answers += _answers(ask, vault, folder, options.paragraphs)
    sys.stdout.write(tables(answers))
    return 0


def tables(answers: Sequence[Answered]) -> str:
    """The tables, in Markdown."""
    cells = sorted({(answer.vault, answer.half) for answer in answers})
    kinds = ("kept", "removed", "none")
    lines = [
        "| vault | half | links | paragraphs | first | in three |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    for vault, half in cells:
        for kind in kinds[:2]:
            of = [
                answer
                for answer in answers
                if (answer.vault, answer.half, answer.kind) == (vault, half, kind)
            ]
            first, three = (_share(any(each.right[:n]) for each in of) for n in (1, _FIRST))
            lines.append(f"| {vault} | {half} | {kind} | {len(of)} | {first} | {three} |")
    shown = " | ".join(f"{kind}: shown" + (", right" if kind != "none" else "") for kind in kinds)
    lines += ["", f"| vault | half | distance | {shown} |", "| --- | --- | --- | --- | --- | --- |"]
    for vault, half in cells:
        for distance in _DISTANCES:
            row = []
            for kind in kinds:
                of = [
                    answer
                    for answer in answers
                    if (answer.vault, answer.half, answer.kind) == (vault, half, kind)
                ]
                out = [each for each in of if each.distance >= distance]
                right = f", {_share(each.right[0] for each in out)}" if kind != "none" else ""
                row.append(f"{_share(each.distance >= distance for each in of)}{right}")
            lines.append(f"| {vault} | {half} | {distance} | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def _share(true: Iterable[bool]) -> str:
    found = list(true)
    return f"{100 * sum(found) / len(found):.0f} %" if found else "-"


class _Table:
    """A query table in place of its model (`Embedder`), for the vectors of texts alone."""

    def __init__(self, table: QueryTable, model: Embedder) -> None:
        self._table = table
        self.cosines = model.cosines if knows_cosines(model) else None
        self.key, self.dimensions = model.key, model.dimensions
        self.sizes, self.count_tokens = model.sizes, model.count_tokens

    def embed_query(self, text: str) -> FloatArray:
        guess = self._table.guess(text)
        if guess is None:
            raise ModelError("The table knows too little of it.")
        return guess.vector

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return np.array([self.embed_query(text) for text in texts])

    def close(self) -> None:
        """Nothing is held."""


def _by_table(engine: Engine) -> Ask:
    """Ask as where no helper runs: by the vector of the query table."""
    vault = engine.vault
    model = vault.embedder()
    assert model is not None
    table = _Table(fitted_table(vault), model)

    def ask(request: SimilarTextRequest) -> SearchReply:
        return similar(
            vault.index, table, request, SearchRules(), vault.record, semantic_reason=None
        )

    return ask


def _answers(ask: Ask, vault: str, folder: Path, most: int) -> Iterator[Answered]:
    asked = list(paragraphs(folder))
    for kind in ("kept", "removed", "none"):
        of_kind = sorted(
            (paragraph for paragraph in asked if paragraph.kind == kind),
            key=lambda one: zlib.crc32(one.text.encode()),
        )
        for one in of_kind[:most]:
            reply = ask(SimilarTextRequest(text=one.text, limit=_FIRST + 1))
            found = [result for result in reply.results if result.path != one.path][:_FIRST]
            half = "fitting" if zlib.crc32(one.path.encode()) % 2 else "checking"
            right = [result.path in one.linked for result in found]
            yield Answered(vault, half, kind, right, _distance(found))


def _distance(found: Sequence[Result]) -> float:
    scores = [result.score for result in found]
    return scores[0] - sum(scores[1:2]) if found and found[0].match == "strong" else -1.0


def paragraphs(folder: Path) -> Iterator[QueryRequirements]:
    """The paragraphs of prose of a vault, those with links in both ways."""
    target = targets(folder)
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder).as_posix()
        for paragraph in prose(file.read_text(encoding="utf-8", errors="replace")):
            linked = [target(match[1]) for match in LINK.finditer(paragraph)]
            others = sorted({each for each in linked if each is not None and each != path})
            kept = plain(LINK.sub(lambda m: m[2] or m[1], paragraph))
            removed = plain(LINK.sub(" ", paragraph))
            if len(removed) < LEAST_LETTERS:
                continue
            if others:
                yield QueryRequirements(path, "kept", kept, others)
                yield QueryRequirements(path, "removed", removed, others)
            elif not linked:
                yield QueryRequirements(path, "none", kept, [])


def prose(text: str) -> Iterator[str]:
    """The paragraphs of prose of a note, as they stand in it."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", text):
        if not _NO_PROSE.search(paragraph):
            yield paragraph


def targets(folder: Path) -> Callable[[str], str | None]:
    """A function that gives the path of the note to which a link of a vault leads, if it is one note."""
    paths = {file.relative_to(folder).as_posix() for file in folder.rglob("*.md")}
    names: dict[str, list[str]] = {}
    for path in sorted(paths):
        names.setdefault(PurePosixPath(path).stem.lower(), []).append(path)

    def target(link: str) -> str | None:
        link = link.strip().removesuffix(".md")
        if f"{link}.md" in paths:
            return f"{link}.md"
        found = names.get(PurePosixPath(link).name.lower(), [])
        return found[0] if len(found) == 1 else None

    return target


def plain(text: str) -> str:
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*_`=~]{1,2}", "", text).split())


if __name__ == "__main__":
    raise SystemExit(main())
