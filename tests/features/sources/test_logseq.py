"""Reading Logseq's file graphs."""

from __future__ import annotations

import zipfile
from pathlib import Path

from notewell.features.sources.logseq import LogseqGraph, logseq_page
from notewell.features.sources.pages import SourcePage

BEES = """title:: Bees and wasps
tags:: [[garden]], #insects
alias:: Apis

- Bees dance
  collapsed:: true
  id:: 64f0c1de-0000-4000-8000-000000000001
\t- to tell where nectar is
\t  in two lines
\t- ```js
\t  - no bullet
\t  a:: b
\t  ```
- ## Hive
- TODO water
  priority:: high
"""


def test_blocks_properties_and_code() -> None:
    page = logseq_page("pages/bees.md", BEES, 7)

    assert page.title == "Bees and wasps"
    assert page.aliases == ("Apis",)
    assert page.properties == {"tags": ("garden", "insects")}
    assert [(block.depth, block.text) for block in page.blocks] == [
        (0, "Bees dance"),
        (1, "to tell where nectar is\nin two lines"),
        (1, "```js\n- no bullet\na:: b\n```"),
        (0, "Hive"),
        (0, "TODO water\npriority:: high"),
    ]
    assert page.blocks[0].uid == "64f0c1de-0000-4000-8000-000000000001"
    assert page.blocks[3].heading == 2


def test_journals_are_days_and_names_have_slashes() -> None:
    journal = logseq_page("journals/2025_01_31.md", "- woke up", 0)
    assert (journal.title, journal.day) == ("2025-01-31", "2025-01-31")
    assert logseq_page("pages/a___b%3F.md", "", 0).title == "a/b?"


def test_text_without_bullets_is_kept() -> None:
    page = logseq_page("pages/plain.md", "# Head\n\nJust text.\n", 0)
    assert [(block.text, block.heading) for block in page.blocks] == [("Head\n\nJust text.", 1)]


def test_a_folder_and_its_zip_file_have_the_same_pages(tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    for name in ("pages/bees.md", "journals/2025_01_31.md", "logseq/bak/pages/bees.md"):
        (graph / name).parent.mkdir(parents=True, exist_ok=True)
        (graph / name).write_text("- x", encoding="utf-8")
    packed = tmp_path / "graph.zip"
    with zipfile.ZipFile(packed, "w") as file:
        for name in ("pages/bees.md", "journals/2025_01_31.md", "../pages/evil.md"):
            file.writestr(name, "- x")

    for place in (graph, packed):
        feed = LogseqGraph(place)
        assert set(feed.stamps({})) == {"pages/bees.md", "journals/2025_01_31.md"}
        (page,) = feed.items(("pages/bees.md",))
        assert isinstance(page, SourcePage)
        assert page.blocks[0].text == "x"
