"""Finding the vault that a command line means, and making a new folder known."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from notewell.cli.options import Invocation
from notewell.errors import NotFoundError
from notewell.types import Settings, VaultRecord

_SAMPLE = "Sample vault"


def sample_folder(settings: Settings) -> Path:
    """Where `notewell demo` keeps its copy of the sample vault."""
    return settings.data_dir / _SAMPLE


def find_or_add(
    inv: Invocation, word: str | None, *, say: Callable[[str], None] | None = None
) -> VaultRecord:
    """The vault that `word` names; a folder that is not known yet becomes known."""
    try:
        return inv.known().find(word, cwd=Path.cwd())
    except NotFoundError:
        if word is None or not Path(word).expanduser().is_dir():
            raise
        return add(inv, Path(word), say=say)


def add(
    inv: Invocation,
    folder: Path,
    *,
    name: str | None = None,
    say: Callable[[str], None] | None = None,
) -> VaultRecord:
    """Make `folder` known. The sample vault gives up being the default to a vault of one's own."""
    with closing(inv.vaults(say=say)) as vaults:
        return _before_sample(inv, vaults.add(folder, name=name))


def add_mirror(inv: Invocation, name: str) -> VaultRecord:
    """Make a vault that clients fill, as `add` does."""
    return _before_sample(inv, inv.known().add_mirror(name))


def _before_sample(inv: Invocation, record: VaultRecord) -> VaultRecord:
    known = inv.known()
    sample = sample_folder(inv.settings()).resolve()
    default = next((one for one in known.records() if one.default), None)
    if default is not None and default.path == sample and record.path != sample:
        known.set_default(record)
        return known.find(record.id, cwd=Path.cwd())
    return record
