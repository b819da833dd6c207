"""Tokens of graphs at Roam: kept in the system's keyring, given in the environment, or granted.

A person grants one in a window of Roam's desktop program, which opens the graph and asks; the
request waits for the answer, five minutes at most.
Facts: the Local API's `POST /api/graphs/tokens/request`, in Roam's notes for its own MCP server.
"""

from __future__ import annotations

from notewell.base.config.load import ENV_ROAM_TOKEN, roam_token
from notewell.base.errors import SourceError
from notewell.base.support.http import HttpClient, HttpError, HttpRequest, Json
from notewell.features.sources.source_state import SourceSpec
from notewell.models import keys

_ANSWER_S = 330.0  # the program waits 300 seconds for the person
_PREFIX = "roam-graph-local-token-"
_TOLD = {
    "USER_REJECTED": "It was denied there.",
    "GRAPH_BLOCKED": "It was denied there for ever; Roam's settings of the graph allow it again.",
    "REQUEST_IN_PROGRESS": "Roam is asking already: answer in its window, then try again.",
    "TIMEOUT": "Nobody answered within five minutes.",
}


def requested_token(graph: str, port: int, client: HttpClient | None = None) -> str:
    """The token that a person grants; reading is all that is asked for.

    `port` is where the desktop program listens. Raises SourceError if it is not granted.
    """
    body: Json = {
        "graph": graph,
        "description": "Notewell (search)",
        "accessLevel": "read-only",
        "ai": True,  # assistants may read what is found
    }
    url = f"http://127.0.0.1:{port}/api/graphs/tokens/request"
    client = client or HttpClient(timeout_s=_ANSWER_S)
    try:
        said = client.send(HttpRequest.post_json(url, body, {})).json()
    except HttpError as error:
        raise SourceError(
            f"Roam's desktop program cannot be asked for a token ({error}). Start it, or make a"
            " token in its settings under Graph.",
            code="no_token",
        ) from error
    token = said.get("token") if isinstance(said, dict) else None
    if isinstance(token, str) and token.startswith(_PREFIX):
        return token
    raise SourceError(f"Roam gave no token to read {graph}. {_reason(said)}", code="no_token")


def _reason(said: Json) -> str:
    error = said.get("error") if isinstance(said, dict) else None
    if not isinstance(error, dict):
        return str(error or "Its answer has none.")
    return _TOLD.get(str(error.get("code")), str(error.get("message") or "It does not say why."))


def token_of(spec: SourceSpec) -> str:
    """The token for a source; that of the keyring counts before the environment's. "" for none."""
    return keys.kept_key(_name(spec)) or roam_token()


def keep_token(spec: SourceSpec, token: str) -> None:
    """Keep a token in the keyring; "" removes it. Raises as `keys.keep` does."""
    keys.keep(_name(spec), token, ENV_ROAM_TOKEN)


def _name(spec: SourceSpec) -> str:
    """The place is part of the name, so that no token goes elsewhere."""
    return f"{spec.form} {spec.place} {spec.graph}"
