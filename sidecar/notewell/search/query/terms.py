"""The weighted terms of a query: its tokens, function words, spelling corrections, completions.

Function words hold a sentence together and say little about its topic. The idf of BM25 gives them
a low weight where the collection is prose, but notes are often lists and headings, in which "how"
and "my" are rare and would weigh as much as topics. So they count a quarter: on development sets,
English sentences, questions and link texts gain over counting half, and leaving them out gains
nothing more. In a language without a list here, all words count in full.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain

from notewell.base.types.frozen import frozen
from notewell.index.analyze import SPACELESS_CHARACTER, stem, tokens, words
from notewell.index.lexical import QueryTerm, idf
from notewell.index.port import IndexReader, KeywordIndex
from notewell.search.facts.inflections import FindForms
from notewell.search.facts.word_list import WordListCache
from notewell.search.query.spacing import words_together
from notewell.search.query.spelling import Fix, Speller, Spelling
from notewell.search.query.word_forms import other_forms, transliterate

MAX_TERMS = 96  # of a longer text (a pasted page), the rarest terms are its topic
FUNCTION_WORD_WEIGHT = 0.25
FEW, RARE_SHARE = 3, 0.01  # passages, and share of all, that have a word whose forms are looked for
INFLECTED_WEIGHT = 0.25  # of another form, where the vault has the word as it was typed
COMPLETION_WEIGHT = 0.5  # of a word that begins with the unfinished one
_MAX_COMPLETIONS = 12  # per unfinished word
_MIN_BEGINNING = 3  # letters of a word before the last one that may be a beginning
_MIN_HIGHLIGHT = 0.1  # of the highest weight; tokens with less are not highlighted

_ENGLISH = """
a about an and any are as at be been but by can could did do does for from had has have he her him
his how i if in into is it its may me my no not of on onto or our she should so some such than that
the their them then there these they this those to was we were what when where which while who
whom whose why will with would you your
"""
_GERMAN = """
aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein deine dem den der
des die dies diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es
etwas fur hat haben ich ihr ihre im in ist ja kann kannst kein keine konnen mein meine mich mir mit
muss nach nicht noch nur ob oder ohne sein seine sich sie sind so soll uber um und uns unter vom von
vor war warum was welche welcher welches wenn wer werden wie wird wo wurde zu zum zur
"""
_RUSSIAN = """
а без бы был была были было быть в вам вас весь во вот все всего вы где да для до его ее если есть
еще же за и из или им их к как какая какие какой когда который которые кто ли мне мой моя на над не
него нее нет ни них но о об он она они от по под при с со так также там то только ты у уже что чтобы
чем эта эти это этот я
"""  # noqa: RUF001 (Cyrillic letters on purpose)
# Words that say as little of a topic, but are worth as much as others if somebody types them.
_VAGUE = """
already also always another because before best better both different each either else even every
first get gets getting good got here just last less like make many more most much must need
never new next now one only other out own really same second see still take thing things three
two use used uses using very via want way well without yes yet
allem andere anderen anderer anderes ausserdem beide beiden beim bereits bietet dabei dafur daher
danach davon dazu dort drei ebenfalls eigene eigenen erst erste ersten etwa gibt hier immer jede
jeden jeder jedes jedoch jetzt kannst mehr mehrere musst neu neue neuen nun schon sehr sodass
stattdessen uber verwenden verwendest weitere weiteren wobei zwei
ваш ваша ваше ваши вашего вашей вашем вашу возможно второй другая другие другого другое другой
других каждый можете можно например новая новое новые новый нужно один одна одно первый поэтому
просто своего своей свои свой свою также теперь тоже только три уже
"""
_GROUPS = re.compile("[0-9]+")  # of a number that is written with joints
_AROUND_WORDS = '.,;:!?"()[]\u201c\u201d\u201e'
_LANGUAGES = tuple(frozenset(text.split()) for text in (_ENGLISH, _GERMAN, _RUSSIAN))
# Words that nearly every text of each of these languages has.
_TELLING = (("the", "and", "of"), ("und", "der", "nicht"), ("и", "не", "на"))
_HARDLY, _MIN_LIGHT = 0.01, 2  # share of the passages with one of them; function words in a query
_ENGLISH_FROM = 0.05  # share of the passages with "the": .14 to .88 in English vaults, else .02
_LIGHT = frozenset(_VAGUE.split()).union(*_LANGUAGES)


@frozen
class Terms:
    """The scored tokens of a query, in order of appearance.

    `weights`: occurrences times the weight of the term. `idf`: inverse document frequency as in
    BM25. `unknown`: tokens that do not occur in the collection. `alternatives` maps a word to the
    tokens that are searched for in its place, by weight: corrections and completions, and itself
    where it may be right. `offered` are tokens that are searched for besides: neighbouring words
    of the query as one word. `fixes` correct the spelling of the text. `begun` are the words that
    stand for those that begin with them; `completed` puts the likeliest in the place of an
    unfinished one. `lacking` are real words that the vault does not have, in whose place longer
    ones are searched for: it has nothing on "car" where it has "card".
    """

    weights: Mapping[str, float]
    idf: Mapping[str, float]
    unknown: frozenset[str]
    alternatives: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    offered: frozenset[str] = frozenset()
    fixes: tuple[Fix, ...] = ()
    begun: frozenset[str] = frozenset()
    completed: tuple[Fix, ...] = ()
    lacking: frozenset[str] = frozenset()

    def without(self, tokens: Collection[str]) -> Terms:
        kept = {token: weight for token, weight in self.weights.items() if token not in tokens}
        return replace(self, weights=kept, unknown=self.unknown.difference(tokens))

    @property
    def query(self) -> tuple[QueryTerm, ...]:
        """The terms to search the keyword index for: those that occur in it."""
        return tuple(
            QueryTerm(token, weight)
            for token, weight in self.weights.items()
            if token not in self.unknown
        )

    @property
    def _groups(self) -> tuple[tuple[str, ...], ...]:
        """The tokens by word: the alternatives for one word are together."""
        grouped = dict.fromkeys(tuple(tokens) for tokens in self.alternatives.values())
        single = self.weights.keys() - {token for tokens in grouped for token in tokens}
        return (*grouped, *((token,) for token in sorted(single)))

    @property
    def word_count(self) -> int:
        """The number of different words; alternatives for one count as one."""
        return len(self._groups)

    def total_idf(self, *, known: bool) -> float:
        """The weighted sum of the idf of all words, or only of those in the collection.

        Of the alternatives for one word, the weightiest counts; what is only offered does not.
        """
        weighted = {
            token: self.idf[token] * weight
            for token, weight in self.weights.items()
            if token not in self.offered and not (known and token in self.unknown)
        }
        groups = dict.fromkeys(tuple(tokens) for tokens in self.alternatives.values())
        best = sum(max(weighted.pop(token, 0.0) for token in group) for group in groups)
        return best + sum(weighted.values())

    def content_groups(self) -> tuple[tuple[str, ...], ...]:
        """The tokens that are searched for, by content word: any of a group says the word."""
        light = function_words(self.weights) | self.offered | self.unknown
        kept = (tuple(token for token in group if token not in light) for group in self._groups)
        return tuple(group for group in kept if group)

    def content_share(self) -> float:
        """The share of the known words, by idf, that is in words other than function words."""
        total = self.total_idf(known=True)
        light = function_words(self.weights)
        of_light = sum(
            self.idf[token] * self.weights[token]
            for token in self.weights
            if token in light and token not in self.unknown | self.offered
        )
        return max(0.0, 1.0 - of_light / total) if total > 0 else 1.0

    def highlight_weights(self) -> Mapping[str, float]:
        """The tokens to highlight, by weight times idf.

        None that nearly every passage contains, and function words only in a query of nothing else.
        """
        weights = {token: self.idf[token] * weight for token, weight in self.weights.items()}
        light = function_words(weights)
        content = {token: weight for token, weight in weights.items() if token not in light}
        weights = content or weights
        threshold = _MIN_HIGHLIGHT * max(weights.values())
        return {token: weight for token, weight in weights.items() if weight >= threshold}


def query_terms(
    index: IndexReader,
    text: str,
    *,
    typing: bool = False,
    finished: bool = False,
    correct: bool = True,
    speller: Speller | None = None,
    inflected: FindForms | None = None,
    synonyms: Mapping[str, Sequence[str]] | None = None,
) -> Terms:
    """The terms of `text`; of more than MAX_TERMS, the rarest.

    With `typing`, the last word also stands for the words that begin with it. So does any word that
    the vault does not have, unless `correct` is false; `finished` says that no letter of the last
    word is missing. Only words that begin nothing are corrected. A `speller` that is given has its
    words in memory. `inflected` finds the forms of a word in other languages than English.
    `synonyms` are the tokens that stand for a token of the text.
    """
    ordered = words(text)
    written = _without_beginnings(tokens(text), ordered)
    exact = _exact_terms(index, Counter(written))
    if len(exact.weights) >= MAX_TERMS:
        return exact
    speller = speller or Speller(index, WordListCache())
    last = ordered[-1] if ordered and text[-1:].isalnum() else None
    begun = _find_begun(index.keywords, ordered, exact.unknown, last, typing=typing, others=correct)
    if finished and last in begun:  # it finds no others, and is not corrected
        begun[last] = {last: 1.0}
    unfinished, light = {last} if typing else set(), function_words(exact.weights)
    content = [word for word in ordered if word not in light and word not in unfinished]
    find = None if _is_in_english(index.keywords, light) else inflected
    forms = _in_other_languages(index.keywords, content, find)
    forms |= _in_other_forms(index.keywords, content) | _in_one_number(written, exact.unknown)
    said = _with_words_together(synonyms or {}, words_together(index.keywords, text, light))
    forms |= _with_synonyms(index.keywords, {**begun, **forms}, said, exact.weights)
    begun = {word: group for word, group in begun.items() if word not in forms}
    spelling = Spelling()
    if correct:
        foreign, skip = _is_foreign(index.keywords, exact.weights), begun.keys() | forms.keys()
        spelling = speller.check(ordered, light, skip=skip, foreign=foreign)
        begun = {word: speller.beside_rare(word, group) for word, group in begun.items()}
        for word in exact.unknown.intersection(begun) - unfinished:
            begun[word] = {**begun[word], **speller.other_forms(word)}
        known = {*begun, *forms, *spelling.alternatives, *light}
        begun |= speller.within_words(exact.unknown.intersection(ordered) - known)
    alternatives = {**spelling.alternatives, **forms, **begun}
    if last in begun:  # the whole of a compound that ends in it is not finished either
        exact = exact.without(exact.unknown.difference(ordered))
    if not alternatives and not spelling.offered:
        return exact
    lacking = speller.real_words(exact.unknown.intersection(begun) - unfinished - light)
    terms = _with_others(index, exact, replace(spelling, alternatives=alternatives))
    terms = replace(terms, begun=frozenset(begun), lacking=lacking)
    if last is None or last not in begun or last in begun[last]:
        return terms
    return replace(terms, completed=(Fix((last,), next(iter(begun[last]))),))


def _without_beginnings(terms: Sequence[str], ordered: Collection[str]) -> list[str]:
    """The tokens without the beginnings of a number: who asks for 2.7.0 does not mean 2.7.1."""
    dotted = tuple(token for token in terms if "." in token)
    return [
        token
        for token in terms
        if token in ordered or not any(other.startswith(f"{token}.") for other in dotted)
    ]


def _in_other_forms(
    keywords: KeywordIndex, ordered: Sequence[str]
) -> dict[str, Mapping[str, float]]:
    """The words that the vault has in another form of English, each with its forms there."""
    possible = {word: other_forms(word) for word in dict.fromkeys(ordered)}
    for word, forms in possible.items():
        plain = None if frequency(keywords, word) else transliterate(word)
        possible[word] = forms if plain is None else (*forms, plain)
    keywords.expect([form for forms in possible.values() for form in forms])
    by_word: dict[str, Mapping[str, float]] = {}
    for word, forms in possible.items():
        there = [form for form in forms if stem(form) != stem(word) and frequency(keywords, form)]
        if there:
            own = [word] if frequency(keywords, word) else []
            by_word[word] = dict.fromkeys((*own, *there), 1.0)
    return by_word


def _in_other_languages(
    keywords: KeywordIndex, ordered: Sequence[str], inflected: FindForms | None
) -> dict[str, Mapping[str, float]]:
    """The words that the vault has in another form of another language, each with its forms there.

    A common word, such as the verb of a question, stands for itself.
    """
    by_word: dict[str, Mapping[str, float]] = {}
    if inflected is None:
        return by_word
    most = max(FEW, RARE_SHARE * keywords.document_count)
    for word in dict.fromkeys(ordered):
        own = frequency(keywords, word)
        if own > most:
            continue
        forms = [form for form in inflected(word) if stem(form) != stem(word)]
        if forms and own:
            by_word[word] = {word: 1.0, **dict.fromkeys(forms, INFLECTED_WEIGHT)}
        elif forms:
            by_word[word] = dict.fromkeys(forms, 1.0)
    return by_word


def _in_one_number(
    numbers: Sequence[str], unknown: Collection[str]
) -> dict[str, Mapping[str, float]]:
    """The groups of a number that the vault has in one piece alone, which stands for each of them.

    Who types an ISBN with its hyphens finds the note that has it without, which has none of the
    groups.
    """
    forms: dict[str, Mapping[str, float]] = {}
    for token in unknown:
        whole = "".join(parts := _GROUPS.findall(token))
        if len(parts) > 1 and whole in numbers and whole not in unknown:
            forms |= {part: {whole: 1.0} for part in parts}
    return forms


def _with_words_together(
    synonyms: Mapping[str, Sequence[str]], together: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """The synonyms, and for a word the words that it is a part of in the vault."""
    added = {word: (*synonyms.get(word, ()), *wholes) for word, wholes in together.items()}
    return {**synonyms, **added}


def _with_synonyms(
    keywords: KeywordIndex,
    groups: Mapping[str, Mapping[str, float]],
    synonyms: Mapping[str, Sequence[str]],
    exact: Collection[str],
) -> dict[str, Mapping[str, float]]:
    """The words of a query that the vault has by another name, with all they may stand for."""
    said = {word: others for word, others in synonyms.items() if word in exact}
    keywords.expect([other for others in said.values() for other in others])
    by_word: dict[str, Mapping[str, float]] = {}
    for word, others in said.items():
        there = [other for other in others if frequency(keywords, other)]
        if there:
            own = groups.get(word) or ({word: 1.0} if frequency(keywords, word) else {})
            by_word[word] = {**own, **dict.fromkeys(there, 1.0)}
    return by_word


def _is_foreign(keywords: KeywordIndex, tokens: Collection[str]) -> bool:
    """Tell whether a query is in a language that the vault hardly has, but another language."""
    held = [len(language.intersection(tokens)) for language in _LANGUAGES]
    if max(held) < _MIN_LIGHT:
        return False
    most = _HARDLY * keywords.document_count
    has = [max(map(keywords.document_frequency, telling)) > most for telling in _TELLING]
    return any(has) and not has[held.index(max(held))]


def _is_in_english(keywords: KeywordIndex, light: frozenset[str]) -> bool:
    """Tell from the function words of a query of an English vault whether it is in English."""
    return bool(light) and light <= _LANGUAGES[0] and is_english(keywords)


def is_english(keywords: KeywordIndex) -> bool:
    """Tell whether a vault is written in English, and not in a language with some English words."""
    return keywords.document_frequency("the") >= _ENGLISH_FROM * keywords.document_count


def _find_begun(
    keywords: KeywordIndex,
    ordered: Sequence[str],
    unknown: Collection[str],
    last: str | None,
    *,
    typing: bool,
    others: bool,
) -> dict[str, Mapping[str, float]]:
    """The words of a query that stand for those that begin with them, each with these by weight.

    They are the `last` one with `typing`, and with `others` those that the vault does not have.
    """
    begun: dict[str, Mapping[str, float]] = {}
    for word in dict.fromkeys(ordered):
        is_last = word == last
        least = 1 if is_last else _MIN_BEGINNING
        if (is_last and typing) or (others and word in unknown and len(word) >= least):
            completed = completions(keywords, word)
            own = {} if word in unknown else {word: 1.0}
            if completed:
                begun[word] = {**own, **completed}
    return begun


def _with_others(index: IndexReader, exact: Terms, spelling: Spelling) -> Terms:
    """The terms with the words that they may stand for; one that cannot be right is left out."""
    alternatives, offered = spelling.alternatives, spelling.offered
    # In a fixed order, which that of the sums is too: else scores differ in their last digits.
    others = list(dict.fromkeys([*chain.from_iterable(alternatives.values()), *offered]))
    added = tuple(token for token in others if token not in exact.weights)
    extra = _exact_terms(index, Counter(added))
    idfs = {**extra.idf, **exact.idf}
    weights = {
        token: weight for token, weight in exact.weights.items() if token not in alternatives
    }
    for word, group in alternatives.items():
        common = min(idfs[token] for token in group)
        for token, share in group.items():
            # A rare word among the alternatives is worth no more than the commonest one.
            even = share * common / idfs[token] if idfs[token] > 0 else share
            of_word = exact.weights[word] if token == word else 1.0
            weights[token] = max(of_word * even, weights.get(token, 0.0))
    for token, weight in offered.items():
        weights[token] = max(weight, weights.get(token, 0.0))
    order = {token: at for at, token in enumerate((*exact.weights, *others))}
    return Terms(
        weights=dict(sorted(weights.items(), key=lambda item: order[item[0]])),
        idf=idfs,
        unknown=exact.unknown & weights.keys(),
        alternatives=alternatives,
        offered=frozenset(offered) - exact.weights.keys(),
        fixes=spelling.fixes,
    )


def _exact_terms(index: IndexReader, counts: Counter[str]) -> Terms:
    index.keywords.expect(tuple(counts))
    documents = index.keywords.document_count
    frequencies = {token: min(frequency(index.keywords, token), documents) for token in counts}
    if len(counts) > MAX_TERMS:
        rarest = sorted(counts, key=lambda token: frequencies[token] or documents)
        counts = Counter({token: counts[token] for token in rarest[:MAX_TERMS]})
    light = function_words(counts)
    return Terms(
        weights={
            token: count * (FUNCTION_WORD_WEIGHT if token in light else 1.0)
            for token, count in counts.items()
        },
        idf={token: idf(frequencies[token], documents) for token in counts},
        unknown=frozenset(token for token in counts if not frequencies[token]),
    )


def frequency(keywords: KeywordIndex, token: str) -> int:
    """In how many documents, or else in how many notes by their properties, a token occurs."""
    return keywords.document_frequency(token) or keywords.note_frequency(token)


def function_words(tokens: Collection[str]) -> frozenset[str]:
    """The function words among `tokens`, in the one language that has most of them."""
    return max((language.intersection(tokens) for language in _LANGUAGES), key=len)


def content_words(text: str) -> list[str]:
    """The words of a text as they are written, without function words, each once.

    In a script without spaces, every second pair of characters stands for a word.
    """
    light = function_words(tokens(text))
    written = dict.fromkeys(
        part
        for word in text.split()
        for part in (
            words(word)[::2] if SPACELESS_CHARACTER.search(word) else [word.strip(_AROUND_WORDS)]
        )
    )
    return [word for word in written if any(token not in light for token in words(word))]


def says_little(token: str) -> bool:
    """Tell whether a token is a function word, or as vague, in any language with a list here."""
    return token in _LIGHT


def completions(keywords: KeywordIndex, token: str) -> dict[str, float]:
    """The most frequent words of the vault that begin with `token`, each with its weight.

    The rarer a word is, beside the most frequent one, the less it weighs. Function words only where
    there are no others.
    """
    terms = keywords.terms_with_prefix(token, _MAX_COMPLETIONS + 1)
    longer = [(word, count) for word, count in terms if word != token]
    content = [(word, count) for word, count in longer if not says_little(word)]
    kept = (content or longer)[:_MAX_COMPLETIONS]
    return {word: COMPLETION_WEIGHT * math.sqrt(count / kept[0][1]) for word, count in kept}
