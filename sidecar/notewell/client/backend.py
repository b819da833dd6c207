"""Who answers questions about a vault: the server that runs for it, or an engine of this process.

Both give the JSON document of the HTTP route, so that doors need not know which one it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # these load numpy and more; whoever has an engine has them loaded
    from notewell.contract.memory_requests import MemoryRequest
    from notewell.contract.questions import ContextQuestion, Question
    from notewell.engine.engine import Engine
    from notewell.types import LedgerState, SearchRequest, SimilarRequest, Verdict


class Answers(Protocol):
    """Answers questions about one vault with the documents of the HTTP routes; may block."""

    def search(self, request: SearchRequest) -> bytes:
        """Notes that match a query."""
        ...

    def similar(self, request: SimilarRequest) -> bytes:
        """Notes like a note."""
        ...

    def note(self, path: str) -> bytes:
        """A note with all that is known of it."""
        ...

    def context(self, question: ContextQuestion) -> bytes:
        """What a language model should read to answer."""
        ...

    def status(self) -> bytes:
        """Where the index stands."""
        ...

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> bytes:
        """The states of files, all or those asked for."""
        ...

    def explore(self, question: Question) -> bytes:
        """What a question about the vault as a whole is answered with."""
        ...

    def log(self, *, limit: int, since: str | None = None) -> bytes:
        """The newest searches."""
        ...

    def clear_log(self, *, keep_verdicts: bool) -> bytes:
        """Delete the log of searches."""
        ...

    def judge(self, query: str, path: str, verdict: Verdict | None) -> bytes:
        """Keep what a person says of a note as the answer to a query."""
        ...

    def stats(self, *, limit: int) -> bytes:
        """The vault in figures."""
        ...

    def remember(self, asked: MemoryRequest) -> bytes:
        """What is asked of memories, or done with them."""
        ...

    def ask(self, question: str, conversation: str | None) -> Iterator[tuple[str, bytes]]:
        """The events of a language model's answer: kind and data of each."""
        ...

    def ask_models(self, *, refresh: bool) -> bytes:
        """The language models that may be asked."""
        ...

    def ask_conversation(self, conversation: str) -> bytes:
        """A conversation as it was kept."""
        ...

    def ask_conversations(self) -> bytes:
        """The conversations that are kept."""
        ...

    def ask_forget(self, conversation: str) -> bytes:
        """Keep a conversation no longer."""
        ...

    def ask_save(self, conversation: str, path: str) -> bytes:
        """Save a conversation as a note."""
        ...

    def writes(self, *, limit: int) -> bytes:
        """What was written to the vault, newest first."""
        ...

    def undo(self, number: int | None) -> bytes:
        """Take a write to the vault back; None is the newest."""
        ...

    def reindex(self, *, full: bool = False, paths: Sequence[str] = ()) -> bytes:
        """Queue another look at the vault, or at some notes and folders of it."""
        ...


class Here:
    """Answers from an engine of this process."""

    def __init__(self, engine: Engine) -> None:
        """The engine stays the caller's, to close."""
        self._engine = engine

    def search(self, request: SearchRequest) -> bytes:
        """Notes that match a query."""
        return _document(self._engine.search(request))

    def similar(self, request: SimilarRequest) -> bytes:
        """Notes like a note."""
        return _document(self._engine.similar(request))

    def note(self, path: str) -> bytes:
        """A note with all that is known of it."""
        return _document(self._engine.note(path))

    def context(self, question: ContextQuestion) -> bytes:
        """What a language model should read to answer."""
        return _document(self._engine.assembler.assemble(question))

    def status(self) -> bytes:
        """Where the index stands."""
        return _document(self._engine.status())

    def ledger(self, *, state: LedgerState | None = None, path: str | None = None) -> bytes:
        """The states of files, all or those asked for."""
        return _document(self._engine.ledger(state=state, path=path))

    def explore(self, question: Question) -> bytes:
        """What a question about the vault as a whole is answered with."""
        return _document(self._engine.explore(question))

    def log(self, *, limit: int, since: str | None = None) -> bytes:
        """The newest searches."""
        start = datetime.fromisoformat(since).timestamp() if since is not None else None
        return _document(self._engine.history.log(limit=limit, since=start))

    def clear_log(self, *, keep_verdicts: bool) -> bytes:
        """Delete the log of searches."""
        return _document(self._engine.history.clear(keep_verdicts=keep_verdicts))

    def judge(self, query: str, path: str, verdict: Verdict | None) -> bytes:
        """Keep what a person says of a note as the answer to a query."""
        return _document(self._engine.history.judge(query, path, verdict))

    def stats(self, *, limit: int) -> bytes:
        """The vault in figures."""
        return _document(self._engine.stats(limit=limit))

    def ask(self, question: str, conversation: str | None) -> Iterator[tuple[str, bytes]]:
        """The events of a language model's answer: kind and data of each."""
        from notewell.ask.agent import Asked  # noqa: PLC0415 - few ask
        from notewell.support.http import Cancel  # noqa: PLC0415

        for event in self._engine.asking.answer(Asked(question, conversation), Cancel()):
            yield event.kind, _document(event.data)

    def ask_models(self, *, refresh: bool) -> bytes:
        """The language models that may be asked."""
        return _document(self._engine.asking.models(refresh=refresh))

    def ask_conversation(self, conversation: str) -> bytes:
        """A conversation as it was kept."""
        return _document(self._engine.asking.conversation(conversation))

    def ask_conversations(self) -> bytes:
        """The conversations that are kept."""
        return _document(self._engine.asking.conversations())

    def ask_forget(self, conversation: str) -> bytes:
        """Keep a conversation no longer."""
        return _document(self._engine.asking.forget(conversation))

    def ask_save(self, conversation: str, path: str) -> bytes:
        """Save a conversation as a note."""
        return _document(self._engine.asking.save(conversation, path))

    def writes(self, *, limit: int) -> bytes:
        """What was written to the vault, newest first."""
        return _document(self._engine.undoing.writes(limit))

    def undo(self, number: int | None) -> bytes:
        """Take a write to the vault back; None is the newest."""
        return _document(self._engine.undoing.undo(number))

    def remember(self, asked: MemoryRequest) -> bytes:
        """What is asked of memories, or done with them."""
        return _document(self._engine.memories.answer(asked))

    def reindex(self, *, full: bool = False, paths: Sequence[str] = ()) -> bytes:
        """Queue another look at the vault; the engine must be at work."""
        return _document(self._engine.reindex(full=full, paths=paths))


def _document(reply: object) -> bytes:
    from notewell.contract.codec import to_json  # noqa: PLC0415 - loads numpy

    return to_json(reply)
