"""Nothing leaves the computer, and no file is changed outside of the folders that the README names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from notewell.base.config import load_settings
from notewell.base.errors import ModelUnavailableError
from notewell.doors.sample import copy_to
from notewell.models.catalogue import CATALOGUE
from notewell.models.fetch import cache_folder, fetch
from tests.outside.own_network import LOOPBACK
from tests.outside.watches import (
    HOOK,
    OWN_NETWORK,
    STRACE,
    Seen,
    Watch,
    is_possible,
    strongest,
    watch_over,
)
from tests.tiny_model import write_tiny_model
from tests.vault.pdf_files import pdf

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and modes as POSIX has them")
LIFE = Path(__file__).with_name("life.py")
# Neither a server nor a network is there: https://www.rfc-editor.org/rfc/rfc5737
SENDING = """
import os, socket
for address in (("192.0.2.1", 9), ("127.0.0.53", 53), ("127.0.0.1", 9)):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.connect(address)
    if address[0] != "192.0.2.1" or {really}:
        one.send(b"x")
os.mkdir("made")
open("made/ü.txt", "w").close()
os.rename("made/ü.txt", "moved")
"""


@pytest.fixture
def own(tmp_path: Path) -> dict[str, Path]:
    """The folders that a person may know: each is Notewell's own, or what the system has for all."""
    folders = {name: tmp_path / name for name in ("data", "models", "vault", "tmp")}
    for folder in folders.values():
        folder.mkdir()
    return folders


@pytest.fixture
def environment(tmp_path: Path, own: dict[str, Path]) -> dict[str, str]:
    """Nothing of this process: variables of CI, too, keep libraries from reporting."""
    (tmp_path / "home").mkdir()
    (tmp_path / "elsewhere").mkdir()
    settings = tmp_path / "settings.toml"
    settings.write_text('[gleanings]\nheadings = ["## Gleanings"]\n', encoding="utf-8")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "LC_ALL": "C.UTF-8",
        "TMPDIR": str(own["tmp"]),
        "NOTEWELL_CONFIG": str(settings),
        "NOTEWELL_DATA_DIR": str(own["data"]),
        "NOTEWELL_MODEL_DIR": str(own["models"]),
        **_model(own["models"]),
    }


def _model(models: Path) -> dict[str, str]:
    """Lay the default model into the cache, or name a tiny one where it cannot be had."""
    spec = CATALOGUE[0]
    try:
        found = fetch(spec, model_dir=load_settings(environ=os.environ).model_dir)
    except ModelUnavailableError:
        tiny = write_tiny_model(models / "tiny")
        return {"NOTEWELL_MODEL_NAME": "tiny", "NOTEWELL_MODEL_FOLDER": str(tiny)}
    folder = cache_folder(spec, models)
    folder.mkdir(parents=True)
    for file in spec.files:
        (folder / file.name).symlink_to(found.folder / file.name)
    return {}


def write_vault(vault: Path) -> None:
    copy_to(vault)
    (vault / "Bread.pdf").write_bytes(pdf([["Bread rises when it is warm."]]))  # read by a child
    daily = "---\ntype: daily\n---\n## Gleanings\n\n- [Bees](https://bees.example/night)\n"
    (vault / "Daily" / "2026-05-14.md").write_text(daily, encoding="utf-8")


def is_device(path: Path) -> bool:
    """True for /dev/null, /dev/pts/1 and semaphores; folders of tests may lie in /dev/shm."""
    return path.is_relative_to("/dev") and len(path.relative_to("/dev").parts) <= 2


def changed_outside(seen: Seen, own: dict[str, Path]) -> list[str]:
    """Paths outside of the folders; devices and Python's own bytecode are nobody's."""
    return sorted(
        str(path)
        for path in seen.changed
        if not any(path.is_relative_to(folder) for folder in own.values())
        and not is_device(path)
        and "__pycache__" not in path.parts
    )


def test_nothing_leaves_in_the_whole_life_of_a_vault(
    tmp_path: Path, own: dict[str, Path], environment: dict[str, str]
) -> None:
    write_vault(own["vault"])
    before = sorted(tmp_path.iterdir())

    watched = watch_over(
        [sys.executable, str(LIFE), str(own["vault"])],
        strongest(),
        reports=tmp_path / "reports",
        folder=tmp_path / "elsewhere",
        environment=environment,
    )

    outside = {name: changed_outside(seen, own) for name, seen in watched.items()}
    for name, seen in watched.items():
        sys.stdout.write(
            f"{name}: {seen.sent[LOOPBACK]} times to loopback, elsewhere {seen.outside};"
            f" {len(seen.changed)} paths changed, outside {outside[name]}\n"
        )
    assert all(seen.sent[LOOPBACK] for seen in watched.values())  # they saw what there was
    assert any(own["data"] in path.parents for seen in watched.values() for path in seen.changed)
    assert {name: seen.outside for name, seen in watched.items() if seen.outside} == {}
    assert {name: paths for name, paths in outside.items() if paths} == {}
    assert [*(tmp_path / "home").rglob("*"), *(tmp_path / "elsewhere").rglob("*")] == []
    assert sorted(tmp_path.iterdir()) == sorted([*before, tmp_path / "reports"])


@pytest.mark.parametrize("watch", [STRACE, OWN_NETWORK, HOOK], ids=lambda watch: watch.name)
def test_each_watch_sees_what_is_sent_and_changed(
    watch: Watch, tmp_path: Path, own: dict[str, Path]
) -> None:
    if not is_possible(watch):
        pytest.skip(f"NOT TESTED: this computer has not {watch.name}")
    packets = watch is OWN_NETWORK  # elsewhere nothing is sent from a test

    seen = watch_over(
        [sys.executable, "-c", SENDING.format(really=packets)],
        [watch],
        reports=tmp_path / "reports",
        folder=tmp_path,
        environment={"PATH": os.environ["PATH"]},
    )[watch.name]

    assert any("192.0.2.1 port 9" in target for target in seen.outside), seen.sent
    assert any("127.0.0.53 port 53" in target for target in seen.outside), seen.sent
    assert seen.sent[LOOPBACK] >= 1
    if not packets:
        names = ("made", "made/ü.txt", "moved")
        assert seen.changed >= {tmp_path / name for name in names}
        assert str(tmp_path / "moved") in changed_outside(seen, own)
