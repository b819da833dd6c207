"""Queries that no note answers: those of another collection, and words that do not exist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from .query import DevQuery, draw

FOREIGN = "no answer, foreign"
NONSENSE = "no answer, nonsense"

_SYLLABLES = {
    "en": "bra cle dro fim gul hort jesk kov lun mep nist pog quil rax slen trub vind wom yat zep",
    "de": "bral dref gimp holz jach knur lemp morf nacht pfil quas rübs schlot tröm würz zwick",
    "ru": "бур вяз гром дуль жек зыб кры лошк мур няк опш псил рут скеб турк фыш хрюм цвал шлёп",
    "zh": "龘 靐 齉 爩 麤 灪 籱 鱻 癵 驫 厵 滟 爨 馫 饢 虋 讟 钃 鸜 麷",
}


def foreign(queries: Iterable[DevQuery], vault: str) -> Iterator[DevQuery]:
    """Queries made from another collection, asked of `vault`."""
    for query in queries:
        form = f"{query.kind} of {query.vault}"
        yield replace(query, vault=vault, kind=FOREIGN, form=form, relevant={}, hidden=())


def nonsense(vault: str, lang: str, known: Counter[str], count: int) -> Iterator[DevQuery]:
    """One to three words of two or three syllables, none of which the vault has."""
    syllables = _SYLLABLES[lang].split()
    for number in range(count):
        found = []
        for place in range(1 + draw(3, NONSENSE, lang, str(number))):
            keys = (vault, lang, str(number), str(place))
            size = 2 + draw(2, "size", *keys)
            found.append(
                "".join(syllables[draw(len(syllables), str(n), *keys)] for n in range(size))
            )
        if not any(known[word] for word in found):
            yield DevQuery(vault, NONSENSE, f"{len(found)} words", lang, " ".join(found), {})
