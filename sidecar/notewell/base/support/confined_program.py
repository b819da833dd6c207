"""The process that runs one small program of a language model, confined, and ends.

Reads a request as JSON from its standard input until that is closed, and writes its reply to its
standard output. Uses the standard library alone: nothing else of the environment has to be found,
and nothing is imported once the process is confined.
"""

from __future__ import annotations

import ast
import builtins
import calendar
import collections
import csv
import datetime as dt
import decimal
import fractions
import functools
import heapq  # noqa: F401 - loaded by Counter.most_common, which then may open no file
import itertools
import json
import math
import operator
import os
import re
import statistics
import sys
import time
import unicodedata  # noqa: F401 - loaded by the first "\N{...}"
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType, SimpleNamespace

from notewell.base.support.confine import Allowed, UnconfinedError, confine

_DASHES = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_BAR = re.compile(r"(?<!\\)\|")

Row = dict[str, str]
_STDOUT = 1


def main() -> None:
    """Serve the one request."""
    request = json.loads(sys.stdin.buffer.read())
    time.localtime()  # reads the time zone, for `datetime.now()`
    try:
        seconds, memory = float(request["seconds"]), int(request["memory"])
        confine(Allowed(write=(_STDOUT,)), seconds=seconds, memory=memory)
    except UnconfinedError as error:
        _reply({"confined": False, "output": "", "error": str(error)})
    values = {"notes": request["notes"], "tables": tables}
    outcome = run(str(request["code"]), values, int(request["output"]))
    _reply({"confined": True, "output": outcome.output, "error": outcome.error})


def _reply(reply: dict[str, object]) -> None:
    """Write the reply and end at once: an orderly end would want what is refused now."""
    rest = json.dumps(reply).encode()
    while rest:
        rest = rest[os.write(_STDOUT, rest) :]
    os._exit(0)


# --- tables in Markdown, for programs ------------------------------------------------------
#
# They are those of GitHub's Markdown (https://github.github.com/gfm/#tables-extension-): a row of
# headings, a row of dashes, and rows until an empty line. Tables in blocks of code are left out.


def tables(text: str) -> list[list[Row]]:
    """The tables of a text, each a list of rows, each a dict from heading to cell.

    A heading that comes again gets a number; cells beyond the headings are left out.
    """
    lines = _outside_code(text)
    result_tables: list[list[Row]] = []
    at = 1
    while at < len(lines):
        headings = _cells(lines[at - 1])
        if not _is_rule(lines[at], len(headings)):
            at += 1
        else:
            end = at + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            result_tables.append(_rows(headings, lines[at + 1 : end]))
            at = end + 1
    return result_tables


def _is_rule(line: str, columns: int) -> bool:
    """True where a line is the row of dashes of a table with so many columns."""
    return "|" in line and bool(_DASHES.fullmatch(line)) and len(_cells(line)) == columns


def _rows(headings: list[str], lines: list[str]) -> list[Row]:
    names = [
        f"{heading} {before + 1}" if (before := headings[:at].count(heading)) else heading
        for at, heading in enumerate(headings)
    ]
    rows = []
    for line in lines:
        cells = _cells(line)
        cells += [""] * (len(names) - len(cells))
        rows.append(dict(zip(names, cells, strict=False)))
    return rows


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    parts = _BAR.split(inner)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip().replace("\\|", "|") for part in parts]


def _outside_code(text: str) -> list[str]:
    """The lines of a text; those of code blocks are empty."""
    lines, fence = [], ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            lines.append("")
        elif mark:
            fence = mark[1]
            lines.append("")
        else:
            lines.append(line)
    return lines


# --- the language of the programs: Python without reflection -------------------------------
#
# These rules give early and readable refusals, and one more wall. What a program cannot do is
# decided by the system (`confine.py`).


def _public(module: ModuleType) -> str:
    """The public names of a module, without the modules that it imports itself."""
    listed = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    return " ".join(name for name in listed if not isinstance(getattr(module, name), ModuleType))


_MODULES: Mapping[str, tuple[ModuleType, str]] = {
    "calendar": (
        calendar,
        "isleap leapdays weekday monthrange monthcalendar day_name day_abbr month_name month_abbr",
    ),
    # Without namedtuple, which makes a program of its names.
    "collections": (collections, "Counter OrderedDict defaultdict deque"),
    "csv": (csv, "reader DictReader"),
    "datetime": (dt, "date datetime time timedelta timezone UTC MINYEAR MAXYEAR"),
    "decimal": (decimal, _public(decimal)),
    "fractions": (fractions, "Fraction"),
    "functools": (functools, "reduce partial cmp_to_key"),
    "itertools": (itertools, _public(itertools)),
    "json": (json, "loads dumps JSONDecodeError"),
    "math": (math, _public(math)),
    # Without attrgetter and methodcaller, which reach any attribute.
    "operator": (operator, "add sub mul truediv floordiv mod pow neg itemgetter lt le eq ne ge gt"),
    "re": (
        re,
        "compile search match fullmatch findall finditer split sub subn escape A I M S X",
    ),
    "statistics": (statistics, _public(statistics)),
}
MODULES = tuple(_MODULES)
# What `datetime` itself imports when it is used. No program can name them: see `_check_imports`.
_OF_DATETIME = {"_strptime": import_module("_strptime"), "time": time}

_BUILTINS = """
    abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float format frozenset
    hash hex int isinstance issubclass iter len list map max min next oct ord pow range repr
    reversed round set slice sorted str sum tuple zip
    ArithmeticError AssertionError AttributeError Exception IndexError KeyError LookupError
    OverflowError RuntimeError StopIteration TypeError ValueError ZeroDivisionError
"""

# Every other kind of statement or expression is refused, such as classes and `match`, whose
# patterns read attributes by name.
_NODES = (
    *(ast.Module, ast.Expr, ast.Expression, ast.expr_context, ast.Constant, ast.Name),
    *(ast.FunctionDef, ast.Lambda, ast.Return, ast.arguments, ast.arg, ast.Call, ast.keyword),
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Delete, ast.Starred),
    *(ast.If, ast.IfExp, ast.For, ast.While, ast.Break, ast.Continue, ast.Pass),
    *(ast.Assert, ast.Try, ast.ExceptHandler, ast.Raise, ast.Nonlocal),
    *(ast.Import, ast.ImportFrom, ast.alias),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.boolop, ast.operator, ast.unaryop),
    *(ast.cmpop, ast.Attribute, ast.Subscript, ast.Slice, ast.List, ast.Tuple, ast.Dict, ast.Set),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension),
    *(ast.JoinedStr, ast.FormattedValue),
)
# Attributes that reach frames and code, or any attribute by a name in a text.
_ATTRIBUTES = re.compile(
    r"_.*|(gi|cr|ag|tb|co|f|func)_.*|format|format_map|mro|with_traceback|obj|name_from"
)
_LAST_VALUE = "__show__"  # no program can say this name
_LONGEST_ERROR = 500  # characters


class RefusedCodeError(Exception):
    """The program says something that it may not; the message names the line."""


@dataclass(slots=True)
class Outcome:
    """The output of a program, and why it failed ("": it did not)."""

    output: str = ""
    error: str = ""


class _FullError(BaseException):
    """More was printed than is kept. No `except Exception` of the program stops it."""


@dataclass(slots=True)
class _Printed:
    """Collects what is printed, up to a number of characters."""

    most: int
    parts: list[str] = field(default_factory=list)
    size: int = 0

    def print(
        self, *values: object, sep: str | None = " ", end: str | None = "\n", **_other: object
    ) -> None:
        text = (" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end)
        self.parts.append(text[: self.most - self.size])
        self.size += len(self.parts[-1])
        if len(text) > len(self.parts[-1]):
            raise _FullError

    def show(self, value: object) -> None:
        """Print the value of the last line, as an interactive Python does."""
        if value is not None:
            self.print(value if isinstance(value, str) else repr(value))


def run(code: str, values: Mapping[str, object], most: int) -> Outcome:
    """Run a program with these variables; it may print `most` characters."""
    printed = _Printed(most)
    outcome = Outcome()
    try:
        program = compile(_parse_allowed(code), "<code>", "exec", dont_inherit=True)
        exec(program, _globals(values, printed))  # noqa: S102 - what this room is for, confined
    except RefusedCodeError as error:
        outcome.error = str(error)
    except SyntaxError as error:
        outcome.error = f"line {error.lineno}: {error.msg}"
    except _FullError:
        outcome.error = f"It printed more than {most:,} characters; the rest was not run."
    except MemoryError:
        outcome.error = "It needs more memory than it may have."
    except Exception as error:  # noqa: BLE001 - whatever the program raises is its result
        outcome.error = _tell(error)
    outcome.output = "".join(printed.parts)
    return outcome


def _tell(error: Exception) -> str:
    """An error as people read it, with the line of the program where it happened."""
    line, at = 0, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == "<code>":
            line = at.tb_lineno
        at = at.tb_next
    try:
        text = str(error)[:_LONGEST_ERROR]
    except (ValueError, TypeError, MemoryError, RecursionError):  # a number too long to print
        text = "?"
    return f"line {line}: {type(error).__name__}: {text}"


def _globals(values: Mapping[str, object], printed: _Printed) -> dict[str, object]:
    allowed: dict[str, object] = {name: getattr(builtins, name) for name in _BUILTINS.split()}
    allowed |= {"print": printed.print, "__import__": _importer()}
    return {"__builtins__": allowed, **values, _LAST_VALUE: printed.show}


def _importer() -> Callable[..., object]:
    """The function behind `import`: it gives copies that hold the allowed names alone."""
    copies: Mapping[str, object] = _OF_DATETIME | {
        name: SimpleNamespace(**{part: getattr(module, part) for part in names.split()})
        for name, (module, names) in _MODULES.items()
    }

    def load(name: str, *_rest: object) -> object:
        if name not in copies:
            raise ImportError(f"{name} cannot be imported here")
        return copies[name]

    return load


# --- what may be said --------------------------------------------------------------------------


def _parse_allowed(code: str) -> ast.Module:
    """The program as a tree whose last value is printed. Raises RefusedCodeError, SyntaxError."""
    try:
        tree = ast.parse(code)
    except (ValueError, RecursionError, MemoryError) as error:
        raise RefusedCodeError(
            f"The code cannot be read: {str(error) or 'it is too deep'}."
        ) from error
    for node in ast.walk(tree):
        _check(node)
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        shown = ast.Call(ast.Name(_LAST_VALUE, ast.Load()), [last.value], [])
        tree.body[-1] = ast.copy_location(ast.Expr(shown), last)
        ast.fix_missing_locations(tree)
    return tree


def _check(node: ast.AST) -> None:
    if not isinstance(node, _NODES):
        raise _refusal(node, f"`{type(node).__name__}` may not be used")
    for name in _names(node):
        if name.startswith("__"):
            raise _refusal(node, f"the name {name} may not be used")
    if isinstance(node, ast.Attribute) and _ATTRIBUTES.fullmatch(node.attr):
        raise _refusal(node, f"the attribute .{node.attr} may not be used")
    if isinstance(node, ast.Import):
        _check_imports(node, [name.name for name in node.names])
    if isinstance(node, ast.ImportFrom):
        _check_imports(node, [node.module or "."])
        if any(name.name == "*" or _ATTRIBUTES.fullmatch(name.name) for name in node.names):
            raise _refusal(node, "import names one by one")


def _check_imports(node: ast.AST, names: Sequence[str]) -> None:
    for name in names:
        if name not in _MODULES:
            raise _refusal(node, f"{name} cannot be imported; there are {', '.join(_MODULES)}")


def _names(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.keyword(arg=str(name)) | ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.alias(name=name, asname=other):
            return [name, other or ""]
        case ast.Nonlocal(names=names):
            return list(names)
        case _:
            return []


def _refusal(node: ast.AST, why: str) -> RefusedCodeError:
    line = getattr(node, "lineno", None)
    return RefusedCodeError(f"{f'line {line}: ' if line else ''}{why}.")


if __name__ == "__main__":
    main()
