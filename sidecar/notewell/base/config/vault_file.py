"""The settings that a vault's own file (`.notewell.toml`) may make.

A vault may come from a stranger: a course, a template, a clone. So its file sets by name what its
sections allow, which is how its notes are read, cut and embedded, and nothing that starts a
program, asks a service, reads another folder or concerns this computer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from notewell.base.errors import ConfigError, near
from notewell.base.support.relative_paths import is_inside
from notewell.base.types import Section
from notewell.base.types.settings import MODEL_NAMES

VAULT_FILE = ".notewell.toml"
MAX_BYTES = 1024 * 1024
INDEX_FOLDER = "index_dir"

_MB = 1024 * 1024
# Further bounds of numbers: they may not make one note take all memory, or thousands of passages.
_BOUNDS: Mapping[str, tuple[int, int]] = {
    "vault.max_note_bytes": (1, 64 * _MB),
    "vault.max_document_bytes": (1, 512 * _MB),
    "chunking.max_tokens": (32, 8192),
    "chunking.min_tokens": (0, 8192),
    "chunking.overlap_tokens": (0, 1024),
}
_MOST_TEXT = 1_000  # characters of a value, or of an item of a list
_MOST_ITEMS = 10_000
_STARTS_PROGRAM = "it starts a program on this computer"
_REASONS: Mapping[str, str] = {
    "vault.ocr": _STARTS_PROGRAM,
    "model.folder": "weights in a folder are chosen on this computer",
    "model.provider": "it says where notes are sent",
    "model.base_url": "it says where notes are sent",
    "model.consent": "it says where notes are sent",
    "garden.model_tokens": "it says how much a language model may be paid to read",
    "gleanings.web": "it requests addresses that stand in notes",
    "ask": "it says where notes are sent, and what a language model may do",
    "assistants": "it says what assistants may read and write",
    "search": "it concerns all vaults",
    "server": "it says who may use the server",
    "limits": "it says who may use the server",
    "documents": "it opens other folders of this computer",
    "schedule": "it starts work on this computer",
    "phone": "it writes a file into the vault",
}
_OTHERWISE = "it concerns this computer, and the vault may come from somebody else"


def check_vault_layer(
    layer: Mapping[str, object], sections: Sequence[Section], path: Path, user_file: Path
) -> None:
    """Raise ConfigError for the first setting, by `section.key`, that a vault may not make."""
    allowed = {f"{section.name}.{key}" for section in sections for key in section.in_vault}
    for key, value in layer.items():
        if key not in allowed and key != INDEX_FOLDER:
            section = key.partition(".")[0]
            reason = _REASONS.get(key) or _REASONS.get(section, _OTHERWISE)
            raise ConfigError(
                f"{path}: '{key}' cannot be set in a vault, because {reason}. Set it in"
                f" {user_file} instead, and take it out of the vault's file"
            )
        _check_value(key, value, path)


def _check_value(key: str, value: object, path: Path) -> None:
    _check_size(key, value, path)
    if key == "model.name" and value not in MODEL_NAMES:
        meant = near(str(value)[:_MOST_TEXT], MODEL_NAMES)
        raise ConfigError(
            f"{path}: 'model.name' cannot be set in a vault to {str(value)[:80]!r}, because a vault"
            " chooses among the models that `notewell models list` has"
            f"{f' (did you mean {meant}?)' if meant else ''}; others, and folders of weights, are"
            " set on this computer"
        )
    bounds, number = _BOUNDS.get(key), _number(value)
    if bounds is not None and number is not None and not bounds[0] <= number <= bounds[1]:
        raise ConfigError(
            f"{path}: '{key}' cannot be set in a vault to {str(value)[:40]}, because it must be"
            f" from {bounds[0]:,} to {bounds[1]:,} there; other values are set on this computer"
        )


def _check_size(key: str, value: object, path: Path) -> None:
    items = value if isinstance(value, list) else [value]
    if len(items) > _MOST_ITEMS or any(len(str(item)) > _MOST_TEXT for item in items):
        raise ConfigError(
            f"{path}: '{key}' is too long; a list has at most {_MOST_ITEMS:,} items of at most"
            f" {_MOST_TEXT:,} characters"
        )


def _number(value: object) -> float | None:
    """The number that a value stands for; text may stand for one too."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def folder_name(value: str, where: Path) -> str:
    """The relative folder that a vault's file may name; it may not lead anywhere else."""
    parts = value.replace("\\", "/").split("/")
    leaves = value.startswith(("/", "~")) or "$" in value or ":" in value or "\0" in value
    unusable = any(not part.strip(". ") for part in parts)
    if leaves or unusable or not is_inside(value, windows=True):
        raise ConfigError(
            f"{where}: '{INDEX_FOLDER}' names a folder inside the data directory, such as \"fast\";"
            " any other place is set on this computer: NOTEWELL_INDEX_DIR, or the file that"
            " `notewell config path` names"
        )
    return "/".join(parts)
