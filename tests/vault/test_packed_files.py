"""Word documents, EPUB books, web pages and tables, whole and hostile."""

from __future__ import annotations

import pytest

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS, packed
from notewell.vault.readers.reader import ReadNote
from tests.vault.packed_files import docx, epub, paragraph, zipped
from tests.vault.reading import check, read

CORE = (
    '<cp:coreProperties xmlns:cp="a" xmlns:dc="b" xmlns:t="c"><dc:title>On bees</dc:title>'
    "<dc:creator>Quill</dc:creator><t:created>2024-01-31T11:00:00Z</t:created></cp:coreProperties>"
)
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w:document xmlns:w="w">'
    "<w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>"
)


def read_as(suffix: str, raw: bytes) -> ReadNote:
    found = read(READERS[suffix], raw)
    check(found)
    return found


def texts(found: ReadNote) -> list[str]:
    return [span.text for span in found.note.spans if span.kind != "heading"]


def headings(found: ReadNote) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in found.note.headings]


# --- Word ----------------------------------------------------------------------------------------


def test_styles_of_any_language_are_headings() -> None:
    found = read_as(
        ".docx",
        docx(
            paragraph("Bees", style="Heading1"),
            paragraph("Dance", style="berschrift2"),
            paragraph("They dance."),
        ),
    )

    assert headings(found) == [(1, "Bees"), (2, "Dance")]
    assert texts(found) == ["They dance."]


def test_what_the_document_says_about_itself() -> None:
    note = read_as(".docx", docx(paragraph("x"), core=CORE)).note

    assert (note.title, note.properties, note.created) == (
        "On bees",
        {"author": "Quill"},
        1706698800.0,
    )


def test_deleted_text_is_not_shown_and_footnotes_are() -> None:
    gone = "<w:del><w:r><w:delText>old</w:delText><w:t>older</w:t></w:r></w:del>"
    notes = f'<w:footnotes xmlns:w="w">{paragraph("A footnote.")}</w:footnotes>'

    found = read_as(".docx", docx(f"<w:p>{gone}</w:p>", paragraph("New."), footnotes=notes))

    assert texts(found) == ["New.", "A footnote."]
    assert headings(found) == [(1, "Footnotes")]


# --- EPUB ----------------------------------------------------------------------------------------


def test_chapters_are_in_the_order_of_the_spine_and_have_headings() -> None:
    found = read_as(
        ".epub",
        epub(
            "<h1>Bees</h1><h2>Dance</h2><p>They dance.</p>",
            "<p>A chapter without a heading.</p>",
            title="The Book",
            metadata="<dc:creator>Quill</dc:creator><dc:creator>Ink</dc:creator>",
        ),
    )

    assert headings(found) == [(1, "Bees"), (2, "Dance"), (1, "Part 2")]
    assert (found.note.title, found.note.properties) == ("The Book", {"author": ("Quill", "Ink")})


def test_a_book_without_its_package_file_is_refused() -> None:
    with pytest.raises(UnreadableNoteError, match="no package file"):
        read_as(".epub", zipped({"mimetype": "application/epub+zip"}))


# --- hostile -------------------------------------------------------------------------------------


def test_a_zip_bomb_is_refused() -> None:
    bomb = zipped({"word/document.xml": b" " * (packed.MAX_PART + 1)})

    assert len(bomb) < 100_000
    with pytest.raises(UnreadableNoteError) as refused:
        read_as(".docx", bomb)
    assert refused.value.code == "too_large"


def with_bytes(raw: bytes, mark: bytes, at: int, content: bytes) -> bytes:
    """The file with other bytes behind the last `mark`."""
    place = raw.rindex(mark) + at
    return raw[:place] + content + raw[place + len(content) :]


@pytest.mark.parametrize(
    ("mark", "at", "content"),
    [
        (b"PK\x05\x06", 16, b"\xff\xff\x00\x00"),  # where the list of parts begins: behind the end
        (b"PK\x01\x02", 10, b"\x61\x00"),  # a method of packing that nobody knows
        (b"PK\x03\x04", 26, b"\xff\xff"),  # the length of a part's name
    ],
)
def test_a_damaged_archive_is_no_valid_document(mark: bytes, at: int, content: bytes) -> None:
    raw = with_bytes(docx(paragraph("Bees")), mark, at, content)
    with pytest.raises(UnreadableNoteError, match="no valid Word document") as refused:
        read(READERS[".docx"], raw)
    assert refused.value.code == "unreadable"


def test_parts_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MAX_TOTAL", 3_000)
    with pytest.raises(UnreadableNoteError) as refused:
        read_as(".epub", epub("<p>" + "x" * 2000, "<p>" + "y" * 2000, title="T"))
    assert refused.value.code == "too_large"


def test_entities_and_deep_nesting_are_refused() -> None:
    deep = '<w:document xmlns:w="w">' + "<w:p>" * 600
    for body, why in ((LAUGHS, "entities"), (deep, "deeper"), ("<w:document", "broken")):
        with pytest.raises(UnreadableNoteError, match=why) as refused:
            read_as(".docx", zipped({"word/document.xml": body}))
        assert refused.value.code == "unreadable"


def test_a_deeply_nested_page_is_read() -> None:
    page = "<div>" * 50_000 + "<p>At the bottom.</p>" + "</div>" * 50_000 + "<p>After it.</p>"

    assert texts(read_as(".html", page.encode())) == ["At the bottom.", "After it."]


def test_a_long_page_without_end_tags_is_no_deep_one() -> None:
    page = "<ul>" + "<li>One<br>more <b>item</b>" * 3_000 + "</ul><p>After it."

    rows, after = texts(read_as(".html", page.encode()))
    assert rows.split("\n") == ["- One more item"] * 3_000
    assert after == "After it."


# --- web pages -----------------------------------------------------------------------------------


def test_text_around_inner_blocks_stays_in_order() -> None:
    page = "<div>One <i>and</i> a half<p>two</p>three<br>four</div><blockquote>five</blockquote>"

    assert texts(read_as(".html", page.encode())) == ["One and a half", "two", "three four", "five"]


def test_only_the_article_of_a_page_is_read() -> None:
    page = "<header>Menu</header><main><h1>Bees</h1><p>Dance.</p></main><div>Advert</div>"

    assert texts(read_as(".html", page.encode())) == ["Dance."]


def test_a_page_is_decoded_as_it_says() -> None:
    raw = '<meta charset="windows-1251"><title>Пчёлы</title><p>Танцуют'.encode("cp1251")

    found = read_as(".html", raw)

    assert (found.note.title, texts(found)) == ("Пчёлы", ["Танцуют"])


def test_links_lead_to_notes_alone() -> None:
    page = (
        "<p><a href='Fields/Tall%20grass.md#Top'>a</a> <a href='https://x.org/y.md'>b</a>"
        "<a href='#there'>c</a> <a href='data.zip'>d</a>"
    )

    (link,) = read_as(".html", page.encode()).note.links
    assert (link.target, link.heading, link.display) == ("Fields/Tall grass.md", "Top", "a")


# --- tables --------------------------------------------------------------------------------------


def test_each_group_of_rows_has_the_header() -> None:
    rows = [f'{n},"flower number {n}, in the\nmeadow"' for n in range(60)]
    found = read_as(".csv", "\n".join(["No,Flower", *rows]).encode())

    assert len(found.note.spans) > 2
    assert all(span.text.startswith("No | Flower\n") for span in found.note.spans)
    second = found.note.spans[1]
    number = int(second.text.split("\n")[1].split(" | ")[0])
    assert second.lines[:2] == (2 + 2 * number, 2 + 2 * number)


def test_a_table_that_cannot_be_read_says_where() -> None:
    with pytest.raises(UnreadableNoteError, match="line 2"):
        read_as(".csv", b"a,b\n" + b"x" * 200_000 + b",1\n")
