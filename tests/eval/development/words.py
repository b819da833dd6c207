"""Words of a text as somebody would type them, in every language of the sets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .query import draw

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
# Chinese and Japanese have no spaces: runs of the same script are taken for words, and the
# grammatical particles and Hiragana between them are left out. A longer run of Chinese characters is
# several words; as nothing says where they end, it is left out as well.
_SCRIPTS = re.compile(r"[a-z0-9]+|[\u30a0-\u30ff]+|[\u4e00-\u9fff]+")
_PARTICLES = re.compile(r"[的与和及或在为了是将把被从到中上里于对并等以您你我们这那有可会请过]")
_LONGEST_RUN = 4  # Chinese characters

_STOP = {
    "en": """a an the and or of to in on for with from by at is are was be been it its this that
        these those you your i my we our they their as can will not no do does how what when where
        which who why if into than then so such all any more most also but about using use via
        just only other some has have s t""",
    "de": """der die das den dem des ein eine einen einem einer eines und oder von zu zum zur in im
        an am auf für mit aus bei ist sind war sein es sich dass du dein deine deinen deiner deinem
        ihr ihre wir unser sie er welches viele wieviel wem wen wessen als kann kannst werden wird wurde nicht kein keine wie was wenn
        wo welche wer warum um nach über durch auch aber nur noch alle mehr man diese dieser dieses
        hast hat haben erfahre seite erklärt""",
    "ru": """и в во не на я с со как а то все она так его но да ты к у же вы за бы по её мне было
        вот от меня ещё нет о из ему для при или это этот эта эти что чтобы если ваш ваши вашей
        можно может вам их когда где до без также только быть является какой какая какое
        какие каков какова каковы какого сколько кто чем чему кого чего почему зачем кому какую узнайте""",
    "zh": "",
    "ja": "",
}
STOP = {lang: frozenset(text.split()) for lang, text in _STOP.items()}


def words(text: str, lang: str) -> list[str]:
    """The words of a text in lower case, in order, repeated ones too."""
    text = text.lower()
    if lang not in ("zh", "ja"):
        return _WORD.findall(text)
    runs = _SCRIPTS.findall(_PARTICLES.sub(" ", text))
    return [run for run in runs if len(run) <= _LONGEST_RUN or not "\u4e00" <= run[0] <= "\u9fff"]


def content(text: str, lang: str) -> list[str]:
    """The different words of a text that are no function words, in order."""
    stop = STOP[lang]
    shortest = 2 if lang in ("zh", "ja") else 3
    found = dict.fromkeys(words(text, lang))
    return [word for word in found if word not in stop and len(word) >= shortest]


def plain(text: str) -> str:
    """A text for comparisons, in every language: its words, joined."""
    return " ".join(_WORD.findall(text.lower()))


def count_notes(texts: Iterable[str], lang: str) -> Counter[str]:
    """In how many of the texts each word occurs."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words(text, lang)))
    return counts


def some(found: list[str], counts: Counter[str], *, key: str, most: int = 4) -> list[str]:
    """Two to `most` of the words, drawn from the rarest that occur more than twice, in order."""
    known = sorted((word for word in found if counts[word] > 2), key=lambda word: counts[word])
    size = 2 + draw(most - 1, "size", key)
    rare = known[: max(size + 1, 5)]
    picked = sorted(rare, key=lambda word: draw(1 << 30, word, key))[:size]
    return [word for word in found if word in picked]
