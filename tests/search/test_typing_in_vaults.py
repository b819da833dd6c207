"""Half-typed names, prefixes and typing mistakes in four public vaults; skipped without them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase

import pytest

from notewell.base.types import Batch, NotePut, VaultRules
from notewell.contract.search import SearchReply
from notewell.index.analyze import words
from notewell.index.embedded import EmbeddedIndex
from notewell.search.facts.name_table import name_key
from notewell.vault import files, walker
from notewell.vault.chunk import chunk
from notewell.vault.parse import parse
from tests.eval.archives import locate
from tests.eval.everyday.queries import VAULTS
from tests.search.library import HashedWords, Library

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
NAMES = 10  # typed half, of each vault
# Beginnings of words, and a note that each has to find among the first.
TYPED = {
    "help-en": {
        "callo": "Editing and formatting/Callouts.md",
        "canv": "Plugins/Canvas.md",
        "comman": "Plugins/Command palette.md",
        "dail": "Plugins/Daily notes.md",
        "file rec": "Plugins/File recovery.md",
        "footn": "Plugins/Footnotes view.md",
        "graph v": "Plugins/Graph view.md",
        "hotk": "User interface/Hotkeys.md",
        "outli": "Plugins/Outline.md",
        "workspa": "Plugins/Workspaces.md",
    },
    "hub": {
        "datav": "Plugins/dataview.md",
        "excalib": "Plugins/excalibrain.md",
        "kanb": "Kanban",
        "zote": "Zotero",
        "templa": "emplat",
        "calend": "alendar",
        "pomod": "omodoro",
        "style set": "obsidian-style-settings.md",
        "daily no": "aily note",
        "minimal the": "inimal",
    },
    "excalidraw": {
        "color pal": "Color Palette.md",
        "command pale": "Command Palette Actions.md",
        "compatib": "Compatibility Issues",
        "corrup": "Corrupted Excalidraw Files.md",
        "debugg": "Debugging Plugins.md",
        "document prop": "Document Properties.md",
        "fon": "Fonts.md",
        "ico": "Icons.md",
        "pen iss": "Pen Issues.md",
        "welc": "Welcome to the Wiki.md",
    },
    "kepano": {
        "categ": "ategor",
        "evergr": "vergreen",
        "recip": "ecipe",
        "restau": "estaurant",
        "movi": "ovie",
        "boo": "ook",
        "peop": "eople",
        "trip": "rip",
        "clipp": "lipping",
        "mee": "eeting",
    },
}
OpenVault = Callable[[str], Library]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenVault]:
    """Opens the index of a vault by its name, by words alone; skips where its archive is absent."""
    opened: dict[str, Library] = {}

    def open_vault(name: str) -> Library:
        if name not in opened:
            base = tmp_path_factory.mktemp(name)
            root = locate(DATA, *VAULTS[name], base)
            if root is None:
                pytest.skip(f"{DATA} does not have {VAULTS[name][0]}.tar.gz")
            puts = tuple(_puts(root))
            index = EmbeddedIndex.open(base / "index", writable=True)
            opened[name] = Library(root, index, HashedWords())
            index.apply(Batch(puts=puts))
        return opened[name]

    yield open_vault
    for library in opened.values():
        library.index.close()


def _puts(root: Path) -> Iterator[NotePut]:
    model = HashedWords()
    sizes = replace(model.sizes, max_tokens=200, min_tokens=40)
    for file in walker.walk(root, VaultRules()).files:
        if file.path.endswith(".md"):
            source = files.read(file, max_bytes=1_000_000)
            note = parse(file.path, source, modified=1_700_000_000.0)
            chunks = chunk(note, count_tokens=model.count_tokens, sizes=sizes)
            yield NotePut(note, chunks, file.size, file.mtime_ns, source.content_hash)


def ask(library: Library, query: str, *, typing: bool = True) -> SearchReply:
    """Search as a screen does, by words."""
    return library.search(query, mode="keyword", weak=False, typing=typing, limit=5)


def half_typed(library: Library) -> Iterator[tuple[str, str]]:
    """The first halves of names that no other name begins with, and the paths of their notes."""
    notes = sorted(library.index.all_notes(), key=lambda note: note.path)
    random.Random(12).shuffle(notes)
    keys = {name_key(note.title) for note in notes}
    for note in notes:
        half = note.title[: (len(note.title) + 1) // 2].rstrip()
        key = name_key(half)
        is_long = len(key) >= 5 and half[-1].isalnum()
        if is_long and words(half) and sum(each.startswith(key) for each in keys) == 1:
            yield half, note.path


@pytest.mark.parametrize("name", TYPED)
def test_ten_names_typed_half_find_their_note_first(vault: OpenVault, name: str) -> None:
    library = vault(name)
    typed = [pair for _, pair in zip(range(NAMES), half_typed(library), strict=False)]
    found = {half: ask(library, half).results[0].path for half, _ in typed}
    assert found == dict(typed)
    assert len(found) == NAMES


@pytest.mark.parametrize("name", TYPED)
def test_a_letter_finds_a_name_that_begins_so_first(vault: OpenVault, name: str) -> None:
    library = vault(name)
    keys = {
        note.path: [name_key(each) for each in (Path(note.path).stem, note.title, *note.aliases)]
        for note in library.index.all_notes()
    }
    begin = {key[0] for names in keys.values() for key in names if key} & {*ascii_lowercase}
    first = {letter: keys[ask(library, letter).results[0].path] for letter in begin}
    others = [each for each, names in first.items() if not any(n.startswith(each) for n in names)]
    assert len(begin) > 10
    assert len(others) <= len(begin) / 5, others


@pytest.mark.parametrize("name", TYPED)
def test_a_beginning_finds_the_notes_named_by_its_words(vault: OpenVault, name: str) -> None:
    library = vault(name)
    for typed, wanted in TYPED[name].items():
        reply = ask(library, typed)
        assert reply.corrected is None, typed
        assert any(wanted in result.path for result in reply.results), typed
        assert "weak" not in [result.match for result in reply.results], typed
        assert "weak" not in reply.filtered or len(words(typed)) > 1, typed


@pytest.mark.parametrize(
    ("typed", "corrected", "path"),
    [
        ("style setings", "style settings", "Plugins/obsidian-style-settings.md"),
        ("exclidraw", "excalidraw", "Plugins/obsidian-excalidraw-plugin.md"),
        ("daly notes", "daily notes", "Daily notes"),
    ],
)
def test_a_mistake_that_the_vault_has_once_hides_no_notes(
    vault: OpenVault, typed: str, corrected: str, path: str
) -> None:
    reply = ask(vault("hub"), typed, typing=False)
    assert reply.corrected is not None
    assert reply.corrected["text"] == corrected
    assert path in reply.results[0].path
    assert reply.total > 20


@pytest.mark.parametrize(
    "typed", ["letzten Sommer", "wie kann ich das Bild drehen", "nächsten Dienstag"]
)
def test_words_of_another_language_are_not_corrected(vault: OpenVault, typed: str) -> None:
    assert ask(vault("hub"), typed, typing=False).corrected is None
