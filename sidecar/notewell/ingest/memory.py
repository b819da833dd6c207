"""Giving back the memory that a burst of work needed."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Let the C library return to the system what was freed.

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
