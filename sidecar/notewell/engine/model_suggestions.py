"""Whether another model would read the notes of a vault better, and what a service would cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from notewell.base.types import ModelRules, PassageText, Settings, VaultRecord
from notewell.contract.manage import (
    LanguageShare,
    ServiceCost,
    SuggestedModel,
    SuggestReply,
)
from notewell.engine.ingest.embed import model_work
from notewell.index.port import Index
from notewell.models.catalogue import ModelSpec, find, known
from notewell.models.languages import NAMES, shares

_SUGGESTED = "multilingual-e5-small-q4"
_FOREIGN_SHARE = 0.2  # of notes in languages that the model does not read
_SHOWN_SHARE = 0.02
_LETTERS = 600  # of each note are enough to tell its language
_SECONDS = 0.06  # a passage of a model of six layers, where nothing was embedded yet


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
        found = shares(beginnings.values())
        return SuggestReply(
            vault=self.record.name,
            model=self.settings.model.name,
            languages=tuple(
                LanguageShare(code, NAMES[code], round(share, 3))
                for code, share in found.items()
                if share >= _SHOWN_SHARE
            ),
            suggestion=self._suggestion(found, passages),
            service=_cost(self.settings.model, passages, tokens) if remote else None,
        )

    def waiting_service(self) -> ServiceCost | None:
        """What the configured service would be sent, if nobody has allowed it; else None."""
        rules = self.settings.model
        host = None if self.settings.offline else service_host(rules)
        if host is None or host in rules.consent:
            return None
        return self.reply().service

    def with_consent(self, hosts: tuple[str, ...]) -> ModelSuggestions:
        """The same where notes may be sent to these hosts."""
        model = replace(self.settings.model, consent=hosts)
        return replace(self, settings=replace(self.settings, model=model))

    def _suggestion(self, found: dict[str, float], passages: int) -> SuggestedModel | None:
        """The suggested model, None if the present one reads nearly all notes."""
        rules = self.settings.model
        used = known(rules.name) if rules.provider == "local" else None
        if used is None or not set(used.languages) <= set(NAMES):
            return None  # a service, a model of one's own, or one of many languages
        foreign = {code: share for code, share in found.items() if code not in used.languages}
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

    def _seconds(self) -> float:
        """How long a passage takes on this computer."""
        work = model_work(self.index)
        return work.seconds / work.embedded if work.embedded else _SECONDS


def service_host(rules: ModelRules) -> str | None:
    """The host to which notes are sent by these settings; None: they stay on this computer."""
    if rules.provider == "local":
        return None
    from notewell.models.remote.settings import chosen  # noqa: PLC0415 - as below

    one = chosen(rules)
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
    """How much better the model finds notes in the first of the languages that were measured."""
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
    from notewell.models.remote.batches import estimated_tokens  # noqa: PLC0415

    return estimated_tokens(text)


def _cost(rules: ModelRules, passages: int, tokens: int) -> ServiceCost:
    from notewell.models.remote.settings import chosen, consent_text  # noqa: PLC0415 - as above
    from notewell.models.remote.table import estimate  # noqa: PLC0415 - as above

    one = chosen(rules)
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
