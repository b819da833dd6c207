"""Finds the git repository that a vault belongs to, and refuses those that belong to somebody else.

A vault may come from a stranger, and its `.git` may be a file or a link that names another
repository of this computer, whose notes would then be shown. Right is a git folder in the vault or
in a folder above it (a vault may be a part of a repository), and the git folder of a worktree or a
submodule that points back. Nothing of a repository's settings is read, but for the folder that a
submodule belongs to.

Source: https://git-scm.com/docs/gitrepository-layout
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from notewell.api.errors import SourceError
from notewell.api.files import read_plain
from notewell.api.types import frozen

_SMALL = 64 * 1024  # bytes of HEAD, and of files that name a folder
_PACKED_REFS = 64 * 1024 * 1024
_SHALLOW = 16 * 1024 * 1024
_MOST_OBJECTS = 2_000_000  # files of objects that are looked at
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE = re.compile(r"refs/[^\x00-\x20\\:?*\[~^\x7f]{1,1000}")
_MOST_HOPS = 5  # of references to references
ReadSetting = Callable[[Path, str], str]  # of a file of settings, by its key; "" if there is none


@frozen
class Repository:
    """A repository that may be read.

    `common` is the folder of its objects and branches, which `git_folder` is too, except in a
    worktree. `prefix` is the vault's folder in it, `/`-separated, "" for all of it.
    """

    git_folder: Path
    common: Path
    prefix: str

    @property
    def objects(self) -> Path:
        return self.common / "objects"


def find_repository(
    vault: Path, read_setting: ReadSetting, trusted: Callable[[], tuple[str, ...]]
) -> Repository:
    """Find the repository of a vault's folder.

    `read_setting` reads settings of git, and `trusted` the folders whose repositories the user
    trusts, whoever owns them.

    Raises:
        SourceError: there is none (code "no_history"), or it may not be read ("history_refused").

    """
    folder = _real(vault)
    for top in (folder, *folder.parents):
        mark = top / ".git"
        if os.path.lexists(mark):
            git_folder = _git_folder(mark, top, folder, read_setting)
            common = _common(git_folder, mark)
            _check_owner(common, top, trusted)
            inside = folder.relative_to(top).as_posix()
            return Repository(git_folder, common, "" if inside == "." else inside)
    raise no_history()


def no_history() -> SourceError:
    """The error for a vault without history."""
    return SourceError(
        "This vault has no history: its folder is in no git repository with a commit.",
        code="no_history",
    )


def _refusal(what: str, way_out: str) -> SourceError:
    return SourceError(
        f"The history of this vault is not read: {what}. {way_out}", code="history_refused"
    )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _git_folder(mark: Path, top: Path, vault: Path, read_setting: ReadSetting) -> Path:
    """The git folder that `mark` is or names, if it belongs to `top`."""
    if mark.is_symlink():
        raise _refusal(
            f"{mark} is a link to another place", "Put the git folder itself there to have it read."
        )
    if mark.is_dir():
        return mark
    named = _line(mark)
    if not named.startswith("gitdir:"):
        raise no_history()
    place = _real(top / named.removeprefix("gitdir:").strip())
    home = place.parent
    if home == vault or vault in home.parents or home in vault.parents:
        return place
    if _is_worktree_of(place, mark) or _is_submodule_of(place, top, read_setting):
        return place
    raise _refusal(
        f"{mark} names the git folder {place}, which does not name it in turn",
        "It may be another repository's. If it is the right one, `git worktree repair` or"
        " `git submodule update` mends that.",
    )


def _is_worktree_of(place: Path, mark: Path) -> bool:
    """True if a git folder is that of the worktree whose file `.git` is `mark`."""
    try:
        back = Path(_line(place / "gitdir"))
    except SourceError:
        return False
    return _real(place / back) == _real(mark)


def _is_submodule_of(place: Path, top: Path, read_setting: ReadSetting) -> bool:
    """True if a git folder is that of the submodule in the folder `top`."""
    back = read_setting(place / "config", "core.worktree")
    return bool(back) and _real(place / back) == top


def _common(git_folder: Path, mark: Path) -> Path:
    """The folder of the objects: the git folder, or of a worktree the one that it belongs to."""
    if not os.path.lexists(git_folder / "commondir"):
        common = git_folder
    else:
        common = _real(git_folder / _line(git_folder / "commondir"))
        if git_folder.parent != common / "worktrees" or not _is_worktree_of(git_folder, mark):
            raise _refusal(
                f"{git_folder} takes its objects from {common}, to which it does not belong",
                "`git worktree repair` mends that.",
            )
    if not (common / "objects").is_dir():
        raise no_history()
    return common


def _check_owner(common: Path, top: Path, trusted: Callable[[], tuple[str, ...]]) -> None:
    """Refuse the repository of another user, as git does, unless it was declared safe."""
    if os.name != "posix":
        return
    owner = common.stat().st_uid
    if owner == os.geteuid() or {"*", str(top)} & set(trusted()):
        return
    raise _refusal(
        f"the repository in {top} belongs to another user (number {owner})",
        f"If you trust it, run: git config --global --add safe.directory '{top}'",
    )


def check_objects(repository: Repository) -> None:
    """Refuse a repository whose objects lie elsewhere: through a link, or another one's.

    Raises:
        SourceError: "history_refused", or "history_too_large" for too many files.

    """
    objects = repository.objects
    for name in ("alternates", "http-alternates"):
        place = objects / "info" / name
        if os.path.lexists(place) and (place.is_symlink() or place.stat().st_size):
            raise _refusal(
                f"it takes objects from other repositories ({place})",
                "`git repack -a -d` copies them; delete the file then.",
            )
    for number, (entry, is_right) in enumerate(_entries(objects)):
        if not is_right:
            raise _refusal(
                f"{entry} is a link, or no plain file",
                "Clone the repository anew to have its history read.",
            )
        if number > _MOST_OBJECTS:
            raise SourceError(
                f"The repository has more than {_MOST_OBJECTS:,} files of objects, so its history"
                " is not read. `git gc` packs them.",
                code="history_too_large",
            )


def _entries(objects: Path) -> Iterator[tuple[str, bool]]:
    """Each file and folder of objects, and whether it is a plain one of that folder."""
    yield str(objects), _real(objects) == objects
    with os.scandir(objects) as folders:
        for folder in folders:
            is_folder = folder.is_dir(follow_symlinks=False)
            yield folder.path, is_folder or folder.is_file(follow_symlinks=False)
            if is_folder:
                yield folder.path, os.path.realpath(folder.path) == folder.path
                with os.scandir(folder.path) as files:
                    for file in files:
                        is_plain = not file.is_symlink() and (file.is_file() or file.is_dir())
                        yield file.path, is_plain


def head_commit(repository: Repository) -> str:
    """The id of the commit that is checked out. SourceError if there is none."""
    text = _line(repository.git_folder / "HEAD")
    for _ in range(_MOST_HOPS):
        if _COMMIT.fullmatch(text):
            return text
        name = text.removeprefix("ref:").strip()
        if text == name or not _is_reference(name):
            break
        if (repository.common / "reftable").is_dir():
            raise _refusal(
                "its branches are stored as a reftable, which is not read",
                "`git refs migrate --ref-format=files` stores them as files.",
            )
        text = _resolve_reference(repository, name)
    raise no_history()


def _is_reference(name: str) -> bool:
    return _REFERENCE.fullmatch(name) is not None and not any(
        part in {"", ".", ".."} for part in name.split("/")
    )


def _resolve_reference(repository: Repository, name: str) -> str:
    """The text of a reference: a commit, or another reference."""
    place = repository.common.joinpath(*name.split("/"))
    if os.path.lexists(place):
        if _real(place) != place:
            raise _refusal(f"{place} is a link", "Write the commit there to have it read.")
        return _line(place)
    try:
        packed = read_plain(repository.common / "packed-refs", most=_PACKED_REFS)
    except OSError as error:
        raise no_history() from error
    for line in packed.split(b"\n"):
        commit, _, named = line.partition(b" ")
        if named.strip() == name.encode("utf-8", "surrogateescape"):
            return commit.decode("ascii", "replace")
    raise no_history()


def shallow_commits(repository: Repository) -> str:
    """The commits at which a shallow clone ends, a line each, as git stores them."""
    try:
        text = read_plain(repository.common / "shallow", most=_SHALLOW).decode("ascii", "replace")
    except OSError:
        return ""
    return "".join(f"{line}\n" for line in text.split() if _COMMIT.fullmatch(line))


def _line(file: Path) -> str:
    """The text of a small file of git's; SourceError "no_history" if it is not a text."""
    try:
        return read_plain(file, most=_SMALL).decode("utf-8", "surrogateescape").strip()
    except OSError as error:
        raise no_history() from error
