"""PDFs: pages, paragraphs, headings, what the file says about itself, and hostile files."""

from __future__ import annotations

import pytest

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS
from notewell.vault.readers.pdf import (
    MAX_PAGES,
    PdfLine,
    join_lines,
    pdf_date,
    without_running_heads,
)
from notewell.vault.readers.reader import ReadNote
from tests.vault.pdf_files import Row, pdf
from tests.vault.reading import check, read


def read_pdf(*pages: list[Row | str], **stated: str) -> ReadNote:
    found = read(READERS[".pdf"], pdf(pages, **stated))
    check(found)
    return found


def passages(found: ReadNote) -> list[tuple[str | None, str]]:
    return [(span.block, span.text) for span in found.note.spans if span.kind != "heading"]


def test_lines_are_joined_to_paragraphs_of_their_page() -> None:
    found = read_pdf(
        ["Bees dance for", "clover.", Row("They rest at night.", gap=20)], [], ["Wasps do not."]
    )

    assert passages(found) == [
        ("1", "Bees dance for clover."),
        ("1", "They rest at night."),
        ("3", "Wasps do not."),
    ]


def test_a_hyphenated_word_is_whole_again() -> None:
    found = read_pdf(["They talk by danc-", "ing, in Self-", "Defence."])

    assert passages(found) == [("1", "They talk by dancing, in Self-Defence.")]
    assert join_lines("a well-", "Known") == "a well- Known"
    assert join_lines("蜜蜂", "跳舞") == "蜜蜂跳舞"


def test_a_sentence_over_a_page_break_belongs_to_the_page_where_it_begins() -> None:
    found = read_pdf(
        ["One is done. The bees fly to the mead-"],
        ["ow and to the brook. Wasps stay."],
        ["And the next page is its own."],
    )

    assert passages(found) == [
        ("1", "One is done. The bees fly to the meadow and to the brook."),
        ("2", "Wasps stay."),
        ("3", "And the next page is its own."),
    ]


def test_larger_lines_are_headings_by_their_size() -> None:
    text = [f"This is line number {n} of the text." for n in range(8)]
    found = read_pdf(
        [Row("The Life", 24), Row("of Bees", 24), Row("Dancing", 15, 10), *text],
        [Row("Resting", 15), *text],
    )

    assert [(h.level, h.text) for h in found.note.headings] == [
        (1, "The Life of Bees"),
        (2, "Dancing"),
        (2, "Resting"),
    ]
    assert [(span.section, span.block) for span in found.note.spans if span.kind != "heading"] == [
        (1, "1"),
        (2, "2"),
    ]


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = [["The Life of Bees", f"Text {'abcdef'[n]} goes here.", f"– {n} –"] for n in range(6)]

    found = read_pdf(*[[Row(line, gap=20) for line in page] for page in pages])

    assert [text for _, text in passages(found)] == [f"Text {c} goes here." for c in "abcdef"]


def test_lines_at_the_edge_that_differ_by_another_number_are_content() -> None:
    years = [1990, 1993, 1999, 2004, 2011, 2012]
    pages = [
        [f"Sales of {years[n]}", f"Text {'abcdef'[n]} goes here.", f"Page {n + 7} of 20"]
        for n in range(6)
    ]

    found = read_pdf(*[[Row(line, gap=20) for line in page] for page in pages])

    assert [text for _, text in passages(found)] == [" ".join(page[:2]) for page in pages]


def test_roman_page_numbers_are_left_out() -> None:
    texts = {"iii": "Bees", "iv": "Wasps", "v": "Ants", "vi": "Flies"}
    pages = [[PdfLine(one), PdfLine(text), PdfLine(f"{text}.")] for one, text in texts.items()]

    assert [page[0].text for page in without_running_heads(pages)] == list(texts.values())


def test_few_pages_have_no_running_heads() -> None:
    pages = [[PdfLine("Same")], [PdfLine("Same")], [PdfLine("Same")]]

    assert without_running_heads(pages) == pages


def test_items_of_a_list_stay_apart() -> None:
    found = read_pdf(["Needed:", "• clover", "• water", "1. sun", "2. wind"])

    assert [text for _, text in passages(found)] == [
        "Needed:",
        "• clover",
        "• water",
        "1. sun",
        "2. wind",
    ]


def test_title_author_and_date_are_those_of_the_file() -> None:
    note = read_pdf(
        ["Text"], title="The Life of Bees", author="A. Röß", created="D:20240131120000+01'00'"
    ).note

    assert note.title == "The Life of Bees"
    assert note.properties == {"author": "A. Röß"}
    assert note.created == pdf_date("D:20240131110000Z") == 1706698800.0


@pytest.mark.parametrize(
    "title", ["", "untitled", "Microsoft Word - x.doc", "paper.tex", "x" * 400]
)
def test_a_title_that_says_nothing_gives_way_to_the_name(title: str) -> None:
    assert read_pdf(["Text"], title=title).note.title == "A note"


@pytest.mark.parametrize("text", ["", "2024", "D:20241399", "D:99999999999999", "D:٢٠٢٤"])
def test_a_date_that_is_none(text: str) -> None:
    assert pdf_date(text) is None


def test_a_scan_is_a_note_without_text_that_says_so() -> None:
    note = read_pdf([], []).note

    assert note.spans == ()
    assert note.warnings[0].startswith("no text (scanned)")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "unreadable"),
        (b"%PDF-1.7\n", "unreadable"),
        (b"a\x00b", "unreadable"),
        (pdf([["x"]])[:200], "unreadable"),
        (pdf([["x"]], encrypted=True), "encrypted"),
    ],
)
def test_what_is_no_pdf_or_needs_a_password_is_refused(raw: bytes, code: str) -> None:
    with pytest.raises(UnreadableNoteError) as refused:
        read(READERS[".pdf"], raw)

    assert refused.value.code == code
    assert "A note.pdf" in refused.value.message


def test_pages_that_contain_themselves_and_false_counts_are_bounded() -> None:
    whole = pdf([["One."], ["Two."], ["Three."]])

    circle = read(READERS[".pdf"], whole.replace(b"[5 0 R 7 0 R 9 0 R]", b"[2 0 R 2 0 R 9 0 R]"))
    many = read(READERS[".pdf"], whole.replace(b"/Count 3", b"/Count 999999999"))

    assert [span.text for span in circle.note.spans] == ["Three."]
    assert "damaged" in circle.note.warnings[0]
    assert [span.text for span in many.note.spans] == ["One.", "Two.", "Three."]


def test_only_so_many_pages_are_read() -> None:
    found = read(READERS[".pdf"], pdf([["Text."] for _ in range(MAX_PAGES + 1)]))

    assert found.note.spans[-1].block == str(MAX_PAGES)
    assert "3,000 of 3,001 pages" in found.note.warnings[0]
