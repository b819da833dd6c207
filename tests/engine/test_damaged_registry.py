"""A damaged list of vaults: taken from its copy, or made again from what lies beside the indexes."""

from __future__ import annotations

import json
import logging
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from notewell.base.errors import ConfigError
from notewell.base.types import Settings, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.known_vaults import BACKUP, DAMAGED, REGISTRY, Registry
from notewell.engine.open_vaults import Vaults
from notewell.engine.vault_list import RECORD
from notewell.features import FEATURES
from notewell.features.sources.known import make_known
from notewell.features.sources.spec import SourceSpec

Damage = Callable[[Path], None]


@pytest.fixture
def known(settings: Settings, tmp_path: Path) -> tuple[VaultRecord, ...]:
    """Vaults of all kinds; the default is not the first, and a name is not its folder's."""
    vaults = Vaults(settings, features=FEATURES)
    for name in ("Attic", "Barn"):
        (tmp_path / name).mkdir()
        for number in range(5):
            (tmp_path / name / f"{number}.md").write_text(f"{name} bees {number}", encoding="utf-8")
        record = vaults.add(tmp_path / name, name={"Barn": "The barn"}.get(name))
    vaults.set_default(record)
    vaults.add_mirror("Phone")
    make_known(vaults, SourceSpec("roam", "https://api.roamresearch.com", "graph"), "Roam")
    return vaults.records()


def index(settings: Settings, *records: VaultRecord) -> None:
    with closing(Vaults(settings, features=FEATURES)) as vaults:
        for record in records:
            vaults.open(record, writable=True).index_now()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def put(content: bytes) -> Damage:
    return lambda file: file.write_bytes(content) and None


def change(edit: Callable[[dict[str, object], list[dict[str, object]]], object]) -> Damage:
    """Leave valid JSON that is no list of vaults."""

    def damage(file: Path) -> None:
        stored = json.loads(file.read_bytes())
        edit(stored, stored["vaults"])
        file.write_text(json.dumps(stored), encoding="utf-8")

    return damage


DAMAGES: dict[str, Damage] = {
    "missing": Path.unlink,
    "empty": put(b""),
    "cut": cut,
    "binary": put(bytes(range(256)) * 20),
    "zeros": put(b"\0" * 400),
    "no object": put(b"[]"),
    "no list": put(b'{"vaults": {"id": "x"}}'),
    "null": put(b"null"),
    "text after it": lambda file: file.write_bytes(file.read_bytes() * 2) and None,
    "a record is no object": change(lambda _, vaults: vaults.append(5)),  # type: ignore[arg-type]
    "a record lacks its path": change(lambda _, vaults: vaults[1].pop("path")),
    "a name is a number": change(lambda _, vaults: vaults[0].update(name=5)),
    "a path is null": change(lambda _, vaults: vaults[0].update(path=None)),
    "the default is text": change(lambda _, vaults: vaults[0].update(default="yes")),
    "an unknown source": change(lambda _, vaults: vaults[0].update(source="fnlder")),
    "an id leads elsewhere": change(lambda _, vaults: vaults[0].update(id="../x")),
    "one id twice": change(lambda _, vaults: vaults[0].update(id=vaults[1]["id"])),
}
every_damage = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)


@every_damage
def test_it_is_taken_from_its_copy_and_told_once(
    settings: Settings,
    known: tuple[VaultRecord, ...],
    damage: Damage,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = settings.data_dir / REGISTRY
    damage(file)
    left = file.read_bytes() if file.exists() else None

    assert Vaults(settings, features=FEATURES).records() == known
    assert Vaults(settings, features=FEATURES).records() == known

    (told,) = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert "taken from its copy" in told
    assert Vaults(settings, features=FEATURES).notice() == told
    kept = file.with_name(DAMAGED)
    assert (kept.read_bytes() if kept.exists() else None) == left
    assert (DAMAGED in told) == (left is not None)


@every_damage
def test_without_a_copy_it_is_made_again_of_what_lies_beside_the_indexes(
    settings: Settings, known: tuple[VaultRecord, ...], damage: Damage, tmp_path: Path
) -> None:
    damage(settings.data_dir / REGISTRY)
    if damage is not DAMAGES["missing"]:
        damage(settings.data_dir / BACKUP)
    else:
        (settings.data_dir / BACKUP).unlink()

    vaults = Vaults(settings, features=FEATURES)

    assert set(vaults.records()) == set(known)  # with names, ids, places, kinds and the default
    assert "beside the indexes: Attic, Phone, Roam, The barn." in str(vaults.notice())
    assert vaults.find(None, cwd=tmp_path).name == "The barn"


def test_the_copy_is_as_new_as_the_list_after_every_change(
    settings: Settings, known: tuple[VaultRecord, ...], tmp_path: Path
) -> None:
    vaults = Vaults(settings, features=FEATURES)
    (tmp_path / "New").mkdir()
    new = vaults.add(tmp_path / "New")
    vaults.set_default(new)
    vaults.remove(known[0], delete_data=False)
    expected = vaults.records()

    for lost in ([REGISTRY], [REGISTRY, BACKUP]):
        for name in lost:
            (settings.data_dir / name).write_bytes(b"{")
        assert set(Vaults(settings, features=FEATURES).records()) == set(
            expected
        )  # a forgotten vault stays forgotten
    assert Vaults(settings, features=FEATURES).find(None, cwd=tmp_path).id == new.id


def test_the_next_change_ends_the_notice(
    settings: Settings, known: tuple[VaultRecord, ...]
) -> None:
    (settings.data_dir / REGISTRY).write_bytes(b"")
    vaults = Vaults(settings, features=FEATURES)
    assert vaults.notice()

    vaults.set_default(known[0])

    assert vaults.notice() is None


def test_a_vault_whose_record_is_lost_too_keeps_its_index(
    settings: Settings, known: tuple[VaultRecord, ...], tmp_path: Path
) -> None:
    attic, _, phone, roam = known
    index(settings, attic)
    for name in (
        REGISTRY,
        BACKUP,
        *(f"vaults/{each.id}/{RECORD}" for each in (attic, phone, roam)),
    ):
        (settings.data_dir / name).write_bytes(b"\0")
    vaults = Vaults(settings, features=FEATURES)

    found = {record.id: record for record in vaults.records()}

    assert set(found) == {record.id for record in known}
    assert (found[phone.id].path, found[phone.id].source) == (phone.path, "mirror")
    assert (found[roam.id].path, found[roam.id].source) == (roam.path, "roam")
    assert f"Where the notes of {attic.id} are is not known" in str(vaults.notice())
    again = vaults.add(tmp_path / "Attic")
    assert (again.id, again.name, again.path) == (attic.id, attic.name, attic.path)
    assert vaults.open(again, writable=False).search(SearchRequest("bees")).total == 5
    vaults.close()


def test_a_list_of_an_earlier_version_gets_its_copies_when_a_vault_is_opened(
    settings: Settings, known: tuple[VaultRecord, ...]
) -> None:
    (settings.data_dir / BACKUP).unlink()
    for record in known:
        (settings.data_dir / "vaults" / record.id / RECORD).unlink()
    index(settings, known[0])

    (settings.data_dir / REGISTRY).write_bytes(b"")
    assert Vaults(settings, features=FEATURES).records() == known
    for name in (REGISTRY, BACKUP):
        (settings.data_dir / name).write_bytes(b"")
    assert set(Vaults(settings, features=FEATURES).records()) == set(known)


def test_of_an_earlier_version_without_any_copy_the_ids_are_found(
    settings: Settings, known: tuple[VaultRecord, ...], tmp_path: Path
) -> None:
    index(settings, *known[:2])
    (settings.data_dir / REGISTRY).write_bytes(b"{")
    (settings.data_dir / BACKUP).unlink()
    for record in known:
        (settings.data_dir / "vaults" / record.id / RECORD).unlink()
    vaults = Vaults(settings, features=FEATURES)

    assert {record.id for record in vaults.records()} == {record.id for record in known}
    assert [vaults.add(tmp_path / name).id for name in ("Attic", "Barn")] == [
        record.id for record in known[:2]
    ]


def test_where_nothing_is_left_vaults_can_be_added_anew(settings: Settings, tmp_path: Path) -> None:
    settings.data_dir.mkdir()
    (settings.data_dir / REGISTRY).write_bytes(b"{")
    vaults = Vaults(settings, features=FEATURES)

    assert vaults.records() == ()
    assert "no vault could be found again" in str(vaults.notice())
    (tmp_path / "New").mkdir()
    assert vaults.add(tmp_path / "New").default


def test_a_new_data_folder_has_no_list_to_recover(settings: Settings) -> None:
    assert Vaults(settings, features=FEATURES).records() == ()
    assert not settings.data_dir.exists()


def test_a_list_of_a_newer_version_is_left_alone(
    settings: Settings, known: tuple[VaultRecord, ...]
) -> None:
    file = settings.data_dir / REGISTRY
    newer = b'{"format": 2, "vaults": {"by id": []}}'
    file.write_bytes(newer)

    with pytest.raises(ConfigError, match="newer version"):
        Vaults(settings, features=FEATURES).records()
    assert file.read_bytes() == newer
    assert not file.with_name(DAMAGED).exists()


@given(content=st.binary(max_size=200))
@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_it_holds_it_is_read_or_recovered(tmp_path: Path, content: bytes) -> None:
    shutil.rmtree(tmp_path / "data", ignore_errors=True)
    record = VaultRecord("0123456789ab", "Notes", tmp_path, default=True)
    with Registry(tmp_path / "data").changing() as records:
        records.append(record)
    (tmp_path / "data" / REGISTRY).write_bytes(content)

    assert Registry(tmp_path / "data").records() == (record,)


_READS_AND_ADDS = """
import sys
from pathlib import Path
from notewell.base.types import VaultRecord
from notewell.engine.known_vaults import Registry
registry, number = Registry(Path(sys.argv[1])), sys.argv[2]
assert len(registry.records()) >= 4
with registry.changing() as records:
    records.append(VaultRecord(f"added{number}", f"Added {number}", Path("/added") / number))
assert f"added{number}" in {record.id for record in registry.records()}
"""


def test_processes_at_the_same_time_recover_it_once_and_lose_nothing(
    settings: Settings, known: tuple[VaultRecord, ...]
) -> None:
    (settings.data_dir / REGISTRY).write_bytes(b'{"vaults": [{')
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _READS_AND_ADDS, str(settings.data_dir), str(number)],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(6)
    ]
    said = [process.communicate(timeout=120)[1] for process in processes]

    assert [process.returncode for process in processes] == [0] * 6, said
    assert len([each for each in said if "taken from its copy" in each]) == 1
    records = Vaults(settings, features=FEATURES).records()
    assert records[: len(known)] == known
    assert {record.id for record in records[len(known) :]} == {f"added{n}" for n in range(6)}
    assert (settings.data_dir / DAMAGED).read_bytes() == b'{"vaults": [{'
