"""Signs devices and browsers in by a secret in an address, which is good for one use."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Literal
from urllib.parse import parse_qs, urlencode

from aiohttp import hdrs, web

from notewell.base.errors import (
    UsageError,
)
from notewell.doors.web.auth import (
    KEY_PARAMETER,
    REFUSED_PARAMETER,
    bound_address,
    cookie_name,
)
from notewell.doors.web.request_models import read_body
from notewell.doors.web.site import SITE, Site
from notewell.engine.access import digest, halves, session_of

_COOKIE_SECONDS = 365 * 24 * 3600
_MOST_FIELDS = 20  # of an address, which may also have other parameters


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret of a link. With `name`, what the browser is called, it is a pairing code."""

    how: Literal["token", "code"]
    value: str = field(repr=False)
    name: str | None = None

    def fields(self) -> dict[str, str]:
        """Return the fields of a form that sends it."""
        named = {"name": self.name} if self.name is not None else {}
        return {self.how: self.value, **named}


def secret_in(query: str) -> Secret | None:
    """Return the secret in a query or in the fields of a form; None if it has none."""
    try:
        fields = parse_qs(query, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError:
        return None
    named = {name: values[0] for name, values in fields.items()}
    if "token" in named:
        return Secret("token", named["token"])
    return Secret("code", named["code"], named.get("name")) if "code" in named else None


def _to_page(parameter: str, value: str) -> web.Response:
    """Redirect to the page, which says what was wrong: nobody would read the text of a redirect."""
    headers = {hdrs.LOCATION: f"/?{urlencode({parameter: value})}"}
    return web.Response(status=HTTPStatus.SEE_OTHER, headers=headers)


async def sign_in(request: web.Request) -> web.Response:
    """Turn the secret of a link into a session, and redirect to the page.

    Opening a link only loads the page, which then posts the secret: whatever makes a browser send
    a GET, such as a picture on a foreign page, neither uses up a link nor counts as a guess. The
    cookie gets one half of the session; the new address has the other, which the page stores, or
    `refused` where the secret is wrong or no longer valid.
    """
    site = request.app[SITE]
    site.gate.check_own_page(request)
    body = await read_body(request, site.limits.body_timeout_s)
    secret = secret_in(body.decode("ascii", "replace"))
    if secret is None:
        raise UsageError("signing in takes a form with the field `token`, or `code`.")
    session = await _session(site, secret, site.gate.address(request))
    if session is None:
        return _to_page(REFUSED_PARAMETER, secret.how)
    cookie, key = halves(session)
    response = _to_page(KEY_PARAMETER, key)
    response.set_cookie(
        cookie_name(bound_address(request).port),
        cookie,
        max_age=_COOKIE_SECONDS if secret.how == "code" else None,
        httponly=True,
        samesite="Strict",
        secure=site.gate.is_secure(request),
        path="/",
    )
    return response


async def _session(site: Site, secret: Secret, address: str) -> str | None:
    """Return the session for a secret; None for a wrong one, which is counted."""
    now, kept, session = time.monotonic(), digest(secret.value), None
    site.guesses.check(address, kept, now)
    callers = site.gate.callers
    if secret.how == "code":
        session = await asyncio.to_thread(callers.redeem, secret.value, secret.name)
    elif callers.by_token(secret.value) is not None:
        session = session_of(secret.value)
    if session is None:
        site.guesses.wrong(address, kept, now)
    site.audit.log_sign_in(address, how=secret.how, well=session is not None)
    return session
