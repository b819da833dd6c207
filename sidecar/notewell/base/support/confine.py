"""Confines this process for the rest of its life: no files, network, processes or native code.

Works on Linux alone, on x86-64 and 64-bit ARM. Memory and time are bounded by the kernel too, so
that the limits hold when nobody watches. Afterwards the process tries what it must not be able to
do, and says so where one of these succeeds. Whatever it needs must have been loaded before: an
import opens a file. Uses the standard library alone.

Sources: seccomp(2), prctl(2), setrlimit(2), unshare(2), capset(2), the kernel's
Documentation/userspace-api/seccomp_filter.rst, and linux/filter.h and linux/audit.h for numbers.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import platform
import signal
import socket
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

if sys.platform != "win32":
    import resource

# Operations of classic BPF: load a word, compare, test bits, return.
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
# Offsets in the kernel's struct seccomp_data; both machines have the low half of a word first.
_CALL, _MACHINE, _ARGUMENTS = 0, 4, 16
_EXECUTABLE = 4  # PROT_EXEC
_FUTEX_WAKE = 1 | 128  # FUTEX_WAKE_PRIVATE of linux/futex.h

Instruction = tuple[int, int, int, int]  # operation, jump if true, jump if false, operand

_PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
# CLONE_NEWUSER, NEWNS, NEWUTS, NEWIPC and NEWNET of linux/sched.h.
_NAMESPACES = 0x10000000 | 0x00020000 | 0x04000000 | 0x08000000 | 0x40000000


class UnconfinedError(Exception):
    """The system does not confine this process; the message says what failed."""


# Enough to compute: memory, the clock, the end of a signal handler and of the process.
COMPUTING = (
    "munmap",
    "brk",
    "rt_sigreturn",
    "mremap",
    "madvise",
    "exit",
    "gettimeofday",
    "clock_gettime",
    "exit_group",
)
MAPPING = ("mmap", "mprotect")  # always allowed, but not to make memory executable


@dataclass(frozen=True, slots=True)
class Allowed:
    """The system calls of a process, by name, and the descriptors that it may read and write.

    `wakes`: it may wake threads, which it does not have; some libraries do that all the same, and
    end the process where it is refused.
    """

    calls: tuple[str, ...] = COMPUTING
    read: tuple[int, ...] = ()
    write: tuple[int, ...] = ()
    wakes: bool = False

    @property
    def only(self) -> tuple[tuple[str, int, tuple[int, ...]], ...]:
        """The calls of which one argument, counted from 0, must have one of some values."""
        wakes = (_FUTEX_WAKE,) if self.wakes else ()
        return ("read", 0, self.read), ("write", 0, self.write), ("futex", 1, wakes)


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor: its number in linux/audit.h, and its numbers of system calls."""

    audit: int
    calls: Mapping[str, int]


MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(
        audit=0xC000003E,
        calls={
            "read": 0,
            "write": 1,
            "mmap": 9,
            "mprotect": 10,
            "munmap": 11,
            "brk": 12,
            "rt_sigreturn": 15,
            "mremap": 25,
            "madvise": 28,
            "setitimer": 38,
            "exit": 60,
            "gettimeofday": 96,
            "futex": 202,
            "clock_gettime": 228,
            "exit_group": 231,
        },
    ),
    "aarch64": Machine(
        audit=0xC00000B7,
        calls={
            "read": 63,
            "write": 64,
            "exit": 93,
            "exit_group": 94,
            "futex": 98,
            "setitimer": 103,
            "clock_gettime": 113,
            "rt_sigreturn": 139,
            "gettimeofday": 169,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "mmap": 222,
            "mprotect": 226,
            "madvise": 233,
        },
    ),
}


def filter_for(machine: Machine, allowed: Allowed) -> tuple[Instruction, ...]:
    """The program that the kernel runs before each system call: what is not named is refused.

    Calls by another machine's numbers (32 bits) end the process.
    """
    program: list[Instruction] = [
        (LOAD, 0, 0, _MACHINE),
        (EQUAL, 1, 0, machine.audit),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, _CALL),
    ]
    for name in allowed.calls:
        program += [(EQUAL, 0, 1, machine.calls[name]), (RETURN, 0, 0, ALLOW)]
    for name in MAPPING:
        program += [
            (EQUAL, 0, 4, machine.calls[name]),
            (LOAD, 0, 0, _ARGUMENTS + 8 * 2),  # the third argument: how memory is protected
            (ANY_BIT, 0, 1, _EXECUTABLE),
            (RETURN, 0, 0, REFUSE),
            (RETURN, 0, 0, ALLOW),
        ]
    for name, argument, values in allowed.only:
        program += [
            (EQUAL, 0, 2 + 2 * len(values), machine.calls[name]),
            (LOAD, 0, 0, _ARGUMENTS + 8 * argument),
        ]
        for value in values:
            program += [(EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW)]
        program.append((RETURN, 0, 0, REFUSE))
    program.append((RETURN, 0, 0, REFUSE))
    return tuple(program)


def confine(allowed: Allowed, *, memory: int, seconds: float | None = None) -> None:
    """Confine this process, which has one thread; it is killed after `seconds`, if they are given.

    `memory` is the most address space, in bytes. The present folder should be an empty one.
    Raises UnconfinedError where the system cannot do it, or does not.
    """
    machine = MACHINES.get(platform.machine())
    if not sys.platform.startswith("linux") or machine is None or sys.maxsize < 2**32:
        raise UnconfinedError(f"{platform.system()} on {platform.machine()} is not supported")
    libc = ctypes.CDLL(None, use_errno=True)
    first = 3
    for kept in sorted({*allowed.read, *allowed.write} - {0, 1, 2}):
        os.closerange(first, kept)
        first = kept + 1
    os.closerange(first, 1 << 16)
    try:
        _separate(libc)
        _limit(seconds, memory)
        _prctl(libc, _PR_SET_DUMPABLE, 0)
        _prctl(libc, _PR_SET_NO_NEW_PRIVS, 1)
        # Without a handler the alarm ends the process.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds or 0)
        _install(libc, filter_for(machine, allowed))
    except (OSError, ValueError) as error:
        raise UnconfinedError(str(error)) from error
    attempts = _attempts(allowed)
    if possible := [what for what, attempt in attempts.items() if not _is_refused(attempt)]:
        raise UnconfinedError(f"it could still {', '.join(possible)}")


def _separate(libc: ctypes.CDLL) -> None:
    """Leave network, files and rights behind as far as the system allows; the filter needs none."""
    if libc.unshare(ctypes.c_int(_NAMESPACES)) == 0:
        with suppress(OSError):
            os.chroot(".")
            os.chdir("/")
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    libc.capset(ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))


def _limit(seconds: float | None, memory: int) -> None:
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 0,
    }
    if seconds is not None:
        limits[resource.RLIMIT_CPU] = int(seconds) + 1
    for kind, most in limits.items():
        _, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, allowed))


def _prctl(libc: ctypes.CDLL, option: int, *values: int) -> None:
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if libc.prctl(ctypes.c_int(option), *words) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} failed")


def _install(libc: ctypes.CDLL, program: Sequence[Instruction]) -> None:
    packed = ctypes.create_string_buffer(
        b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    )
    described = struct.pack("@HP", len(program), ctypes.addressof(packed))  # struct sock_fprog
    kept = ctypes.create_string_buffer(described)
    _prctl(libc, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(kept))


# --- the proof ---------------------------------------------------------------------------------


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _attempts(allowed: Allowed) -> Mapping[str, Callable[[], object]]:
    unread = next(descriptor for descriptor in range(8) if descriptor not in allowed.read)
    unwritten = next(descriptor for descriptor in (2, *range(8)) if descriptor not in allowed.write)
    attempts: dict[str, Callable[[], object]] = {
        "open a file": lambda: os.open("/", os.O_RDONLY),
        "list a folder": lambda: os.scandir("/"),
        "read what is open": lambda: os.read(unread, 1),
        "write elsewhere": lambda: os.write(unwritten, b""),
        "open a socket": lambda: socket.socket(socket.AF_INET),
        "open a local socket": lambda: socket.socket(socket.AF_UNIX),
        "start a process": _fork,
        "send a signal": lambda: os.kill(os.getpid(), 0),
        "make native code": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    }
    if "setitimer" not in allowed.calls:
        attempts["take the alarm back"] = lambda: signal.setitimer(signal.ITIMER_REAL, 0)
    # A folder is no program: unless the filter refuses the call, it fails for another reason.
    attempts["run a program"] = lambda: os.execv("/", ["/"])  # noqa: S606 - it must fail
    return attempts


def _is_refused(attempt: Callable[[], object]) -> bool:
    """True if the filter refuses it: other limits have other numbers of errors."""
    try:
        attempt()
    except OSError as error:
        return error.errno == errno.EPERM
    return False
