"""A synthetic vault for benchmarks: the same notes and queries on every machine.

Words are drawn by Zipf's law from the default model's vocabulary, which is ordered by frequency. A
quarter of each note's words belong to its topic, so that words occur together as in real notes. A
section is about one chunk of 256 tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

SEED = 20_240_601
SECTIONS = 4  # chunks a note
TOPICS = 300
TOPIC_WORDS = 200
TOPIC_SHARE = 0.25
NOTES_A_FOLDER = 250
_PARAGRAPHS, _SENTENCES = 2, 6
_COMMON_RANKS = (50, 500)  # everyday words that are not function words
_ZIPF_SHIFT, _ZIPF_EXPONENT = 2.7, 1.05  # Mandelbrot's form, fitted to English


@dataclass(frozen=True)
class Words:
    """A vocabulary by falling frequency, and the cumulative probability of each word."""

    words: tuple[str, ...]
    chances: npt.NDArray[np.float64]

    @classmethod
    def of_tokenizer(cls, file: Path) -> Words:
        """The whole ASCII words of a BERT vocabulary, in its order."""
        vocabulary = Tokenizer.from_file(str(file)).get_vocab()
        by_rank = sorted(vocabulary, key=vocabulary.__getitem__)
        words = tuple(w for w in by_rank if len(w) > 1 and w.isascii() and w.isalpha())
        weights = 1 / (np.arange(len(words)) + _ZIPF_SHIFT) ** _ZIPF_EXPONENT
        return cls(words, np.cumsum(weights) / weights.sum())

    def draw(self, generator: np.random.Generator, count: int) -> list[str]:
        """Draw words with the frequencies of a text."""
        return [self.words[n] for n in np.searchsorted(self.chances, generator.random(count))]

    def rare(self, generator: np.random.Generator, count: int) -> list[str]:
        """Draw words of medium and low frequency, for titles and topics."""
        ranks = generator.integers(len(self.words) // 20, len(self.words), count)
        return [self.words[n] for n in ranks]


def write_vault(folder: Path, words: Words, notes: int) -> None:
    """Write `notes` notes to `folder`; files that exist are not changed."""
    generator = np.random.default_rng(SEED)
    topics = [words.rare(generator, TOPIC_WORDS) for _ in range(TOPICS)]
    titles = [" ".join(words.rare(generator, 3)).capitalize() for _ in range(notes)]
    for number in range(notes):
        name = f"{titles[number]} {number}.md"
        path = folder / f"{number // NOTES_A_FOLDER:03d}" / name
        if number % NOTES_A_FOLDER == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(note(number, words, topics, titles), encoding="utf-8")


def note(number: int, words: Words, topics: Sequence[Sequence[str]], titles: Sequence[str]) -> str:
    """The text of one note; it depends on its number and the seed alone."""
    generator = np.random.default_rng((SEED, number))
    topic = topics[int(generator.integers(TOPICS))]
    links = [int(n) for n in generator.integers(0, len(titles), 2)]
    parts = [f"---\ntags: [{topic[0]}, {topic[1]}]\n---\n"]
    for section in range(SECTIONS):
        parts.append(f"## {' '.join(words.rare(generator, 3)).capitalize()}\n")
        parts.extend(_paragraph(generator, words, topic) for _ in range(_PARAGRAPHS))
        if section < len(links):
            parts.append(f"See [[{titles[links[section]]} {links[section]}]].\n")
    return "\n".join(parts)


def queries(words: Words, count: int) -> list[str]:
    """Queries of 8 terms, some common and some rare."""
    generator = np.random.default_rng((SEED, 1))
    return list(_questions(generator, words, count))


def _questions(generator: np.random.Generator, words: Words, count: int) -> Iterator[str]:
    for _ in range(count):
        first, third = words.rare(generator, 2)
        second = words.words[int(generator.integers(*_COMMON_RANKS))]
        yield f"how do i {first} the {second} of {third}"


def _paragraph(generator: np.random.Generator, words: Words, topic: Sequence[str]) -> str:
    return " ".join(_sentence(generator, words, topic) for _ in range(_SENTENCES)) + "\n"


def _sentence(generator: np.random.Generator, words: Words, topic: Sequence[str]) -> str:
    drawn = words.draw(generator, int(generator.integers(8, 20)))
    picks = generator.integers(0, len(topic), len(drawn))
    own = generator.random(len(drawn)) < TOPIC_SHARE
    text = " ".join(
        topic[pick] if ours else word for word, pick, ours in zip(drawn, picks, own, strict=True)
    )
    return f"{text.capitalize()}."
