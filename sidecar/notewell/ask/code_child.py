"""The process that runs one small program of a language model, confined, and ends.

Reads a request as JSON from its standard input until that is closed, and writes its reply to its
standard output. `code_tool.py` starts it. Uses the standard library alone: nothing else of the
environment has to be found, and nothing is imported once the process is confined.
"""

from __future__ import annotations

import heapq  # noqa: F401 - loaded by Counter.most_common, which then may open no file
import json
import os
import sys
import time
import unicodedata  # noqa: F401 - loaded by the first "\N{...}"

from notewell.ask.code_confine import UnconfinedError, confine
from notewell.ask.code_rules import run
from notewell.ask.code_tables import tables


def main() -> None:
    """Serve the one request."""
    request = json.loads(sys.stdin.buffer.read())
    time.localtime()  # reads the time zone, for `datetime.now()`
    try:
        confine(float(request["seconds"]), int(request["memory"]))
    except UnconfinedError as error:
        _reply({"confined": False, "output": "", "error": str(error)})
    values = {"notes": request["notes"], "tables": tables}
    outcome = run(str(request["code"]), values, int(request["output"]))
    _reply({"confined": True, "output": outcome.output, "error": outcome.error})


def _reply(reply: dict[str, object]) -> None:
    """Write the reply and end at once: an orderly end would want what is refused now."""
    rest = json.dumps(reply).encode()
    while rest:
        rest = rest[os.write(1, rest) :]
    os._exit(0)


if __name__ == "__main__":
    main()
