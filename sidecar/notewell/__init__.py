"""Notewell: find what you already know, in your own notes."""

from __future__ import annotations

from notewell.base.support import program

# Here, because every way to start imports this first, before any library that would report.
program.switch_telemetry_off()

__version__ = "0.1.0"
API_VERSION = 1

__all__ = ["API_VERSION", "__version__"]
