"""The sample vault is consistent, and its examples name notes that exist."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import frontmatter
import pytest

from notewell.base.errors import VaultError
from notewell.doors.sample import EXAMPLES, Example, copy_to, vault_files

# Links the imagined writer has not followed up yet, as in every real vault.
DANGLING = {
    "FSRS notes",
    "Palace for the 47 prefectures",
    "The Art of Memory",
    "Packing list Alps 2024",
}
FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1\s*$", re.MULTILINE | re.DOTALL)
WIKILINK = re.compile(r"!?\[\[([^\]|#]*)(?:#([^\]|]*))?(?:\|[^\]]*)?\]\]")
MARKDOWN_LINK = re.compile(r"\]\(([^)\s]+\.md)\)")
BLOCK_ID = re.compile(r"\^([\w-]+)\s*$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)

FILES = {path: source.read_bytes() for path, source in vault_files()}
NOTES = {path: data.decode("utf-8") for path, data in FILES.items() if path.endswith(".md")}
# What Obsidian lists: the template folder is excluded by the vault's own settings.
WRITTEN = {path: text for path, text in NOTES.items() if not path.startswith("Templates/")}
BY_NAME = {PurePosixPath(path).name: path for path in FILES} | {
    PurePosixPath(path).stem: path for path in NOTES
}


def links(text: str) -> Iterator[tuple[str, str]]:
    """(target, heading or ^block) of each wikilink outside code fences."""
    for match in WIKILINK.finditer(FENCE.sub("", text)):
        yield match[1], match[2] or ""


def example_id(example: Example) -> str:
    return example.query


def test_vault_has_about_forty_notes_and_one_excluded_template() -> None:
    assert 38 <= len(WRITTEN) <= 50
    assert set(NOTES) - set(WRITTEN) == {"Templates/Daily note.md"}


@pytest.mark.parametrize("path", FILES)
def test_names_and_text_are_utf8_in_nfc_and_fit_every_filesystem(path: str) -> None:
    assert unicodedata.is_normalized("NFC", path)
    assert not set(path) & set('<>:"\\|?*')
    text = FILES[path].decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert "\r" not in text
    assert text.endswith("\n")


@pytest.mark.parametrize("path", WRITTEN)
def test_properties_parse_and_say_what_a_note_is_and_when_it_was_written(path: str) -> None:
    properties = frontmatter.loads(WRITTEN[path]).metadata
    assert properties["tags"]
    assert "created" in properties
    assert "type" in properties or "excalidraw-plugin" in properties


@pytest.mark.parametrize("path", WRITTEN)
def test_every_wikilink_resolves_unless_listed_as_dangling(path: str) -> None:
    for target, anchor in links(WRITTEN[path]):
        if target in DANGLING:
            continue
        assert target in BY_NAME, target
        if anchor.startswith("^"):
            assert anchor[1:] in BLOCK_ID.findall(NOTES[BY_NAME[target]])
        elif anchor:
            assert anchor in HEADING.findall(NOTES[BY_NAME[target]])


@pytest.mark.parametrize("path", WRITTEN)
def test_every_markdown_link_resolves(path: str) -> None:
    for target in MARKDOWN_LINK.findall(WRITTEN[path]):
        assert target in NOTES


def test_the_dangling_list_has_only_dangling_links_that_occur() -> None:
    used = {target for text in WRITTEN.values() for target, _ in links(text)}
    assert used >= DANGLING
    assert not DANGLING & set(BY_NAME)


def test_note_names_are_unique() -> None:
    assert len({PurePosixPath(path).stem for path in NOTES}) == len(NOTES)


def test_every_note_but_home_and_the_daily_ones_is_linked_from_another() -> None:
    linked = {
        BY_NAME.get(target)
        for path, text in WRITTEN.items()
        for target, _ in links(text)
        if BY_NAME.get(target) != path
    } | {target for text in WRITTEN.values() for target in MARKDOWN_LINK.findall(text)}
    alone = {path for path in set(WRITTEN) - linked if not path.startswith("Daily/")}
    assert alone == {"Home.md"}


def test_daily_notes_are_in_the_configured_folder() -> None:
    settings = json.loads(FILES[".obsidian/daily-notes.json"])
    daily = {path for path, text in WRITTEN.items() if "type: daily" in text.split("---")[1]}
    assert settings["format"] == "YYYY-MM-DD"
    assert len(daily) == 6
    assert all(re.fullmatch(rf"{settings['folder']}/\d{{4}}-\d\d-\d\d\.md", path) for path in daily)
    assert f"{settings['template']}.md" in NOTES


def test_vault_settings_exclude_the_templates() -> None:
    assert json.loads(FILES[".obsidian/app.json"])["userIgnoreFilters"] == ["Templates/"]


def test_the_drawing_contains_the_listed_texts() -> None:
    text = NOTES["Ideas/Workshop layout.excalidraw.md"]
    drawing = json.loads(text.split("```json\n")[1].split("```")[0])
    drawn = {e["id"]: e["text"] for e in drawing["elements"] if e["type"] == "text"}
    assert len(drawn) == 5
    assert all(f"{words} ^{block}\n" in text for block, words in drawn.items())


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("callout", r"^> \[!\w+\]"),
        ("folded callout", r"^> \[!\w+\]-"),
        ("table", r"^\| :?---"),
        ("python", r"^```python$"),
        ("sql", r"^```sql$"),
        ("dataview query", r"^```dataview$"),
        ("inline field", r"^\w+:: "),
        ("display math", r"^\$\$$"),
        ("inline math", r"\$[A-Z]\$"),
        ("footnote", r"^\[\^\w+\]: "),
        ("comment", r"%%.+%%"),
        ("note embed", r"!\[\[[^\]]+#\^"),
        ("image embed", r"!\[\[[^\]]+\.svg\]\]"),
        ("display text", r"\[\[[^\]]+\|[^\]]+\]\]"),
        ("nested inline tag", r"(?:^|\s)#\w+/\w+"),
        ("done task", r"^- \[x\] "),
        ("highlight", r"==[^=]+=="),
        ("third level", r"^### "),
        ("aliases", r"^aliases: \["),
    ],
)
def test_vault_uses_each_kind_of_markup(what: str, pattern: str) -> None:
    assert any(re.search(pattern, text, re.MULTILINE) for text in WRITTEN.values()), what


def test_examples_are_distinct_and_cover_each_reason() -> None:
    assert len({example.query for example in EXAMPLES}) == len(EXAMPLES) >= 14
    assert {example.why for example in EXAMPLES} == {
        "keyword",
        "meaning",
        "phrase",
        "exclusion",
        "filter",
        "language",
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=example_id)
def test_example_names_a_note_of_the_vault(example: Example) -> None:
    assert example.path in WRITTEN


@pytest.mark.parametrize(
    "example", [e for e in EXAMPLES if e.why in {"keyword", "phrase"}], ids=example_id
)
def test_exact_words_occur_only_in_the_expected_note(example: Example) -> None:
    words = example.query.strip('"')
    found = [path for path, text in WRITTEN.items() if words in WIKILINK.sub("", text)]
    assert found == [example.path]


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.why == "meaning"], ids=example_id)
def test_paraphrase_shares_less_than_half_its_words_with_the_note(example: Example) -> None:
    asked = {word for word in example.query.split() if len(word) > 3}
    written = set(re.findall(r"\w+", WRITTEN[example.path].casefold()))
    assert len(asked & written) < len(asked) / 2


def test_note_on_forgetting_says_neither_forget_nor_learn() -> None:
    text = WRITTEN["Mind/Ebbinghaus and the leaky bucket.md"].casefold()
    assert not re.search("forg[eo]t|learn", text)


def test_the_excluded_word_occurs_in_the_competing_note() -> None:
    assert "sauce" not in WRITTEN["Garden/Bed plan 2026.md"]
    assert "sauce" in WRITTEN["Kitchen/🍅 Too many tomatoes.md"]


def test_one_book_alone_is_rated_above_four() -> None:
    books = {path: frontmatter.loads(text).metadata for path, text in WRITTEN.items()}
    best = [p for p, m in books.items() if m.get("type") == "book" and m["rating"] > 4]
    assert best == ["Reading/In Praise of Shadows.md"]


def test_copy_holds_every_file_and_nothing_else(tmp_path: Path) -> None:
    folder = copy_to(tmp_path / "new" / "vault")
    copied = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert {unicodedata.normalize("NFC", path) for path in copied} == set(FILES)
    assert (folder / "Home.md").read_bytes() == FILES["Home.md"]
    assert (folder / ".obsidian" / "app.json").is_file()


def test_second_copy_restores_what_is_missing_and_keeps_what_was_edited(tmp_path: Path) -> None:
    folder = copy_to(tmp_path)
    (folder / "Home.md").write_text("mine now", encoding="utf-8")
    (folder / "Own note.md").write_text("also mine", encoding="utf-8")
    (folder / "Garden" / "Slugs.md").unlink()
    copy_to(folder)
    assert (folder / "Home.md").read_text(encoding="utf-8") == "mine now"
    assert (folder / "Own note.md").read_text(encoding="utf-8") == "also mine"
    assert (folder / "Garden" / "Slugs.md").read_bytes() == FILES["Garden/Slugs.md"]


def test_an_interrupted_copy_is_completed_the_next_time(tmp_path: Path) -> None:
    (tmp_path / "Home.md.part").write_text("# Ho", encoding="utf-8")
    copy_to(tmp_path)
    assert (tmp_path / "Home.md").read_bytes() == FILES["Home.md"]
    assert not list(tmp_path.rglob("*.part"))


def test_copying_onto_a_file_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    with pytest.raises(VaultError, match="--data-dir"):
        copy_to(taken)
