"""Moves the index of a vault between its folder and PostgreSQL.

The copy is made beside the index, under another name, and compared with it. The last step is one
file: with the address in the folder the index is in the database, without it in the folder. What
stops a move before that leaves the index as it was, and the next move begins anew.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from notewell.base.errors import IndexFailure
from notewell.base.support import cleanup
from notewell.features.postgres import opening
from notewell.features.postgres.address import Address, read, write
from notewell.features.postgres.engine import ADDRESS_FILE
from notewell.index.engines import DATABASE, DEFAULT, delete_index, open_index
from notewell.index.transfer import Copied, copy_all

_UNFINISHED = ".moving"  # ends the name of a vault, and is a folder, until the copy is whole

Say = Callable[[str], None]


def to_postgres(
    directory: Path, address: Address, password: str | None, *, say: Say, keep: bool = False
) -> Copied:
    """Move the index in a folder to a database; `keep` leaves the files of the old one.

    Raises:
        NotFoundError: there is no index.
        IndexInUseError: somebody writes it.
        IndexFailure: the database holds an index of this vault already, or does not fit.
        NotewellError: the database cannot be reached, or refuses.

    """
    unfinished = replace(address, vault=f"{address.vault}{_UNFINISHED}")
    with closing(open_index(directory, writable=True, engine=DEFAULT)) as source:
        opening.check_free(address, password)
        opening.delete_at(unfinished, password)
        with closing(opening.open_at(unfinished, password, writable=True)) as target:
            copied = copy_all(source, target, say=say)
        opening.rename(unfinished, address.vault, password)
        write(directory, address)
    if not keep:
        delete_index(directory, engine=DEFAULT)
    return copied


def to_folder(directory: Path, password: str | None, *, say: Say, keep: bool = False) -> Copied:
    """Move the index of a folder back from its database; `keep` leaves it there as well.

    Raises as `to_postgres` does.
    """
    address = read(directory)
    beside = directory / _UNFINISHED
    shutil.rmtree(beside, ignore_errors=True)
    with closing(opening.open_at(address, password, writable=True)) as source:
        with cleanup.on_error(lambda: shutil.rmtree(beside, ignore_errors=True)):
            with closing(open_index(beside, writable=True, engine=DEFAULT)) as target:
                copied = copy_all(source, target, say=say)
            delete_index(directory, engine=DEFAULT)
            for file in beside.iterdir():
                file.replace(directory / file.name)
        (directory / ADDRESS_FILE).unlink()
    beside.rmdir()
    if not keep:
        opening.delete_at(address, password)
    return copied


def attach(directory: Path, address: Address, password: str | None) -> None:
    """Use an index that is in a database already, for a folder that has none.

    Raises:
        NotFoundError: the database has no index of this vault.
        IndexFailure: the folder has an index of its own.

    """
    if (directory / DATABASE).exists():
        raise IndexFailure(
            f"{directory} has an index of its own. Move that one with `notewell engine move`, or"
            " remove it first."
        )
    opening.open_at(address, password, writable=False).close()
    write(directory, address)
