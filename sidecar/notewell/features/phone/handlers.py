"""The request that switches the phone index: the server changes the setting with it."""

from __future__ import annotations

from collections.abc import Mapping

from notewell.api.errors import ConfigError
from notewell.api.server import Handler, Site
from notewell.features.phone.requests import PhoneIndexReply, SwitchPhoneIndex
from notewell.features.phone.service import switch


async def switch_phone_index(
    site: Site, vault: str | None, request: SwitchPhoneIndex
) -> PhoneIndexReply:
    """Write the phone index into a vault and keep it up to date, or delete it."""
    if site.configuration is None:
        raise ConfigError("this server was started without a configuration file to change")
    engine = site.engine(vault)
    return await engine.threads.call(switch, site.configuration, engine, on=request.on)


HANDLERS: Mapping[type, Handler] = {SwitchPhoneIndex: switch_phone_index}
