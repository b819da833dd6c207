"""Running the real command line in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from notewell.cli.app import cli

NOTES = {
    "Garden/Bees.md": "# Hives\n\nBees find their way home by the light of the sun.\n",
    "Garden/Compost.md": "Compost is warm in spring. Bees do not care.\n",
    "City.md": "---\ntags: [city]\n---\nMusic by the river, and a cat.\n",
}


def write_notes(folder: Path, notes: dict[str, str]) -> Path:
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


class CommandLine:
    """`notewell` with arguments; `fails` is the exit code that is expected."""

    def __call__(self, *args: object, fails: int = 0) -> Result:
        result = CliRunner().invoke(cli, [str(arg) for arg in args], prog_name="notewell")
        assert result.exit_code == fails, (result.stdout, result.stderr, result.exception)
        return result

    def json(self, *args: object, fails: int = 0) -> Any:
        """What `--json` prints; stdout must hold one document and nothing else."""
        return json.loads(self(*args, "--json", fails=fails).stdout)
