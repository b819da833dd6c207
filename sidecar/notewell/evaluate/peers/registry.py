"""The peers by name, and finding those that a person named."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from notewell.errors import MissingExtraError, UsageError
from notewell.evaluate.peers import bm25, cosine, fused
from notewell.evaluate.peers.peer import PeerKind

PEERS: Mapping[str, PeerKind] = {kind.name: kind for kind in (bm25.KIND, cosine.KIND, fused.KIND)}


def find_peers(names: str) -> tuple[PeerKind, ...]:
    """Find the peers in a list of names with commas between, each once, in that order.

    Raises UsageError for a name that is unknown or missing, MissingExtraError where a peer's
    package is not installed.
    """
    wanted = dict.fromkeys(name.strip() for name in names.split(","))
    for name in wanted:
        if name not in PEERS:
            raise UsageError(
                f"There is no peer called '{name}' to measure against."
                f" Name one or several of: {', '.join(PEERS)}.",
                code="unknown_peer",
            )
    found = tuple(PEERS[name] for name in wanted)
    missing = [
        kind.name for kind in found if any(find_spec(module) is None for module in kind.modules)
    ]
    if missing:
        raise MissingExtraError(
            f"Measuring against {', '.join(missing)} needs packages that are not installed."
            " Run pip install '.[compare]' in Notewell's source folder."
        )
    return found
