"""Writes the phone index of one vault: when a person switches it on, and then once an hour."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress

from notewell.api import OpenFeature, OpenVault
from notewell.api.errors import ConfigError, NotewellError, ReadOnlyError, UsageError, WriteError
from notewell.api.files import disk, open_plain
from notewell.api.requests import iso
from notewell.api.types import VaultRecord
from notewell.api.vault import RunProgress
from notewell.contract.status import Trigger
from notewell.engine.configuration import Configuration
from notewell.engine.engine import Engine
from notewell.features.phone import PhoneRules
from notewell.features.phone.contents import (
    HEADER,
    STAMP_BYTES,
    Amount,
    MatchRule,
    PhoneFigures,
    PhoneHead,
    amount,
    contents,
    describe_left_out,
    encode,
    fitting,
    is_ours,
    read_figures,
)
from notewell.features.phone.requests import (
    PhoneIndexReply,
    PhoneIndexRequest,
    PhoneIndexSize,
    SwitchPhoneIndex,
)
from notewell.models.query_table import QueryTable
from notewell.search.rank.candidates import CosineMap
from notewell.search.show import similar_relevance
from notewell.vault.paths import PHONE_INDEX, unfinished_phone_indexes

HOURLY = "0 * * * *"
_HOUR_S = 3600.0
_MEGABYTE = 1_000_000
KEY = "phone.index"


def is_on(rules: PhoneRules, record: VaultRecord) -> bool:
    """True if the settings have a phone index for a vault."""
    if isinstance(rules.index, bool):
        return rules.index
    return record.id in rules.index or record.name in rules.index


def open_feature(vault: OpenVault) -> OpenFeature:
    """The phone index of a vault, with what answers each request."""
    phone = PhoneIndex(vault)

    def follow() -> None:
        vault.schedule.follow("phone", HOURLY if phone.on else "")

    def switch(request: SwitchPhoneIndex) -> PhoneIndexReply:
        reply = phone.switch(on=request.on)
        follow()
        return reply

    return OpenFeature(
        answers={PhoneIndexRequest: lambda _: phone.reply(), SwitchPhoneIndex: switch},
        runs={"phone": phone.begin_due},
        events={"vault_opened": follow},
    )


class PhoneIndex:
    """The phone index of one vault. Any thread."""

    def __init__(self, vault: OpenVault) -> None:
        rules = vault.settings().of(PhoneRules)
        self._vault = vault
        self._limit = int(rules.megabytes * _MEGABYTE)
        self._file = vault.record.path / PHONE_INDEX
        self.on = is_on(rules, vault.record)  # it is written

    def reply(self) -> PhoneIndexReply:
        """The file that is there, and what would be written now."""
        figures, size, problem = self._present()
        there = self._amount()
        return PhoneIndexReply(
            vault=self._vault.record.name,
            on=self.on,
            path=PHONE_INDEX,
            place=str(self._file),
            bytes=size,
            written=iso(figures.made) if figures else None,
            notes=figures.notes if figures else 0,
            passages=figures.passages if figures else 0,
            dimensions=figures.dimensions if figures else 0,
            table_bytes=figures.table_bytes if figures else 0,
            problem=self._refusal() or problem,
            expected=_expected_size(there, fitting(there, self._limit)) if there.notes else None,
        )

    def switch(self, *, on: bool) -> PhoneIndexReply:
        """Write the file now, and keep it up to date; or delete it. A person has confirmed it.

        Raises:
            ReadOnlyError: this kind of vault has none, or another file has its name.
            UsageError: the index has no vectors yet.
            WriteError: the file cannot be written or deleted.
            AlreadyRunningError: it is being written.

        """
        if on:
            self.write("manual")
        else:
            self._delete()
        self.on = on
        return self.reply()

    def write(self, trigger: Trigger) -> None:
        """Write the file in this thread; raises as `switch`."""
        self._check()
        self._vault.runs.now("phone", trigger, self._write)

    def begin_due(self) -> None:
        """Begin to write the file, if it is on, out of date and not written within an hour.

        Raises as `RunLog.start`.
        """
        if not self.on or self._refusal() is not None or not self._amount().notes:
            return
        latest = self._vault.runs.log.latest("phone")
        if latest is not None and 0 <= time.time() - latest < _HOUR_S:
            return
        figures, _, _ = self._present()
        if figures is None or figures.stamp != self._stamp():
            self._vault.runs.begin("phone", "schedule", self._write)

    def _check(self) -> None:
        refusal = self._refusal()
        if refusal is not None:
            raise ReadOnlyError(refusal)
        if not self._amount().notes:
            raise UsageError(
                "No passage of this vault has a vector yet, so there is nothing to write. Index it"
                " with a model first: `notewell index`."
            )

    def _refusal(self) -> str | None:
        """Why no file is written to this vault; None: it may be."""
        if self._vault.record.source != "folder":
            return (
                "Only a vault that is a folder of this computer has a phone index: this one is a"
                " copy, and what is written there reaches no phone."
            )
        if not is_ours(self._start()) and self._file.exists():
            return f"{self._file} is another program's file; it is not replaced. Rename it."
        return None

    def _amount(self) -> Amount:
        self._use_model()
        return amount(self._vault.index, self._table())

    def _table(self) -> QueryTable | None:
        """The query table of the model whose vectors are written."""
        return self._vault.query_table(self._vault.index.vectors.model)

    def _use_model(self) -> None:
        """A reader's index searches with no model until it is told; the vectors are all we need."""
        index = self._vault.index
        kept = index.current_model()
        if index.vectors.model is None and kept is not None:
            index.use_model(kept.key, kept.dimensions)

    def _write(self, progress: RunProgress) -> None:
        index, stamp = self._vault.index, self._stamp()
        there = self._amount()
        kept = fitting(there, self._limit)
        cosines = CosineMap.between_passages(self._vault.embedder())
        head = PhoneHead(
            model=str(index.vectors.model),
            model_dimensions=there.dimensions,
            dimensions=kept.dimensions,
            made=time.time(),
            scale=cosines.scale,
            shift=cosines.shift,
            match=MatchRule(*similar_relevance.MEANING_RULE),
            stamp=stamp,
        )
        phone_index = contents(index, self._table(), kept, head, progress.check)
        content = encode(phone_index)
        self._replace(content)
        progress.counts.update(
            notes=len(phone_index.notes), passages=len(phone_index.lines), bytes=len(content)
        )

    def _replace(self, content: bytes) -> None:
        try:
            for left in unfinished_phone_indexes(self._vault.record.path):
                left.unlink(missing_ok=True)  # of a process that was killed; runs exclude others
            disk.replace(self._file, content, mode=disk.SHARED, durable=True)
        except OSError as error:
            raise WriteError(
                f"The phone index cannot be written to {self._file} ({error.strerror or error});"
                " the file that was there is unchanged. Make room, or check that the folder may"
                " be written to."
            ) from error

    def _delete(self) -> None:
        """Delete the file if it is ours; another program's stays."""
        if not is_ours(self._start()):
            return
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            raise WriteError(f"{self._file} cannot be deleted: {error.strerror}") from error

    def _stamp(self) -> bytes:
        """A digest of the state a file is made of; it changes with every change of the index."""
        index = self._vault.index
        table = self._table()
        fitted = 0.0 if table is None else table.head.made
        model = index.vectors.model
        made_of = f"{index.identity} {index.generation} {model} {self._limit} {fitted}"
        return hashlib.blake2b(made_of.encode(), digest_size=STAMP_BYTES).digest()

    def _start(self) -> bytes:
        with suppress(OSError), open_plain(self._file) as stream:
            return stream.read(HEADER.size)
        return b""

    def _present(self) -> tuple[PhoneFigures | None, int | None, str | None]:
        """The figures of the file that is there, its size, and what is wrong with it."""
        try:
            size = self._file.stat().st_size
        except OSError:
            return None, None, None
        try:
            return read_figures(self._start(), size), size, None
        except ValueError as error:
            return None, size, f"The file that is there is not used: {error}."


def _expected_size(there: Amount, kept: Amount) -> PhoneIndexSize:
    return PhoneIndexSize(
        bytes=kept.file_bytes,
        notes=kept.notes,
        passages=kept.passages,
        dimensions=kept.dimensions,
        table_bytes=kept.table_bytes,
        shortened=describe_left_out(there, kept),
    )


def switch(configuration: Configuration, engine: Engine, *, on: bool) -> PhoneIndexReply:
    """Change the setting, and write the file or delete it; where that fails, neither is changed.

    Raises:
        ConfigError: the setting cannot be changed.
        NotewellError: what `PhoneIndex.switch` raises.

    """
    was_on = engine.answer(PhoneIndexRequest()).on
    change_setting(configuration, engine.record, wanted=on)
    try:
        return engine.answer(SwitchPhoneIndex(on))
    except NotewellError:
        if was_on != on:
            change_setting(configuration, engine.record, wanted=was_on)
        raise


def change_setting(configuration: Configuration, record: VaultRecord, *, wanted: bool) -> None:
    """Have a phone index in a vault or not, in the per-user file.

    Raises ConfigError, also where the file has one in every vault and this is to have none.
    """
    if configuration.of_user().of(PhoneRules).index is True:
        if not wanted:
            raise ConfigError(
                f"{configuration.file} has a phone index in every vault (phone.index = true). Write"
                " the ids of the vaults that shall have one there instead."
            )
        return
    if not wanted:
        configuration.list_item(KEY, record.name, wanted=False)
    configuration.list_item(KEY, record.id, wanted=wanted)
