"""`notewell ask`: an answer from the notes, by a language model that a person chose."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

import click

from notewell.cli.backend import answers
from notewell.cli.documents import parse
from notewell.cli.options import Command, invocation, json_option, vault_option
from notewell.cli.output import clean, emit, print_table, stdout_console
from notewell.client.backend import Backend
from notewell.contract.ask import (
    AskModelsRequest,
    AskRequest,
    ConversationRequest,
    ConversationsRequest,
    ForgetConversationRequest,
    SaveConversationRequest,
)
from notewell.contract.codec import to_json
from notewell.errors import ProviderError
from notewell.models.chat.keys import keep_key


class _Source(TypedDict):
    n: int
    path: str
    title: str
    cited: bool
    line: int | None


class _Reply(TypedDict):
    question: str
    answer: str
    cancelled: bool
    conversation: str
    sources: list[_Source]
    warnings: list[str]


class _Conversation(TypedDict):
    turns: list[_Reply]


class _Kept(TypedDict):
    conversation: str
    question: str
    turns: int
    asked: str


class _AllKept(TypedDict):
    conversations: list[_Kept]


class _Notice(TypedDict):
    host: str
    model: str
    local: bool
    leaves: str


class _Found(TypedDict):
    results: list[_Source]


class _Step(TypedDict):
    about: str
    outcome: str


class _Text(TypedDict):
    text: str


class _Failed(TypedDict):
    code: str
    detail: str


class _Model(TypedDict):
    name: str
    input_limit: int


class _Models(TypedDict):
    host: str
    chosen: str | None
    budget_tokens: int | None
    age_s: float
    models: list[_Model]


class _Saved(TypedDict):
    path: str
    undo: int | None


@click.command(cls=Command)
@click.argument("question", required=False)
@click.option(
    "--continue",
    "conversation",
    metavar="ID",
    help="Go on with a conversation; without a QUESTION, show it.",
)
@click.option("--save", metavar="PATH", help="Save the conversation as a note of the vault.")
@click.option("--conversations", is_flag=True, help="List the conversations that are kept instead.")
@click.option("--forget", metavar="ID", help="Keep a conversation no longer.")
@click.option("--models", is_flag=True, help="List the provider's models instead.")
@click.option("--refresh", is_flag=True, help="With --models: ask the provider anew.")
@click.option("--set-key", is_flag=True, help="Put the provider's key into the system's keyring.")
@vault_option
@json_option
def ask(
    *,
    question: str | None,
    conversation: str | None,
    save: str | None,
    conversations: bool,
    forget: str | None,
    models: bool,
    refresh: bool,
    set_key: bool,
    vault: str | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the notes, with citations.

    The language model is set under [ask] in the configuration; without one nothing is sent
    anywhere. What leaves this computer is said before it does.
    """
    if set_key:
        _set_key()
        return
    question = question.strip() if question else None
    if not (models or question or conversations or forget or conversation):
        raise click.UsageError("Give a QUESTION, or --models, --conversations or --continue ID.")
    with answers(invocation(), vault) as (_, source):
        if models:
            _list_models(source.document(AskModelsRequest(refresh)), as_json=as_json)
        elif conversations:
            _list_conversations(source.document(ConversationsRequest()), as_json=as_json)
        elif forget:
            _forget(source.document(ForgetConversationRequest(forget)), as_json=as_json)
        elif question:
            conversation = _answer(source, question, conversation, as_json=as_json)
        elif conversation and not save:
            _show(source.document(ConversationRequest(conversation)), as_json=as_json)
        if save and conversation:
            saved = parse(source.document(SaveConversationRequest(conversation, save)), _Saved)
            invocation().say(f"saved as {saved['path']}; `notewell undo` takes it back")


def _answer(source: Backend, question: str, conversation: str | None, *, as_json: bool) -> str:
    """Show the events as they come, and the answer; gives the conversation."""
    shown = ""
    streams = not as_json and stdout_console().is_terminal  # a program gets the answer alone
    for event in source.stream(AskRequest(question, conversation)):
        kind, data = event.kind, to_json(event.data)
        if kind == "answer":
            reply = parse(data, _Reply)
            if as_json:
                emit(data)
            else:
                _end(reply, shown)
            return reply["conversation"]
        if kind == "error":
            failed = parse(data, _Failed)
            raise ProviderError(failed["detail"], code=failed["code"])
        if kind == "text":
            if streams:
                shown += (piece := parse(data, _Text)["text"])
                click.echo(_lines(piece), nl=False)
            continue
        if shown:  # what was said before a tool was used is not the answer
            click.echo()
            shown = ""
        _say(kind, data)
    raise ProviderError("The answer ended before its end; ask again.")


def _say(kind: str, data: bytes) -> None:
    """What happens on the way, for a person."""
    if kind == "notice":
        notice = parse(data, _Notice)
        where = "this computer" if notice["local"] else notice["host"]
        invocation().say(f"asking {notice['model']} at {where}, which is sent {notice['leaves']}")
    elif kind == "found":
        titles = [clean(one["title"]) for one in parse(data, _Found)["results"]]
        if titles:
            invocation().say(f"found by keyword: {', '.join(titles)}")
    elif kind == "step":
        step = parse(data, _Step)
        invocation().say(f"{step['about']} -> {step['outcome']}")


def _end(reply: _Reply, shown: str) -> None:
    """Print what the stream did not: all of it where that differed from the answer."""
    answer = reply["answer"]
    rest = answer.removeprefix(shown) if answer.startswith(shown) else f"\n\n{answer}"
    click.echo(_lines(rest))
    _list_sources(reply)
    for warning in reply["warnings"]:
        invocation().say(warning)
    invocation().say(f"go on with: notewell ask --continue {reply['conversation']} ...")


def _show(document: bytes, *, as_json: bool) -> None:
    """A conversation as it was kept."""
    if as_json:
        emit(document)
        return
    for turn in parse(document, _Conversation)["turns"]:
        click.echo(f"## {clean(turn['question'])}\n\n{_lines(turn['answer'])}")
        if turn["cancelled"]:
            click.echo("(stopped before its end)")
        _list_sources(turn)
        click.echo()


def _list_conversations(document: bytes, *, as_json: bool) -> None:
    if as_json:
        emit(document)
        return
    kept = parse(document, _AllKept)["conversations"]
    rows = [
        (one["conversation"], _when(one["asked"]), str(one["turns"]), one["question"])
        for one in kept
    ]
    if rows:
        print_table(("id", "last asked", "turns", "began with"), rows, right=("turns",))
    invocation().say(f"{len(rows)} conversations; go on with: notewell ask --continue ID ...")


def _when(time: str) -> str:
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"


def _forget(document: bytes, *, as_json: bool) -> None:
    if as_json:
        emit(document)
    invocation().say("the conversation is no longer kept")


def _list_sources(reply: _Reply) -> None:
    cited = [one for one in reply["sources"] if one["cited"]]
    if cited:
        click.echo()
        print_table(("", "source"), [(f"[{one['n']}]", _place(one)) for one in cited])


def _place(source: _Source) -> str:
    """Where to look: the path, and the line of the passage; an older server tells no line."""
    line = source.get("line")
    return source["path"] if line is None else f"{source['path']}:{line}"


def _lines(text: str) -> str:
    """A piece of text with all its line ends, the last one too, and otherwise harmless."""
    return "\n".join(map(clean, text.split("\n")))


def _list_models(document: bytes, *, as_json: bool) -> None:
    if as_json:
        emit(document)
        return
    listed = parse(document, _Models)
    rows = [
        ("*" if one["name"] == listed["chosen"] else "", f"{one['input_limit']:,}", one["name"])
        for one in listed["models"]
    ]
    if rows:
        print_table(("", "reads tokens", "model"), rows, right=("reads tokens",))
    invocation().say(
        f"{len(rows)} models at {listed['host']}, listed {listed['age_s'] / 3600:.1f} hours ago;"
        f" up to {listed['budget_tokens'] or 0:,} tokens of notes are sent"
    )


def _set_key() -> None:
    """Ask for the key without showing it; an empty one takes it out of the keyring."""
    rules = invocation().settings().ask
    if rules.provider == "none":
        raise click.UsageError("Set `provider` under [ask] in the configuration first.")
    key = click.prompt("Key (empty: remove it)", default="", show_default=False, hide_input=True)
    keep_key(rules, key.strip())
    invocation().say("the key is in the system's keyring" if key.strip() else "the key is removed")
