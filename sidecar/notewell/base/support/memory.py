"""Returning freed memory to the system."""

from __future__ import annotations

import ctypes
import sys


def release_freed() -> None:
    """Return memory that was freed but is still held by the C library.

    glibc keeps freed memory in an arena for every thread, tens of megabytes after a busy hour.
    Other C libraries return it by themselves.
    """
    if sys.platform != "linux":
        return
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):  # not glibc
        return
    trim(0)
