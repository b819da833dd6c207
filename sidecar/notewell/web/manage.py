"""Answers for those who look after a server: models, configuration, who the caller is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from notewell.contract import manage as replies
from notewell.errors import ConfigError
from notewell.models.catalogue import CATALOGUE, ModelSpec
from notewell.models.fetch import locate
from notewell.types import Settings
from notewell.web.callers import CALLER
from notewell.web.site import Site


async def session(
    _site: Site, _vault: str | None, _request: replies.SessionRequest
) -> replies.SessionReply:
    """Tell a caller what it may do."""
    caller = CALLER.get()
    return replies.SessionReply(caller.name, caller.scope)


async def models(
    site: Site, vault: str | None, _request: replies.ModelsRequest
) -> replies.CatalogueReply:
    """List the models of the catalogue."""
    engine = site.engine(vault)
    settings = site.vaults.settings(engine.record)
    status = await engine.call(engine.status)
    views = await asyncio.to_thread(_views, settings)
    return replies.CatalogueReply(engine.record.name, settings.model.name, status.model, views)


async def config(
    site: Site, vault: str | None, request: replies.ConfigRequest
) -> replies.ConfigReply:
    """Show the settings."""
    section = f"{request.section}." if request.section is not None else ""
    return await asyncio.to_thread(_config, site, vault, lambda key: key.startswith(section))


async def change_config(
    site: Site, vault: str | None, request: replies.ChangeConfigRequest
) -> replies.ConfigReply:
    """Change settings in the configuration file."""
    changes = request.changes
    if site.configuration is None:
        raise ConfigError("this server was started without a configuration file to change")
    folder = site.record(vault).path
    await asyncio.to_thread(site.configuration.change, changes, folder)
    return await asyncio.to_thread(_config, site, vault, changes.__contains__)


def _config(site: Site, vault: str | None, among: Callable[[str], bool]) -> replies.ConfigReply:
    record = site.record(vault)
    running = site.vaults.settings(record)
    if site.configuration is None:
        return replies.ConfigReply(record.name, None, restart=False, settings=())
    return site.configuration.reply(record.name, record.path, running, among)


def _views(settings: Settings) -> tuple[replies.CatalogueModel, ...]:
    return tuple(_view(spec, settings) for spec in CATALOGUE)


def _view(spec: ModelSpec, settings: Settings) -> replies.CatalogueModel:
    configured = spec.name == settings.model.name
    own = settings.model.folder if configured else None
    folder = Path(own) if own is not None else None
    return replies.CatalogueModel(
        name=spec.name,
        dimensions=spec.dimensions,
        max_tokens=spec.max_tokens,
        languages=spec.languages,
        licence=spec.licence,
        download_mb=spec.download_mb,
        runtime=spec.runtime,
        configured=configured,
        present=locate(spec, model_dir=settings.model_dir, folder=folder) is not None,
    )
