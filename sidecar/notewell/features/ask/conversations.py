"""Stores the conversations of a vault, so that they can be continued and saved as notes."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from notewell.base.errors import NotFoundError
from notewell.base.support import disk
from notewell.base.types import CountTokens
from notewell.features.ask.prompts import phrases_for
from notewell.features.ask.requests import AskConversationView, AskReply, AskSource
from notewell.vault.readers import link_name

CONVERSATIONS = "conversations"  # of the folder, next to the index
MOST = 50  # conversations of a vault, the newest
_ID = re.compile(r"[0-9a-f]{16}")


class Conversations:
    """The conversations of one vault, each in a file. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """They are below `folder`, which has the data of the vault; nothing is created yet."""
        self._folder = folder / CONVERSATIONS
        self._lock = threading.Lock()  # every turn reads and replaces a whole file

    def new_id(self) -> str:
        """An id for a new conversation."""
        return secrets.token_hex(8)

    def read(self, conversation: str) -> tuple[AskReply, ...]:
        """The turns of a conversation. Raises NotFoundError if it does not exist."""
        try:
            if not _ID.fullmatch(conversation):
                raise ValueError(conversation)  # noqa: TRY301 - handled below
            stored = json.loads(self._file(conversation).read_text(encoding="utf-8"))
            return tuple(_turn(one) for one in stored)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotFoundError(
                f"There is no conversation {conversation[:40]!r}; the newest {MOST} are kept.",
                code="conversation_not_found",
            ) from error

    def all(self) -> tuple[AskConversationView, ...]:
        """All conversations, the one with the latest question first."""
        views = []
        for file in self._folder.glob("*.json"):
            if turns := self._turns(file.stem):
                first, last = turns[0], turns[-1]
                views.append(AskConversationView(file.stem, first.question, len(turns), last.asked))
        return tuple(sorted(views, key=lambda view: view.asked, reverse=True))

    def delete(self, conversation: str) -> None:
        """Delete a conversation. Raises NotFoundError if it does not exist."""
        with self._lock:
            self.read(conversation)
            self._file(conversation).unlink(missing_ok=True)

    def save_turn(self, conversation: str, turn: AskReply) -> None:
        """Store a turn; it replaces an earlier state of the turn with the same time.

        Errors of the disk are ignored: the conversation then cannot be continued.
        """
        with self._lock:
            turns = {one.asked: one for one in self._turns(conversation)}
            self._write(conversation, [*{**turns, turn.asked: turn}.values()])

    def delete_turn(self, conversation: str, turn: AskReply) -> None:
        """Delete a turn without an answer, and the conversation if it has no other turn."""
        with self._lock:
            turns = [one for one in self._turns(conversation) if one.asked != turn.asked]
            if turns:
                self._write(conversation, turns)
                return
            with suppress(OSError):
                self._file(conversation).unlink(missing_ok=True)

    def _turns(self, conversation: str) -> tuple[AskReply, ...]:
        try:
            return self.read(conversation)
        except NotFoundError:
            return ()

    def _write(self, conversation: str, turns: Sequence[AskReply]) -> None:
        file = self._file(conversation)
        with suppress(OSError):
            disk.replace(file, json.dumps([asdict(one) for one in turns]).encode())
            files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in files[:-MOST]:
                old.unlink(missing_ok=True)

    def _file(self, conversation: str) -> Path:
        return self._folder / f"{conversation}.json"


def _turn(stored: Mapping[str, Any]) -> AskReply:
    """A turn from its JSON. Raises KeyError or TypeError if it is not one."""
    sources = tuple(AskSource(**one) for one in stored["sources"])
    lists = {"invalid": tuple(stored["invalid"]), "warnings": tuple(stored["warnings"])}
    return AskReply(**{**stored, **lists, "sources": sources})


def newest_within(
    turns: Sequence[AskReply], budget_tokens: int, count_tokens: CountTokens
) -> tuple[AskReply, ...]:
    """The newest answered turns that fit into a budget of tokens, oldest first."""
    chosen: list[AskReply] = []
    for turn in reversed([one for one in turns if one.answer]):
        budget_tokens -= count_tokens(f"{turn.question}\n{turn.answer}")
        if budget_tokens < 0:
            break
        chosen.append(turn)
    return tuple(reversed(chosen))


def as_note(turns: Sequence[AskReply]) -> str:
    """A conversation as Markdown: a heading for each question, the answer's headings below it."""
    parts = []
    for turn in turns:
        question = " ".join(turn.question.split())
        answer = re.sub(r"^(#{1,4}) ", r"##\1 ", turn.answer, flags=re.MULTILINE).strip()
        if turn.cancelled:
            answer = f"{answer}\n\n{phrases_for(turn.question).partial}".strip()
        sources = "".join(f"- {_link(one)}\n" for one in turn.sources if one.cited)
        parts.append(f"## {question}\n\n{answer}\n" + (sources and f"\n{sources}"))
    return "\n".join(parts)


def _link(source: AskSource) -> str:
    """A source as a link in Obsidian's Markdown."""
    if "://" in source.path:  # a web page
        return f"[{source.n}] <{source.path}>"
    return f"[{source.n}] [[{link_name(source.path)}]]"
