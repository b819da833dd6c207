"""Suggests a model that reads the notes of a vault better, and tells the cost of a service."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from notewell.base.types import ModelRules, PassageText, Settings, VaultRecord
from notewell.contract.manage import (
    LanguageShare,
    ServiceCost,
    SuggestedModel,
    SuggestReply,
)
from notewell.engine.ingest.embed import model_work
from notewell.index.port import Index
from notewell.models.catalogue import CATALOGUE, ModelSpec, find, find_model

# Code points, and the language that is written with them most; the first that fits counts.
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("ja", "\u3041-\u30ff"),
    ("ko", "\uac00-\ud7af"),
    ("zh", "\u4e00-\u9fff"),
    ("ru", "\u0400-\u04ff"),
    ("el", "\u0370-\u03ff"),
    ("ar", "\u0600-\u06ff"),
    ("he", "\u0590-\u05ff"),
    ("hi", "\u0900-\u097f"),
    ("th", "\u0e00-\u0e7f"),
)
_PATTERNS = tuple((code, re.compile(f"[{letters}]")) for code, letters in _SCRIPTS)
_LEAST_SHARE = 0.1  # of a text's letters in a script other than Latin
_COMMON: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the and of to is that it for was with are this have from not be on you they which",
        "de": "der die und das ist nicht ein eine mit den von zu auf für dem des im auch sich wird",
        "fr": "le la les et des est une dans que pour qui pas sur au par avec ce sont il du",
        "es": "el los las y que es una por con para del se como más su al lo pero está sus",
        "it": "il di che è la per un una non con del sono gli della le nel come più dei anche",
        "pt": "o os as e que é uma por com para do da não em se como mais dos ao são",
        "nl": "de het een en van is dat niet op te voor met zijn aan ook maar bij wordt naar om",
        "pl": "i w na z że nie jest się do to jak o po ale przez są dla od oraz może",
        "sv": "och att det som en är av för på med den till inte om ett har de kan sig men",
        "cs": "a je se na že to v s z do pro jako jsou ale nebo by také jeho když podle",
        "tr": "ve bir bu için ile de da olarak daha çok ne gibi kadar olan ama sonra en var her mi",
    }.items()
}
_FEWEST_HITS = 2
_WORD = re.compile(r"[^\W\d_]+")
NAMES: Mapping[str, str] = {
    "ar": "Arabic",
    "cs": "Czech",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "zh": "Chinese",
}
_SUGGESTED = "multilingual-e5-small-q4"
_FOREIGN_SHARE = 0.2  # of notes in languages that the model does not read
_SHOWN_SHARE = 0.02
_LETTERS = 600  # of each note are enough to tell its language
_SECONDS = 0.06  # a passage of a model of six layers, where nothing was embedded yet


def language_of(text: str) -> str | None:
    """The language of a text as an ISO 639-1 code; None if too little tells it."""
    letters = sum(map(str.isalpha, text))
    if not text.isascii():
        for code, pattern in _PATTERNS:
            if len(pattern.findall(text)) > _LEAST_SHARE * letters:
                return code
    words = Counter(_WORD.findall(text.casefold()))
    hits = {code: sum(words[word] for word in common) for code, common in _COMMON.items()}
    best = max(hits, key=hits.__getitem__)
    return best if hits[best] >= _FEWEST_HITS else None


def shares(texts: Iterable[str]) -> dict[str, float]:
    """The share of each language among the texts whose language is told, the largest first."""
    counted = Counter(code for text in texts if (code := language_of(text)) is not None)
    total = sum(counted.values())
    return {code: count / total for code, count in counted.most_common()}


@dataclass(frozen=True, slots=True)
class ModelSuggestions:
    """The suggestions for one vault."""

    record: VaultRecord
    settings: Settings
    index: Index

    def reply(self) -> SuggestReply:
        """The languages of the vault, the model that reads them, and a service's cost."""
        beginnings: dict[str, str] = {}
        tokens = passages = 0
        remote = self.settings.model.provider != "local"
        for passage in self.index.passages():
            passages += 1
            _begin(beginnings, passage)
            if remote:
                tokens += _tokens(passage.text)
        if self.settings.chunking.method == "semantic":
            tokens *= 2  # every sentence is read by itself too
        languages = shares(beginnings.values())
        return SuggestReply(
            vault=self.record.name,
            model=self.settings.model.name,
            languages=tuple(
                LanguageShare(code, NAMES[code], round(share, 3))
                for code, share in languages.items()
                if share >= _SHOWN_SHARE
            ),
            suggestion=self._suggestion(languages, passages),
            service=_cost(self.settings.model, passages, tokens) if remote else None,
            further_models=tuple(self._further_models(languages, passages)),
        )

    def waiting_service(self) -> ServiceCost | None:
        """The cost of the configured service, if nobody has allowed it; else None."""
        rules = self.settings.model
        host = None if self.settings.offline else service_host(rules)
        if host is None or host in rules.consent:
            return None
        return self.reply().service

    def _suggestion(self, languages: dict[str, float], passages: int) -> SuggestedModel | None:
        """The suggested model, None if the present one reads nearly all notes."""
        rules = self.settings.model
        used = find_model(rules.name) if rules.provider == "local" else None
        if used is None or not set(used.languages) <= set(NAMES):
            return None  # a service, a model of one's own, or one of many languages
        foreign = {code: share for code, share in languages.items() if code not in used.languages}
        unread = sum(foreign.values())
        if unread < _FOREIGN_SHARE:
            return None
        spec = find(_SUGGESTED)
        minutes = max(round(passages * self._seconds() * (spec.time or 1) / 60), 1)
        return SuggestedModel(
            name=spec.name,
            download_mb=spec.download_mb,
            minutes=minutes,
            reason=_reason(foreign, unread, used, spec, minutes),
        )

    def _further_models(
        self, languages: dict[str, float], passages: int
    ) -> Iterator[SuggestedModel]:
        """Models for the language of most notes that their authors measured to be better."""
        rules = self.settings.model
        used = find_model(rules.name) if rules.provider == "local" else None
        if (
            used is None
            or used.published is None
            or next(iter(languages), None) not in used.languages
        ):
            return
        for spec in CATALOGUE:
            better = spec.published is not None and spec.published > used.published
            if better and spec.languages == used.languages:
                minutes = self._estimate_minutes(spec, used, passages)
                reason = (
                    f"Its authors state an nDCG@10 of {spec.published:.2f} on BEIR, those of"
                    f" {used.name} {used.published:.2f}; we have not measured it."
                    f" {spec.download_mb} MB to download, and about {_minutes(minutes)} to embed"
                    " the vault again."
                )
                yield SuggestedModel(spec.name, spec.download_mb, minutes, reason)

    def _estimate_minutes(self, spec: ModelSpec, used: ModelSpec, passages: int) -> int:
        """Estimate by the layers of both models how long embedding the vault takes."""
        return max(round(passages * self._seconds() * spec.layers / used.layers / 60), 1)

    def _seconds(self) -> float:
        work = model_work(self.index)
        return work.seconds / work.embedded if work.embedded else _SECONDS


def service_host(rules: ModelRules) -> str | None:
    """The host to which notes are sent by these settings; None: they stay on this computer."""
    if rules.provider == "local":
        return None
    from notewell.models.remote.model import choose_model  # noqa: PLC0415 - as below

    one = choose_model(rules)
    return None if one.local else one.host


def _begin(beginnings: dict[str, str], passage: PassageText) -> None:
    begun = beginnings.get(passage.path, "")
    if len(begun) < _LETTERS:
        beginnings[passage.path] = f"{begun} {passage.text[:_LETTERS]}"


def _reason(
    foreign: dict[str, float], unread: float, used: ModelSpec, spec: ModelSpec, minutes: int
) -> str:
    first, *others = (NAMES[code] for code in foreign)
    languages = f"{first} or another language" if others else first
    read = " and ".join(NAMES[code] for code in used.languages)
    return (
        f"{unread:.0%} of the notes are in {languages}; {used.name} reads {read}. {spec.name}"
        f" reads them: {spec.download_mb} MB to download, and about {_minutes(minutes)} to embed"
        f" the vault again. {_gain(foreign, used, spec)}The present vectors stay, so returning"
        " costs nothing."
    )


def _gain(foreign: dict[str, float], used: ModelSpec, spec: ModelSpec) -> str:
    """A sentence on both models' quality in the first of the languages that was measured."""
    before, after = dict(used.quality), dict(spec.quality)
    measured = [code for code in foreign if code in before and code in after]
    if not measured:
        return ""
    code = measured[0]
    return (
        f"By meaning alone it finds {NAMES[code]} texts with a quality of {after[code]:.2f},"
        f" {used.name} with {before[code]:.2f} (nDCG@10, of 1). "
    )


def _minutes(minutes: int) -> str:
    return "a minute" if minutes == 1 else f"{minutes:,} minutes"


def _tokens(text: str) -> int:
    # The room of remote models is imported only for vaults that use one.
    from notewell.models.remote.client import estimated_tokens  # noqa: PLC0415

    return estimated_tokens(text)


def _cost(rules: ModelRules, passages: int, tokens: int) -> ServiceCost:
    from notewell.models.remote.model import choose_model, consent_text  # noqa: PLC0415 - as above
    from notewell.models.remote.services import estimate  # noqa: PLC0415 - as above

    one = choose_model(rules)
    costs = estimate(one.row, one.service, texts=passages, tokens=tokens, local=one.local)
    return ServiceCost(
        host=one.host,
        allowed=one.local or one.host in rules.consent,
        sent="Nothing leaves this computer." if one.local else consent_text(one),
        passages=costs.texts,
        tokens=costs.tokens,
        dollars=costs.dollars,
        prices_of=costs.prices_of,
    )
