"""Notes are read as Obsidian reads them: 89 notes with what its own metadata cache says of them.

The metadata was made by Obsidian for the tests of the plugin Tasks, and has every field of the
cache: headings with level and line, links and embeds with place, target and shown text, tags,
blocks and properties. Where we read a note in another way on purpose, the reason stands here and in
docs/files.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from notewell.base.types import Link, Note, SourceText
from notewell.vault.parse import parse

pytestmark = pytest.mark.data
NOTES = 89

# What differs, by field and note, and why.
REASONS = {
    ("headings", "link_in_heading"): "a heading's text is what is shown: `[[x]]` is x",
    ("headings", "links_everywhere"): "the same",
    ("links", "link_in_task_wikilink"): "Obsidian's cache has a link to `|` for `[[|alias]]`;"
    " for us it leads to the note itself, as an empty target does",
    ("tags", "internal_heading_links"): "`\\[\\[#Escaped`: for Obsidian a tag, as its bracket is"
    " escaped; for us no tag begins after a bracket",
    ("tags", "yaml_complex_example"): "`TAG:` was a name of tags until Obsidian 1.9, and old notes"
    " have it",
    ("tags", "yaml_tags_with_two_values_on_one_line"): "`tags: a, b` was read until Obsidian 1.9,"
    " and old notes have it",
}


def address(link: Link) -> str:
    """What a link leads to, as the cache writes it."""
    heading = f"#{link.heading}" if link.heading else ""
    return f"{link.target}{heading}{f'#^{link.block}' if link.block else ''}"


def shown(link: Link) -> str:
    """What a link shows: its own text, or its address with `>` between its parts."""
    if link.display is not None:
        return link.display
    return " > ".join(part for part in address(link).split("#") if part)


def ours(note: Note, text: str) -> dict[str, Any]:
    body = text.find("\n---", 3) if text.startswith("---") else 0
    below = [link for link in note.links if link.start >= body]
    return {
        "headings": [(heading.level, heading.line, heading.text) for heading in note.headings],
        "links": [(each.start, address(each), shown(each)) for each in below if not each.embed],
        "embeds": [(each.start, address(each)) for each in below if each.embed],
        "tags": sorted({tag.casefold() for tag in note.tags}),
        "blocks": sorted(span.block for span in note.spans if span.block),
        "properties": json.loads(json.dumps(dict(note.properties), default=list)),
        "property links": sorted(address(link) for link in note.links if link.start < body),
    }


def theirs(metadata: Mapping[str, Any]) -> dict[str, Any]:
    cache = metadata["cachedMetadata"]
    place = {
        field: [(each["position"]["start"], each) for each in cache.get(field, ())]
        for field in ("headings", "links", "embeds")
    }
    return {
        "headings": [
            (one["level"], start["line"] + 1, one["heading"]) for start, one in place["headings"]
        ],
        "links": [
            (start["offset"], one["link"], one["displayText"]) for start, one in place["links"]
        ],
        "embeds": [(start["offset"], one["link"]) for start, one in place["embeds"]],
        "tags": sorted({tag.removeprefix("#").casefold() for tag in metadata["getAllTags"] or ()}),
        "blocks": sorted(cache.get("blocks", ())),
        "properties": cache.get("frontmatter") or {},
        "property links": sorted(each["link"] for each in cache.get("frontmatterLinks", ())),
    }


def test_every_field_of_every_note_agrees_but_for_those_with_a_reason(
    shared_data: Callable[[str], Path],
) -> None:
    agreed: Counter[str] = Counter()
    different: dict[tuple[str, str], tuple[object, object]] = {}
    for file in sorted(shared_data("obsidian-metadata").rglob("*.json")):
        metadata = json.loads(file.read_text(encoding="utf-8"))
        if "cachedMetadata" not in metadata:
            continue  # the vault's tags and links in one
        text = metadata["fileContents"]
        note = parse(metadata["filePath"], SourceText(text, "utf-8", b""), modified=0)
        found, expected = ours(note, text), theirs(metadata)
        for field, value in expected.items():
            if found[field] == value:
                agreed[field] += 1
            else:
                different[field, file.stem] = (found[field], value)
    unexpected = {key: both for key, both in different.items() if key not in REASONS}
    assert unexpected == {}
    assert different.keys() == REASONS.keys()
    assert sum(agreed.values()) == 7 * NOTES - len(REASONS)
