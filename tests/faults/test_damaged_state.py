"""Each file beside the index damaged in every way: an error that says which file, or a new start."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from notewell.access.devices import DEVICES_FILE, Devices
from notewell.access.tokens import TOKEN_FILE, stored_token
from notewell.config.edit import Configuration
from notewell.errors import NotewellError
from notewell.querylog import NAME, Judged, QueryLog
from notewell.types import VaultRecord
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import NAME as JOURNAL
from notewell.vault.write_journal import Journal
from notewell.vaults.registry import REGISTRY, Registry
from tests.faults.damage import harms

PLACES = 25


def make_token(root: Path) -> Path:
    stored_token(root)
    return root / TOKEN_FILE


def use_token(root: Path) -> None:
    assert stored_token(root)


def make_devices(root: Path) -> Path:
    Devices(root).add("Phone", "read")
    return root / DEVICES_FILE


def use_devices(root: Path) -> None:
    assert len(Devices(root).all()) <= 1
    Devices(root).add("Another", "read")


def make_registry(root: Path) -> Path:
    with Registry(root).changing() as records:
        records.append(VaultRecord("v1", "Notes", Path("/notes")))
    return root / REGISTRY


def use_registry(root: Path) -> None:
    assert len(Registry(root).records()) <= 1


def make_settings(root: Path) -> Path:
    (root / "config.toml").write_text("[search]\nsnippet_chars = 300\n", encoding="utf-8")
    return root / "config.toml"


def use_settings(root: Path) -> None:
    environ = {"NOTEWELL_CONFIG": str(root / "config.toml"), "HOME": str(root)}
    Configuration(environ).settings(root)


def make_log(root: Path) -> Path:
    log = QueryLog(root, enabled=True)
    log.judge(Judged(1.0, "bees", "A.md", "never_for_this"))
    log.close()
    return root / NAME


def use_log(root: Path) -> None:
    log = QueryLog(root, enabled=True)
    try:
        assert len(log.judgements().verdicts) <= 1
        log.judge(Judged(2.0, "hive", "A.md", "never_for_this"))
    finally:
        log.close()


def make_journal(root: Path) -> Path:
    (root / "vault").mkdir()
    VaultWriter(root / "vault", Journal(root)).create("A.md", "first", action="test")
    return root / JOURNAL


def use_journal(root: Path) -> None:
    """Nothing but what the journal says was there before is ever written."""
    writer = VaultWriter(root / "vault", Journal(root))
    try:
        writer.undo()
    finally:
        note = root / "vault" / "A.md"
        assert not note.exists() or note.read_text(encoding="utf-8") == "first"


FILES = {
    "token": (make_token, use_token),
    "devices": (make_devices, use_devices),
    "registry": (make_registry, use_registry),
    "settings": (make_settings, use_settings),
    "query log": (make_log, use_log),
    "undo journal": (make_journal, use_journal),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_damaged_file_of_the_state_is_named_or_replaced(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make: Callable[[Path], Path]
    use: Callable[[Path], None]
    make, use = FILES[kind]
    caplog.set_level(logging.WARNING)
    (tmp_path / "first").mkdir()
    said: list[str] = []
    for number, harm in enumerate(harms(make(tmp_path / "first"), 5, changed=PLACES)):
        root = tmp_path / str(number)
        root.mkdir()
        file = make(root)
        harm.do(file)
        try:
            use(root)
        except NotewellError as error:
            said.append(error.message)
    # Of a journal that is there and lacks the write, the message is that nothing can be undone.
    names = ("There is nothing to undo", "The journal has no", file.name)
    assert [each for each in said if not any(name in each for name in names)] == []
    assert said or caplog.records or kind == "token"
