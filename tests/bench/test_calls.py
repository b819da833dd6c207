"""A search of the sample vault calls no more functions than it did.

Counts hold on any machine. Whoever makes a search do more changes the number here and says why in the
commit; whoever makes it do less, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("calls.py")
PINNED = {"hybrid": 7040, "keyword": 5640, "typing": 7650, "similar": 5820}
MORE = 1.03  # times a pinned number
ROWS = 10  # of SQLite, at most: most of what a search reads is in memory


def test_a_search_does_no_more_than_it_did() -> None:
    printed = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True)
    counted = json.loads(printed.stdout)
    assert counted.keys() == PINNED.keys()
    too_many = {
        kind: one["calls"] for kind, one in counted.items() if one["calls"] > MORE * PINNED[kind]
    }
    assert too_many == {}, counted
    assert all(load["rows"] <= ROWS for load in counted.values())
