"""The small vault of the contract tests, with every kind of data that clients must handle."""

from __future__ import annotations

import os
from pathlib import Path

NOTES = {
    "Garden/Bees.md": (
        "---\n"
        "title: How bees find home\n"
        "tags: [garden, animals/insects]\n"
        "aliases: [Honey bees]\n"
        "rating: 5\n"
        "created: 2026-03-01\n"
        "description: The sun, the hive and the way back.\n"
        "seen: {spring: true, places: [meadow, roof]}\n"
        "---\n"
        "# How bees find home\n\n"
        "Bees find the way home by the sun. See [[Compost]] and [[Roof|the roof]]. When the sun"
        " is low the light still shows the way, and with no light at all a bee stays in the garden"
        " for the night. In the morning it is the first to find the water.\n\n"
        "## The hive\n\n"
        "A hive in spring needs room and water. In a good year one family of bees makes a second"
        " one, and both need a home before the summer; in a bad year the small one comes back to"
        " the old hive and the two live in it as one family. ^hive\n\n"
        "## Tools\n\n"
        "- The smoker\n"
        "    - It keeps bees calm, and it is the one tool that you should not forget at home when"
        " the work of the day is the hive: no smoke, no honey, and a long way back to find it."
        " ^smoker\n"
    ),
    "Garden/Compost.md": "#garden\n\nCompost is warm in spring; bees drink the water near it.\n",
    "Garden/Roof.md": '---\naliases: The roof\nnext: "[[Rain barrel]]"\n---\nA garden on the roof, with a view of the city.\n',
    "Daily/2026-03-02.md": "Read about the moon. 🐝🐝 Two bees in the snow today.\n\n![[Bees#The hive]]\n",
    "Reisen/Zürich.md": "# Zürich\n\nEine Stadt am See. Die Brücke führt zum Bahnhof.\n",
    "Broken.md": "---\ntitle: [unclosed\n---\nThis note has broken properties and a river in it.\n",
    "Nothing.md": "",
    "Private/Diary.md": "Not for searching.\n",
}
SETTINGS = '{"userIgnoreFilters": ["Private/"]}'
DAILY = '{"folder": "Daily", "format": "YYYY-MM-DD"}'
SAVED = 1_772_445_600  # 2026-03-02T10:00:00Z, for files that no property dates


def write_vault(folder: Path) -> Path:
    """Write the vault into `folder`, the same to the second each time; gives `folder`."""
    for path, text in NOTES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        os.utime(file, (SAVED, SAVED))
    (folder / ".obsidian").mkdir()
    (folder / ".obsidian" / "app.json").write_text(SETTINGS, encoding="utf-8")
    (folder / ".obsidian" / "daily-notes.json").write_text(DAILY, encoding="utf-8")
    return folder
