"""The components of Notewell that others made: their licences, and a bill of them in CycloneDX.

    python release/components.py --notices THIRD_PARTY_NOTICES.md
    python release/components.py --bill dist/notewell.cdx.json

It reads the packages that are installed beside the Python that runs it, with all that they need,
and those of the web pages from `licenses.txt`, which their build writes. The bill depends on the
versions alone. Source: https://cyclonedx.org/docs/1.6/json/
"""

from __future__ import annotations

import argparse
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from notewell.base.packages import PACKAGES

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "sidecar" / "notewell" / "doors" / "web" / "static" / "licenses.txt"
OWN = ("notewell", *(package.name for package in PACKAGES))  # what the helper and the image have
# What a package says of its licence in words, as SPDX names it.
_SPDX = {
    "Apache 2.0": "Apache-2.0",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD-3-Clause, Apache-2.0, dependency licenses": "BSD-3-Clause AND Apache-2.0",
    "MIT License": "MIT",
}
_PAGE_PACKAGE = re.compile(
    r"^(?P<name>(?:@[\w.-]+/)?[\w.-]+) (?P<version>\d+\.\d+\.\d+[\w.+-]*)$", re.MULTILINE
)
_REPOSITORY = re.compile(r"https://github\.com/(?!sponsors/)")
_HEAD = """\
# Third-party notices

Notewell is under the MIT licence ([LICENSE](LICENSE)). It needs these packages of others, which pip
installs beside it; the helper and the container image contain them. Each is under its own licence,
whose text is in the package. Packages under the Mozilla Public License 2.0 (the whole of pathspec,
parts of orjson and of tqdm) are used as their makers publish them, without changes; their sources
are at the addresses below.

The web pages in the wheel contain further packages, whose licences are in
`notewell/doors/web/static/licenses.txt`, which the server also serves. The Obsidian plugin contains
none. The pairs of Chinese characters in `notewell/index/han_variants.py` are those of
[OpenCC](https://github.com/BYVoid/OpenCC), Apache License 2.0.

Written by `make notices`.

| package | licence | source |
|---|---|---|
"""


@dataclass(frozen=True, order=True)
class Component:
    """A package of others."""

    name: str
    version: str
    licence: str
    home: str
    kind: str  # of its registry: "pypi" or "npm"


def components() -> list[Component]:
    """The packages that Notewell needs, and all that these need, by name."""
    found: dict[str, Component] = {}
    waiting = [*OWN]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        distribution = metadata.distribution(name)
        found[name] = _component(name, distribution)
        for line in distribution.requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name)
    return sorted(part for name, part in found.items() if name not in OWN)


def _component(name: str, distribution: metadata.Distribution) -> Component:
    facts = distribution.metadata
    said = facts.get("License-Expression") or facts.get("License") or ""
    if not said or "\n" in said:
        said = next(
            (one for one in facts.get_all("Classifier") or () if one.startswith("License ::")), ""
        )
    homes = [one.partition(", ")[2] for one in facts.get_all("Project-URL") or ()]
    home = (
        next((one for one in homes if _REPOSITORY.match(one)), "") or facts.get("Home-page") or ""
    )
    home = "/".join(home.split("/")[:5]).removesuffix(".git") if "github.com" in home else home
    return Component(
        name,
        distribution.version,
        _SPDX.get(said, said),
        home or f"https://pypi.org/project/{name}/",
        "pypi",
    )


def page_components() -> Iterator[Component]:
    """The packages inside the web pages, where these are built."""
    text = PAGES.read_text(encoding="utf-8") if PAGES.is_file() else ""
    for match in _PAGE_PACKAGE.finditer(text):
        yield Component(match["name"], match["version"], "", "", "npm")


def notices() -> str:
    """The page of notices. It names no versions, which differ from one installation to another."""
    rows = (f"| {one.name} | {one.licence} | {one.home} |\n" for one in components())
    return _HEAD + "".join(rows)


def licence_texts() -> str:
    """The texts of all licences, for what contains the packages."""
    parts = []
    for one in components():
        files = metadata.distribution(one.name).files or ()
        texts = [
            Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")
            for file in files
            if re.match(r"(?i)(licen[cs]e|copying|notice|authors)", file.name)
            and ".dist-info" in str(file)
        ]
        parts.append("\n\n".join([f"{one.name} {one.version}: {one.licence}", *texts]))
    return ("\n" + "-" * 80 + "\n").join(parts)


def bill(version: str) -> str:
    """A bill of materials of the wheel and the pages, CycloneDX 1.6 as JSON."""
    everything = [*components(), *sorted(page_components())]
    listed = [_listed(one) for one in everything]
    content = json.dumps(listed, sort_keys=True)
    own = {"type": "application", "name": "notewell", "version": version, "bom-ref": "notewell"}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, version + content)}",
        "version": 1,
        "metadata": {"component": {**own, "licenses": [{"license": {"id": "MIT"}}]}},
        "components": listed,
        "dependencies": [{"ref": "notewell", "dependsOn": [one["bom-ref"] for one in listed]}],
    }
    return json.dumps(document, indent=2) + "\n"


def _listed(one: Component) -> dict[str, object]:
    name = one.name.replace("@", "%40") if one.kind == "npm" else one.name
    address = f"pkg:{one.kind}/{name}@{one.version}"
    found: dict[str, object] = {
        "type": "library",
        "bom-ref": address,
        "name": one.name,
        "version": one.version,
        "purl": address,
    }
    if one.licence:
        found["licenses"] = [{"expression": one.licence}]
    return found


def main() -> None:
    """Write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notices", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--bill", type=Path, help="a folder, or a file")
    given = parser.parse_args()
    if given.notices:
        given.notices.write_text(notices(), encoding="utf-8")
    if given.texts:
        given.texts.write_text(licence_texts(), encoding="utf-8")
    if given.bill:
        version = metadata.version("notewell")
        is_folder = given.bill.suffix != ".json"
        file = given.bill / f"notewell-{version}.cdx.json" if is_folder else given.bill
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(bill(version), encoding="utf-8")


if __name__ == "__main__":
    main()
