"""Files to chunks: any bytes become a note whose places are right, or are refused as binary."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS
from tests.fuzz.mutation import made_of, mutate, odd_bytes
from tests.fuzz.target import Check, Generate, Target
from tests.vault.reading import canvas, check, node, read

_NOTE = """---
title: "A note: the first"
tags: [garden, work/plan]
aliases: ["One", two]
created: 2026-03-01T10:00:00+01:00
rating: 5
nested: {a: [1, {b: c}], d: !!binary aGk=}
anchor: &x [1, 2]
again: *x
---
# Heading #tag

Text with [[Link#Part^block|shown]], ![[image.png|100]], [md](Folder/Other%20note.md "title"),
`code [[no]]` and **bold** *text*. ^block-id

## Second ##

- item [[A]]
\t- nested #tag/child
    1. [x] done %%comment%%

> [!note]+ Callout
> > quoted $x^2$

| a | b |
|---|---|
| [[x\\|y]] | 2 |

```dataview
list from #a
```

Setext
======

status:: draft
[due:: 2026-01-01]

$$
\\frac{1}{2}
$$
%%
hidden
%%
<div>html</div> [^1]

[^1]: A footnote
"""
SEEDS = (
    _NOTE.encode(),
    _NOTE.replace("\n", "\r\n").encode(),
    _NOTE.encode("utf-16"),
    ("漢字かな交じり文。" * 30 + "\n\n" + "Sätze ohne Ende. " * 40).encode(),
    (
        b"---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n## Text Elements\nBees ^aBcDeFgH\n"
        b'%%\n## Drawing\n```json\n{"type":"excalidraw","elements":[]}\n```\n%%\n'
    ),
    b"# A\n" * 20 + b"- x\n" * 50,
)
CANVASES = (
    canvas(
        node("a", text=_NOTE),
        node("b", "file", file="Fields/Grass.md", subpath="#Part", y=20),
        node("c", "group", label="Group"),
        node("d", "link", url="https://example.org"),
        edges=({"id": "e", "fromNode": "a", "toNode": "b", "label": "feed on"},),
    ).encode(),
)
PIECES = (
    *(
        text.encode()
        for text in (
            "#", "# ", "## ", "\n", "\n\n", "---\n", "---", "...\n", "```", "```\n", "~~~", "`", "%%",
            "$$", "$", "[[", "]]", "![[", "|", "[", "](", ")", "- ", "* ", "1. ", "\t", "    ", "> ",
            "> [!note]\n", "^id", "^", "::", "a:: b\n", "[a:: b]", "<!--", "-->", "<", ">", "\\", "==",
            "**", "_", "#tag", "#a/b/", "|---|\n", "| a ", "\n===\n", "[^1]: ", "- [ ] ", "key: ",
            "key: [", "? ", "&a ", "*a ", "!!python/object:os.system ", "{", "}", ": ", "- - ",
            "2026-01-01", "0o7", "1_000:30:30", "&amp;", "http://a.b", "word ", "漢", "\ue000",
        )
    ),
    *odd_bytes(),
)  # fmt: skip


def _generator(_seed: int, _inputs: int) -> Generate:
    """The first byte of an input chooses the reader: the ending of the file."""

    def generate(rng: random.Random) -> bytes:
        kind = rng.choices((0, 1, 2), (8, 1, 1))[0]
        if kind == 2:
            return b"\x02" + mutate(rng, CANVASES, PIECES)
        made = made_of(rng, PIECES, 120) if rng.random() < 0.3 else mutate(rng, SEEDS, PIECES)
        return bytes([kind]) + made

    return generate


_SUFFIXES = (".md", ".txt", ".canvas")


@contextmanager
def _opened() -> Iterator[Check]:
    def check_file(data: bytes) -> None:
        reader = READERS[_SUFFIXES[data[0] % len(_SUFFIXES)]]
        try:
            found = read(reader, data[1:])
        except UnreadableNoteError:
            return
        check(found)

    yield check_file


MARKDOWN = Target("markdown", _opened, _generator)
