"""Dockerfile and compose file follow their rules; archives of releases depend on contents alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from notewell import __version__
from notewell.base.config import load_settings
from notewell.base.packages import PACKAGES

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE_FILES = ("compose.yaml", "compose.scale.yaml")
COMPOSED: dict[str, dict[str, Any]] = {
    name: yaml.safe_load((ROOT / name).read_text(encoding="utf-8")) for name in COMPOSE_FILES
}
COMPOSE = COMPOSED["compose.yaml"]
STAGES = re.split(r"(?m)^FROM ", re.sub(r"\\\n\s*", " ", DOCKERFILE))[1:]


def test_the_image_runs_unprivileged_and_has_a_health_check() -> None:
    last = STAGES[-1].splitlines()

    assert "USER 10001:10001" in last
    assert last.index("USER 10001:10001") > max(
        number for number, line in enumerate(last) if line.startswith(("RUN", "COPY"))
    )
    health = next(line for line in last if line.startswith("HEALTHCHECK"))
    assert "/api/health" in health
    assert json.loads(health[health.index("CMD ") + 4 :])[0] == "python"
    assert 'VOLUME ["/data", "/models"]' in last


def test_the_variables_of_the_image_are_settings() -> None:
    environ = dict(re.findall(r"(NOTEWELL_[A-Z_]+)=(\S+)", STAGES[-1]))

    settings = load_settings(environ=environ)

    assert settings.data_dir == Path("/data")
    assert settings.model_dir == Path("/models")
    assert settings.server.host == "0.0.0.0"


def test_copied_files_are_not_excluded_by_dockerignore() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {
        word.split("/")[0]
        for stage in STAGES
        for line in stage.splitlines()
        if line.startswith("COPY ") and "--from" not in line
        for word in line.split()[1:-1]
    }

    assert "*" in lines
    assert copied <= allowed
    assert all((ROOT / name).exists() for name in copied)


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_services_have_minimal_privileges(name: str) -> None:
    service = COMPOSE["services"][name]

    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert not {"privileged", "network_mode", "pid", "devices"} & service.keys()
    assert all("docker.sock" not in volume for volume in service["volumes"])


def test_the_server_mounts_notes_read_only_and_listens_locally() -> None:
    server = COMPOSE["services"]["notewell"]

    assert server["read_only"] is True
    assert "notes:/vault:ro" in server["volumes"]
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_every_volume_is_declared(name: str) -> None:
    used = {
        volume.split(":")[0]
        for service in COMPOSED[name]["services"].values()
        for volume in service["volumes"]
    }

    assert used == set(COMPOSED[name]["volumes"])


def test_compose_files_follow_their_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    files = [str(ROOT / name) for name in COMPOSE_FILES]
    done = subprocess.run([*command, *files], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_servers_of_one_database_run_as_the_single_one_does() -> None:
    services = COMPOSED["compose.scale.yaml"]["services"]
    for name in ("writer", "reader"):
        server = services[name]
        assert server["user"] == "10001:10001"
        assert (server["cap_drop"], server["read_only"]) == (["ALL"], True)
        assert "notes:/vault:ro" in server["volumes"]
        assert server["secrets"] == ["postgres"]
        assert "PASSWORD" not in "".join(server["environment"])
    assert "--read-only" in services["reader"]["command"]
    assert "ports" not in services["postgres"]


def test_packages_of_their_own_have_the_version_of_notewell_and_are_in_all() -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    projects = [
        tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        for file in sorted(ROOT.glob("packages/*/pyproject.toml"))
    ]

    names = [project["name"] for project in projects]
    assert names == sorted(package.name for package in PACKAGES)
    assert core["optional-dependencies"]["all"] == names
    for project in projects:
        assert project["version"] == __version__
        own = project["dependencies"][0]
        # What uses the API alone goes with later versions as well.
        assert (
            own == f"notewell{'>=' if project['name'] == 'notewell-zotero' else '=='}{__version__}"
        )


PACK = """
import sys
from pathlib import Path
from archives import pack_tar, pack_zip, write_checksums
folder, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir()
pack_tar(folder, out / "a.tar.gz", 1_700_000_000)
pack_zip(folder, out / "a.zip", 1_700_000_000)
print(write_checksums(out).read_text())
"""


def _packed(folder: Path, out: Path) -> str:
    environ = os.environ | {"PYTHONPATH": str(ROOT / "release")}
    command = [sys.executable, "-c", PACK, str(folder), str(out)]
    done = subprocess.run(command, check=True, env=environ, capture_output=True, text=True)
    return done.stdout


def test_archives_of_the_same_files_are_the_same_and_programs_stay_executable(
    tmp_path: Path,
) -> None:
    sums = []
    for place, names in (("one", "ab"), ("two", "ba")):  # written in another order, at another time
        folder = tmp_path / place / "helper"
        (folder / "inner").mkdir(parents=True)
        for name in names:
            (folder / "inner" / name).write_text(name)
            os.utime(folder / "inner" / name, (len(sums), len(sums)))
        (folder / "inner" / "a").chmod(0o755)
        sums.append(_packed(folder, tmp_path / place / "out"))

    assert sums[0] == sums[1]
    with tarfile.open(tmp_path / "one/out/a.tar.gz") as tar:
        assert tar.getmember("helper/inner/a").mode == 0o755
        assert tar.getmember("helper/inner/b").mode == 0o644
    with zipfile.ZipFile(tmp_path / "one/out/a.zip") as packed:
        assert packed.namelist() == ["helper/inner/a", "helper/inner/b"]
