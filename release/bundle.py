"""Packs the bundle that Claude Desktop and others install with a double click (`.mcpb`).

    python release/bundle.py dist      # after `make release`, whose wheel it holds

The format is MCP Bundles, https://github.com/modelcontextprotocol/mcpb, manifest 0.4. The program
that opens it runs the server by uv, which fetches the libraries.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from archives import ROOT, pack_zip, source_moment, write_checksums
from trial import the_wheel

from notewell import __version__
from notewell.doors.mcp.server import tools
from notewell.features import FEATURES

_PROJECT = """\
[project]
name = "notewell-bundle"
version = "{version}"
requires-python = ">=3.11"
dependencies = ["notewell"]

[tool.uv]
package = false

[tool.uv.sources]
notewell = {{ path = "{wheel}" }}
"""
_FOLDER_HELP = (
    "The folder of your notes. Left empty, the assistant may use every vault that Notewell knows."
)
_WRITE_HELP = "Let the assistant edit notes, where a tool does. You can undo what it wrote."


def manifest() -> dict[str, object]:
    """What the program that opens the bundle shows, asks and starts."""
    listed = [tool for tool in tools(FEATURES) if tool.core is not None]
    return {
        "manifest_version": "0.4",
        "name": "notewell",
        "display_name": "Notewell",
        "version": __version__,
        "description": "Search, read and cite the notes of an Obsidian vault, on your computer",
        "long_description": "Finds notes by meaning and by words, reads and cites them. Index and"
        " model stay on this computer. Run `notewell index FOLDER` once, or let Obsidian's plugin"
        " do it.",
        "author": {"name": "Notewell contributors"},
        "license": "MIT",
        "keywords": ["obsidian", "notes", "search"],
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": [
                    "run",
                    "--directory",
                    "${__dirname}",
                    "server.py",
                    "${user_config.vault}",
                    "${user_config.allow_write}",
                ],
            },
        },
        "tools": [{"name": tool.name, "description": tool.title} for tool in listed],
        "tools_generated": True,
        "user_config": {
            "vault": {
                "type": "directory",
                "title": "Vault",
                "description": _FOLDER_HELP,
                "required": False,
                "default": "",
            },
            "allow_write": {
                "type": "boolean",
                "title": "May edit notes",
                "description": _WRITE_HELP,
                "required": False,
                "default": False,
            },
        },
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": ">=3.11"},
        },
    }


def pack(wheel: Path, out: Path, moment: int) -> Path:
    """Pack the bundle of a wheel into a folder, and return it."""
    bundle = out / f"notewell-{__version__}.mcpb"
    with tempfile.TemporaryDirectory(prefix="notewell-bundle-") as name:
        folder = Path(name)
        written = json.dumps(manifest(), indent=2, ensure_ascii=False)
        project = _PROJECT.format(version=__version__, wheel=wheel.name)
        (folder / "manifest.json").write_text(written, encoding="utf-8")
        (folder / "pyproject.toml").write_text(project, encoding="utf-8")
        (folder / "server.py").write_bytes((ROOT / "release/bundle/server.py").read_bytes())
        (folder / wheel.name).write_bytes(wheel.read_bytes())
        pack_zip(folder, bundle, moment, named=False)
    return bundle


def main() -> None:
    """Pack, and list it among the checksums."""
    out = Path(sys.argv[1]).resolve()
    bundle = pack(the_wheel(str(out)), out, source_moment())
    write_checksums(out)
    print(f"{bundle.stat().st_size / 1e6:9.3f} MB  {bundle.name}")


if __name__ == "__main__":
    main()
