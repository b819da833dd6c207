"""A table of the names of all notes in a vault: titles, file names and aliases, by their stems.

Of each name it has the folder of its note as well, which often tells what kind of thing is named.

The table consists of arrays: a snapshot loads in milliseconds, and a change replaces only the rows
of the changed notes. `name_matches` searches it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from notewell.base.types import IdArray, StoredNote
from notewell.base.types.frozen import frozen
from notewell.index.analyze import MARKS, SPACELESS, signed_forms, stem, tokens, words
from notewell.index.arrays import without
from notewell.vault.readers import link_name

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Arrays = Mapping[str, npt.NDArray[Any]]
_Row = tuple[int, str, int, list[int]]  # owner, key, folder and stems of a name

_SPACELESS_RUN = re.compile(f"([{SPACELESS}][{SPACELESS}{MARKS}]*)")
_ARRAYS = frozenset({"notes", "owners", "starts", "entries", "shares", "word_stems"})
_FOLDERS = frozenset({"folders", "folder_names"})
_TEXTS = frozenset({"keys", "stems", "words"})


_SIGN = re.compile(r"[+#%]|(?<!\w)\.")


def name_key(text: str) -> str:
    """The letters, digits and emoji of a name, folded; names with the same key are the same name.

    Case, accents, spaces, hyphens and underscores do not count, nor do emoji beside letters or
    digits; the order of words does, and so do signs that are a part of a name (`.NET`, `100%`).
    """
    if text.isascii():
        signed = signed_forms(text) if _SIGN.search(text) else ()
        return "".join((*words(text), *signed))
    has_text = any(map(str.isalnum, text))

    def kept(part: str) -> list[str]:
        return [word for word in words(part) if not has_text or any(map(str.isalnum, word))]

    return "".join(
        unicodedata.normalize("NFKC", part).casefold() if at % 2 else "".join(kept(part))
        for at, part in enumerate(_SPACELESS_RUN.split(text))  # every second part is such a run
    )


@frozen
class ParsedName:
    """A name as the table stores it.

    `stems`: of its words. `wholes`: further stems, each with the share of the name's words that it
    stands for (a compound as one word, or a single ideograph). `words`: all of these before
    stemming, with their stems.
    """

    key: str
    stems: tuple[str, ...]
    wholes: Mapping[str, float]
    words: Mapping[str, str]


def parse_name(name: str) -> ParsedName | None:
    """The key and the stems of a name; None if it has no letter, digit or emoji."""
    ordered = words(name)
    if not ordered:
        return None
    stem_of = {word: stem(word) for word in ordered}
    stems = tuple(dict.fromkeys(stem_of.values()))
    wholes: dict[str, float] = {}
    for extra in dict.fromkeys(tokens(name)):
        if extra not in stem_of and (whole := stem(extra)) not in stems:
            wholes[whole] = _share(extra, ordered)
            stem_of[extra] = whole
    return ParsedName(name_key(name), stems, wholes, stem_of)


def _share(extra: str, ordered: Sequence[str]) -> float:
    """The share of the words of a name that an extra token of the analyzer stands for."""
    if len(extra) == 1:  # one ideograph: a run of n of them has n - 1 pairs
        return 1.0 / (len(ordered) + 1)
    return max(1, sum(word in extra for word in ordered)) / len(ordered)


def names_of(note: StoredNote) -> Iterator[ParsedName]:
    """The different names of a note: its title, file name and aliases."""
    seen: set[str] = set()
    file_name = link_name(note.path.rpartition("/")[2])
    for text in dict.fromkeys((note.title, file_name, *note.aliases)):  # mostly the title twice
        parsed = parse_name(text)
        if parsed is not None and parsed.key not in seen:
            seen.add(parsed.key)
            yield parsed


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """Arrays computed from the others of a table; seconds for a million passages.

    `names` and `name_shares` are its entries in order of their stems, of which each has a range
    from `stem_starts` (stems + 1,). For `df` and `totals` see `NameTable`.
    """

    names: Ints
    name_shares: Floats
    stem_starts: Ints
    df: Ints
    totals: Floats

    @classmethod
    def of_snapshot(cls, saved: Arrays, sizes: Mapping[str, int]) -> Derived | None:
        """From a snapshot's arrays of these sizes; None: an earlier version wrote it without."""
        if any(name not in saved or len(saved[name]) != size for name, size in sizes.items()):
            return None
        return cls(**{name: saved[name] for name in sizes})


class NameTable:
    """All names of a vault at one generation, in order of their keys. Not changed once made.

    Attributes:
        notes: ids of all notes, ascending (notes,).
        owners: the note of each name (names,).
        keys: the key of each name, in order.
        folders: the number of the folder that the note of each name lies in (names,).
        folder_names: the names of these folders; "" at the top of the vault.
        stem_ids: the number of each stem.
        idf: inverse document frequency of each stem among the notes' names (stems,).
        totals: summed idf of the words of each name (names,).

    """

    ARRAYS = _ARRAYS | _TEXTS | frozenset(Derived.__slots__)  # what `arrays` has

    def __init__(
        self,
        notes: IdArray,
        owners: IdArray,
        keys: Sequence[str],
        *,
        forward: tuple[Ints, Ints, Floats],
        stems: Sequence[str],
        vocabulary: tuple[Sequence[str], Ints],
        folders: tuple[Ints, Sequence[str]],
        derived: Derived | None = None,
    ) -> None:
        """`forward`: for each name its range of entries; the entries' stems and shares.

        A share is that of `ParsedName.wholes`, and 0 for a word. `vocabulary`: words in order, and
        the stem of each. `folders`: the number of each name's, and their names. `derived` was
        made of the same table before; None makes it.
        """
        self.notes, self.owners, self.keys = notes, owners, keys
        self.starts, self.entries, self.shares = forward
        self.stems = stems
        self.stem_ids: Mapping[str, int] = dict(zip(stems, range(len(stems)), strict=True))
        self.words, self.word_stems = vocabulary
        self.folders, self.folder_names = folders
        self._derived = derived or self._derive()
        self.df, self.totals = self._derived.df, self._derived.totals
        self.idf = self.idf_of(self.df)

    def _derive(self) -> Derived:
        """Compute document frequencies and the inverse of the entries: stem to names."""
        count = len(self.stems)
        names = np.repeat(np.arange(len(self.owners)), np.diff(self.starts))
        order = np.argsort(self.entries, kind="stable")
        df = self._document_frequencies(names)
        weights = np.where(self.shares > 0, 0.0, self.idf_of(df)[self.entries])
        return Derived(
            names=names[order],
            name_shares=self.shares[order],
            stem_starts=_starts(np.bincount(self.entries, minlength=count)),
            df=df,
            totals=np.bincount(names, weights, len(self.owners)).astype(np.float64),
        )

    def _document_frequencies(self, names: Ints) -> Ints:
        """Numbers of notes that have each stem in a name; `names` are those of the entries.

        A name has a stem once, so that only notes with several names need a comparison.
        """
        count, most = len(self.stems), max(len(self.notes), 1)
        places = np.searchsorted(self.notes, self.owners)
        several = (np.bincount(places, minlength=most) > 1)[places][names]
        pairs = np.sort(self.entries[several] * most + places[names[several]])
        different = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))] // most
        once = np.bincount(self.entries[~several], minlength=count)
        frequencies: Ints = once + np.bincount(different, minlength=count)
        return frequencies

    def idf_of(self, df: Ints) -> Floats:
        """Inverse document frequency, as BM25 has it, of stems that `df` notes have in a name."""
        idf: Floats = np.log1p((len(self.notes) - df + 0.5) / (df + 0.5))
        return idf

    def names_with(self, stem_ids: Ints) -> tuple[Ints, Ints, Floats]:
        """Every stem and name that has it, as three arrays: place in `stem_ids`, name, share."""
        derived = self._derived
        which, at = _rows(derived.stem_starts, stem_ids)
        return which, derived.names[at], derived.name_shares[at]

    @classmethod
    def empty(cls) -> NameTable:
        none = np.empty(0, np.int64)
        forward = (np.zeros(1, np.int64), none, np.empty(0))
        return cls(
            none, none, (), forward=forward, stems=(), vocabulary=((), none), folders=(none, ())
        )

    def updated(self, notes: IdArray, changed: Iterable[StoredNote]) -> NameTable:
        """The table of `notes` (all ids, ascending), with the names of `changed` read anew.

        Stems and words that no name has any more stay in it until it is built anew.
        """
        added = _Added(self)
        existing = set(notes.tolist())
        for note in changed:
            if note.id in existing:  # it may be removed between two reads of the index
                added.add(note)
        if np.array_equal(notes, self.notes) and added.rows() == self._rows_of(added.notes):
            return self  # the names are the same as before; only texts changed
        kept = np.flatnonzero(np.isin(self.owners, without(notes, np.array(added.notes))))
        owners = np.concatenate([self.owners[kept], np.array(added.owners, np.int64)])
        keys = [self.keys[at] for at in kept.tolist()] + added.keys
        _, old = _rows(self.starts, kept)
        entries = np.concatenate([self.entries[old], np.array(added.entries, np.int64)])
        shares = np.concatenate([self.shares[old], np.array(added.shares, np.float64)])
        lengths = np.concatenate([np.diff(self.starts)[kept], np.array(added.lengths, np.int64)])
        folders = np.concatenate([self.folders[kept], np.array(added.folders, np.int64)])
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
        _, places = _rows(_starts(lengths), order)
        return NameTable(
            notes,
            owners[order],
            [keys[at] for at in order.tolist()],
            forward=(_starts(lengths[order]), entries[places], shares[places]),
            stems=list(added.stem_ids),
            vocabulary=added.vocabulary(),
            folders=(folders[order], list(added.folder_ids)),
        )

    def _rows_of(self, notes: Sequence[int]) -> list[_Row]:
        return sorted(
            (
                int(self.owners[at]),
                self.keys[at],
                int(self.folders[at]),
                self.entries[first:end].tolist(),
            )
            for at in np.flatnonzero(np.isin(self.owners, notes)).tolist()
            for first, end in (self.starts[at : at + 2].tolist(),)
        )

    def arrays(self) -> Arrays:
        texts = {"keys": self.keys, "stems": self.stems, "words": self.words}
        return {
            "notes": self.notes,
            "owners": self.owners,
            "starts": self.starts,
            "entries": self.entries,
            "shares": self.shares,
            "word_stems": self.word_stems,
            "folders": self.folders,
            "folder_names": np.frombuffer("/".join(self.folder_names).encode(), np.uint8),
            **{name: getattr(self._derived, name) for name in Derived.__slots__},
            **{
                name: np.frombuffer("\n".join(text).encode(), np.uint8)
                for name, text in texts.items()
            },
        }

    @classmethod
    def from_arrays(cls, saved: Arrays) -> NameTable | None:
        """The table of a snapshot; None if its arrays do not make one."""
        if not saved.keys() >= (_ARRAYS | _TEXTS | _FOLDERS):
            return None
        keys, stems, words_ = (
            text.split("\n") if (text := saved[name].tobytes().decode()) else []
            for name in ("keys", "stems", "words")
        )
        if len(keys) != len(saved["owners"]) or len(words_) != len(saved["word_stems"]):
            return None
        forward = (saved["starts"], saved["entries"], saved["shares"])
        entries, names, count = len(saved["entries"]), len(keys), len(stems)
        sizes = {"names": entries, "name_shares": entries, "stem_starts": count + 1}
        derived = Derived.of_snapshot(saved, {**sizes, "df": count, "totals": names})
        return cls(
            saved["notes"],
            saved["owners"],
            keys,
            forward=forward,
            stems=stems,
            vocabulary=(words_, saved["word_stems"]),
            folders=(saved["folders"], saved["folder_names"].tobytes().decode().split("/")),
            derived=derived,
        )


class _Added:
    """The names of added and changed notes, collected for a new table."""

    def __init__(self, table: NameTable) -> None:
        self.notes: list[int] = []
        self.owners: list[int] = []
        self.keys: list[str] = []
        self.lengths: list[int] = []
        self.entries: list[int] = []
        self.shares: list[float] = []
        self.folders: list[int] = []
        self.stem_ids = dict(table.stem_ids)
        self.folder_ids = {name: at for at, name in enumerate(table.folder_names)}
        self._old = table
        self._words: dict[str, int] = {}

    def add(self, note: StoredNote) -> None:
        self.notes.append(note.id)
        folder = note.path.rpartition("/")[0].rpartition("/")[2]
        number = self.folder_ids.setdefault(folder, len(self.folder_ids))
        for name in names_of(note):
            entries = [(entry, 0.0) for entry in name.stems] + list(name.wholes.items())
            self.owners.append(note.id)
            self.folders.append(number)
            self.keys.append(name.key)
            self.lengths.append(len(entries))
            self.entries += [self._number(entry) for entry, _ in entries]
            self.shares += [share for _, share in entries]
            for word, word_stem in name.words.items():
                self._words[word] = self._number(word_stem)

    def rows(self) -> list[_Row]:
        starts = _starts(np.array(self.lengths, np.int64)).tolist()
        stems = [self.entries[first:end] for first, end in pairwise(starts)]
        return sorted(zip(self.owners, self.keys, self.folders, stems, strict=True))

    def _number(self, stem_: str) -> int:
        return self.stem_ids.setdefault(stem_, len(self.stem_ids))

    def vocabulary(self) -> tuple[Sequence[str], Ints]:
        """All words in order, each with the number of its stem."""
        old = zip(self._old.words, self._old.word_stems.tolist(), strict=True)
        merged = sorted((dict(old) | self._words).items())
        return [word for word, _ in merged], np.array([number for _, number in merged], np.int64)


def _starts(lengths: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _rows(starts: Ints, which: Ints) -> tuple[Ints, Ints]:
    """The entries of these rows: the place of each entry's row in `which`, and of the entry."""
    first = starts[which]
    lengths = starts[which + 1] - first
    row = np.repeat(np.arange(len(which)), lengths)
    return row, np.arange(len(row)) + (first - (np.cumsum(lengths) - lengths))[row]
