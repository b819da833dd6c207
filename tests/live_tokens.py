"""Finds live tokens in what a program prints and logs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

# A token has 256 bits, in base64 for addresses: 43 letters, digits, `-` and `_`.
_TOKEN = re.compile(r"(?<![\w+/=-])[A-Za-z0-9_-]{43}(?![\w+/=-])")


def secrets_in(text: str) -> set[str]:
    """Every word of the text that looks like a token: long, and mixed as only chance mixes."""
    return {word for word in _TOKEN.findall(text) if _is_mixed(word)}


def secrets_in_logs(folder: Path) -> dict[str, set[str]]:
    """The tokens in the log files below a folder, by file."""
    return {str(file): found for file in _logs(folder) if (found := secrets_in(_text(file)))}


def _logs(folder: Path) -> Iterable[Path]:
    return (file for file in folder.rglob("*.log*") if file.is_file())


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _is_mixed(word: str) -> bool:
    """Whether a word has lower and upper case and digits, as all but one of 1,000 tokens have."""
    kinds = (str.islower, str.isupper, str.isdigit)
    return all(any(kind(char) for char in word) for kind in kinds)
