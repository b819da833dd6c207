"""The routes for those who look after a server: models, configuration, figures, who one is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from notewell.contract import manage as replies
from notewell.errors import ConfigError
from notewell.models.catalogue import CATALOGUE, ModelSpec
from notewell.models.fetch import locate
from notewell.types import Settings
from notewell.web import schema_manage
from notewell.web.callers import CALLER
from notewell.web.request_models import Asked, VaultAsked
from notewell.web.route import Route
from notewell.web.site import Site


async def session(_site: Site, _asked: Asked) -> replies.SessionReply:
    """Tell a caller what it may do."""
    caller = CALLER.get()
    return replies.SessionReply(caller.name, caller.scope)


async def models(site: Site, asked: VaultAsked) -> replies.CatalogueReply:
    """List the models of the catalogue."""
    engine = site.engine(asked.vault)
    settings = site.vaults.settings(engine.record)
    status = await engine.call(engine.status)
    views = await asyncio.to_thread(_views, settings)
    return replies.CatalogueReply(engine.record.name, settings.model.name, status.model, views)


async def stats(site: Site, asked: schema_manage.StatsAsked) -> replies.StatsReply:
    """Show a vault in figures."""
    engine = site.engine(asked.vault)
    return await engine.call(engine.stats, limit=asked.limit)


async def config(site: Site, asked: schema_manage.ConfigAsked) -> replies.ConfigReply:
    """Show the settings."""
    section = f"{asked.section}." if asked.section is not None else ""
    return await asyncio.to_thread(_config, site, asked.vault, lambda key: key.startswith(section))


async def change_config(site: Site, asked: schema_manage.ConfigChangesAsked) -> replies.ConfigReply:
    """Change settings in the configuration file."""
    changes = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in asked.changes.items()
    }
    if site.configuration is None:
        raise ConfigError("this server was started without a configuration file to change")
    folder = site.record(asked.vault).path
    await asyncio.to_thread(site.configuration.change, changes, folder)
    return await asyncio.to_thread(_config, site, asked.vault, changes.__contains__)


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


MANAGE_ROUTES: tuple[Route, ...] = (
    Route(
        method="GET",
        path="/api/session",
        name="session",
        summary="What the caller is called, and what it may do",
        asked=Asked,
        handle=session,
        reply=replies.SessionReply,
    ),
    Route(
        method="GET",
        path="/api/models",
        name="models",
        summary="The models there are, which of them is used, and which are on the disk",
        asked=VaultAsked,
        handle=models,
        reply=replies.CatalogueReply,
    ),
    Route(
        method="GET",
        path="/api/stats",
        name="stats",
        summary="A vault in figures: types, folders, tags, months, sizes, vectors",
        asked=schema_manage.StatsAsked,
        handle=stats,
        reply=replies.StatsReply,
        counts_as="heavy",
        example={"limit": 10},
    ),
    Route(
        method="GET",
        path="/api/config",
        name="config",
        summary="The settings, who set each, and which may be changed here",
        asked=schema_manage.ConfigAsked,
        handle=config,
        reply=replies.ConfigReply,
        example={"section": "search"},
    ),
    Route(
        method="PATCH",
        path="/api/config",
        name="change_config",
        summary="Change settings in the configuration file; the next start uses them",
        asked=schema_manage.ConfigChangesAsked,
        handle=change_config,
        reply=replies.ConfigReply,
        needs="admin",
        example={"changes": {"search.passages": 5}},
    ),
)
