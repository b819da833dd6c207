"""Tells the conflict copies that synchronisers leave beside a note.

Where two devices change a file at once, a synchroniser keeps one version under the file's name and
the other beside it, under a name of its own form. Such a copy is not a note of its own: it would be
found, quoted and linked beside the note that it is a version of.

A name alone proves nothing: the original has to be there. Some synchronisers only add a number or
the name of a computer, as people do, so the texts of these have to be nearly the same as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from notewell.base.errors import UnreadableNoteError
from notewell.base.types import ExcludedFile, FileRef
from notewell.base.types.frozen import frozen

CONFLICT_COPY = "conflict_copy"  # the rule in the ledger

# Sources: conflicting changes at docs.syncthing.net/users/syncing.html;
# help.obsidian.md/sync/troubleshoot (conflict files); help.dropbox.com/organize/conflicted-copy;
# docs.nextcloud.com/desktop (conflicts), whose older releases and ownCloud write `_conflict-`;
# manual.seafile.com (SFConflict); OneDrive appends the computer's name, iCloud Drive a number.
_SURE = (
    re.compile(r"(?P<name>.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"),
    re.compile(r"(?P<name>.+)_conflict-\d{8}-\d{6}"),
    re.compile(
        r"(?P<name>.+?) ?\((?:.*\W)?"
        r"(?:conflicted copy|in konflikt stehende kopie|copie en conflit|copia en conflicto"
        r"|copia in conflitto|cópia em conflito|conflictkopie|конфликтующая копия|SFConflict)"
        r"(?:\W.*)?\)(?: ?\d{1,3})?",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<name>.+)-(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{5,12}(?:-\d{1,3})?"),
)
_ALIKE = (
    re.compile(r"(?P<name>.+) (?:[2-9]|[1-9]\d)"),
    re.compile(r"(?P<name>.+)-(?=[A-Z0-9-]*[A-Z])[A-Z0-9][A-Z0-9-]{2,14}(?:-\d{1,3})?"),
    re.compile(r"(?P<name>.+)-[^/]*(?:MacBook|iMac|Mac mini|iPhone|iPad)[^/]*"),
)
# Every name that one of the forms may match has one of these.
_HINT = re.compile(
    r"onfli|conflic|конфликт| [1-9]\d?(?:\.|$)|-[A-Z0-9]|MacBook|iMac|Mac mini|iPhone|iPad",
    re.IGNORECASE,
)
_PROPERTIES = re.compile(rb"---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|$)", re.DOTALL)
# Properties that tell one note from another; a copy has those of its original.
_IDENTITY = re.compile(rb"^(?:\w+[_-])?(?:id|uid|uuid|zettel):.*$", re.MULTILINE | re.IGNORECASE)
_MOST_PARENTHESES = 8
_MOST_ORIGINALS = 16  # names of which one may be a copy, by way of each other
_MOST_COMPARED = 1_000_000  # bytes of a file whose text is compared
_SHARE = 0.8  # of the shorter text that stands in the other, line by line


@frozen
class _Original:
    """A name of which another is a copy; `sure`: by the name alone."""

    name: str
    sure: bool


def original_names(path: str) -> tuple[str, ...]:
    """The paths of which a file may be a conflict copy by its name, those nearest to it first.

    With those that it may be a copy of a copy of.
    """
    folder, slash, name = path.rpartition("/")
    originals: dict[str, None] = {}
    pending = [name]
    while pending and len(originals) < _MOST_ORIGINALS:
        new = [
            original.name
            for original in _originals(pending.pop(0))
            if original.name not in originals
        ]
        originals |= dict.fromkeys(new)
        pending += new
    return tuple(f"{folder}{slash}{name}" for name in originals)


def _originals(name: str) -> Iterator[_Original]:
    if _HINT.search(name) is None:
        return
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return
    for form in _SURE:
        for own in _stems(form, stem):
            yield _Original(f"{own}.{ending}", sure=True)
    for form in _ALIKE:
        for own in _stems(form, stem):
            yield _Original(f"{own}.{ending}", sure=False)


def _stems(form: re.Pattern[str], stem: str) -> Iterator[str]:
    """Yield what a form leaves of a name; names with parentheses of their own first."""
    match = form.fullmatch(stem)
    if match is None:
        return
    shortest = match["name"]
    if ".+?" in form.pattern:
        places = [at for at, char in enumerate(stem) if char == "(" and at > len(shortest)]
        for at in reversed(places[-_MOST_PARENTHESES:]):
            own = stem[:at].rstrip()
            if own and form.fullmatch(f"x {stem[at:]}"):
                yield own
    yield shortest


def related_names(names: Collection[str], listed: Iterable[str]) -> frozenset[str]:
    """The names in a folder that have to be looked at with some of them.

    These are the originals of which they may be copies, and all that may be copies of these.
    `listed` are all names in the folder; those of `names` that are gone are not among them.
    """
    wanted = set(names).union(*map(original_names, names))
    copies = {name for name in listed if not wanted.isdisjoint(original_names(name))}
    return frozenset(wanted | copies)


def set_aside(
    files: Mapping[str, FileRef], read: Callable[[FileRef], bytes]
) -> tuple[dict[str, FileRef], list[ExcludedFile]]:
    """Part the files of a walk, by path, into notes with their `copies` and the copies.

    `read` gives the bytes of a file, or raises UnreadableNoteError. A copy of a copy is one of the
    original.
    """
    of: dict[str, str] = {}
    for path, file in files.items():
        original = _original_of(path, file, files, read)
        if original is not None:
            of[path] = original
    if not of:
        return dict(files), []
    copies: dict[str, list[FileRef]] = {}
    excluded = []
    for path in sorted(of):
        original = of[path]
        while original in of:  # each is shorter than the last
            original = of[original]
        copies.setdefault(original, []).append(files[path])
        reason = f"A conflict copy of {original}: what it alone says is found with that note."
        excluded.append(ExcludedFile(files[path], CONFLICT_COPY, reason))
    kept = {
        path: replace(file, copies=tuple(copies[path])) if path in copies else file
        for path, file in files.items()
        if path not in of
    }
    return kept, excluded


def _original_of(
    path: str, file: FileRef, files: Mapping[str, FileRef], read: Callable[[FileRef], bytes]
) -> str | None:
    folder, slash, name = path.rpartition("/")
    for original in _originals(name):
        there = f"{folder}{slash}{original.name}"
        if there in files and (original.sure or _are_alike(file, files[there], read)):
            return there
    return None


def _are_alike(one: FileRef, other: FileRef, read: Callable[[FileRef], bytes]) -> bool:
    """True if most lines of the shorter text stand in the other, and no id tells them apart."""
    if not (0 < one.size <= _MOST_COMPARED and 0 < other.size <= _MOST_COMPARED):
        return False
    if not (one.ctime_ns and other.ctime_ns):  # to read it would fetch it from elsewhere
        return False
    try:
        shorter, longer = sorted((read(one), read(other)), key=len)
    except UnreadableNoteError:
        return False
    ids = {match[0] for text in (shorter, longer) for match in _IDENTITY.finditer(_head(text))}
    if len(ids) > 1:
        return False
    lines = [line.strip() for line in shorter[len(_head(shorter)) :].splitlines()]
    known = {line.strip() for line in longer[len(_head(longer)) :].splitlines()}
    total = sum(map(len, lines))
    return total > 0 and sum(len(line) for line in lines if line in known) >= _SHARE * total


def _head(text: bytes) -> bytes:
    """The properties at the top of a note, which notes of one kind have in common."""
    match = _PROPERTIES.match(text)
    return b"" if match is None else match[0]
