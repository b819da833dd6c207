"""Paths of a vault: those that are valid, hidden, or excluded from the index by rules.

The rules apply in this order: files that Obsidian hides, gardener plans, "Excluded files"
(`userIgnoreFilters` of `.obsidian/app.json`), then Notewell's `exclude` and `include` globs in
gitignore syntax. The phone index, which Notewell writes into a vault, is no part of it.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from notewell.base.errors import OutsideVaultError, UsageError
from notewell.base.support.plain_file import NotPlainFileError, read_plain
from notewell.base.support.relative_paths import is_device
from notewell.base.types import NOTE_TYPES, VaultRules
from notewell.base.types.frozen import frozen
from notewell.vault.readers import is_readable, readable

if TYPE_CHECKING:  # imported when it is used: searches do without
    import pathspec


# Paths of documents that are indexed with a vault and lie elsewhere begin with this folder, which
# no vault has: it is hidden.
DOCUMENTS = ".documents"

_UNSEEN_FOLDERS = frozenset({"node_modules"})
_MAX_SETTINGS_BYTES = 1024 * 1024
_TRIES, _BETWEEN_TRIES_S = 5, 0.05
_MAX_REGEX_PATH = 1000
_MAX_REPEATS = 3
_MAX_GROUPS = 50
_MAX_FILTERS, _MAX_FILTER = 1_000, 1_000  # entries of Excluded files, and characters of one
_REPEAT = re.compile(r"[*+]|\{\d*,\d*\}")
# The names that the gardener gives to the notes of its plans.
_GARDENER_PLAN = re.compile(
    r"(?:^|/)Gardener Plan \d{4}-\d\d-\d\d \d\d-\d\d(?:-\d\d)?\.md\Z", re.IGNORECASE
)
# Limits of common file systems; one with lower limits reports an error of its own.
MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 2000

# A colon names an alternate data stream; Windows refuses the others or changes them silently.
_WINDOWS_REFUSES = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')
# Every sync tool has to copy it. Obsidian Sync never copies names that begin with a dot, and of the
# settings folder only what it knows; every other ending is copied with "Sync all other types".
PHONE_INDEX = "notewell-phone-index.bin"
# What `atomic.replacing` leaves of a process that was killed.
_UNFINISHED = re.compile(rf"\.{re.escape(PHONE_INDEX)}-[0-9a-f]{{8}}")


def is_hidden(name: str) -> bool:
    """Tell whether Obsidian itself never shows a file or folder of this name."""
    return name.startswith(".") or name in _UNSEEN_FOLDERS


@frozen
class Globs:
    """Compiled gitignore lines, together with their source."""

    lines: tuple[str, ...]
    spec: pathspec.GitIgnoreSpec

    def matched(self, path: str) -> str | None:
        """The line that decides that `path` matches, or None."""
        result = self.spec.check_file(path)
        if not result.include or result.index is None:
            return None
        return self.lines[result.index]


@frozen
class IgnoreRules:
    """The compiled rules of one vault. `warnings` names entries that could not be used."""

    types: tuple[str, ...]  # the endings of files that become notes
    prefixes: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    exclude: Globs | None
    include: Globs | None
    warnings: tuple[str, ...]

    def decide(self, path: str) -> tuple[str, str] | None:
        """Return (rule, reason) of the rule that leaves `path` out, or None."""
        if _GARDENER_PLAN.search(path):
            return "gardener_plan", "A plan of the gardener quotes other notes."
        if self.prefixes and path.startswith(self.prefixes):
            prefix = next(prefix for prefix in self.prefixes if path.startswith(prefix))
            reason = f"{prefix} is listed under Excluded files in Obsidian's settings."
            return "user_ignore", reason
        for pattern in self.patterns:
            if len(path) <= _MAX_REGEX_PATH and pattern.search(path):
                reason = f"Matches /{pattern.pattern}/ under Excluded files in Obsidian's settings."
                return "user_ignore", reason
        if self.exclude is not None and (glob := self.exclude.matched(path)) is not None:
            return "exclude", f"Matches {glob} of the setting vault.exclude."
        if self.include is not None and self.include.matched(path) is None:
            globs = ", ".join(self.include.lines)
            return "include", f"Matches nothing of the setting vault.include ({globs})."
        return None


def load_rules(root: Path, rules: VaultRules) -> IgnoreRules:
    """Compile the rules of the vault at `root`; an invalid rule becomes a warning."""
    filters, warnings = _user_filters(root / ".obsidian" / "app.json")
    prefixes: list[str] = []
    patterns: list[re.Pattern[str]] = []
    for entry in filters:
        if len(entry) > 2 and entry.startswith("/") and entry.endswith("/"):
            try:
                patterns.append(_safe_pattern(entry[1:-1]))
            except (re.error, ValueError, RecursionError, OverflowError) as error:
                warnings.append(f"Excluded files: the pattern {entry} is ignored ({error}).")
        elif entry:
            prefixes.append(entry)
    types, unknown = readable(rules.types)
    warnings += unknown
    return IgnoreRules(
        types=types,
        prefixes=tuple(prefixes),
        patterns=tuple(patterns),
        exclude=_globs("exclude", rules.exclude, warnings),
        include=_globs("include", rules.include, warnings),
        warnings=tuple(warnings),
    )


def _user_filters(settings: Path, tries: int = _TRIES) -> tuple[list[str], list[str]]:
    """Read `userIgnoreFilters`; a missing file has none, a broken one gives a warning.

    A file that is being written is broken for a moment, in which nothing that is excluded may be
    read, so it is read again before that is said.
    """
    try:
        loaded = json.loads(read_plain(settings, most=_MAX_SETTINGS_BYTES).decode("utf-8-sig"))
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError, RecursionError) as error:
        if tries > 1 and not isinstance(error, NotPlainFileError):
            time.sleep(_BETWEEN_TRIES_S)
            return _user_filters(settings, tries - 1)
        return [], [f".obsidian/app.json cannot be read ({error}); Excluded files are unused."]
    filters = (loaded.get("userIgnoreFilters") if isinstance(loaded, dict) else None) or []
    if not isinstance(filters, list):
        return [], ["userIgnoreFilters of .obsidian/app.json is not a list; it is unused."]
    return _usable_filters([entry for entry in filters if isinstance(entry, str)])


def _usable_filters(entries: list[str]) -> tuple[list[str], list[str]]:
    """The entries that count, and a warning where some are too many or too long."""
    used = [entry for entry in entries if len(entry) <= _MAX_FILTER][:_MAX_FILTERS]
    left_out = len(entries) - len(used)
    bounds = f"at most {_MAX_FILTERS:,} of at most {_MAX_FILTER:,} characters count"
    return used, [f"Excluded files: {left_out:,} entries are ignored; {bounds}."] * bool(left_out)


def _safe_pattern(source: str) -> re.Pattern[str]:
    """Compile a filter's regular expression, refusing those that could run away.

    Python's engine backtracks and cannot be interrupted. Exponential time needs a repeated group
    that repeats or branches inside, and polynomial time of degree n needs n open repeats; the
    first is refused, the second bounded by `_MAX_REPEATS` and by the length of the paths tried.

    Raises re.error for a pattern that does not compile, ValueError for one that is refused.
    """
    if len(_REPEAT.findall(source)) > _MAX_REPEATS:
        raise ValueError(f"more than {_MAX_REPEATS} repeats could take forever")
    if source.count("(") > _MAX_GROUPS:
        raise ValueError(f"more than {_MAX_GROUPS} groups take long to compile")
    risky: list[bool] = [False]
    position = 0
    while position < len(source):
        char = source[position]
        if char == "(":
            risky.append(False)
        elif char == ")" and len(risky) > 1:
            inner = risky.pop()
            if inner and _REPEAT.match(source, position + 1):
                raise ValueError("a repeated group that repeats or branches could take forever")
            risky[-1] = risky[-1] or inner
        elif char == "|" or _REPEAT.match(source, position):
            risky[-1] = True
        position += 2 if char == "\\" else 1
    return re.compile(source)


def _globs(name: str, lines: tuple[str, ...], warnings: list[str]) -> Globs | None:
    """Compile globs one by one, so that a bad one is named and the others still count."""
    import pathspec  # noqa: PLC0415

    good: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):  # these become no patterns
            continue
        try:
            pathspec.GitIgnoreSpec.from_lines([line])
        except ValueError as error:
            warnings.append(f"The {name} glob {line!r} is ignored ({error}).")
        else:
            good.append(line)
    return Globs(tuple(good), pathspec.GitIgnoreSpec.from_lines(good)) if good else None


def check_name(path: str, *, windows: bool | None = None) -> None:
    """Check that a path names exactly one place inside a vault.

    `windows`: by the rules of that system, or not; None: by those of this one.

    Raises OutsideVaultError if it may lead out of the vault, and UsageError (code "bad_name") if no
    file system can store it.
    """
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or "\x00" in path:
        raise OutsideVaultError(
            f"{path[:200]!r} is not a path inside the vault. Give it relative to the vault folder,"
            " with one / between folders, without `.` and `..`."
        )
    try:
        longest = max(len(part.encode()) for part in parts)
        whole = len(path.encode())
    except UnicodeEncodeError as error:
        raise bad_name(path, "it is not valid Unicode") from error
    if longest > MAX_NAME_BYTES:
        raise bad_name(path, f"a name in it has {longest} bytes, more than {MAX_NAME_BYTES}")
    if whole > MAX_PATH_BYTES:
        raise bad_name(path, f"it has {whole} bytes, more than {MAX_PATH_BYTES}")
    if (os.name == "nt") if windows is None else windows:
        _check_for_windows(path, parts)


def bad_name(path: str, why: str) -> UsageError:
    """The error for a name that the file system cannot store."""
    shown = ascii(path[:200])
    return UsageError(f"{shown} cannot be kept under this name: {why}.", code="bad_name")


def is_note(path: str, types: tuple[str, ...] = NOTE_TYPES) -> bool:
    """True if a file of this path becomes a note: one of the `types`, and not hidden."""
    return is_readable(path, types) and not hides(path)


def is_document(path: str) -> bool:
    """True if a path is that of a document outside the vault, or of a folder of them."""
    return path == DOCUMENTS or path.startswith(f"{DOCUMENTS}/")


def hides(path: str) -> bool:
    """True if Obsidian itself hides this path or a folder above it."""
    return any(is_hidden(part) for part in path.split("/"))


def _check_for_windows(path: str, parts: list[str]) -> None:
    for part in parts:
        if _WINDOWS_REFUSES.search(part) or is_device(part):
            raise bad_name(path, f"Windows does not hold the name {part!r}")


def is_own_file(path: str) -> bool:
    """True if a vault-relative path is that of a file written here, finished or not."""
    return path == PHONE_INDEX or _UNFINISHED.fullmatch(path) is not None


def unfinished_phone_indexes(root: Path) -> Iterator[Path]:
    """Files of writings that did not end."""
    return (file for file in root.glob(f".{PHONE_INDEX}-*") if is_own_file(file.name))


# Resolves link targets to notes as Obsidian does, with an index that is updated note by note.
