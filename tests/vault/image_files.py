"""Writes image files with captions and without pixels, as far as tests need them."""

from __future__ import annotations

import struct
import zlib


def tiff(tags: dict[int, bytes], order: str = "<") -> bytes:
    """A TIFF with these tags, each a text; those above 0x8fff lie in the folder of EXIF."""
    inner = {tag: value for tag, value in tags.items() if 0x9000 <= tag < 0x9C00}
    outer = {tag: value for tag, value in tags.items() if tag not in inner}
    mark = b"II*\x00" if order == "<" else b"MM\x00*"
    length = 2 + 12 * (len(outer) + bool(inner)) + 4
    sub = 8 + length
    out = mark + struct.pack(f"{order}I", 8)
    values = sub + (2 + 12 * len(inner) + 4 if inner else 0)
    data = b""

    def folder(entries: dict[int, bytes], link: int) -> bytes:
        nonlocal data
        body = struct.pack(f"{order}H", len(entries) + bool(link))
        for tag, value in sorted(entries.items()):
            kind = 1 if tag >= 0x9C00 else 7 if tag == 0x9286 else 2
            if len(value) <= 4:
                place = value.ljust(4, b"\x00")
            else:
                place = struct.pack(f"{order}I", values + len(data))
                data += value
            body += struct.pack(f"{order}HHI", tag, kind, len(value)) + place
        if link:
            body += struct.pack(f"{order}HHII", 0x8769, 4, 1, link)
        return body + b"\x00" * 4

    out += folder(outer, sub if inner else 0)
    out += folder(inner, 0) if inner else b""
    return out + data


def iptc(values: list[tuple[int, str]]) -> bytes:
    sets = b"".join(
        b"\x1c\x02" + bytes([number]) + struct.pack(">H", len(text.encode())) + text.encode()
        for number, text in values
    )
    return b"8BIM\x04\x04\x00\x00" + struct.pack(">I", len(sets)) + sets + b"\x00" * (len(sets) % 2)


def jpeg(*segments: tuple[int, bytes]) -> bytes:
    body = b"".join(
        bytes([0xFF, marker]) + struct.pack(">H", len(part) + 2) + part for marker, part in segments
    )
    return b"\xff\xd8" + body + b"\xff\xda\x00\x02"


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in (*chunks, (b"IEND", b""))
    )
    return b"\x89PNG\r\n\x1a\n" + body


def webp(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(part)) + part + b"\x00" * (len(part) % 2)
        for kind, part in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def xmp(description: str, *subjects: str) -> bytes:
    items = "".join(f"<rdf:li>{subject}</rdf:li>" for subject in subjects)
    return (
        '<x:xmpmeta xmlns:x="x" xmlns:rdf="r" xmlns:dc="d"><rdf:RDF><rdf:Description>'
        f'<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{description}</rdf:li></rdf:Alt>'
        f"</dc:description><dc:subject><rdf:Bag>{items}</rdf:Bag></dc:subject>"
        "</rdf:Description></rdf:RDF></x:xmpmeta>"
    ).encode()
