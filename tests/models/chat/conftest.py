"""Scripted language models, the same as in the tests of `ask`."""

from tests.ask.conftest import script

__all__ = ["script"]
