"""What some blocks of a source say now, for results that are about to be shown.

Only graphs that are asked over an interface have such an answer; exports and folders are as their
last sync left them. One request asks for all blocks; nothing is tried twice and nothing waited for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from notewell.sources.roam_api import SERVERS, Pace, RoamDesktop, RoamServers, desktop_port
from notewell.sources.roam_window import RequestWindow
from notewell.sources.spec import SourceSpec
from notewell.support.http import HttpClient
from notewell.support.http.connection import is_loopback

_TIMEOUT_S = 5.0  # an answer that comes late is still of use to the next search
_MAX_BYTES = 4 * 1024 * 1024


class CurrentTexts(Protocol):
    """Tells what blocks say now."""

    def texts(self, uids: Sequence[str]) -> Mapping[str, str]:
        """The text of each block that there is, by uid.

        Raises SourceError where the source cannot be asked, or refuses.
        """
        ...


def is_live(spec: SourceSpec) -> bool:
    """Whether a source can be asked at all."""
    return spec.form in {"roam", "roam-desktop"}


def current_texts(
    spec: SourceSpec, token: str, window: RequestWindow, *, offline: bool
) -> CurrentTexts | None:
    """What asks a source; None where it may not be asked, as no token was given, or offline.

    Raises SourceError if Roam's desktop program is not found.
    """
    if not is_live(spec) or not token:
        return None
    client = HttpClient(timeout_s=_TIMEOUT_S, max_bytes=_MAX_BYTES)
    if spec.form == "roam-desktop":
        port = desktop_port(Path(spec.place) if spec.place else Path.home())
        return RoamDesktop(spec.graph, token, port, client)
    place = spec.place or SERVERS
    if offline and not is_loopback(urlsplit(place).hostname or ""):
        return None
    pace = Pace(lambda _: None)
    return RoamServers(spec.graph, token, pace, place, client, window=window)
