"""Switches the phone index of a vault on and off: the setting and the file together."""

from __future__ import annotations

from notewell.config.edit import Configuration
from notewell.contract.phone import PhoneIndexReply
from notewell.engine.engine import Engine
from notewell.errors import NotewellError


def switch(configuration: Configuration, engine: Engine, *, on: bool) -> PhoneIndexReply:
    """Change the setting, and write the file or delete it; where that fails, neither is changed.

    Raises:
        ConfigError: the setting cannot be changed.
        NotewellError: what `PhoneIndex.switch` raises.

    """
    tending = engine.tending
    was_on = tending.phone.on
    configuration.phone_index(engine.record, wanted=on)
    try:
        return tending.switch_phone_index(on=on)
    except NotewellError:
        if was_on != on:
            configuration.phone_index(engine.record, wanted=was_on)
        raise
