"""The other forms of a word in a vault that is written in other languages than English.

The index has English stems, so *Kinder* and *Kind*, *journaux* and *journal* or *книгами* and
*книга* are different words for it. The words of the vault are grouped by their stems in each of its
languages (Snowball: Porter 2001, "Snowball: A language for stemming algorithms"), and a word of a
query stands for its group. In which languages a vault is written say their commonest words, or the
script. The stemmers read folded words, without accents, by which they miss few forms.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

import tantivy

from notewell.index.port import IndexReader, KeywordIndex
from notewell.search.facts.word_list import WordList, WordListCache, is_word

FindForms = Callable[[str], Sequence[str]]

# Words, folded, that nearly every text of a language has, and that English does not have.
_COMMON: Mapping[str, str] = {
    "Danish": "og ikke jeg af til er en et det som",
    "Dutch": "het de een niet van voor wij ik dat zijn",
    "Finnish": "ja etta ei oli han mutta se ovat",
    "French": "les des est une dans pour le la il un et que",
    "German": "der die das und nicht ist ein wir eine mit",
    "Hungarian": "az es hogy nem egy meg van volt",
    "Italian": "il la un una di che con del della sono nel gli",
    "Norwegian": "og ikke jeg av til er en et det som",
    "Portuguese": "nao uma para dos um da que em sao pelo mais",
    "Romanian": "si din este pentru cu nu un sau",
    "Spanish": "los las una para con el la un del que es en",
    "Swedish": "och att som inte det ett en om av pa",
    "Turkish": "bir bu icin ile cok olan gibi daha",
}
# What the stemmers leave: endings that stand for each other, by language.
_CHANGES: Mapping[str, Sequence[tuple[str, str]]] = {
    "French": (("aux", "ail"),),  # travaux, travail
    "Portuguese": (("oes", "ao"), ("aes", "ao"), ("eis", "el"), ("ais", "al"), ("ois", "ol")),
    "Spanish": (("ces", "z"),),  # luces, luz
}
_PARTICIPLE = re.compile("ge(?P<root>.{3,})t")  # German: gekauft, kaufen
_LEAST_COMMON = 3  # of these words that the vault has to have
_LEAST_SHARE = 0.02  # of the passages that have each of them
_FEWEST_LETTERS = 3  # of a word that has other forms
_MOST_FORMS = 12  # of one word, the commonest
_CYRILLIC, _GREEK = ("\u0400", "\u04ff"), ("\u0370", "\u03ff")


class InflectionsCache:
    """Finds the forms of words in one index. Thread-safe.

    Its languages are looked up again after each change, its words are grouped when they are needed.
    """

    def __init__(self) -> None:
        """Nothing is read before the first access."""
        self._lock = threading.Lock()
        self._languages: tuple[int, Sequence[str]] = (-1, ())  # of a generation of the index
        # By language, and whether they are the words that were read last.
        self._groups: dict[tuple[str, bool], tuple[WordList, Mapping[str, Sequence[str]]]] = {}

    def finder(self, index: IndexReader, words: WordListCache, text: str) -> FindForms | None:
        """Finds the forms of the words of a text; None where they can only be English."""
        if text.isascii() and not self._latin_languages(index):
            return None
        return partial(self.forms_of, index, words)

    def forms_of(self, index: IndexReader, words: WordListCache, word: str) -> Sequence[str]:
        """The other words of the vault with the same stem as a folded word, commonest first."""
        if len(word) < _FEWEST_LETTERS or not is_word(word):
            return ()
        languages = self._languages_of(index, word)
        if not languages:
            return ()
        with self._lock:
            current = words.current(index)
            lists = [current] if current.older is None else [current.older, current]
            forms = {form for language in languages for form in _changed(word, language)}
            for language in languages:
                for part in lists:
                    groups = self._grouped(part, language, added=part is not lists[0])
                    forms.update(groups.get(_stem(word, language), ()))
        return _commonest(index.keywords, forms - {word})

    def _languages_of(self, index: IndexReader, word: str) -> Sequence[str]:
        """The languages that a word may be of in this vault."""
        if _CYRILLIC[0] <= word[0] <= _CYRILLIC[1]:
            return ("Russian",)
        if _GREEK[0] <= word[0] <= _GREEK[1]:
            return ("Greek",)
        return self._latin_languages(index)

    def _latin_languages(self, index: IndexReader) -> Sequence[str]:
        """The languages of the vault in Latin letters, but English."""
        generation = index.text_generation
        known, languages = self._languages
        if known != generation:
            languages = find_languages(index.keywords)
            self._languages = generation, languages
        return languages

    def _grouped(
        self, words: WordList, language: str, *, added: bool
    ) -> Mapping[str, Sequence[str]]:
        """Words by their stems in a language."""
        of, groups = self._groups.get((language, added), (None, {}))
        if of is not words:
            groups = _group(words.words, language)
            self._groups[language, added] = words, groups
        return groups


def find_languages(keywords: KeywordIndex) -> Sequence[str]:
    """The languages in Latin letters, other than English, in which a vault has notes."""
    least = max(1.0, _LEAST_SHARE * keywords.document_count)
    common = {language: words.split() for language, words in _COMMON.items()}
    keywords.expect([word for words in common.values() for word in words])
    return tuple(
        language
        for language, words in common.items()
        if sum(keywords.document_frequency(word) >= least for word in words) >= _LEAST_COMMON
    )


def _commonest(keywords: KeywordIndex, forms: set[str]) -> Sequence[str]:
    keywords.expect(sorted(forms))
    counts = {form: keywords.document_frequency(form) for form in forms}
    known = sorted(form for form in forms if counts[form])
    return sorted(known, key=lambda form: -counts[form])[:_MOST_FORMS]


def _changed(word: str, language: str) -> Iterator[str]:
    """Yield the forms of a word with another ending, which may not exist."""
    for ending, other in _CHANGES.get(language, ()):
        for old, new in ((ending, other), (other, ending)):
            if word.endswith(old):
                yield word.removesuffix(old) + new
    if language == "German":
        participle = _PARTICIPLE.fullmatch(word)
        if participle is not None:
            yield f"{participle['root']}en"
        elif word.endswith("en"):
            yield f"ge{word.removesuffix('en')}t"


def _group(words: Sequence[str], language: str) -> Mapping[str, Sequence[str]]:
    stems = _stemmer(language).analyze(" ".join(words))
    groups: dict[str, list[str]] = defaultdict(list)
    for word, stem in zip(words, stems, strict=True):
        groups[stem].append(word)
    return dict(groups)


@lru_cache(maxsize=512)
def _stem(word: str, language: str) -> str:
    return "".join(_stemmer(language).analyze(word))


@lru_cache
def _stemmer(language: str) -> tantivy.TextAnalyzer:
    whitespace = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return whitespace.filter(tantivy.Filter.stemmer(language)).build()
