"""Parsing and chunking on one core, compared with only reading the same files; and PDFs.

The corpus is generated: notes with properties, headings, links, lists, tables, code, callouts
and comments, from a fixed seed. Shared vaults (in NOTEWELL_TEST_DATA, or shared/data beside the
repository) are measured as well. Tokens are estimated from the length, so that the tokenizer's
time is not part of the figure.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import repository  # noqa: F401 - so that `tests` can be imported
from figures import Figure, options, write

from notewell.base.types import ChunkSizes, FileRef, SourceText, VaultRules
from notewell.vault import files, walker
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from notewell.vault.readers.pdf import PDF
from notewell.vault.readers.reader import FileFacts
from tests.unpacking import unpack
from tests.vault.pdf_files import pdf

NOTES, QUICK_NOTES = 3000, 300
PASSES = 3
MAX_BYTES = 10 * 1024 * 1024
AIM = "at least 8 MB/s of Markdown a core"
PAGES, QUICK_PAGES = 300, 30
PDF_AIM = "300 pages a second a core"
WORDS = (
    *("note", "vault", "index", "search", "meaning", "keyword", "passage", "section", "chapter"),
    *("garden", "river", "engine", "letter", "question", "answer", "morning", "evening"),
    *("project", "meeting", "summary", "method", "result", "reason", "pattern", "signal"),
)


@dataclass(frozen=True)
class Speed:
    """The figures of one vault; rates in MB (10^6 bytes) of files per second of processor time."""

    vault: str
    notes: int
    megabytes: float
    chunks: int
    walk_s: float
    read_rate: float
    parse_rate: float


def main() -> None:
    """Measure the generated corpus and the shared vaults, and write the figures."""
    chosen = options(__doc__ or "")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made"
        write_corpus(made, QUICK_NOTES if chosen.quick else NOTES)
        speeds = [measure("made for this", made)]
        if not chosen.quick:
            speeds += [measure(vault.name, vault) for vault in real_vaults(Path(folder))]
    rows = [*map(row, speeds), pdf_row(QUICK_PAGES if chosen.quick else PAGES)]
    write(chosen.json, rows, {"speeds": speeds})


def row(speed: Speed) -> Figure:
    """One row of the table."""
    return Figure(
        figure=f"parsing and chunking, {speed.vault} ({speed.notes} notes)",
        aim=AIM,
        beside=f"reading the files: {speed.read_rate:.0f} MB/s",
        measured=f"{speed.parse_rate:.1f} MB/s",
        ratio=speed.parse_rate / speed.read_rate,
        note=f"{speed.megabytes:.1f} MB, {speed.chunks} chunks, walk {speed.walk_s * 1000:.0f} ms",
    )


def pdf_row(pages: int) -> Figure:
    """Read a PDF of full pages a few times in this process; the fastest pass."""
    chance = random.Random(7)
    rows = [[_words(chance, 11) for _ in range(38)] for _ in range(pages)]
    raw = pdf(rows)
    file = FileFacts("Paper.pdf", modified=0.0)
    times = []
    for _ in range(PASSES):
        began = time.process_time()
        PDF.read(raw, file)
        times.append(time.process_time() - began)
    characters = sum(len(text) for page in rows for text in page)
    return Figure(
        figure=f"reading a PDF of {pages} pages",
        aim=PDF_AIM,
        beside="",
        measured=f"{pages / min(times):.0f} pages/s",
        ratio=None,
        note=f"{characters / pages:.0f} characters a page",
    )


def measure(name: str, vault: Path) -> Speed:
    """Walk, read, parse and chunk a vault a few times; returns the fastest pass."""
    walks, reads, parses = [], [], []
    chunks = 0
    for _ in range(PASSES):
        began = time.process_time()
        found = walker.walk(vault, VaultRules()).files
        walked = time.process_time()
        sources = [(file, files.read(file, max_bytes=MAX_BYTES)) for file in found]
        read = time.process_time()
        chunks = sum(chunk_count(file, source) for file, source in sources)
        parses.append(time.process_time() - read)
        walks.append(walked - began)
        reads.append(read - walked)
    megabytes = sum(file.size for file in found) / 1e6
    return Speed(
        vault=name,
        notes=len(found),
        megabytes=megabytes,
        chunks=chunks,
        walk_s=min(walks),
        read_rate=megabytes / min(reads),
        parse_rate=megabytes / min(parses),
    )


def chunk_count(file: FileRef, source: SourceText) -> int:
    """Parse and chunk one note."""
    note = parse(file.path, source, modified=file.mtime_ns / 1e9)
    return len(chunk(note, count_tokens=lambda text: len(text) // 4 + 1, sizes=ChunkSizes()))


def real_vaults(folder: Path) -> Iterator[Path]:
    """Unpack the shared vaults that exist."""
    root = Path(__file__).resolve().parents[2]
    source = Path(os.environ.get("NOTEWELL_TEST_DATA") or root.parent / "shared" / "data")
    for archive in sorted(source.glob("vault-*.tar.gz")):
        name = archive.name.removeprefix("vault-").removesuffix(".tar.gz")
        unpack(archive, folder / name)
        yield folder / name


def write_corpus(folder: Path, notes: int) -> None:
    """Write notes of about 5 kB, like those of a reference work."""
    chance = random.Random(7)
    folder.mkdir()
    for number in range(notes):
        body = "\n".join(_section(chance, n) for n in range(chance.randint(3, 7)))
        head = (
            f"---\naliases: [Alias {number}]\ntags: [t{number % 9}, area/sub]\npublish: true\n---\n"
        )
        (folder / f"Note {number}.md").write_text(f"{head}\n# Note {number}\n{body}", "utf-8")


def _section(chance: random.Random, number: int) -> str:
    parts = [f"\n## Part {number}: {_words(chance, 3)}\n", _paragraph(chance), _paragraph(chance)]
    parts.append("\n".join(f"- {_sentence(chance)}" for _ in range(chance.randint(2, 6))) + "\n")
    extra = chance.randrange(5)
    if extra == 0:
        parts.append("```python\n" + f"value = {number}\nprint(value)\n" * 4 + "```\n")
    elif extra == 1:
        rows = "\n".join(f"| {_words(chance, 2)} | `{_words(chance, 1)}` |" for _ in range(5))
        parts.append(f"| Name | Use |\n| --- | --- |\n{rows}\n")
    elif extra == 2:
        parts.append(f"> [!note] {_words(chance, 2)}\n> {_sentence(chance)}\n")
    elif extra == 3:
        parts.append(f"%% {_sentence(chance)} %%\n")
    return "\n".join(parts)


def _paragraph(chance: random.Random) -> str:
    return " ".join(_sentence(chance) for _ in range(chance.randint(2, 5))) + "\n"


def _sentence(chance: random.Random) -> str:
    kinds = ("{}", "**{}**", "[[Note 1|{}]]", "`{}`", "[{}](https://example.org/a)", "#area/{}")
    marked = chance.choice(kinds).format(chance.choice(WORDS))
    return f"{_words(chance, 7).capitalize()} {marked} {_words(chance, 6)}."


def _words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


if __name__ == "__main__":
    main()
