"""Files of all other types to chunks: PDFs, documents, books, pages, tables, code, images, bases.

An input is the ending of the file, an empty byte, and its content. Of documents and books, which
are archives, the parts inside are changed and packed again. PDFs are read in a process of their
own, as the program does; the others here, where an error that no reader expects is a fault.
"""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager

from notewell.base.errors import UnreadableNoteError
from notewell.vault.readers import READERS
from notewell.vault.readers.process import ReaderProcess
from notewell.vault.readers.reader import FileFacts, ReadNote
from tests.fuzz.mutation import made_of, mutate, odd_bytes
from tests.fuzz.target import Check, FaultError, Generate, Target
from tests.vault.image_files import iptc, jpeg, png, tiff, webp, xmp
from tests.vault.packed_files import docx, epub, paragraph, table, zipped
from tests.vault.pdf_files import Row, pdf
from tests.vault.reading import check, drawing, read

_MAX_SECONDS = 10.0
_PDF, _PACKED = ".pdf", (".docx", ".epub")
_TEXT = b"Bees find their hive by the light of the sun."
_EXIF = tiff({0x010E: _TEXT + b"\0", 0x013B: b"Jane\0", 0x9286: b"ASCII\0\0\0" + _TEXT})
_HTML = (
    b"<!doctype html><html lang=en><head><title>Hives</title><meta name=description content='On bees'>"
    b"<style>p {color: red}</style><script>let a = '<p>';</script></head><body><h1 id=a>Hives</h1>"
    b"<nav>menu</nav><p>Bees &amp; <b>wax</b> &#x6f22;<br>next</p><ul><li>one<ul><li>two</ul></ul>"
    b"<table><tr><th>a<td>b</table><pre>code\n  here</pre><blockquote>said</blockquote></body></html>"
)
_CODE = (
    b"#!/usr/bin/env python3\n'''About bees.'''\nimport os\n\nclass Hive:\n    # comment\n"
    b"    def open(self, a: int = 1) -> None:\n        '''Opens.'''\n        return {'a': [1, 2]}\n\n"
    b"async def find(x):\n    pass\n"
)
_BASE = (
    b'filters:\n  and:\n    - file.hasTag("bee")\n    - \'status != "done"\'\nformulas:\n'
    b"  age: (now() - created).days\nproperties:\n  status: {displayName: Status}\nviews:\n"
    b"  - type: table\n    name: Open\n    order: [file.name, formula.age]\n    limit: 10\n"
)
SEEDS: dict[str, tuple[bytes, ...]] = {
    _PDF: (
        pdf(
            [[Row("Hives", 20), "Bees find their hive.", "by the sun"], ["Second page"]],
            title="On bees",
            author="Jane",
            created="D:20240131120000+01'00'",
        ),
        pdf([["secret"]], encrypted=True),
    ),
    ".docx": (
        docx(
            paragraph("Hives", style="Heading1"),
            paragraph("Bees", level=0),
            table(("a", "b"), ("1", "2")),
            core="<c:core xmlns:c='c' xmlns:dc='d'><dc:title>On bees</dc:title></c:core>",
            footnotes="<w:footnotes xmlns:w='x'/>",
        ),
    ),
    ".epub": (
        epub("<h1>One</h1><p>Bees &amp; wax</p>", "<p>Two</p>", title="On bees"),
        epub("", title="", metadata="<dc:creator>Jane</dc:creator><dc:date>2020</dc:date>"),
    ),
    ".html": (_HTML, _HTML.decode().encode("utf-16")),
    ".csv": (b'name,year\n"A ""b""",1\nB;c,2\n\n"two\nlines",3\n', b"\xef\xbb\xbfa;b\r\n1;2\r\n"),
    ".tsv": (b"a\tb\n1\t2\n",),
    ".py": (_CODE,),
    ".js": (b"/** Opens. */\nexport function open(a) {\n  return `${a}`;\n}\nclass B extends C {}\n",),
    ".png": (
        png((b"tEXt", b"Description\0" + _TEXT), (b"eXIf", _EXIF)),
        png((b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp("A hive", "bees"))),
    ),
    ".jpg": (
        jpeg((0xE1, b"Exif\0\0" + _EXIF), (0xED, b"Photoshop 3.0\0" + iptc([(120, "A hive")]))),
        jpeg((0xE1, b"http://ns.adobe.com/xap/1.0/\0" + xmp("A hive", "bees"))),
    ),
    ".webp": (webp((b"EXIF", _EXIF), (b"XMP ", xmp("A hive"))),),
    ".base": (_BASE,),
    ".excalidraw": (
        drawing({"type": "text", "id": "a", "text": "Bees", "x": 0, "y": 0}, {"type": "arrow"}).encode(),
    ),
}  # fmt: skip
PIECES: tuple[bytes, ...] = (
    *(
        text.encode()
        for text in (
            "<", ">", "</", "/>", "<p>", "<td>", "<tr>", "<table>", "<!--", "-->", "<![CDATA[", "]]>", "&amp;",
            "&#0;", "&#x110000;", "<?xml?>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<w:p>", "</w:p>",
            "<w:t>", "<w:tbl>", "xmlns:w=''", ' colspan="99999999"', "<h1>", "<script>", "<svg>", "<math>",
            "obj", "endobj", "stream", "endstream", "<<", ">>", "/Length 99999999", "/Kids [2 0 R]", "2 0 R",
            "/Filter /FlateDecode", "trailer", "startxref\n0\n", "BT", "ET", "Tj", "\n", "\t", ",", ";", '"', '""',
            "'''", "def a(", "class ", "/*", "*/", "//", "{", "}", "[", "]", "- - ", "? ", "&x ", "*x ", ": ",
            '{"type": "text", "text": 1}', "-1", "1e400", "null",
        )
    ),
    b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"II*\0", b"MM\0*", b"\xff\xd8", b"\xff\xe1\xff\xff",
    b"PK\x03\x04", b"PK\x01\x02", b"IEND", b"tEXt", b"iTXt", b"zTXt", b"8BIM\x04\x04",
    *odd_bytes(),
)  # fmt: skip


def _generator(_seed: int, _inputs: int) -> Generate:
    def generate(rng: random.Random) -> bytes:
        suffix = rng.choice(tuple(SEEDS))
        if rng.random() < 0.1:
            content = made_of(rng, PIECES, 80)
        elif suffix in _PACKED and rng.random() < 0.7:
            content = _repacked(rng, rng.choice(SEEDS[suffix]))
        else:
            content = mutate(rng, SEEDS[suffix], PIECES)
        return suffix.encode() + b"\0" + content

    return generate


def _repacked(rng: random.Random, archive: bytes) -> bytes:
    """An archive with one of its parts changed, and at times one left out."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    name = rng.choice(tuple(parts))
    parts[name] = mutate(rng, [parts[name]], PIECES)
    if rng.random() < 0.1:
        del parts[rng.choice(tuple(parts))]
    return zipped(parts)


@contextmanager
def _opened() -> Iterator[Check]:
    child = ReaderProcess(seconds=_MAX_SECONDS)

    def check_file(data: bytes) -> None:
        ending, _, raw = data.partition(b"\0")
        suffix = ending.decode("ascii", "replace")
        try:
            found = _read_pdf(child, raw) if suffix == _PDF else read(READERS[suffix], raw)
        except UnreadableNoteError as error:
            if "longer than" in error.message:
                raise FaultError(error.message) from error
            return
        check(found)

    try:
        yield check_file
    finally:
        child.close()


def _read_pdf(child: ReaderProcess, raw: bytes) -> ReadNote:
    facts = FileFacts(f"Folder/A note{_PDF}", modified=2.0, created=1.0, types=tuple(READERS))
    return child.read(raw, facts)


FILES = Target("files", _opened, _generator)
