"""Answers are made harmless: nothing in them loads, runs or hides anything, however they arrive.

The oracle is markdown-it-py, another reader of CommonMark, with HTML switched on.
"""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from notewell.features.ask.harmless import HarmlessStream, harmless
from notewell.features.ask.harmless_line import UNSEEN

AWAY = "https://elsewhere.example/?d=what-a-note-says"
READER = MarkdownIt("commonmark", {"html": True}).enable("table")
# What an answer of a hostile model may be made of, so that made-up texts are made of it too.
PIECES = (
    *(
        "![",
        "![[",
        "[[",
        "]]",
        "](",
        "(",
        ")",
        "[",
        "]",
        "]:",
        "!",
        "<",
        ">",
        "\\",
        "`",
        "``",
        "```",
    ),
    *(
        "~~~",
        "$",
        "$$",
        "|",
        "%%",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "    ",
        "  ",
        "\t",
        "- ",
        "1. ",
        "> ",
    ),
    *("---", "#", "=", "$=", "<%", "%>", "&lt;", "&#33;", ":", "word", "a b", "é", "1", "[1]", "^"),
    *(
        "%%",
        "![](",
        "<https://",
        "](https://",
        "dataviewjs",
        "mermaid",
        "python",
        "img src=x",
        "/div",
        "iframe",
        "!--",
        "javascript:x",
    ),
    *(
        AWAY,
        f"![x]({AWAY})",
        f"<img src={AWAY}>",
        "![[Secret]]",
        f"[r]: {AWAY}",
        "![x][r]",
        "style{",
    ),
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=24).map("".join), st.text(max_size=120)
)
COLOURS = re.compile(r"(?:python|)\Z")


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    waiting = list(READER.parse(text))
    while waiting:
        token = waiting.pop()
        found.append(token)
        waiting += token.children or ()
    return found


def in_pieces(text: str, cuts: list[int]) -> str:
    stream = HarmlessStream()
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    pieces = [text[start:end] for start, end in itertools.pairwise(places)]
    return "".join([*map(stream.feed, pieces), stream.end()])


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"See ![a chart]({AWAY}).", f"See a chart <{AWAY}>."),
        (f'![a]({AWAY} "title")', f"a <{AWAY}>"),
        (f"![]( {AWAY} )", f"<{AWAY}>"),
        (f"![](<{AWAY}>)", f"<{AWAY}>"),
        ("![](//elsewhere.example/x.png)", "`\u200b//elsewhere.example/x.png`"),
        ("![](\\\\elsewhere\\share\\x.png)", "`\u200b\\\\elsewhere\\share\\x.png`"),
        ("![](data:image/png;base64,AAAA)", "`\u200bdata:image/png;base64,AAAA`"),
        ("![](&#104;ttps://elsewhere.example)", "`\u200b&#104;ttps://elsewhere.example`"),
        (f"![a\n]({AWAY})", f"!\\[a\n]({AWAY})"),
        (f"![a][r]\n\n[r]: {AWAY}", f"!\\[a][r]\n\n\\[r]: {AWAY}"),
        (f'<img src="{AWAY}">', f'&lt;img src="{AWAY}">'),
        ("</p><!-- x --><?php ?>", "&lt;/p>&lt;!-- x -->&lt;?php ?>"),
        (f"<iframe\nsrc={AWAY}></iframe>", f"&lt;iframe\nsrc={AWAY}>&lt;/iframe>"),
        ("<%* app.vault.delete() %>", "&lt;%* app.vault.delete() %>"),
        ("`<% tp.x %>`", "`<\u200b% tp.x %>`"),
        ("```dataviewjs\ndv.view()\n```", "```\ndv.view()\n```"),
        ("~~~ mermaid\ngraph\n~~~", "~~~\ngraph\n~~~"),
        ("- ```dataview\n  LIST\n  ```", "- ```\n  LIST\n  ```"),
        ("> ```query\n> x\n> ```", "> ```\n> x\n> ```"),
        ("`$= dv.pages()` and `= this.x`", "`\u200b$= dv.pages()` and `\u200b= this.x`"),
        ("`BUTTON[delete]`", "`\u200bBUTTON[delete]`"),
        ("![[Secret]] ![[a.base]]", "[[Secret]] [[a.base]]"),
        ("[a](javascript:alert(1))", "[a]\\(javascript:alert(1))"),
        ("[a](obsidian://adv?x)", "[a]\\(obsidian://adv?x)"),
        ("$\\style{background:url(x)}{y} \\\\href{z}$", "$style{background:url(x)}{y} href{z}$"),
        ("%% hidden", "%\u200b% hidden"),
        ("![](%%)", "`\u200b%\u200b%`"),
        ("<https://e.example/%%>", "&lt;https://e.example/%\u200b%>"),
        ("![a](https://e.example/%%)", "a `\u200bhttps://e.example/%\u200b%`"),
        ("---\ncssclasses: x\n---\nHello", "\\---\ncssclasses: x\n---\nHello"),
        (f"a ` b\n` ![x]({AWAY}) `", f"a \\` b\n` !\u200b[x]({AWAY}) `"),
        (f"$`$ ![x]({AWAY}) `", f"$`$ !\u200b[x]({AWAY}) `"),
        ("```sh\nnever closed", "```sh\nnever closed\n```"),
    ],
)  # fmt: skip
def test_what_loads_runs_or_hides_is_made_harmless(said: str, shown: str) -> None:
    assert harmless(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "Bees find home by the sun [1][3], and so on; 3 < 4, 50 % of a & b!",
        "# Title\n\n- one\n- [ ] two\n\n> [!note] Callout\n> text\n\n| a | b |\n| - | - |\n| `x` | 2 |",
        "[[Hive]], [[Hive#Tools|the tools]], [page](https://example.com/?a=1&b=2), <https://a.example/x>",
        "[note](Garden/Bees.md) and [mail](mailto:a@b.example)",
        "![a photo](img/bee.png) and ![[bee.png|200]]",
        "```python\nx: List[int] = a<b\nif a <c: print('![x](y)')\n```\n\nThen `List<String>`.",
        "**bold** _it_ ~~no~~ ==yes== $x^2$ and \\* \\_ escaped",
        "Wait! [1]\n\nfootnote[^1]\n\n[^1]: text",
    ],
)
def test_what_answers_usually_hold_stays_as_it_is(said: str) -> None:
    assert harmless(said) == said


def test_a_cited_note_may_be_embedded() -> None:
    said = "![[Hive]] ![[Hive#Tools]] ![[Other]]"
    assert harmless(said, lambda name: name == "Hive") == "![[Hive]] ![[Hive#Tools]] [[Other]]"


def test_a_citation_after_an_exclamation_mark_stays_a_citation() -> None:
    assert harmless("It works![1] Really![2, 3]") == "It works! [1] Really! [2, 3]"


def test_text_is_given_before_its_line_ends() -> None:
    stream = HarmlessStream()
    assert stream.feed("Bees find home ") == "Bees find home"
    assert stream.feed("by the sun [1] and ![x](https:") == " by the sun [1] and "
    assert stream.feed("//e.example/?d=1) so.\n") == "x <https://e.example/?d=1> so.\n"
    assert stream.end() == ""


@settings(max_examples=2_000, deadline=None)
@given(TEXTS)
def test_another_reader_finds_nothing_harmful(text: str) -> None:
    shown = harmless(text)
    assert "<%" not in shown
    assert "%%" not in re.sub(r"(?ms)^(```|~~~).*", "", shown)
    for token in tokens(shown):
        assert token.type not in {"html_inline", "html_block"}, token
        if token.type == "image":
            source = str(token.attrs["src"])
            assert not re.search(r"[:&\\]|^/|//", source), source
        if token.type == "fence":
            assert COLOURS.match(token.info.strip()) or token.info.strip() == "", token
        if token.type == "link_open":
            assert not str(token.attrs["href"]).lower().startswith(("javascript", "obsidian"))


@settings(max_examples=1_000, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 200), max_size=8))
def test_pieces_make_the_same_answer_as_the_whole(text: str, cuts: list[int]) -> None:
    assert in_pieces(text, cuts) == harmless(text)


@settings(max_examples=1_000, deadline=None)
@given(TEXTS)
def test_what_is_harmless_already_stays_as_it_is(text: str) -> None:
    once = harmless(text)
    assert harmless(once) == once


def test_a_long_answer_takes_a_time_linear_in_its_length() -> None:
    # Counted in steps of the reader: a pattern that ran away would not end.
    for piece in ("![", "`", "``x", "[", "](", "<a", "![a](", "\\", "%%", "$`", "- ", "> ```"):
        assert len(harmless(piece * 20_000)) >= 20_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[x](<My note>)", "[x](My%20note)"),
        ("[x](<My note.md> 'title')", "[x](My%20note.md 'title')"),
        ("[x](<https://a.example/c d>)", "[x]\\(&lt;https://a.example/c d>)"),
        ("![](<https://> ", "!\\[]\\(&lt;https://> "),
        (f"[x](<{AWAY}>)", f"[x](<{AWAY}>)"),
    ],
)
def test_a_link_in_angles_stays_a_link_or_becomes_text(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert harmless(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"<\\img src={AWAY}>", f"<{UNSEEN}img src={AWAY}>"),
        ("$![[\\href{javascript:x}]]$", "$!\\[[href{javascript:x}]]$"),
        (f"![~~~]()\n~~~\n![x]({AWAY})\n~~~", f"`{UNSEEN}`\n~~~\n![x]({AWAY})\n~~~"),
    ],
)
def test_what_is_left_out_makes_no_tag_and_no_fence(text: str, shown: str) -> None:
    assert harmless(text) == shown
