"""What may not be loaded: the lower rooms stay light, so that short commands start quickly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import notewell

PACKAGE = Path(notewell.__file__).parent
HEAVY = {
    "aiohttp",
    "networkx",
    "numpy",
    "onnx",
    "onnxruntime",
    "pydantic",
    "rich",
    "tantivy",
    "tokenizers",
}
# Describes fields to pydantic, for the doors that check requests by it.
NOT_LIGHT = {"notewell.contract.memory_fields"}


def modules(room: str) -> list[str]:
    """All modules of a room, or the one of that name."""
    single = PACKAGE / f"{room}.py"
    files = [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))
    names = (".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files)
    return [name.removesuffix(".__init__") for name in names]


def loaded_by(code: str) -> set[str]:
    """The modules that are loaded when a new interpreter has run `code`."""
    report = "; import json, sys; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.parametrize("room", ["types", "errors", "contract", "config", "support"])
def test_a_low_room_loads_nothing_heavy(room: str) -> None:
    light = [name for name in modules(room) if name not in NOT_LIGHT]
    assert light
    assert not loaded_by(f"import {', '.join(light)}") & HEAVY
