"""Scripted models, as for the questions that are asked of them."""

from tests.ask.conftest import script

__all__ = ["script"]
