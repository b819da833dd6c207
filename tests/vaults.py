"""Vaults for tests: notes written to a folder, and an engine opened over it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from notewell.base.types import Embedder, ModelRules, Settings, VaultRecord, VaultRules
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.models.loading import load_embedder
from tests.tiny_model import write_tiny_model

QUIET = VaultRules(watch="off", reconcile_at="")  # nothing happens that a test does not ask for


def write_notes(vault: Path, notes: Mapping[str, str]) -> Path:
    """Write the texts of notes by their paths; returns the folder."""
    for path, text in notes.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(text.encode())
    return vault


def tiny_rules(home: Path) -> ModelRules:
    """The rules of a tiny model, whose weights are written into `home`."""
    folder = str(write_tiny_model(home / "tiny"))
    return ModelRules(name="tiny", folder=folder, quantisation="fp32", threads=1)


@contextmanager
def tiny_model(home: Path) -> Iterator[Embedder]:
    """The tiny model, loaded; its weights are written into `home`."""
    loaded = load_embedder(
        tiny_rules(home),
        model_dir=home / "models",
        offline=True,
        fetch_missing=False,
        say=lambda _: None,
    )
    try:
        yield loaded
    finally:
        loaded.close()


def settings_in(home: Path, **parts: Any) -> Settings:
    """Settings whose folders are in `home`, offline unless `parts` say otherwise."""
    places = {"data_dir": "data", "model_dir": "models", "state_dir": "state"}
    return Settings(
        **({name: home / place for name, place in places.items()} | {"offline": True} | parts)
    )


@contextmanager
def indexed(
    home: Path, notes: Mapping[str, str] | None = None, *, name: str = "vault", **parts: Any
) -> Iterator[Engine]:
    """An engine with every feature over `home/vault`, indexed; `notes` are written there before.

    `name` is that of the vault, `parts` are sections of its settings.
    """
    vault = write_notes(home / "vault", notes or {})
    record = VaultRecord("v1", name, vault)
    settings = settings_in(home, **parts)
    engine = Engine.open(record, home / "index", settings, writable=True, features=FEATURES)
    try:
        engine.index_now()
        yield engine
    finally:
        engine.close()
