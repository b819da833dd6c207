"""Reading Roam's exports."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from notewell.base.errors import SourceError
from notewell.features.sources.pages import SourcePage, Unread
from notewell.features.sources.roam_export import RoamExport


def pages(file: Path) -> list[SourcePage]:
    return [each for each in RoamExport(file).items(None) if isinstance(each, SourcePage)]


def unread(file: Path) -> list[Unread]:
    return [each for each in RoamExport(file).items(None) if isinstance(each, Unread)]


def export(folder: Path, *raw: object) -> Path:
    file = folder / "graph.json"
    file.write_text(json.dumps(raw), encoding="utf-8")
    return file


def test_a_page_has_its_blocks_in_order_with_their_depth(tmp_path: Path) -> None:
    (page,) = pages(
        export(
            tmp_path,
            {
                "title": "Bees",
                "uid": "page-0001",
                "create-time": 1000,
                "edit-time": 2000,
                "children": [
                    {
                        "string": "a",
                        "uid": "block-1",
                        "heading": 2,
                        "children": [{"string": "b", "uid": "block-2", "edit-time": 5000}],
                    },
                    {"string": "c", "uid": "block-3"},
                ],
            },
        )
    )

    assert [(block.text, block.depth, block.heading) for block in page.blocks] == [
        ("a", 0, 2),
        ("b", 1, 0),
        ("c", 0, 0),
    ]
    # A page's own time does not move when a block of it is edited.
    assert (page.created, page.edited) == (1000, 5000)


def test_attributes_aliases_tags_and_days(tmp_path: Path) -> None:
    (page,) = pages(
        export(
            tmp_path,
            {
                "title": "January 1st, 2025",
                "uid": "01-01-2025",
                "children": [
                    {"string": "Author:: [[Ada]]", "uid": "block-1"},
                    {"string": "aliases:: [[New Year]]", "uid": "block-2"},
                    {"string": "tags:: #a [[b c]]", "uid": "block-3"},
                    {"string": "Read:: ", "uid": "b4", "children": [{"string": "x"}]},
                ],
            },
        )
    )

    assert page.day == "2025-01-01"
    assert page.aliases == ("New Year",)
    assert page.properties == {"Author": "[[Ada]]", "tags": ("a", "b-c"), "Read": "x"}


def test_a_very_deep_page_is_read(tmp_path: Path) -> None:
    depth = 400
    text = '{"string":"x","children":[' * depth + '{"string":"deep"}' + "]}" * depth
    file = tmp_path / "graph.json"
    file.write_text(f'[{{"title":"Deep","children":[{text}]}}]', encoding="utf-8")

    (page,) = pages(file)
    assert page.blocks[-1].depth == depth


def test_a_bad_page_keeps_no_other_out(tmp_path: Path) -> None:
    file = export(tmp_path, {"title": "Good"}, {"no": "title"}, {"title": 3}, {"title": "Last"})

    assert [page.title for page in pages(file)] == ["Good", "Last"]
    assert len(unread(file)) == 2


def test_a_file_that_is_cut_off_says_so(tmp_path: Path) -> None:
    file = export(tmp_path, {"title": "Good"}, {"title": "Cut", "children": [{"string": "x"}]})
    file.write_bytes(file.read_bytes()[:-12])

    assert [page.title for page in pages(file)] == ["Good"]
    (cut,) = unread(file)
    assert "ends in the middle" in cut.why


@pytest.mark.parametrize("content", ["{}", "", "nothing", "\ufeff"])
def test_what_is_no_export_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "graph.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match="no JSON export"):
        pages(file)


def test_an_export_of_the_database_is_read(tmp_path: Path) -> None:
    file = tmp_path / "graph.edn"
    file.write_text(
        "#datascript/DB {:schema {:block/uid {:db/unique :db.unique/identity}}, :datoms ["
        '[1 :block/uid "page-0001" 5] [1 :node/title "Bees \\"all\\"" 5] [1 :block/children 3 5]'
        ' [1 :block/children 2 5] [2 :block/uid "block-1" 5] [2 :block/order 0 5]'
        ' [2 :block/string "first [9 :block/order 3" 5] [2 :edit/time 9000 5]'
        ' [3 :block/uid "block-2" 5] [3 :block/order 1 5] [3 :block/string "second" 5]]}',
        encoding="utf-8",
    )

    (page,) = pages(file)
    assert page.title == 'Bees "all"'
    assert [block.text for block in page.blocks] == ["first [9 :block/order 3", "second"]
    assert page.edited == 9000


def test_a_packed_export_is_read(tmp_path: Path) -> None:
    file = tmp_path / "Roam-Export.zip"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("mine.json", json.dumps([{"title": "Bees"}]))

    assert [page.title for page in pages(file)] == ["Bees"]
