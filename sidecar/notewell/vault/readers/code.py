"""Program code: classes and functions are headings, their text is found at its line.

Python is parsed by the standard library, some languages by tree-sitter where the extra
`notewell[code]` is installed; of all others the blocks are what blank lines and indents show.
"""

from __future__ import annotations

import ast
import importlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from notewell.base.types import Heading, Note, Span
from notewell.base.types.frozen import frozen
from notewell.vault.parse import one_line_end
from notewell.vault.readers.reader import FileFacts, Reader, ReadNote, decode_text
from notewell.vault.readers.text import line_starts

MAX_PARTS = 5000
_MAX_NAME = 200
_DEEPEST = 8  # parts around each other
_MAX_STEPS = 200_000  # nodes of a syntax tree that are looked at
_PARSING_S = 5
_READ_BYTES = 1 << 16

# The nodes of all grammars that name a part, and those that such a part may lie in.
_PARTS = frozenset(
    """
    class_declaration abstract_class_declaration function_declaration method_definition
    generator_function_declaration interface_declaration enum_declaration
    type_alias_declaration internal_module module function_item struct_item enum_item
    union_item trait_item impl_item mod_item macro_definition method_declaration type_spec
    record_declaration constructor_declaration annotation_type_declaration function_definition
    struct_specifier enum_specifier union_specifier class_specifier namespace_definition
    """.split()  # noqa: SIM905 - a list of so many is longer than it is clear
)
_FUNCTIONS = frozenset({"arrow_function", "function_expression", "function", "class"})
_INNER = frozenset(
    """
    program source_file translation_unit export_statement class_body declaration_list
    statement_block interface_body enum_body field_declaration_list template_declaration
    lexical_declaration variable_declaration type_declaration linkage_specification
    preproc_ifdef preproc_if preproc_else declaration type_definition expression_statement
    enum_body_declarations ambient_declaration
    """.split()  # noqa: SIM905 - a list of so many is longer than it is clear
)
# Bodies of these hold statements, not parts that people look for.
_CLOSED = frozenset(
    """
    function_declaration method_definition generator_function_declaration function_item
    method_declaration constructor_declaration function_definition
    """.split()  # noqa: SIM905 - a list of so many is longer than it is clear
)
_MAX_BYTES = 2 * 1024 * 1024  # larger files are generated
_DEEPEST_HEADING = 6  # level of a heading
_NO_PART = -1
# The endings of each language; those of `""` have no parser.
_SUFFIXES: Mapping[str, str] = {
    "python": ".py .pyi",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "rust": ".rs",
    "go": ".go",
    "java": ".java",
    "c": ".c .h",
    "cpp": ".cpp .cc .cxx .hpp .hh",
    "": ".sh .bash .ps1 .rb .php .swift .kt .scala .lua .r .jl .hs .ex .exs .clj .cs .sql .css"
    " .scss .toml .yaml .yml .ini",
}


@frozen
class CodePart:
    """A class, function or the like; its lines from 1, both included; level 1 is outermost."""

    name: str
    level: int
    first: int
    last: int


@frozen
class CodeParts:
    """The parts of a file in the order of their first lines, outer before inner."""

    parts: tuple[CodePart, ...] = ()
    description: str | None = None
    warnings: tuple[str, ...] = ()


def python_parts(text: str) -> CodeParts:
    """The classes and functions of Python code. Code that does not parse has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the code
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        # What is nested too deeply for the parser is a MemoryError without a text.
        why = str(error) or "it is nested too deeply"
        return CodeParts(warnings=(f"Its Python is not valid, so it is read as text: {why}.",))
    documented = (ast.get_docstring(tree) or "").strip()
    first_line = documented.partition("\n")[0]
    return CodeParts(tuple(_ast_parts(tree, 1))[:MAX_PARTS], first_line or None)


def _ast_parts(around: ast.AST, level: int) -> Iterator[CodePart]:
    """The parts directly in one, and those within them; also in `if` and `try`."""
    for node in ast.iter_child_nodes(around):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield CodePart(node.name, level, first, node.end_lineno or node.lineno)
            if level < _DEEPEST:
                yield from _ast_parts(node, level + 1)
        elif isinstance(node, ast.If | ast.Try | ast.With) and level < _DEEPEST:
            yield from _ast_parts(node, level)


def tree_parts(text: str, language: str) -> CodeParts:
    """The parts of code in a language that tree-sitter parses; none without its grammar."""
    module = "typescript" if language == "tsx" else language
    if find_spec("tree_sitter") is None or find_spec(f"tree_sitter_{module}") is None:
        return CodeParts()
    tree_sitter = importlib.import_module("tree_sitter")
    grammar = importlib.import_module(f"tree_sitter_{module}")
    name = f"language_{language}" if module == "typescript" else "language"
    parser = tree_sitter.Parser(tree_sitter.Language(getattr(grammar, name)()))
    source = text.encode("utf-8", "replace")
    until = time.monotonic() + _PARSING_S
    try:
        tree = parser.parse(
            lambda at, _: source[at : at + _READ_BYTES],
            progress_callback=lambda *_: time.monotonic() > until,
        )
    except ValueError:  # it was stopped: what is no such code takes time by the square of its size
        return CodeParts(warnings=(f"It is read as text: parsing took over {_PARSING_S} seconds.",))
    return CodeParts(tuple(_node_parts(tree.root_node)))


def _node_parts(root: Any) -> Iterator[CodePart]:
    """Walk a syntax tree from top to bottom without recursion, for it may be deep."""
    pending = [(root, 1)]
    count = 0
    for _ in range(_MAX_STEPS):
        if not pending or count >= MAX_PARTS:
            return
        node, level = pending.pop()
        inner = node.type in _INNER
        name = _name(node)
        if name:
            count += 1
            yield CodePart(name, level, _first_line(node), node.end_point[0] + 1)
            inner, level = node.type not in _CLOSED, level + 1
        if inner and level <= _DEEPEST:
            pending += [(child, level) for child in reversed(node.named_children)]


def _name(node: Any) -> str:
    """The name of a part; "" if the node has none."""
    if node.type == "variable_declarator":  # `const f = () => ...` is a function
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTIONS:
            return ""
    elif node.type not in _PARTS:
        return ""
    if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
        return ""  # `struct hive *h` only names one
    named = node.child_by_field_name("name") or node.child_by_field_name("type")
    if node.type == "function_definition":
        named = node
        while (inner := named.child_by_field_name("declarator")) is not None:
            named = inner
    if named is None or named is node:
        return ""
    return " ".join(named.text.decode("utf-8", "replace").split())[:_MAX_NAME]


def _first_line(node: Any) -> int:
    """The first line of a part, with the comments and attributes right above it."""
    while (
        node.parent is not None
        and node.parent.type
        in ("export_statement", "lexical_declaration", "type_declaration", "template_declaration")
        and node.parent.named_child_count == 1
    ):
        node = node.parent
    first = int(node.start_point[0])
    above = node.prev_named_sibling
    while above is not None and ("comment" in above.type or above.type == "attribute_item"):
        if above.end_point[0] < first - 1 or above.start_point[0] >= first:
            break
        first = int(above.start_point[0])
        above = above.prev_named_sibling
    return first + 1


def _reader(suffix: str, language: str) -> Reader:
    def parts_of(text: str) -> CodeParts:
        if language == "python":
            return python_parts(text)
        return tree_parts(text, language) if language else CodeParts()

    def read(raw: bytes, file: FileFacts) -> ReadNote:
        return _read(raw, file, parts_of)

    return Reader(suffix, "code", read, "code", max_bytes=_MAX_BYTES, in_child=True)


def _read(raw: bytes, file: FileFacts, parts_of: Callable[[str], CodeParts]) -> ReadNote:
    decoded = decode_text(raw, file.path)
    text = one_line_end(decoded.text)
    lines = text.split("\n")
    parts = parts_of(text)
    starts = line_starts(text)
    note = Note(
        path=file.path,
        title=file.path.rpartition("/")[2],  # main.c and main.h are two
        aliases=(),
        tags=(),
        properties={},
        description=parts.description,
        created=file.created,
        modified=file.modified,
        headings=tuple(
            Heading(
                min(part.level, _DEEPEST_HEADING), part.name, part.first, starts[part.first - 1]
            )
            for part in parts.parts
        ),
        links=(),
        spans=tuple(_spans(lines, starts, parts.parts)),
        warnings=(*decoded.warnings, *parts.warnings),
    )
    return ReadNote(note, decoded.text)


def _spans(
    lines: Sequence[str], starts: Sequence[int], parts: Sequence[CodePart]
) -> Iterator[Span]:
    """The blocks of code: rows of the same part up to a blank row before one without indent."""
    owners = _owners(len(lines), parts)
    rows: list[int] = []  # numbers of the rows of a block, from 0
    after_blank = False
    for number, line in enumerate(lines):
        if not line.strip():
            after_blank = True
            continue
        outer = after_blank and not line[0].isspace()
        closes = not any(map(str.isalnum, line))  # a bracket is no passage of its own
        if rows and not closes and (outer or owners[number] != owners[rows[0]]):
            yield _span(lines, starts, rows, owners[rows[0]])
            rows = []
        rows.append(number)
        after_blank = False
    if rows:
        yield _span(lines, starts, rows, owners[rows[0]])


def _span(lines: Sequence[str], starts: Sequence[int], rows: Sequence[int], owner: int) -> Span:
    end = starts[rows[-1]] + len(lines[rows[-1]])
    shown = "\n".join(lines[row].rstrip() for row in rows)
    return Span("code", starts[rows[0]], end, shown, tuple(row + 1 for row in rows), owner)


def _owners(count: int, parts: Sequence[CodePart]) -> list[int]:
    """The innermost part of each line; inner parts come after the ones around them."""
    owners = [_NO_PART] * count
    for number, part in enumerate(parts):
        last = min(part.last, count)
        owners[part.first - 1 : last] = [number] * (last - part.first + 1)
    return owners


CODE = tuple(
    _reader(suffix, language)
    for language, suffixes in _SUFFIXES.items()
    for suffix in suffixes.split()
)
