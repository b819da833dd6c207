"""A vault at work of which only some parts exist, for tests of what uses these alone."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from notewell.engine.feature import OpenVault


def open_vault(**parts: Any) -> OpenVault:
    """Make one of these parts; those that are left out are None."""
    return OpenVault(**(dict.fromkeys(field.name for field in fields(OpenVault)) | parts))
