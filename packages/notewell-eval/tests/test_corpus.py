"""A BEIR corpus is written as a vault whose notes contain the same documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.errors import UsageError
from notewell.base.types import SourceText
from notewell.vault.parse import parse
from notewell_eval.corpora import JudgedDocument, note_name, note_text, write_vault


def write_corpus(path: Path, *documents: JudgedDocument) -> Path:
    lines = [json.dumps({"_id": d.id, "title": d.title, "text": d.text}) for d in documents]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_each_document_becomes_a_note(tmp_path: Path) -> None:
    corpus = write_corpus(
        tmp_path / "corpus.jsonl",
        JudgedDocument("4983", "Moss: a study", "Green."),
        JudgedDocument("p0", "", "苔"),
    )
    vault = write_vault(corpus, tmp_path / "work")
    assert vault.documents == {"4983.md": "4983", "p0.md": "p0"}
    assert (vault.folder / "4983.md").read_text(encoding="utf-8") == (
        '---\ntitle: "Moss: a study"\n---\nGreen.\n'
    )
    assert sorted(path.name for path in vault.folder.iterdir()) == ["4983.md", "p0.md"]


def test_the_same_corpus_is_the_same_vault_and_is_not_written_again(tmp_path: Path) -> None:
    first = write_corpus(tmp_path / "one.jsonl", JudgedDocument("1", "", "Green."))
    second = write_corpus(tmp_path / "two.jsonl", JudgedDocument("1", "", "Green."))
    changed = write_corpus(tmp_path / "three.jsonl", JudgedDocument("1", "", "Brown."))
    vault = write_vault(first, tmp_path / "work")
    before = (vault.folder / "1.md").stat()
    assert write_vault(second, tmp_path / "work") == vault
    after = (vault.folder / "1.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert write_vault(changed, tmp_path / "work").folder != vault.folder


def test_a_malformed_corpus_leaves_no_files(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "1", "text": "x"}\n{oops\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"corpus\.jsonl:2"):
        write_vault(corpus, tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_an_empty_or_absent_corpus_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no documents"):
        write_vault(tmp_path / "empty.jsonl", tmp_path / "work")
    with pytest.raises(UsageError, match="Cannot read"):
        write_vault(tmp_path / "absent.jsonl", tmp_path / "work")


@pytest.mark.parametrize(
    "identifier",
    ["../../etc/passwd", "MED-10", "CON", "a/b", "a\\b", "tést", "x" * 300, "two-words-in-it", "."],
)
def test_an_id_that_is_not_a_safe_name_is_hashed(identifier: str) -> None:
    name = note_name(identifier)
    assert name.removesuffix(".md").isalnum()
    assert len(name) == 19
    assert name != note_name(identifier.upper() + "2")


@given(st.text(), st.text())
def test_ids_stay_distinct_on_case_insensitive_file_systems(one: str, other: str) -> None:
    if one != other:
        assert note_name(one).casefold() != note_name(other).casefold()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_title_becomes_the_notes_title(title: str) -> None:
    source = SourceText(note_text(JudgedDocument("1", title, "Body.")), "utf-8", b"")
    note = parse("1.md", source, modified=0.0)
    visible = "".join(letter if letter.isprintable() else " " for letter in title)
    assert note.title == (" ".join(visible.split()) or "1")
    assert not note.warnings


@pytest.mark.parametrize("title", ["", "Moss"])
def test_a_text_that_looks_like_properties_stays_text(title: str) -> None:
    text = note_text(JudgedDocument("1", title, "---\nspores: none\n---\nGreen."))
    note = parse("1.md", SourceText(text, "utf-8", b""), modified=0.0)
    assert "spores" not in note.properties
    assert "spores: none" in " ".join(span.text for span in note.spans)
