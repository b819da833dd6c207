"""A folder of files that no person wrote: each tries to take the time, memory or peace of an index.

Each is as large as it must be to hold up an index that takes time by the square of a size.
"""

from __future__ import annotations

import json
import os
import random
import socket
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

from tests.vault.image_files import jpeg, png, tiff
from tests.vault.packed_files import docx, epub, paragraph, zipped
from tests.vault.pdf_files import pdf

SIZE = 100_000  # characters of most files
WIDE = 400_000  # of those that took the square of it

Write = Callable[[Path], object]


def filled(unit: str, size: int = SIZE) -> str:
    return unit * (size // len(unit))


def counted(unit: str, size: int = SIZE) -> str:
    """Copies of a unit with a number in each, in place of `%d`."""
    return "".join(unit % number for number in range(size // (len(unit) + 3)))


def with_properties(yaml: str, body: str = "A body.\n") -> str:
    return f"---\n{yaml}\n---\n{body}"


def expanding(entry: str) -> str:
    """YAML in which each name stands for nine times the one before it."""
    names = pairwise("abcdefghij")
    return "a: &a {x: 1}\n" + "\n".join(
        f"{name}: &{name} " + entry % ",".join([f"*{before}"] * 9) for before, name in names
    )


TEXTS: Mapping[str, str] = {
    "one line.md": filled("word and another. "),
    "giant word.md": filled("a"),
    "base64 lines.md": counted("QUJD%dREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n"),
    "chinese without spaces.md": filled("漢字仮名交文章意味無"),
    "emoji that are joined.md": filled("\U0001f469\u200d\U0001f4bb\u200d"),
    "combining marks.md": "a" + filled("\u0301"),
    "right to left marks.md": filled("\u202eabc\u2066"),
    "headings.md": counted("# H%d\n"),
    "giant heading.md": "# " + filled("word ", WIDE // 2) + "\n" + counted("## H%d\nbody\n", WIDE),
    "giant underlined heading.md": filled("word ") + "\n===\n" + counted("## H%d\nbody\n"),
    "giant title.md": with_properties("title: " + filled("word "), counted("# H%d\nbody\n")),
    "deep list.md": "".join(" " * depth + "- a\n" for depth in range(500)),
    "flat list.md": counted("- item %d\n"),
    "giant item.md": "- " + filled("word "),
    "children of a giant item.md": "- " + filled("word ") + "\n" + counted("  - item %d\n"),
    "block ids.md": counted("- item ^i%d\n"),
    "table of rows.md": "|a|b|\n|-|-|\n" + counted("|%d|x|\n"),
    "table of columns.md": f"|{filled('a|')}\n|{filled('-|')}\n|{filled('b|')}\n",
    "code.md": "```\n" + counted("x = %d\n") + "```\n",
    "fences without end.md": counted("```%d\n"),
    "deep quotes.md": ">" * SIZE + " a\n",
    "callouts.md": filled("> [!note]+ a\n"),
    "tags.md": counted("#t%d ", WIDE),
    "links.md": counted("[[n%d]] "),
    "relative links.md": counted("[a](n%d.md) "),
    "fields.md": counted("k%d:: v\n", WIDE),
    "fields in brackets.md": counted("[k%d:: v] ", WIDE),
    "properties.md": with_properties(counted("k%d: v\n")),
    "broken properties.md": with_properties(counted("k%d: [\n", 20_000)),
    "nested properties.md": with_properties("a: " + "[" * SIZE),
    "expanding aliases.md": with_properties(expanding("[%s]")),
    "expanding merges.md": with_properties(expanding("{<<: [%s]}")),
    "expanding text.md": with_properties(f"a: &a {filled('x')}\nb: [{filled('*a,', 30_000)}]"),
    "properties that are tags.md": with_properties(
        f"tags: [{counted('t%d, ')}]", filled("word ", WIDE)
    ),
    "comments that never end.md": "x " + filled("<!-- ", WIDE),
    "comment marks.md": "x " + filled("%% "),
    "emphasis.md": filled("***a _b"),
    "open brackets.md": filled("[[a|"),
    "link in link.md": filled("[a](b ") + filled(")]"),
    "ticks.md": "".join("`" * length + "a" for length in range(500)),
    "dollars.md": filled("$a$1"),
    "tags of html.md": filled("<a b='"),
    "spaces.md": "a" + filled(" ") + "b",
    "blank lines.md": "a\n" + filled("\n") + "b",
    "returns alone.md": filled("a\r"),
    "footnotes.md": counted("[^%d]: a\n"),
    "drawing.md": with_properties(
        "excalidraw-plugin: parsed",
        "# Excalidraw Data\n## Text Elements\n" + counted("Bees ^aB%06d\n\n") + "%%\n## Drawing\n",
    ),
    "paragraphs.txt": filled("ab cd\n\n"),
    "million columns.csv": counted("c%d,", WIDE),
    "million rows.csv": "a,b\n" + filled("1,2\n"),
    "wide header.csv": counted("c%d,") + "\n" + filled("1,2,3\n", WIDE),
    "quote without end.csv": 'a,b\n"' + filled("1,2\n"),
    "nested.canvas": '{"nodes":' + "[" * SIZE,
    "long text.canvas": json.dumps(
        {"nodes": [{"type": "text", "id": "a", "text": filled("word #tag [[a]]\n\n")}]}
    ),
    "numbers.canvas": '{"nodes": [{"type": "text", "id": 1, "x": 1e999, "y": %s}]}' % ("9" * 4000),
    "frames.excalidraw": json.dumps(
        {
            "elements": [
                {"type": kind, "id": f"{kind}{number}", "frameId": f"frame{number}", "text": "Bees"}
                for number in range(6_000)
                for kind in ("frame", "text")
            ]
        }
    ),
    "expanding.base": expanding("[%s]"),
    "long names.base": "filters:\n"
    + "".join(f"{' ' * depth}{'a' * 1_000}:\n" for depth in range(1, 30))
    + counted(" " * 30 + "k%d: v\n"),
    "nested.html": filled("<div>") + "word",
    "cells.html": "<table><tr>" + filled("<td>word"),
    "links.html": counted("<span><a href=n%d.md>x<b>"),
    "entities.xhtml": '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><p>&b;</p>',
    "entities.svg": '<!DOCTYPE a [<!ENTITY a "aaaa">]><svg><text>&a;</text></svg>',
    "nested.py": "x = " + "(" * 5_000,
    "no such code.c": "é" + filled("|---|\n\u202e* ", 8_000),
    "long line.ini": filled("a=1;"),
}


def _zip_bomb() -> bytes:
    return zipped({"word/document.xml": b"\0" * 300_000_000})


def _entities() -> str:
    names = "".join(
        f'<!ENTITY {name} "{f"&{before};" * 9}">' for before, name in pairwise("abcdefghij")
    )
    return f'<!DOCTYPE a [<!ENTITY a "aaaa">{names}]><a>&j;</a>'


def _cyclic_pdf() -> bytes:
    """A tree of pages that holds itself."""
    made = pdf([["One"], ["Two"]])
    return made.replace(b"/Kids [5 0 R 7 0 R]", b"/Kids [2 0 R 5 0 R]")


BYTES: Mapping[str, Callable[[], bytes]] = {
    "binary.md": lambda: random.Random(1).randbytes(SIZE),
    "no utf-8.md": lambda: b"\xff\xfeCaf\xe9 \x80" + b"\xc3" * SIZE,
    "half utf-16.md": lambda: b"\xff\xfe" + ("ab\ud800".encode("utf-16-le", "surrogatepass")) * 999,
    "nul.md": lambda: b"some text\0more",
    "empty.md": lambda: b"",
    "mark alone.md": lambda: b"\xef\xbb\xbf",
    "zip bomb.docx": _zip_bomb,
    "cut off.docx": lambda: docx(paragraph("Bees"))[:-100],
    "entities.docx": lambda: zipped({"word/document.xml": _entities()}),
    "no zip.epub": lambda: random.Random(2).randbytes(SIZE),
    "long.epub": lambda: epub(filled("<p>word</p>"), title=filled("word ")),
    "cut off.pdf": lambda: pdf([["Bees"] * 40] * 20)[:-2_000],
    "cyclic.pdf": _cyclic_pdf,
    "no.pdf": lambda: b"%PDF-1.7\n" + random.Random(3).randbytes(SIZE),
    "locked.pdf": lambda: pdf([["secret"]], encrypted=True),
    "bomb.png": lambda: png((b"zTXt", b"Comment\0\0" + zlib.compress(b"a" * 50_000_000))),
    "cut off.jpg": lambda: jpeg((0xE1, b"Exif\0\0" + tiff({0x010E: b"Bees\0"})))[:40],
    "lies.tiff": lambda: b"II*\0\x08\0\0\0" + b"\xff" * 4_000,
    "no program.py": lambda: b"def f(:\n" * 10_000,
}


def _sparse(size: int) -> Write:
    def write(place: Path) -> None:
        with place.open("wb") as file:
            file.truncate(size)

    return write


def _socket(place: Path) -> None:
    """A socket may have a short path alone, so it is made elsewhere and moved."""
    with tempfile.TemporaryDirectory(dir=place.parent.parent) as folder:
        short = os.path.relpath(Path(folder) / "s")
        with closing(socket.socket(socket.AF_UNIX)) as listening:
            listening.bind(short if len(short) < len(folder) else str(Path(folder) / "s"))
        (Path(folder) / "s").rename(place)


def _unreadable(place: Path) -> None:
    place.write_text("Secret.")
    place.chmod(0)


def _deep(place: Path) -> None:
    place = place.parent / "deep" / Path(*["d"] * 100) / place.name
    place.parent.mkdir(parents=True)
    place.write_text("Deep down.")


PLACES: Mapping[str, Write] = {
    "50 MB.md": _sparse(50_000_000),
    "a terabyte.md": _sparse(1 << 40),
    "pipe.md": lambda place: os.mkfifo(place, 0o600),
    "socket.md": _socket,
    "device.md": lambda place: place.symlink_to("/dev/zero"),
    "link to itself.md": lambda place: place.symlink_to(place.name),
    "link to nothing.md": lambda place: place.symlink_to("nowhere"),
    "link to the folder": lambda place: place.symlink_to("."),
    "folder.md": Path.mkdir,
    "unreadable.md": _unreadable,
    "at the bottom.md": _deep,
    "two\nlines.md": lambda place: place.write_text("A name of two lines."),
    "--full.md": lambda place: place.write_text("A name like an option."),
    "a\"b'c`$(d);%s{0}.md": lambda place: place.write_text("Signs."),
    "\U0001f41d\u202e.md": lambda place: place.write_text("An emoji and a mark."),
    "n" * 250 + ".md": lambda place: place.write_text("A long name."),
    "A\u030a.md": lambda place: place.write_text("A decomposed name."),
    os.fsdecode(b"not \xff unicode.md"): lambda place: place.write_text("A name in Latin-1."),
}


def write_hostile(folder: Path) -> Iterator[str]:
    """Write all of them into `folder`; yields what each is called, where this system has it."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
        yield name
    for name, made in BYTES.items():
        (folder / name).write_bytes(made())
        yield name
    for name, write in PLACES.items():
        with suppress(OSError, AttributeError, NotImplementedError):
            write(folder / name)
            yield name
