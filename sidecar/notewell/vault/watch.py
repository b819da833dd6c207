"""Watches a vault for notes and folders that may have changed.

Only paths are reported, not what happened to them: the indexer compares them with the index. So
atomic saves, renames, moved folders and temporary files of sync tools need no special handling,
and a superfluous event costs only a comparison.
"""

from __future__ import annotations

import logging
import os
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from watchfiles import Change, watch

from notewell.base.types import NOTE_TYPES, WatchMode
from notewell.vault.paths import hides, is_hidden, is_own_file
from notewell.vault.readers import is_readable
from notewell.vault.walker import outermost

# A group of events ends after QUIET_MS without another, or GROUP_MS after its first. Quiet enough
# for a rename's two halves to come together, short enough that a save is found at once.
QUIET_MS = 100
GROUP_MS = 2000
# A poll stats every file; on a network mount each stat is a round trip.
POLL_MS = 5000

# File systems that do not report changes made by another machine.
_SILENT = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "drvfs", "glusterfs", "lustre", "nfs", "nfs4"}
    | {"prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs"}
)
_SILENT_FUSE = (
    "fuse.davfs",
    "fuse.gcsfuse",
    "fuse.rclone",
    "fuse.s3fs",
    "fuse.sshfs",
    "fuse.vmhgfs",
)

# Settings files. A change in one may affect every note, so it reports the whole vault.
_RULE_FILES = (".obsidian/app.json", ".notewell.toml")

log = logging.getLogger(__name__)


def _ignore(_: tuple[str, ...]) -> None:
    """Ignore other files."""


def watch_vault(
    root: Path,
    *,
    mode: WatchMode,
    stop: threading.Event,
    types: tuple[str, ...] = NOTE_TYPES,
    others: Callable[[tuple[str, ...]], None] = _ignore,
) -> Iterator[tuple[str, ...]]:
    """Yield groups of vault-relative paths that may have changed, until `stop` is set.

    `types` are the endings of notes. A path is a note's or a folder's, NFC; an empty group means
    "look at the whole vault". `others` is called, in the watching thread, with the paths of files
    of other types that came or went; the ledger counts them. Ends when the folder itself goes
    away or another one is in its place, as after a drive was mounted anew; FileNotFoundError when
    it is not there at the start. Where the system cannot watch (too many folders), it polls and
    logs so.
    """
    polling = mode == "poll" or (mode == "auto" and is_silent(root))
    try:
        yield from _groups(root, polling, stop, types, others)
    except FileNotFoundError:
        raise
    except OSError as error:
        if polling:
            raise
        log.warning("%s: changes are polled for, since they cannot be watched (%s)", root, error)
        yield from _groups(root, True, stop, types, others)


def _groups(
    root: Path,
    polling: bool,
    stop: threading.Event,
    types: tuple[str, ...],
    others: Callable[[tuple[str, ...]], None],
) -> Iterator[tuple[str, ...]]:
    real = os.path.realpath(root)
    waiting: set[str] = set()
    watched = _identity(root)

    def matters(change: Change, path: str) -> bool:
        if _matters(real, path, types):
            return True
        relative = _relative(real, path)
        if is_own_file(relative):
            return False
        if change != Change.modified and not hides(relative.rpartition("/")[0]):
            waiting.add(relative)
        return False

    events = watch(
        real,
        watch_filter=matters,
        yield_on_timeout=True,
        debounce=GROUP_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=1000,
        raise_interrupt=False,
        force_polling=polling,
        poll_delay_ms=POLL_MS,
        ignore_permission_denied=True,
    )
    for group in events:
        if waiting:
            others(tuple(sorted(waiting)))
            waiting.clear()
        places = _places(real, group) if group else None
        if places is not None:
            yield places
        if _identity(root) != watched:
            return


def _identity(root: Path) -> tuple[int, int] | None:
    """Tell a folder from another at its path: the system reports changes of the first alone."""
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _matters(real: str, path: str, types: tuple[str, ...]) -> bool:
    relative = _relative(real, path)
    if relative in _RULE_FILES or relative == "":
        return True
    parts = relative.split("/")
    if any(is_hidden(part) for part in parts):
        return False
    # A name without an ending may be a deleted folder, which can no longer be examined.
    return is_readable(parts[-1], types) or "." not in parts[-1] or os.path.isdir(path)  # noqa: PTH112 - a string all the way


def _places(real: str, group: Iterable[tuple[Change, str]]) -> tuple[str, ...] | None:
    """The paths of a group outside its folders; () is the whole vault, None is nothing."""
    paths = {_relative(real, path) for _, path in group}
    if paths & {*_RULE_FILES, ""}:
        return ()
    return outermost(paths) or None


def _relative(real: str, path: str) -> str:
    relative = os.path.relpath(path, real).replace(os.sep, "/")
    return "" if relative == "." else unicodedata.normalize("NFC", relative)


def is_silent(root: Path, mounts: Path = Path("/proc/mounts")) -> bool:
    """True if the file system of `root` reports no remote changes. Only known on Linux."""
    real = os.path.realpath(root)
    if real.startswith("\\\\"):
        return True
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    best, kind = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = point in ("/", real) or real.startswith(f"{point}/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind in _SILENT or kind in _SILENT_FUSE


def unwatchable(
    root: Path, limit: Path = Path("/proc/sys/fs/inotify/max_user_watches")
) -> int | None:
    """The limit of watched folders of one user, where `root` has more. Only on Linux."""
    try:
        most = int(limit.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    for number, _ in enumerate(os.walk(root), start=1):
        if number > most:
            return most
    return None
