"""The notes of the past as a source of an index: those of a commit, and the lines that are gone.

They are read from git while they are indexed, so no file of the past is written. The rules of today
decide what is read: what is excluded now was perhaps meant to be before.
"""

from __future__ import annotations

import hashlib
import time
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from notewell.api.errors import SourceError, UnreadableNoteError, UsageError
from notewell.api.notes import check_name, hides
from notewell.api.types import VaultRules
from notewell.api.vault import ExcludedFile, FileRef, Walk
from notewell.base.errors import OutsideVaultError
from notewell.base.support import interrupt
from notewell.features.history.git import GitHistory
from notewell.vault.mirror import Mirror
from notewell.vault.paths import IgnoreRules, load_rules
from notewell.vault.read_notes import HashedNote, content_limit, read_bytes_of_note
from notewell.vault.readers import is_readable
from notewell.vault.readers.process import ReaderProcess

MOST_BYTES = 2 * 1024**3  # of all notes of a commit together
Uri = Callable[[str, str | None], str]


class PastRules:
    """Tells which paths of the past are notes, by the rules that hold now."""

    def __init__(self, root: Path, rules: VaultRules) -> None:
        """`root` is the vault's folder, whose settings of Obsidian are read."""
        self._ignored: IgnoreRules = load_rules(root, rules)
        self._unusable: set[str] = set()

    @property
    def digest(self) -> str:
        """A short text that differs where other rules hold."""
        rules = self._ignored
        globs = [None if globs is None else globs.lines for globs in (rules.exclude, rules.include)]
        patterns = [pattern.pattern for pattern in rules.patterns]
        told = repr((rules.types, rules.prefixes, patterns, globs))
        return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()

    def reads(self, path: str) -> bool:
        """True if a file of this path was a note that is to be read."""
        name = path.rpartition("/")[2]
        if hides(path) or not is_readable(name, self._ignored.types):
            return False
        try:
            check_name(path)
        except (OutsideVaultError, UsageError):
            self._unusable.add(path)
            return False
        return self._ignored.decide(unicodedata.normalize("NFC", path)) is None

    def warnings(self) -> tuple[str, ...]:
        """Names that no file can have, which were left out."""
        if not self._unusable:
            return ()
        first = ascii(min(self._unusable)[:80])
        count = f"{len(self._unusable):,} files of the past"
        return (f"{count} were left out, because no file system keeps their names: {first} …",)


class PastNotes:
    """A source of notes that git, or this program, has the bytes of. Any thread may call."""

    watched = False

    def __init__(
        self,
        sizes: Mapping[str, int],
        content: Callable[[str], bytes],
        rules: VaultRules,
        types: tuple[str, ...],
        uri: Uri,
    ) -> None:
        """`sizes` are those of the notes by their paths, and `content` gives the bytes of one."""
        now = time.time_ns()
        self.place = "the history of the vault"
        self.types = types
        self._content = content
        self._rules = rules
        self._uri = uri
        self._child = ReaderProcess()
        self._stamps = {
            path: FileRef(path, Path(path), size, now) for path, size in sorted(sizes.items())
        }

    def close(self) -> None:
        """End the process that reads documents."""
        self._child.close()

    def list(self, within: Sequence[str] = ()) -> Walk:
        """All notes; those larger than is read are excluded."""
        large: list[ExcludedFile] = []
        stamps: list[FileRef] = []
        for stamp in self._stamps.values():
            if within and not any(
                stamp.path == folder or stamp.path.startswith(f"{folder}/") for folder in within
            ):
                continue
            most = content_limit(stamp, self._rules)
            if stamp.size > most:
                reason = f"It has {stamp.size / 1e6:.1f} MB, more than {most / 1e6:.1f} MB."
                large.append(ExcludedFile(stamp, "too_large", reason))
            else:
                stamps.append(stamp)
        return Walk(files=tuple(stamps), excluded=tuple(large))

    def stamp(self, path: str) -> FileRef:
        if path not in self._stamps:
            raise UnreadableNoteError(f"{path} is not in the past.", code="vanished")
        return self._stamps[path]

    def read(self, stamp: FileRef) -> HashedNote:
        interrupt.check()
        return read_bytes_of_note(stamp, self._content(stamp.path), self._rules, self._child)

    def content_hash(self, stamp: FileRef) -> bytes:
        return hashlib.blake2b(self._content(stamp.path), digest_size=16).digest()

    def excluded(self, path: str) -> tuple[str, str] | None:
        return None if path in self._stamps else ("missing", "It is not in the past.")

    def uri(self, path: str, anchor: str | None = None) -> str:
        return self._uri(path, anchor)

    def receiver(self) -> Mirror | None:
        """None: the past does not change."""
        return None


def checked_sizes(
    history: GitHistory, files: Mapping[str, str], most_of_each: Callable[[str], int]
) -> Mapping[str, int]:
    """The sizes of files by their paths, before any content is read.

    Raises:
        SourceError: they are too large together (code "history_too_large"), or the repository does
            not have them ("history_partial").

    """
    by_id = history.sizes(_unique(files.values()))
    if missing := sum(file not in by_id for file in files.values()):
        raise SourceError(
            f"The repository does not have {missing:,} notes of that day: it was cloned in part."
            " `git fetch --refetch --no-filter` fetches the rest.",
            code="history_partial",
        )
    sizes = {path: by_id[blob] for path, blob in files.items()}
    total = sum(size for path, size in sizes.items() if size <= most_of_each(path))
    if total > MOST_BYTES:
        raise _too_large(f"{total / 1e9:.1f} GB of notes, more than {MOST_BYTES / 1e9:.1f} GB")
    return sizes


def _unique(ids: Collection[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))


def _too_large(what: str) -> SourceError:
    return SourceError(
        f"The past of this vault is not searched: one of its commits has {what}.",
        code="history_too_large",
    )
