"""Vaults and queries drawn at random, and the orders that hold for every one of them.

Words are made of syllables, far from each other, so that none is a slip or a form of another. The
cosine of a passage is drawn, so meaning agrees with words only by chance.

    python -m tests.search.rank.drawn [--cases N] [--seed N] [--real] [--strangers]

prints how many queries were asked, and the violations of each order. `--real` embeds by the
configured model, which has to be on this computer. `--strangers` adds notes that have no word of a
query and are far by meaning, and counts the pairs of notes that change their order: "5" are those of
which one had the greater value in every part of the score, "reversed" all others.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from notewell.base.config import load_settings
from notewell.base.types import ChunkSizes, Embedder, FloatArray, ModelKey, SearchMode
from notewell.contract.search import Result
from notewell.index.analyze import tokens
from notewell.index.embedded import EmbeddedIndex
from notewell.models.loading import load_embedder
from tests.search.library import Library, index_vault

SYLLABLES = {
    "en": ("bol", "cam", "dru", "fen", "gol", "hab", "jip", "kun", "lor", "mev", "nup", "pyx"),
    "de": ("büx", "drö", "fäl", "gük", "kös", "läm", "nür", "pfu", "röt", "schwi", "tzü", "zwo"),
    "ru": ("бом", "вук", "гар", "дож", "жип", "зун", "кош", "луд", "мяк", "пус", "рыл", "фец"),
}
FUNCTION = {"en": ("the", "of", "and"), "de": ("der", "und", "nicht"), "ru": ("и", "на", "не")}


# A word that all strangers have, and the part of the space that is theirs alone.
STRANGE, OF_STRANGERS = "ixqix", slice(24, 32)
# A best note by meaning stands out by so much; from one below FAR a list ends.
LEAD, CLEAR, FAR = 0.05, 0.75, 0.2


class DrawnCosines:
    """Embeds every text as a direction drawn by its hash; queries near a passage now and then."""

    key = ModelKey("drawn", "1" * 64, "fp32")
    dimensions = 32  # the last eight are for strangers alone
    sizes = ChunkSizes(max_tokens=200, min_tokens=8, overlap_tokens=8)

    def count_tokens(self, text: str) -> int:
        return len(tokens(text))

    def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        return np.array([self._drawn(text) for text in texts], np.float32)

    def embed_query(self, text: str) -> FloatArray:
        return self._drawn(f"query {text}")

    def _drawn(self, text: str) -> FloatArray:
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
        drawn = np.random.default_rng(int.from_bytes(digest)).standard_normal(self.dimensions)
        drawn[OF_STRANGERS if STRANGE not in text else slice(0, OF_STRANGERS.start)] = 0.0
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)

    def close(self) -> None:
        return


@dataclass(frozen=True)
class Drawn:
    """A vault: its notes by path, the words queries are made of, and its function words."""

    notes: Mapping[str, str]
    words: tuple[str, ...]
    function: tuple[str, ...]


def draw_vault(rng: random.Random) -> Drawn:
    """A vault of 5 to 60 notes, seldom of 400 or 2,000, of 20 to 900 words, seldom of 5,000."""
    language = rng.choice(sorted(SYLLABLES))
    syllables = SYLLABLES[language]
    made = [
        f"{a}{b}{c}" for a, b, c in zip(*(rng.sample(syllables, 12) for _ in range(3)), strict=True)
    ]
    common = [f"{rng.choice(syllables)}{rng.choice(syllables)}ax" for _ in range(60)]
    words = tuple(made[:6])
    many = 2000 if rng.random() < 0.1 else 400
    count = rng.choice((5, 8, 12, 20, 40, 60, many if rng.random() < 0.2 else 30))
    notes = {}
    for number in range(count):
        length = rng.choice((20, 60, 150, 430, 900, 5000 if rng.random() < 0.1 else 40))
        if count > 100:
            length = min(length, 60)
        body = rng.choices((*common, *FUNCTION[language]), k=length)
        for word in words:
            if rng.random() < 0.12:
                body[rng.randrange(length)] = word
        if rng.random() < 0.15:
            pair, at = rng.sample(words, 2), rng.randrange(length - 3)
            body[at : at + 2] = pair
        lines = [" ".join(body[at : at + 40]) + "." for at in range(0, length, 40)]
        title = _title(rng, words, common)
        head = f"---\naliases: [{_title(rng, words, common)}]\n---\n" if rng.random() < 0.1 else ""
        head += f"#{rng.choice(words)}\n\n" if rng.random() < 0.05 else ""
        notes[f"{number} x/{title}.md"] = head + "\n\n".join(lines)
    return Drawn(notes, words, FUNCTION[language])


def _title(rng: random.Random, words: Sequence[str], common: Sequence[str]) -> str:
    kind = rng.random()
    if kind < 0.15:
        return rng.choice(words)
    if kind < 0.25:
        return f"{rng.choice(words)} {rng.choice(common)}"
    if kind < 0.3:
        return " ".join(rng.sample(words, 2))
    return " ".join(rng.sample(common, 2))


def draw_query(rng: random.Random, vault: Drawn) -> str:
    """One to three content words, at times with a function word between."""
    content = rng.sample(vault.words, rng.choice((1, 1, 2, 2, 3)))
    if len(content) > 1 and rng.random() < 0.2:
        content.insert(1, rng.choice(vault.function))
    return " ".join(content)


@dataclass(frozen=True)
class Held:
    """What a note holds of a query: all content words in a passage, none, all anywhere."""

    together: bool
    none: bool
    everywhere: bool
    named: bool  # a name has one of the words
    exact: bool
    begun: bool  # a name begins with the query, as while it is typed


def held_by(library: Library, vault: Drawn, query: str) -> dict[str, Held]:
    """What each note holds, read off the texts of the index."""
    content = {token for word in query.split() if word in vault.words for token in tokens(word)}
    found = {}
    for note in library.index.all_notes():
        names = [set(tokens(name)) for name in (note.title, *note.aliases)]
        anywhere = set().union(*names, *map(tokens, note.tags))
        passages = [set(tokens(chunk.text)) for chunk in library.index.chunks_of(note.id)]
        whole = anywhere.union(*passages) & content
        found[note.path] = Held(
            together=any(content <= passage | anywhere for passage in (*passages, set())),
            none=not whole,
            everywhere=whole == content,
            named=any(name & content for name in names),
            exact=any(tokens(query) == tokens(name) for name in (note.title, *note.aliases)),
            begun=any(name.startswith(query) for name in (note.title, *note.aliases)),
        )
    return found


@dataclass(frozen=True)
class Ranked:
    """A ranking to judge: all results, those of a list that ends (`listed`), what notes hold.

    `content`: the content words of the query. `by_meaning`: in hybrid mode.
    """

    shown: Sequence[Result]
    listed: Sequence[Result]
    held: Mapping[str, Held]
    content: int
    by_meaning: bool

    @property
    def best(self) -> Result | None:
        """The nearest note by meaning."""
        return max(self.shown, key=lambda one: one.raw.cosine or 0.0, default=None)

    def violations(self) -> Iterator[str]:
        """The orders that the ranking breaks."""
        place = {result.path: at for at, result in enumerate(self.shown)}
        together = [path for path, note in self.held.items() if note.together]
        # Where the first three are too few for what has to be in them, the sum decides.
        is_free = self.by_meaning and len(together) >= 3 and self.best is not None
        free = self.best.path if is_free and self.best is not None else None
        if len(together) <= max(1, len(self.held) / 100):
            behind = [path for path in place if self.held[path].none and path != free]
            yield from ("1" for _ in _before(together, behind, place))
        exact = [path for path, note in self.held.items() if note.exact]
        if {result.path for result in self.shown[: len(exact)]} != set(exact):
            yield "2"
        if 2 <= self.content <= 3:
            found = [path for path in together if path in place]
            behind = [path for path in place if self._is_named(path) and path != free]
            yield from ("3" for _ in _before(found, behind, place))
        yield from self._halves()
        yield from self._filler()

    def _is_named(self, path: str) -> bool:
        note = self.held[path]
        return note.named and not note.everywhere and not note.exact

    def _halves(self) -> Iterator[str]:
        names = {path for path, note in self.held.items() if note.exact or note.begun}
        behind = [each for each in self.shown if each.path not in names]
        whole = [each for each in self.shown if self.held[each.path].together]
        best = max((each.raw.bm25 or 0.0 for each in whole), default=0.0)
        first = [each for each in whole if (each.raw.bm25 or 0.0) == best]  # several may be equal
        if first and not any(each.path in names or each in behind[:3] for each in first):
            yield "4 words"
        if first and not {each.path for each in first} & {each.path for each in self.listed}:
            yield "4 words cut"
        cosines = sorted((each.raw.cosine or 0.0 for each in self.shown), reverse=True)
        clear = len(cosines) > 1 and cosines[0] - cosines[1] >= LEAD and cosines[0] >= CLEAR
        if self.by_meaning and clear and self.best in behind[3:]:
            yield "4 meaning"

    def _filler(self) -> Iterator[str]:
        for each in self.listed if self.by_meaning else ():
            if self.held[each.path].none and each.raw.cosine is not None and each.raw.cosine < FAR:
                yield "6"


def _before(first: Sequence[str], behind: Sequence[str], place: Mapping[str, int]) -> Iterator[str]:
    """The notes that are not before all of those behind."""
    bar = min((place[path] for path in behind), default=len(place))
    return (path for path in first if place.get(path, len(place)) > bar)


@contextmanager
def opened(notes: Mapping[str, str], model: Embedder) -> Iterator[Library]:
    """An index of notes by path, in a temporary folder."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "notes"
        for path, text in notes.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        with closing(EmbeddedIndex.open(Path(folder) / "index", writable=True)) as index:
            index_vault(index, root, model)
            yield Library(root, index, model)


def check(seed: int, queries: int, model: Embedder | None = None) -> Counter[str]:
    """The violations of a vault's queries in all modes, by order; "asked" counts the queries."""
    rng = random.Random(seed)
    vault = draw_vault(rng)
    found: Counter[str] = Counter()
    with opened(vault.notes, model or DrawnCosines()) as library:
        for _ in range(queries):
            query = draw_query(rng, vault)
            mode: SearchMode = rng.choice(("hybrid", "hybrid", "keyword"))
            typing = rng.random() < 0.3
            held = held_by(library, vault, query)
            asked = {"mode": mode, "typing": typing, "limit": 1000, "graph": 0.0}
            reply = library.search(query, weak=True, **asked)
            if reply.corrected is not None:  # it stands for another query
                continue
            shown = reply.results
            listed = library.search(query, weak=False, **asked).results
            content = sum(word in vault.words for word in query.split())
            by_meaning = mode == "hybrid"
            ranked = Ranked(shown, listed, held, content, by_meaning)
            found.update(set(ranked.violations()))
            found["asked"] += 1
    return found


def check_strangers(seed: int, queries: int) -> Counter[str]:
    """The pairs of a vault's notes that strangers reverse, of all "pairs" that were compared."""
    rng = random.Random(seed)
    vault = draw_vault(rng)
    count = rng.choice((1, 5, 50))
    strangers = {
        f"strangers/{n}.md": " ".join([STRANGE, *rng.choices(("quib", "yaff", "zorp"), k=80)])
        for n in range(count)
    }
    found: Counter[str] = Counter()
    model = DrawnCosines()
    with opened(vault.notes, model) as alone, opened({**vault.notes, **strangers}, model) as beside:
        for _ in range(queries):
            query = draw_query(rng, vault)
            mode: SearchMode = rng.choice(("hybrid", "keyword"))
            asked = {"mode": mode, "limit": 1000, "graph": 0.0, "weak": True}
            before, after = (each.search(query, **asked) for each in (alone, beside))
            if before.corrected is not None or after.corrected is not None:
                continue
            found["asked"] += 1
            found += _reversed(before.results, after.results)
    return found


def _reversed(before: Sequence[Result], after: Sequence[Result]) -> Counter[str]:
    place = {result.path: at for at, result in enumerate(after)}
    kept = [(result, place[result.path]) for result in before if result.path in place][:40]
    found: Counter[str] = Counter()
    for at, (one, of_one) in enumerate(kept):
        for other, of_other in kept[at + 1 :]:
            found["pairs"] += 1
            if of_other < of_one:
                found["5" if _is_greater(one, other) else "reversed"] += 1
    return found


def _is_greater(one: Result, other: Result) -> bool:
    """Tell whether a note has the greater value in every part of the score."""
    names = ("words", "meaning", "coverage", "names")
    parts = [(getattr(each.scores, name) or 0.0 for name in names) for each in (one, other)]
    return all(a > b for a, b in zip(*parts, strict=True))


def load_configured() -> Embedder:
    """The model of the settings, which has to be on this computer."""
    settings = load_settings(environ=os.environ)
    return load_embedder(
        settings.model,
        model_dir=settings.model_dir,
        offline=True,
        fetch_missing=False,
        say=sys.stderr.write,
    )


def main() -> None:
    """Ask as many queries as wanted, and print the violations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--real", action="store_true", help="embed by the configured model")
    parser.add_argument("--strangers", action="store_true", help="count what strangers change")
    options = parser.parse_args()
    model = load_configured() if options.real else None
    total: Counter[str] = Counter()
    seed = options.seed
    while total["asked"] < options.cases:
        total += check_strangers(seed, 25) if options.strangers else check(seed, 25, model)
        seed += 1
    sys.stdout.write(f"{dict(sorted(total.items()))}\n")


if __name__ == "__main__":
    main()
