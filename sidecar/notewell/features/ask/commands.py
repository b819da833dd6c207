"""`notewell ask`: an answer from the notes, by a language model that a person chose."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import datetime
from textwrap import indent

import click

from notewell.api.commands import (
    QueryCommand,
    backend_for,
    clean,
    current_invocation,
    emit_object,
    json_option,
    print_reply,
    print_table,
    request_option,
    vault_option,
)
from notewell.api.errors import ProviderError
from notewell.base.config.terminal import is_terminal
from notewell.contract.context import AskModelsReply
from notewell.engine.client import Backend
from notewell.features.ask.requests import (
    AskConversationReply,
    AskConversationsReply,
    AskFailed,
    AskForgottenReply,
    AskFound,
    AskModelsRequest,
    AskNotice,
    AskPermission,
    AskReply,
    AskRequest,
    AskStep,
    AskText,
    ConversationRequest,
    ConversationsRequest,
    ForgetConversationRequest,
    PermitAddressRequest,
    SaveConversationRequest,
)
from notewell.models.chat.providers import keep_key


@click.command(cls=QueryCommand)
@click.argument(
    "question",
    metavar="[QUESTION]...",
    nargs=-1,
    callback=lambda _ctx, _param, words: " ".join(words),
)
@request_option(
    AskRequest,
    "conversation",
    "--continue",
    metavar="ID",
    help="Continue a conversation; without a QUESTION, show it.",
)
@click.option("--save", metavar="PATH", help="Save the conversation as a note of the vault.")
@click.option("--conversations", is_flag=True, help="List the stored conversations instead.")
@click.option("--forget", metavar="ID", help="Delete a stored conversation.")
@click.option("--models", is_flag=True, help="List the provider's models instead.")
@request_option(AskModelsRequest, "refresh", help="With --models: ask the provider for a new list.")
@click.option("--set-key", is_flag=True, help="Store the provider's key in the system's keyring.")
@vault_option
@json_option
def ask(
    *,
    question: str,
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
    anywhere. What is sent, and where, is shown before it is sent.
    """
    if set_key:
        _set_key()
        return
    question = question.strip()
    if not (models or question or conversations or forget or conversation):
        raise click.UsageError("Give a QUESTION, or --models, --conversations or --continue ID.")
    with backend_for(current_invocation(), vault) as (_, backend):
        if models:
            print_reply(backend, AskModelsRequest(refresh), _show_models, as_json=as_json)
        elif conversations:
            print_reply(backend, ConversationsRequest(), _show_conversations, as_json=as_json)
        elif forget:
            request = ForgetConversationRequest(forget)
            print_reply(backend, request, _show_forgotten, as_json=as_json)
        elif question:
            conversation = _answer(backend, AskRequest(question, conversation), as_json=as_json)
        elif conversation and not save:
            shown = ConversationRequest(conversation)
            print_reply(backend, shown, _show_conversation, as_json=as_json)
        if save and conversation:
            saved = backend.answer(SaveConversationRequest(conversation, save))
            current_invocation().say(f"saved as {saved.path}; `notewell undo` undoes it")


def _answer(backend: Backend, request: AskRequest, *, as_json: bool) -> str:
    """Print the events as they come, and the answer; return the id of the conversation."""
    shown = ""
    streams = not as_json and is_terminal()  # a program gets the answer alone
    asks = not as_json and sys.stdin.isatty()
    for event in backend.stream(replace(request, may_ask=asks)):
        match event.data:
            case AskPermission() as permission:
                _ask_person(backend, permission)
            case AskReply() as reply:
                if as_json:
                    emit_object(reply)
                else:
                    _print_answer(reply, shown)
                return reply.conversation
            case AskFailed(code=code, detail=detail):
                raise ProviderError(detail, code=code)
            case AskText(text=text):
                if streams:
                    shown += text
                    click.echo(_clean_text(text), nl=False)
            case progress:
                if shown:  # text before a tool is used does not belong to the answer
                    click.echo()
                    shown = ""
                _say_progress(progress)
    raise ProviderError("The answer was cut off; ask again.")


def _ask_person(backend: Backend, permission: AskPermission) -> None:
    """Ask whether a page may be read: its address may hold words of notes."""
    click.echo(
        f"The model asks for a page of {clean(permission.host)}, whose address it put together:\n"
        f"    {clean(permission.address)}",
        err=True,
    )
    allow = click.confirm("Read it? The address is sent there", default=False, err=True)
    backend.answer(PermitAddressRequest(permission.id, allow))


def _say_progress(event: object) -> None:
    match event:
        case AskNotice():
            where = "this computer" if event.local else event.host
            current_invocation().say(
                f"asking {event.model} at {where}, which is sent {event.leaves}"
            )
        case AskFound():
            titles = [clean(result.title) for result in event.results]
            if titles:
                current_invocation().say(f"found by keyword: {', '.join(titles)}")
        case AskStep():
            current_invocation().say(f"{event.about} -> {event.outcome}")
            for text in (event.code, event.output):
                if text:
                    current_invocation().say(indent(_clean_text(text), "    "))
        case _:
            pass


def _print_answer(reply: AskReply, shown: str) -> None:
    """Print what of the answer was not `shown` yet: all of it where the two differ."""
    answer = reply.answer
    rest = answer.removeprefix(shown) if answer.startswith(shown) else f"\n\n{answer}"
    click.echo(_clean_text(rest))
    _print_sources(reply)
    for warning in reply.warnings:
        current_invocation().say(warning)
    current_invocation().say(f"continue with: notewell ask --continue {reply.conversation} ...")


def _show_conversation(reply: AskConversationReply) -> None:
    for turn in reply.turns:
        click.echo(f"## {clean(turn.question)}\n\n{_clean_text(turn.answer)}")
        if turn.cancelled:
            click.echo("(stopped before its end)")
        _print_sources(turn)
        click.echo()


def _show_conversations(reply: AskConversationsReply) -> None:
    rows = [
        (
            conversation.conversation,
            f"{datetime.fromisoformat(conversation.asked).astimezone():%Y-%m-%d %H:%M}",
            str(conversation.turns),
            conversation.question,
        )
        for conversation in reply.conversations
    ]
    if rows:
        print_table(("id", "last asked", "turns", "first question"), rows, right=("turns",))
    current_invocation().say(
        f"{len(rows)} conversations; continue with: notewell ask --continue ID ..."
    )


def _show_forgotten(_reply: AskForgottenReply) -> None:
    current_invocation().say("the conversation is deleted")


def _print_sources(reply: AskReply) -> None:
    cited = [source for source in reply.sources if source.cited]
    if cited:
        click.echo()
        print_table(
            ("", "source"),
            [
                (
                    f"[{source.n}]",
                    source.path if source.line is None else f"{source.path}:{source.line}",
                )
                for source in cited
            ],
        )


def _clean_text(text: str) -> str:
    """Make a piece of text safe to print, keeping all its line ends, the last one too."""
    return "\n".join(map(clean, text.split("\n")))


def _show_models(reply: AskModelsReply) -> None:
    rows = [
        ("*" if model.name == reply.chosen else "", f"{model.input_limit:,}", model.name)
        for model in reply.models
    ]
    if rows:
        print_table(("", "input tokens", "model"), rows, right=("input tokens",))
    current_invocation().say(
        f"{len(rows)} models at {reply.host}, listed {reply.age_s / 3600:.1f} hours ago;"
        f" up to {reply.budget_tokens or 0:,} tokens of notes are sent"
    )


def _set_key() -> None:
    """Read the key without showing it and store it; an empty one removes it from the keyring."""
    rules = current_invocation().settings().ask
    if rules.provider == "none":
        raise click.UsageError("Set `provider` under [ask] in the configuration first.")
    key = click.prompt("Key (empty: remove it)", default="", show_default=False, hide_input=True)
    keep_key(rules, key.strip())
    current_invocation().say(
        "the key is stored in the system's keyring" if key.strip() else "the key is removed"
    )
