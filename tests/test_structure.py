"""Limits of the package's source: no long files, no long functions, few exemptions from checks."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import notewell

PACKAGE = Path(notewell.__file__).parent
ROOT = Path(__file__).resolve().parent.parent
# The packages of their own, each a folder that Python can import.
OTHERS = sorted(folder.parent for folder in ROOT.glob("packages/*/*/__init__.py"))
FILES = sorted(file for package in (PACKAGE, *OTHERS) for file in package.rglob("*.py"))
MOST_LINES = 600
MOST_FUNCTION_LINES = 60
MOST_BROAD_EXCEPTS = 28
MOST_TYPE_IGNORES = 3
MOST_QUESTIONS = 2  # of two records, whose words the contract shows
# The parts of a statement that hold statements, by their names in Python's grammar.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def module_of(file: Path) -> str:
    """The name by which a file is imported."""
    package = next(folder for folder in (PACKAGE, *OTHERS) if file.is_relative_to(folder))
    parts = file.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_of(file) for file in FILES}


def place_of(file: Path) -> str:
    """A file as messages name it."""
    return str(file.relative_to(PACKAGE if file.is_relative_to(PACKAGE) else ROOT))


@cache
def tree(file: Path) -> ast.Module:
    """The syntax tree of a file; a dozen tests walk it."""
    return ast.parse(file.read_text(encoding="utf-8"))


def teardown_module() -> None:
    tree.cache_clear()  # a million objects, which the tests after these need not carry


def nodes(file: Path) -> Iterator[ast.AST]:
    return ast.walk(tree(file))


def statements(file: Path) -> Iterator[ast.stmt]:
    """Every statement of a file, also one inside another; expressions, which hold none, are not read."""
    waiting: list[ast.AST] = [tree(file)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        for field in BLOCKS:
            inner = getattr(node, field, ())
            waiting += inner if isinstance(inner, list) else ()


def functions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, also one inside another."""
    for node in statements(file):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def lines_with(pattern: str) -> list[str]:
    """The lines of the package that match, each with its place."""
    found = []
    for file in FILES:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(pattern, line):
                found.append(f"{place_of(file)}:{number}: {line.strip()}")
    return found


def test_no_file_is_too_long() -> None:
    lengths = {place_of(file): len(file.read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def test_no_function_is_too_long() -> None:
    too_long = [
        f"{place_of(file)}: {function.name} has {length} lines"
        for file in FILES
        for function in functions(file)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > MOST_FUNCTION_LINES
    ]
    assert too_long == []


@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (r"except \(?(Base)?Exception\b|except:", MOST_BROAD_EXCEPTS),
        (r"#\s*type: ignore", MOST_TYPE_IGNORES),
    ],
    ids=["broad excepts", "ignored types"],
)
def test_there_are_few_exemptions(pattern: str, most: int) -> None:
    found = lines_with(pattern)
    assert len(found) <= most, "\n".join(found)


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports within functions and for types alone count too: a circle is read as one file."""
    imports = {module_of(file): imported_by(file) for file in FILES}
    order = TopologicalSorter(
        {
            module: {name for name in found if name in imports and name != module}
            for module, found in imports.items()
        }
    )
    try:
        order.prepare()
    except CycleError as error:
        pytest.fail(f"These files import each other: {' -> '.join(error.args[1])}")


def imported_by(file: Path) -> set[str]:
    """The modules that a file imports anywhere, with the names from them: each may be a module."""
    found: set[str] = set()
    for node in statements(file):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            inner = {f"{node.module}.{name.name}" for name in node.names}
            found |= {node.module} if inner.isdisjoint(MODULES) else inner
    return found


def test_no_file_imports_a_private_name_of_another() -> None:
    private = [
        f"{place_of(file)}: {name.name} of {node.module}"
        for file in FILES
        for node in statements(file)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("notewell")
        for name in node.names
        if name.name.startswith("_") and not name.name.startswith("__")
    ]
    assert private == []


def test_the_files_that_words_name_exist() -> None:
    """A docstring, comment or page that names a file of ours names one that is there."""
    pages = [*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    known = {
        file.name
        for folder in ("sidecar", "packages", "tests", "release", "examples")
        for file in (ROOT / folder).rglob("*.py")
    }
    named = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in (*FILES, *pages)
        for name in re.findall(r"`(?:[\w./]*/)?(\w+\.py)`", file.read_text(encoding="utf-8"))
        if name not in known
    ]
    assert named == []


def test_each_class_has_a_name_of_its_own() -> None:
    named = Counter(
        node.name for file in FILES for node in statements(file) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in named.items() if times > 1] == []


@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (r"\blambda one\b", 34),
        (r"(?:None|0|\"\"): there is none", 0),  # "None if there is none"
        (r"\bif it is none\b|\bthat is none\b", 0),  # say what it has to be
    ],
    ids=["sort keys", "none", "is none"],
)
def test_habits_of_language_do_not_come_back(pattern: str, most: int) -> None:
    found = lines_with(pattern)
    assert len(found) <= most, "\n".join(found)


def test_loops_name_their_item() -> None:
    named = [
        f"{place_of(file)}:{node.lineno}"
        for file in FILES
        for loop in nodes(file)
        if isinstance(loop, ast.For | ast.AsyncFor | ast.comprehension)
        for node in ast.walk(loop.target)
        if isinstance(node, ast.Name) and node.id in {"one", "each"}
    ]
    assert named == []


PARTICIPLES = {"made", "found"}


def test_variables_are_not_named_by_a_participle() -> None:
    """They say that something was made or found, and not what it is. Fields of records may."""
    named = [
        f"{place_of(file)}:{node.lineno}"
        for file in FILES
        for function in nodes(file)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Store)
            and node.id in PARTICIPLES
        )
        or (isinstance(node, ast.arg) and node.arg in PARTICIPLES)
    ]
    assert named == []


def test_pages_are_not_wide() -> None:
    """A page is read in a terminal and compared line by line: 100 characters, but for tables."""
    wide = []
    for page in (*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        if page.name == "cli.md":  # made by a command
            continue
        in_code = False
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            in_code ^= line.lstrip().startswith("```")
            is_kept = in_code or line.lstrip().startswith(("|", "<", "```")) or line[:4].isspace()
            if len(line) > 100 and not is_kept:
                wide.append(f"{page.name}:{number}")
    assert wide == []


def test_docstrings_are_statements() -> None:
    # A question word makes a reader look for the question.
    found = lines_with(r'^\s*"""(What|Which|How|Whether)\b')
    assert len(found) <= MOST_QUESTIONS, "\n".join(found)


def test_no_group_in_a_pattern_is_possessive() -> None:
    # Before 3.11.5 Python matches them wrongly: https://github.com/python/cpython/issues/106052
    assert lines_with(r"(?<![\\(])\)(?:[*+?]|\{\d*,?\d*\})\+") == []


def test_the_tests_that_the_guide_to_security_names_exist() -> None:
    tests = Path(__file__).parent
    text = (tests.parent / "docs" / "security.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/-]+\.(?:py|ts))(?:::(\w+))?`", text)

    assert len(named) > 50
    for name, test in named:
        file = next(each for each in (tests / name, PACKAGE / name, ROOT / name) if each.is_file())
        assert f"def {test}" in file.read_text(encoding="utf-8") or not test, (name, test)
