"""Conversations, kept on this computer beside the index so that one may ask further."""

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

from notewell.ask.prompts import phrases_for
from notewell.contract.ask import AskConversationView, AskReply, AskSource
from notewell.errors import NotFoundError
from notewell.support import atomic
from notewell.types import CountTokens
from notewell.vault.readers import link_name

NAME = "conversations"  # of the folder, beside the index
MOST = 50  # conversations of a vault, the newest
_ID = re.compile(r"[0-9a-f]{16}")


class Conversations:
    """The conversations of one vault, a file each. Any thread may call."""

    def __init__(self, folder: Path) -> None:
        """They lie below `folder`, which has a vault's data; nothing is made yet."""
        self._folder = folder / NAME
        self._lock = threading.Lock()  # a file is read and written anew for every turn

    def fresh(self) -> str:
        """An id for a new conversation."""
        return secrets.token_hex(8)

    def read(self, conversation: str) -> tuple[AskReply, ...]:
        """A conversation; NotFoundError where there is none."""
        try:
            if not _ID.fullmatch(conversation):
                raise ValueError(conversation)  # noqa: TRY301 - told as what it is below
            kept = json.loads(self._file(conversation).read_text(encoding="utf-8"))
            return tuple(_turn(one) for one in kept)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NotFoundError(
                f"There is no conversation {conversation[:40]!r}; the newest {MOST} are kept.",
                code="conversation_not_found",
            ) from error

    def all(self) -> tuple[AskConversationView, ...]:
        """All conversations, the one asked last first."""
        views = []
        for file in self._folder.glob("*.json"):
            if turns := self._known(file.stem):
                first, last = turns[0], turns[-1]
                views.append(AskConversationView(file.stem, first.question, len(turns), last.asked))
        return tuple(sorted(views, key=lambda view: view.asked, reverse=True))

    def forget(self, conversation: str) -> None:
        """Delete a conversation; NotFoundError where there is none."""
        with self._lock:
            self.read(conversation)
            self._file(conversation).unlink(missing_ok=True)

    def keep(self, conversation: str, turn: AskReply) -> None:
        """Keep a turn, in the place of the one that was asked at the same moment.

        On a full disk it cannot be continued, that is all.
        """
        with self._lock:
            turns = {one.asked: one for one in self._known(conversation)}
            self._write(conversation, [*{**turns, turn.asked: turn}.values()])

    def drop(self, conversation: str, turn: AskReply) -> None:
        """Forget a turn that there is no answer to, and a conversation that has no other."""
        with self._lock:
            turns = [one for one in self._known(conversation) if one.asked != turn.asked]
            if turns:
                self._write(conversation, turns)
                return
            with suppress(OSError):
                self._file(conversation).unlink(missing_ok=True)

    def _known(self, conversation: str) -> tuple[AskReply, ...]:
        try:
            return self.read(conversation)
        except NotFoundError:
            return ()

    def _write(self, conversation: str, turns: Sequence[AskReply]) -> None:
        file = self._file(conversation)
        with suppress(OSError):
            atomic.replace(file, json.dumps([asdict(one) for one in turns]).encode())
            kept = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in kept[:-MOST]:
                old.unlink(missing_ok=True)

    def _file(self, conversation: str) -> Path:
        return self._folder / f"{conversation}.json"


def _turn(kept: Mapping[str, Any]) -> AskReply:
    """A turn as JSON has it; KeyError or TypeError where it is none."""
    sources = tuple(AskSource(**one) for one in kept["sources"])
    lists = {"invalid": tuple(kept["invalid"]), "warnings": tuple(kept["warnings"])}
    return AskReply(**{**kept, **lists, "sources": sources})


def delete(folder: Path) -> None:
    """Delete the conversations of the vault whose data are in `folder`."""
    for file in (folder / NAME).glob("*"):
        file.unlink(missing_ok=True)
    with suppress(OSError):
        (folder / NAME).rmdir()


def within(
    turns: Sequence[AskReply], budget_tokens: int, count_tokens: CountTokens
) -> tuple[AskReply, ...]:
    """The newest turns with an answer that fit into a budget, oldest first."""
    kept: list[AskReply] = []
    for turn in reversed([one for one in turns if one.answer]):
        budget_tokens -= count_tokens(f"{turn.question}\n{turn.answer}")
        if budget_tokens < 0:
            break
        kept.append(turn)
    return tuple(reversed(kept))


def as_note(turns: Sequence[AskReply]) -> str:
    """A conversation as Markdown; headings in answers are set below their question's."""
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
    """A source as a link that Obsidian follows."""
    if "://" in source.path:  # a page of the web
        return f"[{source.n}] <{source.path}>"
    return f"[{source.n}] [[{link_name(source.path)}]]"
