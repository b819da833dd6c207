"""The Dockerfile and compose file follow their rules, checked without a container engine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from notewell.config.load import load_settings

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
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


def test_every_volume_is_declared() -> None:
    used = {
        volume.split(":")[0]
        for service in COMPOSE["services"].values()
        for volume in service["volumes"]
    }

    assert used == set(COMPOSE["volumes"])
