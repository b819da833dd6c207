"""Settings, vaults, and the bounds of fields; loads nothing heavy."""

from notewell.base.types import (
    CountTokens,
    FloatArray,
    PropertyValue,
    Settings,
    VaultRecord,
    VaultRules,
)
from notewell.base.types.frozen import frozen
from notewell.base.types.hints import Ge, Le, MaxLen, MinLen
from notewell.base.types.settings import Section

__all__ = [
    "CountTokens",
    "FloatArray",
    "Ge",
    "Le",
    "MaxLen",
    "MinLen",
    "PropertyValue",
    "Section",
    "Settings",
    "VaultRecord",
    "VaultRules",
    "frozen",
]
