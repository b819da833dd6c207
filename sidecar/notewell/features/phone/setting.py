"""Switches the phone index of a vault on and off: the setting and the file together."""

from __future__ import annotations

from notewell.base.errors import ConfigError, NotewellError
from notewell.base.types import VaultRecord
from notewell.engine.configuration import Configuration
from notewell.engine.engine import Engine
from notewell.features.phone import PhoneRules
from notewell.features.phone.requests import (
    PhoneIndexReply,
    PhoneIndexRequest,
    SwitchPhoneIndex,
)

KEY = "phone.index"


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
