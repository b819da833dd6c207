"""Conversations, kept on this computer beside the index so that one may ask further."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from recollect.errors import NotFoundError
from recollect.replies.ask import AskSource
from recollect.types import CountTokens

NAME = "conversations"  # of the folder, beside the index
MOST = 50  # conversations of a vault, the newest
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer. `sources` are those it cites, as lines of Markdown."""

    question: str
    answer: str
    sources: tuple[str, ...] = ()


class Conversations:
    """The conversations of one vault, a file each."""

    def __init__(self, folder: Path) -> None:
        """They lie below `folder`, which has a vault's data; nothing is made yet."""
        self._folder = folder / NAME

    def fresh(self) -> str:
        """An id for a new conversation."""
        return secrets.token_hex(8)

    def read(self, conversation: str) -> tuple[Exchange, ...]:
        """A conversation; NotFoundError where there is none."""
        try:
            if not _ID.fullmatch(conversation):
                raise ValueError(conversation)  # noqa: TRY301 - told as what it is below
            kept = json.loads(self._file(conversation).read_text(encoding="utf-8"))
            return tuple(
                Exchange(one["question"], one["answer"], tuple(one["sources"])) for one in kept
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotFoundError(
                f"There is no conversation {conversation[:40]!r}; the newest {MOST} are kept.",
                code="conversation_not_found",
            ) from error

    def keep(self, conversation: str, exchanges: Sequence[Exchange]) -> None:
        """Keep a conversation as it is now. On a full disk it cannot be continued, that is all."""
        file = self._file(conversation)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(".tmp")
            temporary.touch(mode=0o600)
            temporary.write_text(json.dumps([asdict(one) for one in exchanges]), encoding="utf-8")
            temporary.replace(file)
            kept = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in kept[:-MOST]:
                old.unlink(missing_ok=True)

    def _file(self, conversation: str) -> Path:
        return self._folder / f"{conversation}.json"


def delete(folder: Path) -> None:
    """Delete the conversations of the vault whose data are in `folder`."""
    for file in (folder / NAME).glob("*"):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        (folder / NAME).rmdir()


def within(
    exchanges: Sequence[Exchange], budget_tokens: int, count_tokens: CountTokens
) -> tuple[Exchange, ...]:
    """The newest exchanges that fit into a budget, oldest first."""
    kept: list[Exchange] = []
    for exchange in reversed(exchanges):
        budget_tokens -= count_tokens(f"{exchange.question}\n{exchange.answer}")
        if budget_tokens < 0:
            break
        kept.append(exchange)
    return tuple(reversed(kept))


def cited(sources: Sequence[AskSource]) -> tuple[str, ...]:
    """The sources that an answer cites, as links that Obsidian follows."""
    return tuple(
        f"[{one.n}] [[{one.path.removesuffix('.md')}]]"
        if one.path.endswith(".md")
        else f"[{one.n}] <{one.path}>"
        for one in sources
        if one.cited
    )


def as_note(exchanges: Sequence[Exchange]) -> str:
    """A conversation as Markdown; headings in answers are set below their question's."""
    parts = []
    for exchange in exchanges:
        question = " ".join(exchange.question.split())
        answer = re.sub(r"^(#{1,4}) ", r"##\1 ", exchange.answer, flags=re.MULTILINE)
        sources = "".join(f"- {line}\n" for line in exchange.sources)
        parts.append(f"## {question}\n\n{answer.strip()}\n" + (sources and f"\n{sources}"))
    return "\n".join(parts)
