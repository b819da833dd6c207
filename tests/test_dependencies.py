"""Dependencies: no version with a known weakness, notices of all of them, and a bill of materials."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
# The first version without the weakness, and its number. Registries do not answer everywhere
# (`make audit` asks them), so that those that concern us are here.
FIXED = {
    "aiohttp": ("3.13.3", "CVE-2025-69223: a packed body of any size is unpacked"),
    "filelock": ("3.20.3", "CVE-2025-68146, CVE-2026-22701: a link in the place of a lock"),
    "h11": ("0.16.0", "CVE-2025-43859: bodies in chunks that end wrongly"),
    "idna": ("3.7", "CVE-2024-3651: names that take the square of their length"),
    "mcp": ("1.23.0", "CVE-2025-66416: no protection from DNS rebinding"),
    "orjson": ("3.11.6", "CVE-2025-67221: values nested without end"),
    "pydantic": ("2.4.0", "CVE-2024-3772: a pattern for addresses of mail"),
    "python-multipart": ("0.0.18", "CVE-2024-53981: bytes before the first boundary"),
    "pyyaml": ("5.4", "CVE-2020-14343: code in YAML"),
    "starlette": ("0.49.1", "CVE-2025-62727: ranges that take the square of their number"),
    "tqdm": ("4.66.3", "CVE-2024-34062: arguments of its command"),
}
FIXED_IN_PAGES = {
    "esbuild": ("0.25.0", "GHSA-67mh-4wv8-f99f: its server answered every page"),
    "katex": ("0.16.21", "CVE-2025-23207: attributes in htmlData"),
    "markdown-it": ("12.3.2", "CVE-2022-21670: emphasis that takes the square of its length"),
}


@pytest.mark.parametrize("name", FIXED)
def test_no_installed_package_has_a_known_weakness(name: str) -> None:
    assert Version(metadata.version(name)) >= Version(FIXED[name][0]), FIXED[name][1]


def test_no_version_with_a_known_weakness_may_be_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in project["dependencies"]:
        needed = Requirement(line)
        name = needed.name.lower()
        if name in FIXED:
            least = [each.version for each in needed.specifier if each.operator == ">="]
            assert least, line
            assert Version(least[0]) >= Version(FIXED[name][0]), FIXED[name][1]


@pytest.mark.parametrize("name", FIXED_IN_PAGES)
def test_no_package_of_the_pages_has_a_known_weakness(name: str) -> None:
    lock = json.loads((ROOT / "package-lock.json").read_bytes())
    version = lock["packages"][f"node_modules/{name}"]["version"]
    assert Version(version) >= Version(FIXED_IN_PAGES[name][0]), FIXED_IN_PAGES[name][1]


def written(tmp_path: Path, option: str, name: str) -> Path:
    file = tmp_path / name
    command = [sys.executable, str(ROOT / "release" / "components.py"), option, str(file)]
    subprocess.run(command, check=True)
    return file


def rows(text: str) -> dict[str, str]:
    return dict(re.findall(r"(?m)^\| ([\w.-]+) \| ([^|]*) \|", text))


def test_the_notices_name_every_package_with_its_licence(tmp_path: Path) -> None:
    present = rows(written(tmp_path, "--notices", "notices.md").read_text(encoding="utf-8"))
    committed = rows((ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8"))
    assert len(present) > 50
    # A newer version of a package may need others, or need some no longer: those are named as well.
    missing = {name: licence for name, licence in present.items() if name not in committed}
    assert missing == {}, "run `make notices`"
    for name in ("pathspec", "tqdm", "orjson"):
        assert "MPL-2.0" in committed[name]


def test_no_package_is_under_a_licence_that_ours_does_not_allow(tmp_path: Path) -> None:
    present = rows(written(tmp_path, "--notices", "notices.md").read_text(encoding="utf-8"))
    for name, licence in present.items():
        assert licence.strip(), name
        assert not re.search(r"\bA?GPL|LGPL", licence), (name, licence)


def test_the_bill_is_one_of_cyclonedx_and_depends_on_versions_alone(tmp_path: Path) -> None:
    one = written(tmp_path, "--bill", "one.json").read_bytes()
    assert one == written(tmp_path, "--bill", "two.json").read_bytes()
    bill: dict[str, Any] = json.loads(one)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(references) == len(set(references)) > 50
    assert f"pkg:pypi/orjson@{metadata.version('orjson')}" in references


def test_the_texts_of_licences_are_there_for_what_contains_the_packages(tmp_path: Path) -> None:
    text = written(tmp_path, "--texts", "texts.txt").read_text(encoding="utf-8")
    for name in ("pathspec", "tqdm", "orjson", "numpy"):
        part = text[text.index(f"{name} {metadata.version(name)}") :]
        assert "icen" in part[:4_000]
    assert "Mozilla Public License" in text
