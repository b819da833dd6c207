"""The phone index: a file in the vault by which phones know meaning without a server."""

from __future__ import annotations

from typing import Annotated

from notewell.api import Feature
from notewell.api.types import Ge, Le, Section, frozen


@frozen
class PhoneRules:
    """Settings of the file in vaults by which phones know meaning without a server.

    `index` is true for every vault, or lists the vaults by id or name. `megabytes` is the largest
    size of the file, which is what it takes in a phone's memory.
    """

    index: bool | tuple[str, ...] = False
    megabytes: Annotated[float, Ge(1), Le(20)] = 20.0


SECTION = Section("phone", PhoneRules)


PHONE = Feature(
    name="phone",
    requests="notewell.features.phone.requests:REQUESTS",
    answers="notewell.features.phone.service:open_feature",
    handlers="notewell.features.phone.handlers:HANDLERS",
    commands={"system": {"phone-index": "notewell.features.phone.commands:phone_index"}},
    runs={"phone": ""},
    settings="notewell.features.phone:SECTION",
    events=("vault_opened",),
)
