"""The filters of system calls of both machines, run as the kernel runs them (linux/filter.h)."""

from __future__ import annotations

import errno

import pytest

from notewell.base.support.confine import (
    ALLOW,
    ANY_BIT,
    COMPUTING,
    EQUAL,
    KILL,
    LOAD,
    MACHINES,
    MAPPING,
    REFUSE,
    RETURN,
    Allowed,
    filter_for,
)

MOST_CALLS = 1024  # no machine has that many
CODE = Allowed(write=(1,))  # what runs code of a model
READER = Allowed((*COMPUTING, "setitimer"), read=(0,), write=(3,), wakes=True)  # what reads files
# By the tables of the kernel: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h.
DANGEROUS = {
    "x86_64": {
        "read": 0,
        "open": 2,
        "pread64": 17,
        "writev": 20,
        "socket": 41,
        "connect": 42,
        "sendto": 44,
        "clone": 56,
        "fork": 57,
        "vfork": 58,
        "execve": 59,
        "kill": 62,
        "ptrace": 101,
        "prctl": 157,
        "openat": 257,
        "process_vm_readv": 310,
        "seccomp": 317,
        "execveat": 322,
        "pkey_mprotect": 329,
        "io_uring_setup": 425,
        "clone3": 435,
        "openat2": 437,
    },
    "aarch64": {
        "openat": 56,
        "read": 63,
        "writev": 66,
        "ptrace": 117,
        "kill": 129,
        "prctl": 167,
        "socket": 198,
        "connect": 203,
        "clone": 220,
        "execve": 221,
        "process_vm_readv": 270,
        "seccomp": 277,
        "execveat": 281,
        "pkey_mprotect": 288,
        "io_uring_setup": 425,
        "clone3": 435,
        "openat2": 437,
    },
}


def verdict(
    name: str, call: int, *arguments: int, audit: int | None = None, allowed: Allowed = CODE
) -> int:
    """What the filter of a machine says to a call: an interpreter of the operations it uses."""
    machine = MACHINES[name]
    words = {0: call, 4: machine.audit if audit is None else audit}
    words |= {16 + 8 * n: one & 0xFFFFFFFF for n, one in enumerate(arguments)}
    words |= {20 + 8 * n: one >> 32 for n, one in enumerate(arguments)}
    at, word = 0, 0
    program = filter_for(machine, allowed)
    while True:
        operation, if_true, if_false, operand = program[at]
        at += 1
        if operation == RETURN:
            return operand
        if operation == LOAD:
            word = words.get(operand, 0)
        elif operation in {EQUAL, ANY_BIT}:
            holds = word == operand if operation == EQUAL else bool(word & operand)
            at += if_true if holds else if_false
        else:
            raise AssertionError(operation)


machines = pytest.mark.parametrize("name", list(MACHINES))
policies = pytest.mark.parametrize("allowed", [CODE, READER], ids=["code", "reader"])


@policies
@machines
def test_only_what_computing_needs_is_allowed(name: str, allowed: Allowed) -> None:
    machine = MACHINES[name]
    wanted = {machine.calls[each] for each in (*allowed.calls, *MAPPING)}
    if 0 in allowed.read:
        wanted.add(machine.calls["read"])  # its first argument is 0 here
    found = {call: verdict(name, call, allowed=allowed) for call in range(MOST_CALLS)}
    assert {call for call, said in found.items() if said == ALLOW} == wanted
    dangerous = {each for each in DANGEROUS[name] if each != "read"}
    assert not wanted & {DANGEROUS[name][each] for each in dangerous}
    assert set(found.values()) == {ALLOW, REFUSE}
    assert REFUSE & 0xFFFF == errno.EPERM


@policies
@machines
def test_what_is_read_and_written_is_named(name: str, allowed: Allowed) -> None:
    assert verdict(name, MACHINES[name].calls["futex"], 0, 0, allowed=allowed) == REFUSE
    for call, descriptors in (("read", allowed.read), ("write", allowed.write)):
        number = MACHINES[name].calls[call]
        said = [verdict(name, number, each, allowed=allowed) for each in range(5)]
        assert [each for each in range(5) if said[each] == ALLOW] == list(descriptors)


@policies
@machines
def test_no_memory_becomes_executable(name: str, allowed: Allowed) -> None:
    for call in (MACHINES[name].calls[each] for each in MAPPING):
        assert verdict(name, call, 0, 4096, 0b011, allowed=allowed) == ALLOW
        for executable in (0b100, 0b101, 0b111, 0xFFFFFFFF00000004):
            assert verdict(name, call, 0, 4096, executable, allowed=allowed) == REFUSE


@machines
def test_calls_by_another_machines_numbers_end_the_process(name: str) -> None:
    for audit in (0x40000003, 0x40000028, 0):  # 32 bits of both, and nothing
        assert verdict(name, MACHINES[name].calls["brk"], audit=audit) == KILL


def test_calls_of_x32_are_refused() -> None:
    assert verdict("x86_64", 0x40000000 | MACHINES["x86_64"].calls["brk"]) == REFUSE


@policies
@machines
def test_the_filter_is_one_that_the_kernel_takes(name: str, allowed: Allowed) -> None:
    program = filter_for(MACHINES[name], allowed)
    assert len(program) < 4096
    assert program[-1][0] == RETURN
    for at, (_, if_true, if_false, _) in enumerate(program[:-1]):
        assert at + 1 + max(if_true, if_false) < len(program)
