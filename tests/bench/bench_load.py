"""Fifty clients search one server for a minute while notes change: `make load`.

Clients and server share this machine. The vault obsidian-hub is read from the shared data
(`--data`, NOTEWELL_TEST_DATA, or beside the repository); `--vault` names another folder; without
either, notes are generated.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from figures import Figure, Times, arguments, write
from live_home import NOTES, QUICK_NOTES, Home, home
from load_clients import Crowd, Tally, change
from stack import say

from notewell.base.config import load_settings
from notewell.engine.access import Devices, stored_token

_READY_S = 1800.0
_LEAST_ANSWERED = 0.95


@dataclass(frozen=True)
class Size:
    """The number of clients, the duration, and how many notes change."""

    notes: int
    clients: int
    seconds: float
    changes: int


FULL = Size(NOTES, 50, 60.0, 500)
QUICK = Size(QUICK_NOTES, 50, 10.0, 80)


def main() -> int:
    """Measure and write the figures. Returns 1 where requests failed."""
    parser = arguments(__doc__.partition("\n")[0])
    parser.add_argument("--vault", type=Path, help="a folder of notes, which is copied")
    parser.add_argument("--data", type=Path, help="the folder of the shared data")
    options = parser.parse_args()
    size = QUICK if options.quick else FULL
    with home(options.vault, options.data, most_notes=size.notes) as at, _serving(at) as url:
        tally, changed = asyncio.run(_load(at, url, size))
    figure = _figure(at, size, tally, changed)
    write(options.json, [figure], _details(tally, changed))
    say(f"{figure.measured}; {figure.note}")
    share = tally.answered / max(tally.asked, 1)
    return int(tally.wrong > 0 or share < _LEAST_ANSWERED)


async def _load(at: Home, url: str, size: Size) -> tuple[Tally, int]:
    state_dir = load_settings(environ=at.environment).state_dir
    devices = Devices(state_dir)
    tokens = [devices.add(f"client {number}", "read") for number in range(size.clients)]
    notes = sorted(at.vault.rglob("[!.]*.md"))
    chosen = random.Random(1).sample(notes, min(size.changes, len(notes)))
    paths = [note.relative_to(at.vault).as_posix() for note in notes]
    say(f"{size.clients} clients for {size.seconds:.0f} s, {len(chosen)} notes change")
    return await asyncio.gather(
        Crowd(url, at.questions(400), paths, size.seconds).ask(tokens),
        change(chosen, size.seconds),
    )


def _figure(at: Home, size: Size, tally: Tally, changed: int) -> Figure:
    share = 100 * tally.answered / max(tally.asked, 1)
    times = Times.of(tally.seconds or [0.0])
    refused = tally.statuses[429] + tally.statuses[503]
    model = "" if at.real else ", stand-in for the model"
    return Figure(
        figure=f"{size.clients} clients at once, {size.seconds:.0f} s, {changed} notes change",
        aim="95 % answered, no error but 429 and 503",
        beside="",
        measured=f"{share:.2f} % of {tally.asked:,} answered, {times}",
        note=f"{at.name}, {at.notes:,} notes{model}; {refused} refused and told when to come back,"
        f" {tally.wrong} failed; {tally.asked / size.seconds:.0f} requests a second",
    )


def _details(tally: Tally, changed: int) -> dict[str, object]:
    return {
        "statuses": {str(status): count for status, count in sorted(tally.statuses.items())},
        "errors": dict(tally.errors),
        "refused_without_retry_after": tally.silent,
        "changed": changed,
    }


@contextmanager
def _serving(at: Home) -> Iterator[str]:
    """Serve a vault with default settings and a complete index; yields the address."""
    command = [sys.executable, "-m", "notewell"]
    say(f"indexing {at.notes:,} notes of {at.name}")
    began = time.monotonic()
    subprocess.run(
        [*command, "index", str(at.vault)],
        check=True,
        env=at.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_READY_S,
    )
    say(f"indexed in {time.monotonic() - began:.0f} s")
    stored_token(load_settings(environ=at.environment).state_dir)
    process = subprocess.Popen(
        [*command, "--quiet", "serve", str(at.vault), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env=at.environment,
    )
    try:
        assert process.stdout is not None
        link = urlsplit(process.stdout.readline().strip())
        yield f"{link.scheme}://{link.netloc}"
    finally:
        process.terminate()
        process.wait(timeout=60)


if __name__ == "__main__":
    raise SystemExit(main())
