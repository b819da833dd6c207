"""Another server's process: opens an index in PostgreSQL and does what the lines it reads say.

`put PATH TEXT` writes a note, `find WORD` prints the passages with a word; each is answered by one
line, `ok …` or the code of an error. The arguments are the database's URL and the vault, and
`writer` or `reader`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from notewell.base.errors import NotewellError
from notewell.base.types import Batch
from notewell.index.lexical import QueryTerm
from notewell_postgres.address import parse
from notewell_postgres.index import PostgresIndex
from notewell_postgres.opening import open_at
from tests.index.conftest import Material


class OtherServer:
    """The process, as the test sees it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def says(self, line: str) -> str:
        """Its answer to a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.hears()

    def hears(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def other_server(url: str, vault: str, role: str) -> Iterator[OtherServer]:
    """Start one, and wait until the index is open; it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.postgres_process", url, vault, role],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        server = OtherServer(process)
        assert server.hears() == "open"
        yield server
    finally:
        process.kill()
        process.communicate()


def main(url: str, vault: str, role: str) -> None:
    """Do what the lines say, until there are no more."""
    address, _ = parse(url)
    password = os.environ["NOTEWELL_POSTGRES_PASSWORD"]
    index = open_at(replace(address, vault=vault), password, writable=role == "writer")
    _say("open")
    for line in sys.stdin:
        try:
            _say(f"ok {_done(index, line.split())}".strip())
        except NotewellError as error:
            _say(error.code)


def _done(index: PostgresIndex, words: list[str]) -> str:
    make = Material()
    if words[0] == "put":
        index.apply(Batch(puts=(make.note(words[1], " ".join(words[2:])),), model=make.model))
        return ""
    index.refresh()
    hits = index.keywords.search([QueryTerm(words[1])], limit=10).chunk_ids.tolist()
    found = index.chunks(hits)
    return "; ".join(sorted(found[each].text for each in hits))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
