"""Reading judged sets from disk; errors name the file and line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UsageError
from notewell.features.evaluate.datasets import JudgedQuery, read_drops, read_qrels, read_queries
from notewell_eval.corpora import JudgedDocument, read_corpus

Write = Callable[..., Path]
Read = Callable[[Path], Iterable[object]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str | bytes, name: str = "set.txt") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_corpus_reads_documents_in_order(write: Write) -> None:
    path = write(
        '{"_id": "2", "title": "Moss", "text": "Green.\\nSoft."}\n\n{"_id": 7, "text": "苔"}\r\n'
    )
    assert list(read_corpus(path)) == [
        JudgedDocument("2", "Moss", "Green.\nSoft."),
        JudgedDocument("7", "", "苔"),
    ]


def test_a_line_separator_inside_a_text_does_not_end_the_line(write: Write) -> None:
    path = write('{"_id": "1", "text": "one\u2028two\x85three"}\n')
    assert [document.text for document in read_corpus(path)] == ["one\u2028two\x85three"]


def test_queries_keep_their_class(write: Write) -> None:
    path = write(
        '{"_id": "a", "text": "moss", "metadata": {"type": "anchor", "heading": []}}\n'
        '{"_id": "b", "text": "fern", "metadata": {}}\n'
        '{"_id": "c", "text": "ivy"}\n'
    )
    assert read_queries(path) == (
        JudgedQuery("a", "moss", "anchor"),
        JudgedQuery("b", "fern"),
        JudgedQuery("c", "ivy"),
    )


@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\tscore\n", "q\td\trelevance\n"])
def test_qrels_read_with_and_without_a_header(write: Write, header: str) -> None:
    path = write(header + "1\ta note.md\t1\n1\tb.md\t0\n2\ta note.md\t2\n")
    assert read_qrels(path) == {"1": {"a note.md": 1, "b.md": 0}, "2": {"a note.md": 2}}


@pytest.mark.parametrize("header", ["", "query-id\tcorpus-id\n"])
def test_drops_read_with_and_without_a_header(write: Write, header: str) -> None:
    path = write(header + "a\tx.md\na\ty.md\nb\tx.md\n", "drops.tsv")
    assert read_drops(path) == {"a": frozenset({"x.md", "y.md"}), "b": frozenset({"x.md"})}


def test_a_byte_order_mark_is_not_part_of_the_first_id(write: Write) -> None:
    assert read_qrels(write("\ufeff1\td\t1\n")) == {"1": {"d": 1}}


@pytest.mark.parametrize(
    ("read", "text", "line", "says"),
    [
        (read_queries, '{"_id": "a", "text": "x"}\n{"_id": "a"', 2, "not JSON"),
        (read_queries, "[1]\n", 1, "object"),
        (read_queries, '\n\n{"text": "x"}\n', 3, "_id"),
        (read_queries, '{"_id": "", "text": "x"}\n', 1, "_id"),
        (read_queries, '{"_id": true, "text": "x"}\n', 1, "_id"),
        (read_queries, '{"_id": "a", "text": 5}\n', 1, '"text"'),
        (read_queries, '{"_id": "a", "text": "x", "metadata": []}\n', 1, "metadata"),
        (read_queries, '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n', 2, "twice"),
        (read_corpus, '{"_id": "a"}\n', 1, '"text"'),
        (read_corpus, '{"_id": "a", "title": null, "text": "x"}\n', 1, '"title"'),
        (read_corpus, '{"_id": 1, "text": "x"}\n{"_id": "1", "text": "y"}\n', 2, "twice"),
        (read_qrels, "1\td\t1\n1\td2\n", 2, "3 columns"),
        (read_qrels, "1\td\t1\n1\te\tyes\n", 2, "whole number"),
        (read_qrels, "1\td\t1\n1\te\t0.5\n", 2, "whole number"),
        (read_qrels, "1 d 1\n", 1, "tabs"),
        (read_qrels, "1\t\t1\n", 1, "columns"),
        (read_qrels, "1\td\t1\n1\td\t2\n", 2, "two different scores"),
        (read_drops, "a\tb\tc\n", 1, "2 columns"),
    ],
)
def test_the_error_about_a_malformed_line_names_it(
    write: Write, read: Read, text: str, line: int, says: str
) -> None:
    path = write(text)
    with pytest.raises(UsageError) as caught:
        list(read(path))
    assert caught.value.message.startswith(f"{path}:{line}: ")
    assert says in caught.value.message


@pytest.mark.parametrize("read", [read_corpus, read_queries, read_qrels, read_drops])
def test_a_missing_or_binary_file_is_a_usage_error(
    write: Write, tmp_path: Path, read: Read
) -> None:
    with pytest.raises(UsageError, match="Cannot read"):
        list(read(tmp_path / "missing.jsonl"))
    with pytest.raises(UsageError, match="UTF-8"):
        list(read(write(b"\xff\xfe\x00a\n")))


@pytest.mark.parametrize("read", [read_corpus, read_queries, read_qrels, read_drops])
@given(content=st.binary(max_size=80))
def test_arbitrary_bytes_are_read_or_raise_a_usage_error(
    tmp_path_factory: pytest.TempPathFactory, read: Read, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "arbitrary.txt"
    path.write_bytes(content)
    with contextlib.suppress(UsageError):
        list(read(path))
