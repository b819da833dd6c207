"""Choosing the service that answers questions. Keys go to the keyring; nothing here returns one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from notewell.contract.ask_setup import AskSetupReply, AskSetupRequest, ChangeAskSetupRequest
from notewell.errors import ConfigError
from notewell.models.chat.services import (
    agree,
    check_in_force,
    keep_service_key,
    rules_of_service,
    setup_of,
)
from notewell.types import AskRules
from notewell.web.site import Site

_NO_FILE = "This server was started without a configuration file to change."


async def setup(site: Site, vault: str | None, _request: AskSetupRequest) -> AskSetupReply:
    """What answers questions, and which services could."""
    rules = await asyncio.to_thread(_rules, site, site.record(vault).path)
    return await asyncio.to_thread(setup_of, rules)


async def change_setup(
    site: Site, vault: str | None, request: ChangeAskSetupRequest
) -> AskSetupReply:
    """Answer questions with another service, or none, from now on."""
    rules = await asyncio.to_thread(_change, site, site.record(vault).path, request)
    check_in_force(rules, request.service)
    return await asyncio.to_thread(setup_of, rules)


def _change(site: Site, folder: Path, request: ChangeAskSetupRequest) -> AskRules:
    """Store the key, write the settings and use them; return them as they hold now."""
    if site.configuration is None:
        raise ConfigError(_NO_FILE)
    if request.service is not None:
        agree(request.service, request.host)
        if request.key is not None:
            keep_service_key(request.service, request.key.strip())
    site.configuration.use_chat_model(rules_of_service(request.service, request.model))
    site.vaults.use_sections(["ask"], site.configuration.settings)
    return _rules(site, folder)


def _rules(site: Site, folder: Path) -> AskRules:
    if site.configuration is None:
        raise ConfigError(_NO_FILE)
    return site.configuration.settings(folder).ask
