"""The format of a memory's note: properties, text, and a history in a comment at its end.

The history is an Obsidian comment, so it moves and is deleted with the note, and is neither shown
nor indexed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, get_args

from notewell.api.errors import UsageError
from notewell.api.notes import date_of, read_frontmatter
from notewell.api.types import PropertyValue
from notewell.base.support.relative_paths import is_device
from notewell.base.types import SourceText
from notewell.features.memory.requests import (
    DEFAULT_NAMESPACE,
    MAX_CONTENT_CHARS,
    MemoryType,
    RelationKind,
    ValidationKind,
)
from notewell.vault.parse import one_line_end

KINDS: Final[tuple[RelationKind, ...]] = get_args(RelationKind)
_TYPES: Final[tuple[MemoryType, ...]] = get_args(MemoryType)
_VALIDATIONS: Final[tuple[ValidationKind, ...]] = get_args(ValidationKind)
_HISTORY = re.compile(r"^%%[ \t]*history[ \t]*\n(?P<lines>.*?)^%%\s*\Z", re.MULTILINE | re.DOTALL)
_LINE = re.compile(
    r"- (?P<at>\S+) (?P<kind>\w+)(?: (?P<before>[\d.]+) -> (?P<after>[\d.]+))?"
    r"(?:: (?P<comment>.*))?"
)
_LINK = re.compile(r"\s*\[\[(?P<target>[^\]|#]+)(?:#[^\]|]*)?(?:\|(?P<weight>[^\]]*))?\]\]\s*")
_NOT_IN_NAMES = re.compile(r'[\[\]#^|\\/:*?"<>%\x00-\x1f\x7f]+')
_MARKUP = re.compile(r"^[\s#>*+-]+|[`*_]{1,3}")
_NAME_CHARS = 60
_COMMENT_CHARS = 300
FIRST_CONFIDENCE = 0.3  # of a new memory
HELPED, FAILED = 0.1, -0.15  # added to the confidence after an outcome
GOLDEN_CONFIDENCE = 0.9  # at which a memory becomes a golden rule
FALLEN_CONFIDENCE = 0.6  # below which a failure ends a golden rule


def confidence_after(confidence: float, *, helped: bool) -> float:
    """The confidence after an outcome, from 0 to 1."""
    return round(min(1.0, max(0.0, confidence + (HELPED if helped else FAILED))), 4)


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation in a note; `target` is the link target as written."""

    kind: RelationKind
    target: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Validation:
    """A line of the history."""

    at: str
    kind: ValidationKind
    before: float | None = None
    after: float | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory read from its note. Times are POSIX seconds; `seen` is the note's content hash."""

    id: str
    path: str
    content: str
    type: MemoryType
    namespace: str
    importance: float
    confidence: float
    provenance: str | None
    created: float | None
    accessed: float | None
    access_count: int
    relations: tuple[Relation, ...]
    history: tuple[Validation, ...]
    warnings: tuple[str, ...]
    text: str
    seen: bytes
    former_type: MemoryType | None = None  # before it became a golden rule

    @property
    def title(self) -> str:
        return self.path.rpartition("/")[2][:-3]

    @property
    def is_rule(self) -> bool:
        """True if its own note says that it is a golden rule.

        By its confidence, or by its type until a failure takes the confidence below
        FALLEN_CONFIDENCE. `MemoryLinks.is_golden` also asks whether a newer memory supersedes it.
        """
        if self.confidence >= GOLDEN_CONFIDENCE:
            return True
        return self.type == "golden_rule" and not self._has_fallen

    @property
    def _has_fallen(self) -> bool:
        """True if a failure led to the present confidence; a person may have set it anew since."""
        if self.confidence >= FALLEN_CONFIDENCE:
            return False
        judged = next((line for line in reversed(self.history) if line.after is not None), None)
        return judged is not None and judged.kind == "failed" and judged.after == self.confidence

    @property
    def last_used(self) -> float | None:
        """The time of the last use, else of the creation."""
        return self.accessed if self.accessed is not None else self.created


def read_memory(path: str, source: SourceText, *, modified: float) -> Memory:
    """Read a note as a memory; an invalid property gets a default value and a warning."""
    text = one_line_end(source.text)
    front = read_frontmatter(text)
    body = text[front.body :]
    history = _HISTORY.search(body)
    content = "\n".join(
        line.rstrip() for line in body[: history and history.start()].split("\n")
    ).strip()
    fields = _Fields(front.properties)
    kind = fields.type("type") or "fact"
    granted = kind == "golden_rule"
    created = date_of(front.properties, ("created",))
    return Memory(
        id=fields.text("id") or path.removesuffix(".md"),
        path=path,
        content=content,
        type=kind,
        namespace=fields.text("namespace") or DEFAULT_NAMESPACE,
        importance=fields.share("importance", 0.5),
        confidence=fields.share("confidence", GOLDEN_CONFIDENCE if granted else FIRST_CONFIDENCE),
        provenance=fields.text("provenance"),
        created=modified if created is None else created,
        accessed=date_of(front.properties, ("accessed",)),
        access_count=fields.count("access_count"),
        relations=tuple(fields.relations()),
        history=tuple(_read_history(history)),
        former_type=fields.type("former_type"),
        warnings=(*source.warnings, *front.warnings, *fields.warnings),
        text=source.text,
        seen=source.content_hash,
    )


class _Fields:
    """Reads properties, which people may have edited; collects warnings about invalid ones."""

    def __init__(self, properties: Mapping[str, PropertyValue]) -> None:
        self._properties = properties
        self.warnings: list[str] = []

    def text(self, name: str) -> str | None:
        value = self._properties.get(name)
        return str(value).strip() or None if isinstance(value, (str, int, float)) else None

    def type(self, name: str) -> MemoryType | None:
        value = self._properties.get(name)
        for known in _TYPES:
            if value == known:
                return known
        if value is not None:
            self._warn(name, f"one of {', '.join(_TYPES)}")
        return None

    def share(self, name: str, default: float) -> float:
        value = self._properties.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if not 0 <= value <= 1:
                self._warn(name, "between 0 and 1")
            return round(min(1.0, max(0.0, float(value))), 4)
        if value is not None:
            self._warn(name, "a number between 0 and 1")
        return default

    def count(self, name: str) -> int:
        value = self._properties.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if value is not None:
            self._warn(name, "a whole number")
        return 0

    def relations(self) -> Iterable[Relation]:
        for kind in KINDS:
            value = self._properties.get(kind)
            for item in value if isinstance(value, tuple) else (value,):
                link = _LINK.fullmatch(item) if isinstance(item, str) else None
                if link is not None:
                    yield Relation(kind, link["target"].strip(), _weight(link["weight"]))
                elif item is not None:
                    self._warn(kind, 'a list of links such as "[[Note]]"')

    def _warn(self, name: str, wanted: str) -> None:
        self.warnings.append(f"`{name}` should be {wanted}.")


def _weight(written: str | None) -> float:
    """The weight in the display text of a link; any other display text means 1."""
    try:
        weight = float(written or 1)
    except ValueError:
        return 1.0
    return round(weight, 4) if 0 <= weight <= 1 else 1.0


def links_of(relations: Iterable[Relation], kind: RelationKind) -> tuple[str, ...]:
    """The property value for the relations of a kind: links with the weight as display text."""
    return tuple(
        f"[[{relation.target}]]"
        if relation.weight == 1
        else f"[[{relation.target}|{relation.weight:g}]]"
        for relation in relations
        if relation.kind == kind
    )


# --- text ------------------------------------------------------------------------------------


def checked_content(content: str) -> str:
    """The content of a new memory in its stored form; UsageError if it is invalid."""
    text = "\n".join(line.rstrip() for line in content.splitlines()).strip()
    if not text:
        raise UsageError("A memory needs text: say what should be remembered.")
    if len(text) > MAX_CONTENT_CHARS:
        raise UsageError(
            f"The text has {len(text):,} characters; a memory has at most {MAX_CONTENT_CHARS:,}."
            " Keep what matters, and name the note that has the rest."
        )
    if _HISTORY.search(text):
        raise UsageError("The text ends in a `%% history` comment, which is reserved; remove it.")
    return text


def same_content(content: str) -> str:
    """The content with white space normalised: equal for contents that count as the same."""
    return " ".join(unicodedata.normalize("NFC", content).split())


def fresh_id(content: str, namespace: str, taken: Iterable[str]) -> str:
    """A short id that is not among `taken`."""
    known = set(taken)
    for salt in range(1000):
        digest = hashlib.blake2b(f"{salt}\n{namespace}\n{content}".encode(), digest_size=4)
        new_id = f"mem-{digest.hexdigest()}"
        if new_id not in known:
            return new_id
    raise UsageError("No free id was found for this memory.")  # pragma: no cover - 2**32 ids


def note_name(text: str) -> str:
    """A file name for a memory, from its title or its first line."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    name = " ".join(_NOT_IN_NAMES.sub(" ", _MARKUP.sub("", first)).split())
    if len(name) > _NAME_CHARS:
        cut = name[: _NAME_CHARS + 1]
        name = cut.rsplit(" ", 1)[0] if " " in cut else cut[:-1]
    name = name.strip(". ") or "Memory"
    return f"Memory {name}" if is_device(name) else name


# --- history ---------------------------------------------------------------------------------


def with_validation(text: str, added: Validation) -> str:
    """The note's text with a line added to its history; nothing else changes."""
    newline = "\r\n" if "\r\n" in text else "\n"
    flat = one_line_end(text)
    match = _HISTORY.search(flat, read_frontmatter(flat).body)
    line = f"{_history_line(added)}{newline}"
    if match is not None:
        at = match.end("lines")
        return f"{text[:at]}{line}{text[at:]}"
    gap = newline if text.endswith(("\n", "\r")) else newline * 2
    return f"{text}{gap}%% history{newline}{line}%%{newline}"


def stamp(seconds: float) -> str:
    """A time as written in memories: ISO 8601, UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _history_line(one: Validation) -> str:
    changed = "" if one.after is None else f" {one.before:g} -> {one.after:g}"
    comment = " ".join(one.comment.replace("%%", "%").split())[:_COMMENT_CHARS]
    return f"- {one.at} {one.kind}{changed}{f': {comment}' if comment else ''}"


def _read_history(line_match: re.Match[str] | None) -> Iterable[Validation]:
    for line in line_match["lines"].splitlines() if line_match else ():
        match = _LINE.fullmatch(line.strip())
        if match is not None:
            kind: ValidationKind = next(
                (kind for kind in _VALIDATIONS if kind == match["kind"]), "other"
            )
            before, after = (_confidence(match[name]) for name in ("before", "after"))
            yield Validation(match["at"], kind, before, after, match["comment"] or "")


def _confidence(written: str | None) -> float | None:
    try:
        return None if written is None else float(written)
    except ValueError:
        return None
