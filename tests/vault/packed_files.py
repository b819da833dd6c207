"""Writes small Word documents and EPUB books."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from xml.sax.saxutils import escape

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STYLES = (
    f'<w:styles xmlns:w="{WORD}">'
    '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>'
)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def paragraph(text: str, *, style: str = "", level: int | None = None) -> str:
    about = f'<w:pStyle w:val="{style}"/>' if style else ""
    if level is not None:
        about += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>'
    return f"<w:p><w:pPr>{about}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    shown = (
        "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) + "</w:tr>"
        for row in rows
    )
    return f"<w:tbl>{''.join(shown)}</w:tbl>"


def docx(*body: str, core: str = "", **parts: str) -> bytes:
    """A Word document of these paragraphs and tables; `core` is XML of its properties."""
    return zipped(
        {
            "word/styles.xml": STYLES,
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{"".join(body)}'
            "</w:body></w:document>",
            **({"docProps/core.xml": core} if core else {}),
            **{f"word/{name}.xml": content for name, content in parts.items()},
        }
    )


def epub(*chapters: str, title: str, metadata: str = "") -> bytes:
    """A book with these chapters, each the HTML of its body."""
    items = "".join(
        f'<item id="c{n}" href="text/{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(chapters))
    )
    # The spine decides the order, not the manifest.
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title>{metadata}</metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    pages = {
        f"OEBPS/text/{n}.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>Part {n + 1}</title></head><body>{body}</body></html>"
        for n, body in enumerate(chapters)
    }
    return zipped({"META-INF/container.xml": container, "OEBPS/book.opf": package, **pages})
