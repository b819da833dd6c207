"""Code of a language model: what it may compute, and everything that it may not do.

Programs here are run as the product runs them, in a confined process; where this system confines
none, the tool is not offered, which is tested elsewhere in this file.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.support.confined_program import run, tables
from notewell.base.support.program import code_command
from notewell.features.ask.code_tool import CodeLimits, CodeNote, CodeRunner, wrap_command
from notewell.features.ask.requests import AskNotice, AskStep
from tests.features.ask.conftest import Asking
from tests.features.ask.scripted import Says, Script

TABLE = """\
Spending

| month | cost \\| EUR |
|:------|-----:|
| May   | 1,200.50 |
| June  | 80 |
"""
NOTE = CodeNote(1, "Money.md", "Money", ("#cost",), {"year": 2026}, None, None, TABLE)


@pytest.fixture(scope="module")
def runner() -> CodeRunner:
    """What the product uses; bubblewrap is tried apart."""
    found = CodeRunner(commands=[code_command()])
    if why := found.unavailable():
        pytest.skip(f"code cannot be confined here: {why}")
    return found


# --- what it is for ----------------------------------------------------------------------------

RIGHT = {
    "17 * 23": "391",
    "round(1999 * 1.19, 2)": "2378.81",
    "sum(range(101)) / 2": "2525.0",
    "from datetime import date\n(date(2026, 12, 24) - date(2026, 11, 22)).days": "32",
    "from datetime import datetime\ndatetime.strptime('2026-11-22', '%Y-%m-%d').strftime('%A')": (
        "Sunday"
    ),
    "from datetime import date, timedelta\nprint(date(2024, 2, 28) + timedelta(days=2))": (
        "2024-03-01"
    ),
    "from decimal import Decimal\nDecimal('0.1') + Decimal('0.2')": "Decimal('0.3')",
    "import statistics as s\ns.median([3, 1, 10])": "3",
    "from collections import Counter\nCounter('abca').most_common(1)[0][0]": "a",
    "rows = tables(notes[0]['text'])[0]\n"
    "sum(float(row['cost | EUR'].replace(',', '')) for row in rows)": "1280.5",
    "[(one['n'], one['title'], one['properties']['year']) for one in notes]": (
        "[(1, 'Money', 2026)]"
    ),
    "def mean(values):\n    return sum(values) / len(values)\nprint(f'{mean([1, 2]):.1f}')": "1.5",
}


def test_it_computes_with_numbers_dates_and_tables(runner: CodeRunner) -> None:
    """Each by the rules alone, and all of them in one confined process."""
    for code, printed in RIGHT.items():
        assert (
            run(code, {"notes": [vars_of(NOTE)], "tables": tables}, 1000).output == f"{printed}\n"
        )

    shown = "\n".join(_printing(code) for code in RIGHT)
    result = runner.run(shown, [NOTE])
    assert result.error == ""
    assert [line.strip("'") for line in result.output.splitlines()] == list(RIGHT.values())


def vars_of(note: CodeNote) -> dict[str, object]:
    return {name: getattr(note, name) for name in note.__slots__}


def _printing(code: str) -> str:
    """A program that prints its last value, as the tool does with the last one of all."""
    *before, last = code.split("\n")
    return "\n".join([*before, last if last.startswith("print(") else f"print(repr({last}))"])


def test_what_goes_wrong_is_told_with_its_line(runner: CodeRunner) -> None:
    result = runner.run("a = 1\nprint(a)\nb = a / 0", ())
    assert result.output == "1\n"
    assert result.error == "line 3: ZeroDivisionError: division by zero"
    assert run("a = (", {}, 10).error == "line 1: '(' was never closed"
    assert run("str(10 ** 5000)", {}, 10).error.startswith("line 1: ValueError: Exceeds the limit")


# --- what is refused before it runs ------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "import os",
        "import os.path",
        "import sys, math",
        "from subprocess import run",
        "from . import code_confine",
        "from math import *",
        "from functools import __builtins__",
        "import ctypes as math",
        "__import__('os')",
        "().__class__.__bases__[0].__subclasses__()",
        "(lambda: 0).__globals__",
        "print.__self__",
        "(1).real.__class__",
        "[x for x in ()].__class__",
        "(x for x in ()).gi_frame.f_back.f_globals",
        "f'{().__class__}'",
        "'{0.__class__}'.format(1)",
        "'{x.__class__}'.format_map({'x': 1})",
        "str.format('{0.__class__}', 1)",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    error.__traceback__.tb_frame",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    error.with_traceback(None)",
        "match 1:\n    case object(__class__=found): print(found)",
        "class Sly(dict):\n    pass",
        "global __builtins__",
        "def __getattr__(name): return 1",
        "__builtins__ = {}",
        "async def f(): pass",
        "with 1 as x: pass",
        "(yield)",
        "@print\ndef f(): pass\nf.__code__",
        "x: __import__ = 1",
        "dict(__class__=1)",
    ],
)
def test_a_program_that_reaches_for_more_is_refused(code: str) -> None:
    outcome = run("print('it ran')\n" + code, {}, 1000)
    assert outcome.output == ""
    assert outcome.error


@pytest.mark.parametrize(
    "name",
    [
        *("open", "eval", "exec", "compile", "input", "getattr", "setattr", "delattr", "hasattr"),
        *("vars", "dir", "globals", "locals", "type", "object", "super", "breakpoint", "help"),
        *("memoryview", "bytearray", "exit", "quit", "id", "classmethod", "property"),
    ],
)
def test_what_reaches_further_does_not_exist(name: str) -> None:
    assert run(name, {}, 100).error == f"line 1: NameError: name '{name}' is not defined"


@pytest.mark.parametrize(
    "code",
    [
        "import statistics\nstatistics.sys",
        "import json\njson.codecs",
        "from calendar import sys",
        "import collections\ncollections.namedtuple",
        "import operator\noperator.attrgetter",
        "from operator import methodcaller",
        "import re\nre.enum",
        "import datetime\ndatetime.sys",
        "import decimal\ndecimal.numbers",
    ],
)
def test_modules_show_no_more_than_their_own_names(code: str) -> None:
    assert "Error" in run(code, {}, 100).error


def test_what_is_printed_is_bounded() -> None:
    for code in [
        "print('x' * 5000)",
        "while True: print('xy')",
        "try:\n  print('x' * 200)\nexcept Exception:\n  print('on')",
    ]:
        outcome = run(code, {}, 100)
        assert len(outcome.output) == 100
        assert "more than 100 characters" in outcome.error


@given(st.text("abn01 .,:=+-/%()[]{}'\"\\\n_\x00é", max_size=40))
def test_no_text_makes_the_rules_themselves_fail(code: str) -> None:
    run(code, {}, 100)  # refused or run, but never an error of ours


# --- what the system refuses -------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "10 ** 10 ** 9",  # one instruction that never ends
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    ],
)
def test_a_program_that_never_ends_is_stopped(runner: CodeRunner, code: str) -> None:
    hasty = CodeRunner(CodeLimits(seconds=0.2), commands=[code_command()])
    hasty._confined = runner._confined
    assert "longer than 0.2 seconds" in hasty.run(code, ()).error


@pytest.mark.parametrize(
    "code", ["[0] * 10 ** 9", "x = 'a' * 2 ** 20\nwhile True: x += x", "f'{1:1000000000}'"]
)
def test_a_program_that_grows_is_stopped(runner: CodeRunner, code: str) -> None:
    assert "more memory" in runner.run(code, ()).error


# Attacks by a program that has broken every rule of the language: it runs in the child as the
# rules do, confined, and says what it could still do.
BROKEN_OUT = """
import sys; sys.path.append(sys.argv[1])
import ctypes, json, mmap, os, resource, socket, subprocess, threading
from notewell.base.support.confine import Allowed, confine
request = json.loads(sys.stdin.buffer.read())
libc = ctypes.CDLL(None, use_errno=True)
confine(Allowed(write=(1,)), seconds=5.0, memory=256 << 20)
# What Python and notewell set themselves, whatever the parent's environment is.
OWN = {"LC_CTYPE", "ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"}
ATTACKS = {
    "read": lambda: open("/etc/passwd").read(),
    "write": lambda: open("made", "w").close(),
    "environment": lambda: {True: None}[len(os.environ.keys() - OWN) > 0],
    "descriptors": lambda: os.dup(1),
    "remove": lambda: os.unlink("/etc/passwd"),
    "link": lambda: os.symlink("/etc/passwd", "link"),
    "connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    "resolve": lambda: socket.getaddrinfo("localhost", 9),
    "pair": lambda: socket.socketpair(),
    "fork": lambda: os.fork(),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "run": lambda: subprocess.run(["/bin/true"]),
    "shell": lambda: {0: None}[os.system("true")],
    "thread": lambda: threading.Thread(target=print).start(),
    "kill": lambda: os.kill(os.getppid(), 0),
    "limits": lambda: resource.setrlimit(resource.RLIMIT_AS, (1, 1)),
    "native": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC),
    "ptrace": lambda: {0: None}[libc.ptrace(0, 0, 0, 0)],
    "uring": lambda: {True: None}[libc.syscall(425, 1, 0) >= 0],
    "bpf": lambda: {True: None}[libc.syscall(321, 0, 0, 0) >= 0],
    "unfilter": lambda: {0: None}[libc.prctl(22, 0, 0, 0, 0)],
    "memfd": lambda: os.memfd_create("x"),
    "pipe": lambda: os.pipe(),
    "root": lambda: os.setuid(0),
    "mount": lambda: {0: None}[libc.mount(b"none", b"/", b"tmpfs", 0, None)],
}
could = []
for name, attack in ATTACKS.items():
    try:
        attack()
    except (OSError, RuntimeError, LookupError, ValueError):
        continue
    could.append(name)
printed = json.dumps({"confined": True, "output": "could: " + " ".join(could), "error": ""})
os.write(1, printed.encode())
os._exit(0)
"""


def test_code_that_escaped_the_language_can_still_do_nothing(
    runner: CodeRunner, tmp_path: Path
) -> None:
    *python, _, _, root = code_command()
    escaped = CodeRunner(commands=[[*python, "-c", BROKEN_OUT, root]])
    escaped._confined = escaped._commands[0]
    assert escaped.run("", ()).output == "could: "


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no child is started elsewhere")
def test_where_a_child_is_not_confined_no_code_runs(tmp_path: Path) -> None:
    """A child that skips the filter, one that is no program, one that says nothing, one that lies."""
    unfiltered = (
        "import sys; sys.path.append(sys.argv[1]); from notewell.base.support import confine;"
        " confine._install = lambda *given: None;"
        " from notewell.base.support.confined_program import main; main()"
    )
    *python, _, _, root = code_command()
    commands = {
        "does not confine it (it could still": [*python, "-c", unfiltered, root],
        "no process can be started": [str(tmp_path / "no-program")],
        "ended without a result": ["/bin/true"],
        "exit code 3": [*python, "-c", "print('[]'); import sys; sys.exit(3)"],
    }
    for why, command in commands.items():
        found = CodeRunner(commands=[command])
        assert why in (found.unavailable() or "")
        refused = found.run("print(1)", ())
        assert refused.output == ""
        assert "No code can be run here" in refused.error


def test_where_the_system_is_not_linux_it_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert CodeRunner().unavailable() == "only Linux can confine programs as far as it needs"


def test_bubblewrap_is_used_where_it_works(runner: CodeRunner) -> None:
    bubblewrap = shutil.which("bwrap")
    command = wrap_command(bubblewrap or "bwrap", code_command())
    assert command[1] == "--unshare-all"
    found = CodeRunner(CodeLimits(seconds=0.5), commands=[command, code_command()])
    assert found.unavailable() is None  # with it, or without where the system refuses it
    assert found.run("2 + 2", ()).output == "4\n"
    assert "longer than" in found.run("while True: pass", ()).error


def test_more_code_or_text_than_is_taken(runner: CodeRunner) -> None:
    assert "longer than 20,000" in runner.run("#" * 20_001, ()).error
    large = CodeNote(2, "Large.md", "Large", (), {}, None, None, "x" * 3_000_000)
    assert runner.run("len(notes)", [NOTE, large]).output == "1\n"


def test_a_folder_is_left_behind_by_nobody(
    runner: CodeRunner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert runner.run("1", ()).output == "1\n"
    assert list(tmp_path.iterdir()) == []


# --- in an answer ------------------------------------------------------------------------------

SUM = "import math\nprint(len(notes), notes[0]['path'])\nmath.prod([6, 7])"


def test_an_answer_shows_the_code_and_what_it_printed(
    runner: CodeRunner, ask: Asking, script: Script
) -> None:
    model = script(
        Says("", [("run_code", {"code": SUM})]),
        Says("", [("run_code", {"code": "6 * 7"}), ("run_code", {"code": "import os"})]),
        Says("There are 42 [1]."),
    )
    reply = ask(model, "How do bees find their way home?", code_tool=True)

    assert reply.answer == "There are 42 [1]."
    ran = [e.data for e in ask.events if isinstance(e.data, AskStep) and e.data.tool == "run_code"]
    assert [each.code for each in ran] == [SUM, "6 * 7", "import os"]
    assert [each.about for each in ran][:2] == ["run_code: 3 lines of Python", "run_code: 6 * 7"]
    assert [each.outcome for each in ran] == ["done", "42", "failed"]
    assert (ran[0].output or "").split() == ["1", "Garden/Bees.md", "42"]
    assert "os cannot be imported" in (ran[2].output or "")
    sent = [
        message["content"] for message in model.asked[1]["messages"] if message["role"] == "tool"
    ]
    assert sent == [ran[0].output]
    assert "run_code" in str(model.asked[0]["tools"])
    notice = ask.events[0].data
    assert isinstance(notice, AskNotice)
    assert "calculations" in notice.leaves


def test_code_is_offered_only_where_it_is_switched_on(ask: Asking, script: Script) -> None:
    model = script(Says("", [("run_code", {"code": "1"})]), Says("The sun [1]."))
    ask(model, "How do bees find their way home?")
    assert "run_code" not in str(model.asked[0]["tools"])
    assert "There is no tool 'run_code'" in str(model.asked[1]["messages"])


def test_code_is_not_offered_where_the_system_does_not_confine_it(
    ask: Asking, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CodeRunner, "unavailable", lambda self: "no filter")
    model = script(Says("The sun [1]."))
    reply = ask(model, "How do bees find their way home?", code_tool=True)
    assert "run_code" not in str(model.asked[0])
    assert any("`ask.code_tool`): no filter" in warning for warning in reply.warnings)
