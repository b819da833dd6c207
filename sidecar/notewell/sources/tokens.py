"""Tokens of graphs at Roam: kept in the system's keyring, or given in the environment."""

from __future__ import annotations

from notewell.config.load import ENV_ROAM_TOKEN, roam_token
from notewell.models import keys
from notewell.sources.spec import SourceSpec


def token_of(spec: SourceSpec) -> str:
    """The token for a source; that of the keyring counts before the environment's. "" for none."""
    return keys.kept_key(_name(spec)) or roam_token()


def keep_token(spec: SourceSpec, token: str) -> None:
    """Keep a token in the keyring; "" removes it. Raises as `keys.keep` does."""
    keys.keep(_name(spec), token, ENV_ROAM_TOKEN)


def _name(spec: SourceSpec) -> str:
    """The place is part of the name, so that no token goes elsewhere."""
    return f"{spec.form} {spec.place} {spec.graph}"
