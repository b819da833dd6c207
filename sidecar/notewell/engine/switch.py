"""Replaces files and folders of the state together: either all of them, or none.

A file in the data directory lists what is being replaced. It is written before the first change and
deleted after the last one: where it is found, the process was ended in between, and what it had
done is taken back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson

from notewell.base.errors import ConfigError, on_error
from notewell.base.support import disk

JOURNAL = "unfinished-restore.json"


@dataclass(frozen=True, slots=True)
class FileMove:
    """`live` is put `aside` if it exists, then `staged` (None: nothing) takes its place.

    All three are of one kind, files or folders, and `staged` and `aside` on the disk of `live`.
    """

    live: Path
    staged: Path | None
    aside: Path


def switch(data_dir: Path, moves: Sequence[FileMove]) -> None:
    """Make all moves, or none. The caller keeps other processes from changing the state.

    Raises OSError if the disk refuses; everything is then as it was. ConfigError: it also refuses
    to take back what was done; the next process does that.
    """
    journal = data_dir / JOURNAL
    disk.replace(journal, _dump(moves), durable=True)
    with on_error(partial(take_back, data_dir)):
        for move in moves:
            _set_aside(move)
            if move.staged is not None:
                disk.make_folder(move.live.parent)
                move.staged.replace(move.live)
    journal.unlink()


def _set_aside(move: FileMove) -> None:
    """Move a folder aside; copy a file, so that there are settings at every moment.

    Whatever has the name `aside` is whole.
    """
    if not os.path.lexists(move.live):
        return
    disk.make_folder(move.aside.parent)
    if move.staged is not None and move.live.is_file():
        unfinished = _unfinished_path(move.aside)
        shutil.copy2(move.live, unfinished)
        unfinished.rename(move.aside)
    else:
        move.live.rename(move.aside)


def _unfinished_path(aside: Path) -> Path:
    return aside.with_name(f".{aside.name}")


def is_unfinished(data_dir: Path) -> bool:
    """True if a process was ended, or is at work, between the first and the last move."""
    return (data_dir / JOURNAL).exists()


def take_back(data_dir: Path) -> bool:
    """Undo the moves of a process that was ended; returns whether there were any.

    Raises ConfigError if the disk refuses; it is tried again the next time.
    """
    journal = data_dir / JOURNAL
    try:
        stored = orjson.loads(journal.read_bytes())
        for live, staged, aside, existed in reversed(stored["moves"]):
            new = None if staged is None else Path(staged)
            _take_back(Path(live), new, Path(aside), existed=existed)
        journal.unlink()
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"a restore was ended before it was complete, and could not be undone ({error}); free"
            " space or mend permissions, then run any command, which tries again. What was moved"
            f" and where to is in {journal}"
        ) from error
    return True


def _take_back(live: Path, staged: Path | None, aside: Path, *, existed: bool) -> None:
    """Undo a move that was made in full, in part or not at all, or undone before.

    Whether `staged` is still there says nothing: the process that failed may have deleted it.
    """
    if os.path.lexists(aside):
        if live.is_dir() and not live.is_symlink():
            _discard(live, staged)
        aside.replace(live)
    elif staged is not None and not existed and os.path.lexists(live):
        _discard(live, staged)
    with suppress(OSError):
        _unfinished_path(aside).unlink(missing_ok=True)
    with suppress(OSError):  # it holds others, or was never made
        aside.parent.rmdir()


def _discard(live: Path, staged: Path | None) -> None:
    """Remove what took the place of the state before; it came from a file that is still there.

    It is moved away first: nobody sees it half deleted.
    """
    away = staged or live.with_name(f".{live.name}-undone")
    disk.make_folder(away.parent)
    live.rename(away)
    if away.is_dir():
        shutil.rmtree(away, ignore_errors=True)
    else:
        away.unlink()
    with suppress(OSError):  # it holds others
        away.parent.rmdir()


def _dump(moves: Sequence[FileMove]) -> bytes:
    listed = [
        [
            str(move.live),
            None if move.staged is None else str(move.staged),
            str(move.aside),
            os.path.lexists(move.live),
        ]
        for move in moves
    ]
    return orjson.dumps({"format": 1, "moves": listed}, option=orjson.OPT_INDENT_2)
