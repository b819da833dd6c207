"""Scripted language models, the same as in the tests of `ask`."""

from tests.features.ask.conftest import script

__all__ = ["script"]
