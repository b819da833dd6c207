"""Reading exports that are files of text, and Evernote's."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from notewell.base.errors import SourceError
from notewell.features.sources.feeds import recognise_source
from notewell.features.sources.pages import SourceDocument, Unread
from notewell.features.sources.text_export import EvernoteExport, ExportFiles, TextExport

ID = "0123456789abcdef0123456789abcdef"
ENEX = """<?xml version="1.0"?><!DOCTYPE en-export SYSTEM "x.dtd"><en-export>
<note><title>Bees &amp; wasps</title><content><![CDATA[<?xml version="1.0"?><en-note>
<h1>Dance</h1><div>They <b>dance</b>&nbsp;well.</div><div><br/></div>
<ul><li><div>one</div><ul><li>two</li></ul></li></ul><div><en-todo checked="true"/>done</div>
<p>See <a href="https://a.example/">this</a>.</p></en-note>]]></content>
<created>20240102T030405Z</created><updated>20240203T040506Z</updated><tag>my garden</tag>
<resource><data encoding="base64">QUJD</data></resource></note>
<note><title>Cut</title><content><![CDATA[<en-note>never"""


def documents(feed: TextExport | EvernoteExport) -> dict[str, str]:
    return {
        each.path: each.content.decode()
        for each in feed.items(None)
        if isinstance(each, SourceDocument)
    }


def packed(file: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(file, "w") as target:
        for name, content in members.items():
            target.writestr(name, content)
    return file


def test_notion_s_ids_go_from_names_and_links(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as target:
        target.writestr(f"Home {ID}.md", f"# Home\n\n[Bees](Home%20{ID}/Bees%20{ID}.md)")
        target.writestr(f"Home {ID}/Bees {ID}.md", "# Bees")
        target.writestr(f"Home {ID}/List {ID}_all.csv", "a,b")
    file = packed(tmp_path / "Export.zip", {"Export-Part-1.zip": inner.getvalue()})

    assert documents(TextExport(file)) == {
        "Home.md": "# Home\n\n[Bees](Home/Bees.md)",
        "Home/Bees.md": "# Bees",
        "Home/List_all.csv": "a,b",
    }


def test_bear_s_bundles_are_notes(tmp_path: Path) -> None:
    file = packed(
        tmp_path / "Notes.bear2bk",
        {"Bees.textbundle/text.md": "They dance.", "Bees.textbundle/info.json": "{}"},
    )
    assert documents(TextExport(file)) == {"Bees.md": "They dance."}


def test_nothing_outside_the_export_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / ".hidden.md").write_text("x", encoding="utf-8")
    (folder / "Bees.txt").write_text("They dance.", encoding="utf-8")
    file = packed(tmp_path / "x.zip", {"../../evil.md": "x", "/etc/x.md": "x", "ok.md": "x"})

    assert documents(TextExport(folder)) == {"Bees.txt": "They dance."}
    assert documents(TextExport(file)) == {"ok.md": "x"}


def test_a_damaged_member_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    file = packed(tmp_path / "x.zip", {"a.md": "aaaa", "b.md": "bbbb"})
    raw = file.read_bytes()
    file.write_bytes(raw.replace(b"aaaa", b"axaa", 1))  # the checksum does not fit any more

    items = list(TextExport(file).items(None))
    assert [type(item) for item in items] == [Unread, SourceDocument]


def test_a_file_that_is_no_zip_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.zip"
    file.write_bytes(b"PK\x03\x04 but no more")
    with pytest.raises(SourceError, match="cannot be read"):
        ExportFiles(file).list()
    with pytest.raises(SourceError, match="cannot be read"):
        recognise_source(file)


def test_evernote_s_notes(tmp_path: Path) -> None:
    file = tmp_path / "Notes.enex"
    file.write_text(ENEX, encoding="utf-8")

    items = list(EvernoteExport(file).items(None))
    (note,) = [item for item in items if isinstance(item, SourceDocument)]
    assert note.path == "Bees & wasps.md"
    head, _, body = note.content.decode().partition("\n---\n\n")
    assert "tags:\n- my-garden" in head
    assert "created: '2024-01-02T03:04:05+00:00'" in head
    assert body == (
        "# Dance\n\nThey dance well.\n\n- one\n\t- two\n- [x] done\n\n"
        "See [this](<https://a.example/>).\n"
    )
    assert any(isinstance(item, Unread) for item in items)


@pytest.mark.parametrize(
    ("name", "members", "form"),
    [
        ("a.zip", {"graph.json": "[]"}, "roam-export"),
        ("b.zip", {"pages/a.md": "", "journals/b.md": ""}, "logseq"),
        ("c.zip", {"a.md": ""}, "text"),
    ],
)
def test_an_export_is_recognised(
    tmp_path: Path, name: str, members: dict[str, str | bytes], form: str
) -> None:
    assert recognise_source(packed(tmp_path / name, members)).form == form


def test_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.docx"
    file.write_bytes(b"x")
    with pytest.raises(SourceError, match="no export"):
        recognise_source(file)
    (tmp_path / "x.enex").write_text("<en-export/>", encoding="utf-8")
    with pytest.raises(SourceError, match="no notes of Evernote"):
        list(EvernoteExport(tmp_path / "x.enex").items(None))
