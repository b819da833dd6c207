"""Writes small PDFs, as tests need them: text in a standard font, at positions of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PASSWORD_NEEDED = (
    b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"31" * 32 + b"> /U <" + b"32" * 32 + b"> >>"
)


@dataclass(frozen=True)
class Row:
    """A line of text, so many points high, beneath the row before with a gap between them."""

    text: str
    size: float = 11
    gap: float = 2


def pdf(
    pages: Sequence[Sequence[Row | str]],
    *,
    title: str = "",
    author: str = "",
    created: str = "",
    encrypted: bool = False,
) -> bytes:
    """A PDF whose pages have these rows, from top to bottom."""
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages)))
    info = (("Title", title), ("Author", author), ("CreationDate", created))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< " + b" ".join(b"/%s %s" % (k.encode(), _text(v)) for k, v in info if v) + b" >>",
    ]
    for number, rows in enumerate(pages):
        content = _content([Row(row) if isinstance(row, str) else row for row in rows])
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F 3 0 R >> >> >>" % (6 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _file(objects, PASSWORD_NEEDED if encrypted else None)


def _content(rows: Sequence[Row]) -> bytes:
    parts = []
    at = 800.0
    for row in rows:
        at -= row.size + row.gap
        text = _text(row.text, utf16=False)
        parts.append(b"BT /F %g Tf 1 0 0 1 60 %g Tm %s Tj ET" % (row.size, at, text))
    return b"\n".join(parts)


def _text(text: str, *, utf16: bool = True) -> bytes:
    raw = b"\xfe\xff" + text.encode("utf-16-be") if utf16 else text.encode("cp1252")
    return b"<" + raw.hex().encode() + b">"


def _file(objects: Sequence[bytes], encrypt: bytes | None) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    secret = b" /Encrypt " + encrypt + b" /ID [<00><00>]" if encrypt else b""
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R%s >>\n" % (len(objects) + 1, secret)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)
