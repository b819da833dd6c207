"""The visible text of a line, and the links, tags and fields in it."""

from __future__ import annotations

import pytest

from notewell.base.types import Link
from tests.vault.notes import note_of


def seen(text: str) -> str:
    return "\n".join(span.text for span in note_of(text).spans)


def link(text: str) -> Link:
    (found,) = note_of(text).links
    assert found.line == 1
    return found


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain words", "plain words"),
        ("**bold** and *it* and __bold__ and _it_", "bold and it and bold and it"),
        ("***both*** ~~gone~~ ==marked==", "both gone marked"),
        ("snake_case_name 2*3*4 a ** b", "snake_case_name 2*3*4 a ** b"),
        ("中文**重点**内容", "中文重点内容"),
        ("`code *stays* #here`", "code *stays* #here"),
        ("``a ` b``", "a ` b"),
        ("open ` tick", "open ` tick"),
        (r"\*not it\* \#not-tag", "*not it* #not-tag"),
        ("[[Note]] and [[Note|shown]]", "Note and shown"),
        ("[[Note#Heading]] [[#Here]] [[Note#^id]]", "Note > Heading Here Note"),
        ("![[image.png|300]] ![[a.png|20x30]]", "image.png a.png"),
        ("![[Note|caption]]", "caption"),
        ("[[a|b [x] c]] [[open", "b [x] c [[open"),
        ("[text](https://x.org) ![alt](a.png)", "text alt"),
        ('[t](<a b.md> "title") [t](a_(b).md)', "t t"),
        ("[![badge](https://b.org/x.svg)](https://c.org)", "badge"),
        ("a ![GitHub all releases](https://img.shields.io/github/downloads/a/b/total) b", "a b"),
        (
            "[![Build](https://github.com/a/b/actions/workflows/c.yml/badge.svg)](https://c.org) d",
            "d",
        ),
        ("![Badge of honour](badge.png) ![x](https://c.org/badgers.png)", "Badge of honour x"),
        ("[text][ref]", "text"),
        ("<https://x.org/a_b_c>", "https://x.org/a_b_c"),
        ("https://x.org/*a*/_b_", "https://x.org/*a*/_b_"),
        ("a<br>b <b>c</b> <span class='x'>d</span>", "a b c d"),
        ("1 < 2 > 0 and a <- b", "1 < 2 > 0 and a <- b"),
        ("AT&amp;T &lt;x&gt; &unknown; a&b", "AT&T <x> &unknown; a&b"),
        ("$x^2$ costs $5 and $10", "x^2 costs $5 and $10"),
        ("before $$a_1 * b_2$$ after", "before a_1 * b_2 after"),
        ("word[^1] more[^note].", "word more."),
        ("a %%hidden%% b <!-- gone --> c", "a b c"),
        ("keep `%%this%%` and `<!-- that -->`", "keep %%this%% and <!-- that -->"),
        ("50%% of it", "50%% of it"),
        ("#tag stays", "#tag stays"),
    ],
)
def test_what_is_seen(markup: str, text: str) -> None:
    assert seen(markup) == text


@pytest.mark.parametrize(
    ("markup", "parts"),
    [
        ("[[Note]]", ("Note", None, None, None, False)),
        ("[[ Note | shown ]]", ("Note", None, None, "shown", False)),
        ("[[Folder/Note#A#B|x]]", ("Folder/Note", "A#B", None, "x", False)),
        ("[[#Here]]", ("", "Here", None, None, False)),
        ("[[Note#^abc-1]]", ("Note", None, "abc-1", None, False)),
        ("![[Note#^abc]]", ("Note", None, "abc", None, True)),
        (r"[[Note\|in a table]]", ("Note", None, None, "in a table", False)),
        ("[[a|b|c]]", ("a", None, None, "b|c", False)),
    ],
)
def test_wikilinks(markup: str, parts: tuple[object, ...]) -> None:
    found = link(markup)
    assert (found.target, found.heading, found.block, found.display, found.embed) == parts
    assert found.kind == "wikilink"
    assert markup[found.start : found.end] == markup


@pytest.mark.parametrize(
    ("markup", "target", "heading"),
    [
        ("[x](Some%20note.md)", "Some note.md", None),
        ("[x](../a/b.md#Part%202)", "../a/b.md", "Part 2"),
        ("[x](<with space.md>)", "with space.md", None),
        ("[x](Note)", "Note", None),
        ("[x](#local)", "", "local"),
    ],
)
def test_relative_markdown_links(markup: str, target: str, heading: str | None) -> None:
    found = link(markup)
    assert (found.target, found.heading, found.kind) == (target, heading, "markdown")
    assert (found.start, found.end) == (0, len(markup))


@pytest.mark.parametrize(
    "markup",
    [
        "[x](https://a.org/b.md)",
        "[x](mailto:a@b.c)",
        "[x](//a.org/b.md)",
        "[x](image.png)",
        "[x]()",
        "`[[code]]`",
        "```\n[[code]]\n```",
        "<!-- [[comment]] -->",
        r"\[[escaped]]",
        "[[]]",
        "$[[math]]$",
    ],
)
def test_markdown_links_that_are_not_to_notes(markup: str) -> None:
    assert [found.target for found in note_of(markup).links] in ([], ["escaped"])


def test_links_have_their_line_and_offset() -> None:
    text = (
        "one\r\ntwo [[B]]\r\n> quoted [[C]]\r\n\r\n| a | b |\r\n|---|---|\r\n| [[D\\|d]] | x |\r\n"
    )
    found = note_of(text).links
    assert [(item.target, item.line) for item in found] == [("B", 2), ("C", 3), ("D", 7)]
    assert [text[item.start : item.end] for item in found] == ["[[B]]", "[[C]]", "[[D\\|d]]"]


def test_links_in_properties_are_links() -> None:
    text = '---\nup: "[[Parent]]"\n---\n[[Child]]'
    assert [item.target for item in note_of(text).links] == ["Parent", "Child"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one and #two/three", ("one", "two/three")),
        ("#Über #日本語 #ไม้เอก #naïve-tag_1 #🌱", ("Über", "日本語", "ไม้เอก", "naïve-tag_1", "🌱")),
        ("#2024 #2024/05 #y2024", ("2024/05", "y2024")),
        ("a#b https://x.org/#c [[N#d]] [x](y.md#e)", ()),
        ("`#code` $#math$ %%#comment%% \\#escaped", ("comment",)),
        ("```\n#code\n```", ()),
        ("# heading\n## #tagged heading", ("tagged",)),
        ("#one. #two, #three! (#four)", ("one", "two", "three")),
        ("#One #one #ONE", ("One",)),
        ("#trailing/ #a//b ##", ("trailing", "a//b")),
        ("> #quoted\n- #listed", ("quoted", "listed")),
    ],
)
def test_tags(text: str, tags: tuple[str, ...]) -> None:
    assert note_of(text).tags == tags


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("status:: open", {"status": "open"}),
        ("- due:: 2024-05-03", {"due": "2024-05-03"}),
        ("**Link**:: https://x.org", {"Link": "https://x.org"}),
        ("- [x] done:: true", {"done": True}),
        ("text [rating:: 9] and (mood:: fine) more", {"rating": 9, "mood": "fine"}),
        ("author:: [[Jane Doe]]", {"author": "[[Jane Doe]]"}),
        ("[by:: [[Jane]]]", {"by": "[[Jane]]"}),
        ("empty::", {"empty": None}),
        ("`code:: no`", {}),
        ("std::string value", {}),
        ("```\na:: b\n```", {}),
    ],
)
def test_inline_fields_are_properties(text: str, fields: dict[str, object]) -> None:
    assert note_of(text).properties == fields
