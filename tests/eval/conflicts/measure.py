"""Measure the healing of conflicts on planted splits of real notes.

    python -m tests.eval.conflicts.measure [--data FOLDER] [--splits 400] [--seed 7]

In the root of the repository, with its environment active. Notes of three vaults are drawn by a seed; a copy of each
is edited, of half of them the note as well: sentences and paragraphs are added, taken out, changed and moved. Each pair
is healed with a seeded choice for every difference. Printed are:

- sentences that were in one of the two, were not decided against, and are not in the result (lost);
- sentences that both have, and the result has more often (doubled);
- pairs of which one undo does not restore both files to the byte;
- how often all that was edited is settled without a question;
- copies that are offered in the vaults as they are.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from notewell.base.types import VaultRecord
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.features.conflicts.requests import (
    ConflictReply,
    ConflictRequest,
    ConflictsRequest,
    HealConflict,
    KeptVersion,
)
from notewell.features.conflicts.units import cut_units
from notewell.features.writes.requests import UndoRequest
from tests.eval.archives import locate
from tests.vaults import QUIET, settings_in

_DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
_VAULTS = {
    "help-en": ("vault-obsidian-help-en", "obsidian-help-en"),
    "excalidraw": ("vault-excalidraw-wiki", "excalidraw-wiki"),
    "kepano": ("vault-kepano", "kepano-obsidian"),
}
_LONGEST, _FEWEST_UNITS = 40_000, 6
_CHOICES: tuple[KeptVersion, ...] = ("note", "copy", "both")


@dataclass
class Tally:
    """Counts over all pairs."""

    pairs: int = 0
    lost: int = 0
    doubled: int = 0
    not_restored: int = 0
    unasked: int = 0
    differences: int = 0
    sentences: int = 0


def main() -> int:
    """Plant splits in each vault, heal and undo them."""
    options = _options()
    chance, tally, offered, notes = random.Random(options.seed), Tally(), 0, 0
    for name, (archive, folder) in _VAULTS.items():
        with tempfile.TemporaryDirectory() as work:
            place = locate(options.data, archive, folder, Path(work))
            if place is None:
                sys.stdout.write(f"{name}: not there\n")
                continue
            texts = {
                file.relative_to(place).as_posix(): file.read_bytes()
                for file in sorted(place.rglob("*.md"))
                if not any(part.startswith(".") for part in file.relative_to(place).parts)
            }
            notes += len(texts)
            offered += _offers(texts, Path(work) / "as-it-is")
            share = options.splits // len(_VAULTS) + (name == "help-en") * (
                options.splits % len(_VAULTS)
            )
            _measure(texts, share, chance, Path(work) / "split", tally)
    sys.stdout.write(
        f"{tally.pairs} pairs, {tally.sentences} sentences: {tally.lost} lost, {tally.doubled} doubled,"
        f" {tally.not_restored} not restored by one undo; {tally.unasked} pairs without a question,"
        f" {tally.differences / max(tally.pairs, 1):.1f} questions a pair;"
        f" {offered} copies offered in {notes} notes as they are\n"
    )
    return 0


def _open(files: Mapping[str, bytes], work: Path) -> Engine:
    vault = work / "vault"
    for path, raw in files.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(raw)
    engine = Engine.open(
        VaultRecord("v1", "Notes", vault),
        work / "index",
        settings_in(work, vault=QUIET),
        writable=True,
        features=FEATURES,
    )
    engine.index_now()
    return engine


def _offers(files: Mapping[str, bytes], work: Path) -> int:
    with closing(_open(files, work)) as engine:
        return len(engine.answer(ConflictsRequest()).conflicts)


def _measure(
    texts: Mapping[str, bytes], count: int, chance: random.Random, work: Path, tally: Tally
) -> None:
    """Heal and undo so many splits, all planted in one vault."""
    fit = [
        path
        for path, raw in texts.items()
        if len(raw) < _LONGEST and len(_units(raw.decode("utf-8", "replace"))) >= _FEWEST_UNITS
    ]
    chance.shuffle(fit)
    files, pairs = dict(texts), []
    for number in range(count):
        path = fit[number % len(fit)]
        # The second round of a small vault splits the same notes in another way, under new names.
        note = path if number < len(fit) else f"Round {number // len(fit)}/{path}"
        text = texts[path].decode("utf-8", "replace")
        ours = _edited(text, chance) if number % 2 else text
        copy = f"{note[:-3]}.sync-conflict-20261122-{number:06d}-ABCDEFG.md"
        files |= {note: ours.encode(), copy: _edited(text, chance).encode()}
        pairs.append((note, copy))
    with closing(_open(files, work)) as engine:
        for note, copy in pairs:
            _heal(engine, work / "vault", note, copy, chance, tally)


def _heal(  # noqa: PLR0917
    engine: Engine, vault: Path, path: str, copy: str, chance: random.Random, tally: Tally
) -> None:
    before = (vault / path).read_bytes(), (vault / copy).read_bytes()
    found = engine.answer(ConflictRequest(path, copy))
    choices = tuple(chance.choice(_CHOICES) for _ in range(found.differences))
    done = engine.answer(HealConflict(path, copy, found.hash, found.copy_hash, choices))
    merged = _units((vault / path).read_bytes().decode())
    ours, theirs = (_units(raw.decode()) for raw in before)
    wanted = set(ours | theirs) - _given_up(found, choices)
    tally.pairs += 1
    tally.sentences += len(set(ours | theirs))
    tally.lost += sum(key not in merged for key in wanted)
    tally.doubled += sum(
        merged[key] > max(ours[key], theirs[key]) for key in set(ours) & set(theirs)
    )
    tally.unasked += found.differences == 0
    tally.differences += found.differences
    engine.answer(UndoRequest(done.undo))
    after = (vault / path).read_bytes(), (vault / copy).read_bytes()
    tally.not_restored += after != before


def _given_up(found: ConflictReply, choices: tuple[KeptVersion, ...]) -> set[str]:
    """The sentences that were decided against, and properties, which have one value."""
    gone: set[str] = set()
    differing = [part for part in found.parts if part.kind == "differs"]
    for part, choice in zip(differing, choices, strict=True):
        note, copy = (set(_units(text)) for text in (part.note, part.copy))
        gone |= {"note": copy, "copy": note, "both": set()}[choice]
        gone |= {text for text in note | copy if ":" in text}
    return gone


def _units(text: str) -> Counter[str]:
    return Counter(unit.key for unit in cut_units(text) if len(unit.key) > 2)


def _edited(text: str, chance: random.Random) -> str:
    """The text with one to four edits as people make them."""
    for number in range(chance.randint(1, 4)):
        units = [unit.text for unit in cut_units(text)]
        body = [at for at, unit in enumerate(cut_units(text)) if unit.kind == "sentence"]
        if not body:
            return f"{text}\nA last line, number {number}.\n"
        at = chance.choice(body)
        edit = chance.choice(("add", "append", "delete", "change", "move", "paragraph"))
        words = units[at].split(" ")
        if edit == "add":
            units.insert(
                at, f"Something new about {words[0]} was noted, {chance.randint(1, 9999)}. "
            )
        elif edit == "append":
            units.append(f"\n\nA thought of later, {chance.randint(1, 9999)}.\n")
        elif edit == "delete":
            del units[at]
        elif edit == "change":
            words.insert(chance.randrange(len(words)), f"really{chance.randint(1, 99)}")
            units[at] = " ".join(words)
        elif edit == "move":
            units.append(f"\n{units.pop(at)}\n")
        else:
            units.insert(
                at,
                f"\n\nA paragraph of its own, {chance.randint(1, 9999)}. It has two sentences.\n\n",
            )
        text = "".join(units)
    return text


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=_DATA, help="folder with the archives")
    parser.add_argument("--splits", type=int, default=400)
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
