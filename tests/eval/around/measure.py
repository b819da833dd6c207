"""Measure what the empty palette shows for a paragraph: `GET /api/note/around`.

    python -m tests.eval.around.measure [--draw] [--data FOLDER]

In the root of the repository, with its environment active. Two sets:

- `cut`: 60 paragraphs of four vaults that link another note, in copies of the vaults in which these
  links and their words are taken out before they are indexed. `paragraphs.jsonl` has which (by a hash of
  the paragraph, for the vaults are not ours); `--draw` draws them anew by a fixed seed, fifteen of each vault,
  those of excalidraw and of the sample filled up from help-en and hub where they have fewer.
- `written`: 20 sentences by hand to the sample vault, with the notes that they are about.

Printed is, for each vault, how often a right note is the first and among the first three.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from notewell.base.types import ModelRules
from notewell.contract.search import AroundRequest
from notewell.engine.engine import Engine
from notewell.engine.open_vaults import Vaults
from notewell.features import FEATURES
from tests.eval.archives import locate, own_settings
from tests.eval.everyday.queries import VAULTS
from tests.eval.writing.measure import LEAST_LETTERS, LINK, plain, prose, targets

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT.parent / "shared" / "data"
SAMPLE = ROOT / "sidecar" / "notewell" / "doors" / "sample" / "vault"
HERE = Path(__file__).parent
NAMES = ("help-en", "hub", "excalidraw", "sample")
TOTAL, EACH, SEED = 60, 15, 60
FIRST = 3


@dataclass(frozen=True)
class CutParagraph:
    """A paragraph that links other notes: its text as it stands in the file, and as it is without the links."""

    path: str
    raw: str
    text: str
    linked: Sequence[str]

    @property
    def digits(self) -> str:
        return hashlib.sha256(self.raw.encode()).hexdigest()[:12]


def main() -> int:
    """Draw the paragraphs, or measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draw", action="store_true", help="choose the paragraphs anew")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the archives")
    options = parser.parse_args()
    settings = own_settings("around", ModelRules().name)
    folders = {name: _folder(name, options.data, settings.data_dir) for name in NAMES}
    folders = {name: folder for name, folder in folders.items() if folder is not None}
    if options.draw:
        _draw(folders)
        return 0
    rows = [json.loads(line) for line in (HERE / "paragraphs.jsonl").read_text().splitlines()]
    sys.stdout.write(
        "| set | vault | paragraphs | first | in three |\n| --- | --- | ---: | ---: | ---: |\n"
    )
    everything: list[tuple[bool, bool]] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(Vaults(settings, fetch_missing=True, features=FEATURES)) as vaults,
    ):
        for name, folder in folders.items():
            wanted = {row["paragraph"] for row in rows if row["vault"] == name}
            chosen = [each for each in cut_paragraphs(folder) if each.digits in wanted]
            copy = _copy_without_links(folder, Path(scratch) / name, chosen)
            engine = _open(vaults, copy, f"cut-{name}")
            found = [_places(engine, each.path, each.text, each.linked) for each in chosen]
            everything += found
            _print("cut", name, found)
        _print("cut", "all", everything)
        engine = _open(vaults, SAMPLE, "sample")
        lines = (HERE / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
        sentences = [json.loads(line) for line in lines]
        _print(
            "written",
            "sample",
            [_places(engine, "", sentence["text"], sentence["right"]) for sentence in sentences],
        )
    return 0


def cut_paragraphs(folder: Path) -> Iterator[CutParagraph]:
    """The paragraphs of prose that link a note which their note links nowhere else."""
    target = targets(folder)
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder).as_posix()
        whole = file.read_text(encoding="utf-8", errors="replace")
        everywhere = [target(match[1]) for match in LINK.finditer(whole)]
        for raw in prose(whole):
            own = [target(match[1]) for match in LINK.finditer(raw)]
            linked = sorted(
                {to for to in own if to and to != path and everywhere.count(to) == own.count(to)}
            )
            others = LINK.sub(partial(_cut, target, frozenset(linked)), raw)
            text = plain(others)
            if linked and len(text) >= LEAST_LETTERS:
                yield CutParagraph(path, raw, text, linked)


def _cut(target: Callable[[str], str | None], linked: frozenset[str], match: re.Match[str]) -> str:
    return " " if target(match[1]) in linked else match[0]


def _folder(name: str, data: Path, work: Path) -> Path | None:
    return SAMPLE if name == "sample" else locate(data, *VAULTS[name], work)


def _draw(folders: Mapping[str, Path]) -> None:
    generator = random.Random(SEED)
    drawn: dict[str, list[CutParagraph]] = {}
    for name, folder in folders.items():
        drawn[name] = list(cut_paragraphs(folder))
        generator.shuffle(drawn[name])
    counts = {name: min(EACH, len(found)) for name, found in drawn.items()}
    for name in ("help-en", "hub") * TOTAL:
        if sum(counts.values()) < TOTAL:
            counts[name] += 1
    with (HERE / "paragraphs.jsonl").open("w", encoding="utf-8") as file:
        for name, found in drawn.items():
            for each in found[: counts[name]]:
                row = {
                    "vault": name,
                    "path": each.path,
                    "paragraph": each.digits,
                    "linked": each.linked,
                }
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _copy_without_links(folder: Path, copy: Path, chosen: Sequence[CutParagraph]) -> Path:
    shutil.copytree(folder, copy)
    for each in chosen:
        file = copy / each.path
        whole = file.read_text(encoding="utf-8", errors="replace")
        file.write_text(whole.replace(each.raw, each.text), encoding="utf-8")
    return copy


def _open(vaults: Vaults, folder: Path, name: str) -> Engine:
    engine = vaults.open(vaults.add(folder, name=name), writable=True)
    engine.index_now()
    engine.wait_for_model()
    return engine


def _places(engine: Engine, path: str, text: str, right: Sequence[str]) -> tuple[bool, bool]:
    reply = engine.answer(AroundRequest(path=path, text=text[-2000:], limit=FIRST))
    hits = [result.path in right for result in reply.results]
    return any(hits[:1]), any(hits)


def _print(kind: str, name: str, found: Sequence[tuple[bool, bool]]) -> None:
    shares = [
        f"{100 * sum(hits) / len(found):.0f} %" if found else "-"
        for hits in zip(*found, strict=True)
    ]
    sys.stdout.write(f"| {kind} | {name} | {len(found)} | {' | '.join(shares)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
