"""Program code: parts, lines, and code that does not parse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notewell.base.types import ChunkSizes
from notewell.vault.chunk import chunk
from notewell.vault.readers import READERS, code
from notewell.vault.readers.reader import ReadNote
from tests.vault.notes import words
from tests.vault.reading import check, read

PYTHON = '''"""About bees.

More.
"""

import os


class Hive:
    """Where they live."""

    size = 3

    @property
    def queen(self) -> str:
        return "one"

    def dance(self) -> None:

        def inner() -> None: ...


if os:

    async def rest() -> None:
        """They rest."""


LAST = 1
'''

SAMPLES = {
    ".js": (
        (
            "// How they dance\nexport function dance(a) {\n  return 1;\n}\nclass Hive {\n  queen() {}\n}\n"
            "const rest = () => {\n  2;\n};\nconst n = 1;\n"
        ),
        [("dance", 1, 1), ("Hive", 1, 5), ("queen", 2, 6), ("rest", 1, 8)],
    ),
    ".ts": (
        "interface Bee { name: string }\nexport enum Kind { A }\nnamespace N {\n  function f() {}\n}\n",
        [("Bee", 1, 1), ("Kind", 1, 2), ("N", 1, 3), ("f", 2, 4)],
    ),
    ".tsx": ("export const View = () => <p>Bees</p>;\n", [("View", 1, 1)]),
    ".rs": (
        (
            "/// A hive.\n#[derive(Debug)]\nstruct Hive { n: u8 }\n\nimpl Hive {\n    fn dance(&self) {}\n}\n"
            "mod inner {\n    fn rest() {}\n}\n"
        ),
        [("Hive", 1, 1), ("Hive", 1, 5), ("dance", 2, 6), ("inner", 1, 8), ("rest", 2, 9)],
    ),
    ".go": (
        "package bees\n\n// Hive is one.\ntype Hive struct{}\n\nfunc (h Hive) Dance() {}\n\nfunc Rest() {}\n",
        [("Hive", 1, 3), ("Dance", 1, 6), ("Rest", 1, 8)],
    ),
    ".java": (
        "class Hive {\n  Hive() {}\n  void dance() {}\n  enum Kind { A }\n}\n",
        [("Hive", 1, 1), ("Hive", 2, 2), ("dance", 2, 3), ("Kind", 2, 4)],
    ),
    ".c": (
        "struct hive { int n; };\nstruct hive *other;\n\n/* Dance. */\nstatic int *dance(int a) {\n  return 0;\n}\n",
        [("hive", 1, 1), ("dance", 1, 4)],
    ),
    ".cpp": (
        "namespace bees {\nclass Hive {\n  void dance() {}\n};\n}\nvoid bees::Hive::rest() {}\n",
        [("bees", 1, 1), ("Hive", 2, 2), ("dance", 3, 3), ("bees::Hive::rest", 1, 6)],
    ),
}  # fmt: skip


def read_code(suffix: str, source: str) -> ReadNote:
    found = read(READERS[suffix], source.encode("utf-8", "replace"))
    check(found)
    return found


def parts(found: ReadNote) -> list[tuple[str, int, int]]:
    return [(heading.text, heading.level, heading.line) for heading in found.note.headings]


def owners(found: ReadNote) -> dict[str, str | None]:
    """The heading of each block, by its first row."""
    note = found.note
    return {
        span.text.split("\n")[0].strip(): note.headings[span.section].text
        if span.section >= 0
        else None
        for span in note.spans
    }


def test_classes_and_functions_of_python_are_headings() -> None:
    found = read_code(".py", PYTHON)

    assert parts(found) == [
        ("Hive", 1, 9),
        ("queen", 2, 14),
        ("dance", 2, 18),
        ("inner", 3, 20),
        ("rest", 1, 25),
    ]
    assert found.note.description == "About bees."
    assert owners(found) == {
        '"""About bees.': None,
        "More.": None,
        "import os": None,
        "class Hive:": "Hive",
        "@property": "queen",
        "def dance(self) -> None:": "dance",
        "def inner() -> None: ...": "inner",
        "if os:": None,
        "async def rest() -> None:": "rest",
        "LAST = 1": None,
    }
    assert found.text == PYTHON


def test_python_that_is_not_valid_is_text() -> None:
    found = read_code(".py", "def broken(:\n    pass\n\nprint 'old'\n")

    assert [span.text for span in found.note.spans] == ["def broken(:\n    pass", "print 'old'"]
    assert "not valid" in found.note.warnings[0]


@pytest.mark.parametrize("suffix", SAMPLES)
def test_parts_of_other_languages_are_headings(suffix: str) -> None:
    pytest.importorskip("tree_sitter", reason="needs the extra notewell[code]")
    source, expected = SAMPLES[suffix]

    assert parts(read_code(suffix, source)) == expected


def test_code_without_a_parser_is_cut_at_blank_rows_before_rows_without_indent() -> None:
    found = read_code(".sh", "dance() {\n  one\n\n  two\n}\n\n\nrest\n")

    assert [(span.text, span.lines) for span in found.note.spans] == [
        ("dance() {\n  one\n  two\n}", (1, 2, 4, 5)),
        ("rest", (8,)),
    ]


def test_deeply_nested_code_is_read() -> None:
    too_deep = "(" * 500 + "1" + ")" * 500, "~" * 9000 + "1"  # for two stages of the parser
    for suffix, source in (*((".py", nested) for nested in too_deep), (".js", "{" * 20_000)):
        assert read_code(suffix, source).note.spans


@settings(deadline=None, max_examples=60)
@given(
    suffix=st.sampled_from([".py", *SAMPLES]),
    source=st.lists(
        st.sampled_from(
            ["class A", "def f():", "  pass", "{", "}", "(", "struct x", "fn y", "\n", "// z", "="]
        )
    ),
)
def test_any_code_gives_a_valid_note(suffix: str, source: list[str]) -> None:
    read_code(suffix, "\n".join(source))


def test_code_that_takes_its_parser_long_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tree_sitter_c")
    monkeypatch.setattr(code, "_PARSING_S", 0)
    junk = "é" + "|---|\n\u202e* " * 2_000  # a minute of parsing, were it let
    found = read(READERS[".c"], junk.encode())

    assert "read as text" in found.note.warnings[0]
    assert len(found.note.spans) == 1


def test_each_function_of_a_small_file_is_a_passage_that_names_it() -> None:
    pytest.importorskip("tree_sitter_rust")
    text = "struct Pear;\n\nimpl Pear {\n    fn peel(&self) {\n        cut();\n    }\n}\n\nfn add() {}\n"
    found = read(READERS[".rs"], text.encode()).note
    passages = chunk(found, count_tokens=words, sizes=ChunkSizes())

    assert [passage.headings for passage in passages] == [
        ("Pear",),
        ("Pear",),
        ("Pear", "peel"),
        ("add",),
    ]
    assert passages[2].text == "    fn peel(&self) {\n        cut();\n    }\n}"
