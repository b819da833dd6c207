"""The phone index: a file in the vault by which the plugin knows meaning without a server."""

from __future__ import annotations

from typing import Annotated

from notewell.api.requests import Doc, Endpoint, Request, request_to
from notewell.api.types import frozen


@frozen
class PhoneIndexSize:
    """The size of a file written now, nearly: in the vault, and in a phone's memory.

    `table_bytes` of it are the table by which queries are understood without a model; 0: none was
    fitted yet, or it does not fit. `shortened` says what is left out so that it fits; null:
    nothing.
    """

    bytes: int
    notes: int
    passages: int
    dimensions: int
    table_bytes: int
    shortened: str | None


@frozen
class PhoneIndexReply:
    """The phone index of a vault: whether it is on, the file that is there, and what it would be.

    `path` is where in the vault the file is, `place` where on the server's computer. `bytes`: null
    where none is there. `table_bytes` of it are its table for queries. `problem` says why it is
    not used or cannot be written. `expected`: null where the vault has no vectors yet.
    """

    vault: str
    on: bool
    path: str
    place: str
    bytes: int | None
    written: str | None
    notes: int
    passages: int
    dimensions: int
    table_bytes: int
    problem: str | None
    expected: PhoneIndexSize | None


@request_to(
    Endpoint(
        "GET",
        "/api/phone-index",
        "phone_index",
        "The file in the vault by which phones know meaning without a server",
    )
)
class PhoneIndexRequest(Request[PhoneIndexReply]):
    """The phone index of a vault."""


@request_to(
    Endpoint(
        "POST",
        "/api/phone-index",
        "switch_phone_index",
        "Write the phone index into the vault and keep it up to date, or delete it",
        changes=True,
        required_scope="admin",
        rate_class="heavy",
        timed=False,
        example={"on": True},
    )
)
class SwitchPhoneIndex(Request[PhoneIndexReply]):
    """Write the phone index into the vault, now and then once an hour; or delete it.

    Only after a person has agreed: it is a file in the vault, which sync tools copy.
    """

    on: Annotated[bool, Doc("Whether the file is written")]


REQUESTS = (PhoneIndexRequest, SwitchPhoneIndex)
