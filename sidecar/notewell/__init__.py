"""Notewell: find what you already know, in your own notes."""

from __future__ import annotations

__version__ = "0.1.0"
API_VERSION = 1

__all__ = ["API_VERSION", "__version__"]
