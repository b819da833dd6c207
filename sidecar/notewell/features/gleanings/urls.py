"""The normal form of an address, and the id of a gleaning made from it."""

from __future__ import annotations

import hashlib
from urllib.parse import SplitResult, urlsplit

from notewell.base.errors import UsageError

_PORTS = {"http": 80, "https": 443}
_TRACKING = ("gclid", "fbclid")
_ID_CHARS = 12


def normalise(url: str) -> str:
    """Return the form by which two addresses of one page are equal.

    Scheme and host in lower case; default port, fragment, `utm_*`, `gclid`, `fbclid` and one
    trailing slash of the path are dropped, and nothing else. UsageError if it is no web address.
    """
    parts = _split(url)
    query = "&".join(one for one in parts.query.split("&") if one and not _tracks(one))
    path = parts.path.removesuffix("/")
    return f"{parts.scheme.lower()}://{_host(parts)}{path}{f'?{query}' if query else ''}"


def gleaning_id(url: str) -> str:
    """Return the id of a gleaning: the first 12 hexadecimal digits of the MD5 of its address."""
    digest = hashlib.md5(normalise(url).encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return digest.hexdigest()[:_ID_CHARS]


def domain(url: str) -> str:
    """Return the host of an address in lower case, without `www.`; UsageError as `normalise`."""
    return (_split(url).hostname or "").removeprefix("www.")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        valid = parts.scheme.lower() in _PORTS and bool(parts.hostname)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(
            f"{url[:200]!r} is no web address: it must begin with https:// or http://."
        )
    return parts


def _host(parts: SplitResult) -> str:
    name, at, host = parts.netloc.rpartition("@")
    host = host.lower()
    if parts.port == _PORTS[parts.scheme.lower()] or host.endswith(":"):
        host = host.rpartition(":")[0]
    return f"{name}{at}{host}"


def _tracks(parameter: str) -> bool:
    name = parameter.partition("=")[0]
    return name in _TRACKING or name.startswith("utm_")
