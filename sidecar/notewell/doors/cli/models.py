"""`notewell models`: lists, gets and locates embedding models."""

from __future__ import annotations

from pathlib import Path

import click

from notewell.base.errors import NotFoundError
from notewell.base.types import Device, Settings
from notewell.contract.manage import ServiceCost, SuggestReply, SuggestRequest
from notewell.doors.cli.asking import asking
from notewell.doors.cli.index import cost_text
from notewell.doors.cli.options import Group, agree, current_invocation, json_option, runnable
from notewell.doors.cli.output import emit_object, print_facts, print_table
from notewell.models.catalogue import CATALOGUE, RERANKERS, ModelSpec, find
from notewell.models.fetch import adopt, fetch, locate


@click.group(cls=Group)
def models() -> None:
    """List, get and locate embedding models."""


@models.command("list")
@json_option
def list_models(as_json: bool) -> None:
    """List the models of the catalogue and whether they are on this computer."""
    settings = current_invocation().settings()
    local_models = [(spec, model_folder(spec, settings)) for spec in CATALOGUE]
    if as_json:
        rerankers = [_reranker_view(spec, settings) for spec in RERANKERS]
        views = [_view(spec, folder, settings) for spec, folder in local_models]
        devices = {"configured": settings.model.device, "available": _devices()}
        emit_object({"models": views, "rerankers": rerankers, "devices": devices})
        return
    reranker = settings.search.reranker if settings.search.rerank else None
    rows = [
        _row(spec, folder, used=spec.name == settings.model.name, dims=str(spec.dimensions))
        for spec, folder in local_models
    ]
    rows += [
        _row(spec, model_folder(spec, settings), used=spec.name == reranker, dims="reranker")
        for spec in RERANKERS
    ]
    headings = (
        "used",
        "name",
        "dims",
        "tokens",
        "size",
        "time",
        "here",
        "languages",
        "quality",
        "BEIR",
    )
    print_table(headings, rows, right=("dims", "tokens", "size", "time"))
    offered = ", ".join(_devices())
    click.echo(f"\nDevice (model.device): {settings.model.device}; here there is: {offered}")


def _devices() -> tuple[Device, ...]:
    from notewell.models.devices import available_devices  # noqa: PLC0415 - loads onnxruntime

    return available_devices()


def _row(spec: ModelSpec, folder: Path | None, *, used: bool, dims: str) -> tuple[str, ...]:
    """Return a model's row of the table."""
    return (
        "yes" if used else "",
        spec.name,
        dims,
        str(spec.max_tokens),
        f"{spec.download_mb} MB",
        f"{spec.time:g}x" if spec.time is not None else "",
        "yes" if folder is not None else "no",
        ", ".join(spec.languages),
        ", ".join(f"{language} {gain:.2f}" for language, gain in spec.quality),
        f"{spec.published:.2f}" if spec.published is not None else "",
    )


@models.command("get")
@click.argument("name", required=False)
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Copy the files from this folder instead of downloading them.",
)
def get_model(name: str | None, folder: Path | None) -> None:
    """Get the model NAME (by default the configured one), check it, and print where it is."""
    invocation = current_invocation()
    settings = invocation.settings()
    spec = find(name or settings.model.name)
    if folder is not None:
        files = adopt(spec, folder, model_dir=settings.model_dir)
    else:
        files = fetch(
            spec,
            model_dir=settings.model_dir,
            folder=_own_folder(spec, settings),
            offline=settings.offline,
            say=invocation.say,
        )
    click.echo(files.folder)


def _show_suggestion(suggestion: SuggestReply) -> None:
    languages = ", ".join(
        f"{language.name} {language.share:.0%}" for language in suggestion.languages
    )
    print_facts([("model", suggestion.model), ("languages", languages or "not known")])
    if suggestion.service is not None:
        _show_cost(suggestion.service)
    if suggestion.suggestion is not None:
        click.echo(f"\n{suggestion.suggestion.reason}")
        click.echo(runnable(f"Use it with `notewell index --model {suggestion.suggestion.name}`"))
    elif suggestion.service is None:
        click.echo("\nThe model reads these notes.")
    for model in suggestion.further_models:
        click.echo(f"\n{model.name}: {model.reason}")
    if suggestion.further_models:
        click.echo(runnable("\nTry one with `notewell index --model NAME`; the vectors stay."))


def _show_cost(service: ServiceCost) -> None:
    click.echo(f"\n{cost_text(service)}")
    if not service.allowed:
        click.echo(
            runnable(f"Nothing is sent yet; `notewell models allow {service.host}` allows it")
        )


models.add_command(
    asking(
        "suggest",
        SuggestRequest,
        "Suggest a model that reads the vault's languages; shows what a service would cost.",
        _show_suggestion,
    )
)


@models.command("allow")
@click.argument("host", required=False)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--forbid", is_flag=True, help="Send nothing there any more.")
@click.option("--set-key", is_flag=True, help="Store the service's key in the system's keyring.")
def allow_host(host: str | None, yes: bool, forbid: bool, set_key: bool) -> None:
    """Allow sending notes to HOST (by default that of the configured service)."""
    from notewell.models.remote.model import choose_model, consent_text, store_key  # noqa: PLC0415 - loads the HTTP client

    invocation = current_invocation()
    rules = invocation.settings().model
    if host is None or set_key:
        one = choose_model(rules)
        host = host or one.host
        if not forbid:
            click.echo(consent_text(one))
    if set_key:
        store_key(rules, click.prompt("Key", hide_input=True, default="", show_default=False))
    if not forbid:
        agree(f"May Notewell send the text of your notes and searches to {host}?", yes=yes)
    invocation.configuration().list_item("model.consent", host, wanted=not forbid)
    click.echo(f"{host} is {'forbidden' if forbid else 'allowed'}.")


@models.command("path")
@click.argument("name", required=False)
def model_path(name: str | None) -> None:
    """Print the folder of the model NAME (by default the configured one)."""
    settings = current_invocation().settings()
    spec = find(name or settings.model.name)
    folder = model_folder(spec, settings)
    if folder is None:
        raise NotFoundError(
            f"{spec.name} is not on this computer; get it with `notewell models get {spec.name}`"
        )
    click.echo(folder)


def model_folder(spec: ModelSpec, settings: Settings) -> Path | None:
    """Return the folder of a model on this computer; None where it is not here."""
    files = locate(spec, model_dir=settings.model_dir, folder=_own_folder(spec, settings))
    return files.folder if files is not None else None


def _own_folder(spec: ModelSpec, settings: Settings) -> Path | None:
    """Return the folder that the settings name; it holds the configured model only."""
    folder = settings.model.folder
    return Path(folder) if folder is not None and spec.name == settings.model.name else None


def _view(spec: ModelSpec, folder: Path | None, settings: Settings) -> dict[str, object]:
    return {
        "name": spec.name,
        "dimensions": spec.dimensions,
        "max_tokens": spec.max_tokens,
        "languages": spec.languages,
        "licence": spec.licence,
        "download_mb": spec.download_mb,
        "time": spec.time,
        "quality": dict(spec.quality),
        "published": spec.published,
        "runtime": spec.runtime,
        "configured": spec.name == settings.model.name,
        "path": str(folder) if folder is not None else None,
    }


def _reranker_view(spec: ModelSpec, settings: Settings) -> dict[str, object]:
    """The same of a reranker: no vectors, and configured only where results are reranked."""
    view = _view(spec, model_folder(spec, settings), settings)
    del view["dimensions"]
    configured = settings.search.rerank and spec.name == settings.search.reranker
    return {**view, "configured": configured}
