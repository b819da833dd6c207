"""Reads the text of images with the program tesseract, where it is installed.

The program is started by this process and never by the one that reads files, which is confined: it
sends its images here. See https://tesseract-ocr.github.io/tessdoc/Command-Line-Usage.html.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from functools import cache
from typing import Protocol

MISSING = "Its text is not read: the setting vault.ocr needs the program tesseract (docs/files.md)."
MAX_SECONDS = 480.0  # for all images of one file
_PAGE_SECONDS = 60.0
_MAX_LANGUAGES = 4  # each makes it slower
_NO_LANGUAGES = frozenset({"osd", "equ"})  # they find directions and formulas


class Ocr(Protocol):
    """Reads the images of one file, until it has taken too long."""

    @property
    def is_installed(self) -> bool:
        """True if there is a program that reads images."""

    @property
    def stopped(self) -> bool:
        """True if images were left out for want of time."""

    def read(self, image: bytes) -> str:
        """The text of an image (PNM, PNG, JPEG, TIFF or WebP); "" if there is none or no time."""


class Tesseract:
    """The program tesseract. Satisfies `Ocr`."""

    def __init__(self) -> None:
        """The time begins to run with the first image."""
        self._until: float | None = None
        self._program = shutil.which("tesseract")
        self.stopped = False

    @property
    def is_installed(self) -> bool:
        return self._program is not None

    def read(self, image: bytes) -> str:
        if self._until is None:
            self._until = time.monotonic() + MAX_SECONDS
        left = self._until - time.monotonic()
        if self._program is None or left <= 0:
            self.stopped = self.stopped or left <= 0
            return ""
        command = [self._program, "stdin", "stdout", "-l", _languages(self._program)]
        try:
            done = subprocess.run(  # noqa: S603 - the image goes to its standard input
                command,
                input=image,
                capture_output=True,
                timeout=min(left, _PAGE_SECONDS),
                check=False,
            )
        except (subprocess.TimeoutExpired, OSError):
            return ""
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


@cache
def _languages(program: str) -> str:
    """The installed languages, as the option `-l` has them; English if there are others too."""
    try:
        listed = subprocess.run(  # noqa: S603 - as above
            [program, "--list-langs"], capture_output=True, timeout=_PAGE_SECONDS, check=False
        ).stdout
    except (subprocess.TimeoutExpired, OSError):
        return "eng"
    names = [name for name in listed.decode("utf-8", "replace").split("\n")[1:] if name.strip()]
    known = sorted({name.strip() for name in names} - _NO_LANGUAGES, key=lambda name: name != "eng")
    return "+".join(known[:_MAX_LANGUAGES]) or "eng"
