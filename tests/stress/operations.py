"""Random changes that people, editors, git and sync tools make to a vault, from a seed."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

WORDS = """
    river bread garden music star tree city friend story history code data model graph index word
    language water light sun moon plan idea project meeting work home book learn think find search
    time year world life sea cat dog bird house family red green blue small first last long short
""".split()  # noqa: SIM905 - fifty words read better as text


class Hand:
    """One hand at work in one vault. Every operation leaves the folder in a state of its own."""

    def __init__(self, vault: Path, seed: int) -> None:
        self.vault = vault
        self.random = random.Random(seed)
        self._names = 0
        self._bin: list[tuple[str, bytes]] = []

    def create(self) -> None:
        self._write(self._new_path(), self._text())

    def edit(self) -> None:
        path = self._some_note()
        if path is None:
            return self.create()
        parts = path.read_text(encoding="utf-8").split("\n\n")
        parts[self.random.randrange(len(parts))] = self._sentence()
        return self._save(path, "\n\n".join(parts))

    def append(self) -> None:
        path = self._some_note()
        if path is None:
            return self.create()
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f"\n\n{self._sentence()}\n")
        return None

    def rename_note(self) -> None:
        path = self._some_note()
        if path is not None:
            path.rename(path.with_name(f"{self._name()}.md"))

    def rename_case(self) -> None:
        path = self._some_note()
        if path is not None:
            wanted = path.with_name(path.stem.swapcase() + ".md")
            if not wanted.exists():
                path.rename(wanted)

    def move_note(self) -> None:
        path = self._some_note()
        if path is not None:
            folder = self.vault / self.random.choice(["A", "B", "C/D"])
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / path.name).exists():
                path.rename(folder / path.name)

    def rename_folder(self) -> None:
        folders = [entry for entry in self.vault.iterdir() if entry.is_dir()]
        if folders:
            folder = self.random.choice(sorted(folders))
            folder.rename(folder.with_name(self._name()))

    def delete(self) -> None:
        path = self._some_note()
        if path is not None:
            self._bin.append((str(path.relative_to(self.vault)), path.read_bytes()))
            path.unlink()

    def restore(self) -> None:
        if self._bin:
            path, content = self._bin.pop(self.random.randrange(len(self._bin)))
            (self.vault / path).parent.mkdir(parents=True, exist_ok=True)
            (self.vault / path).write_bytes(content)

    def sync(self) -> None:
        """A sync tool's detour: a temporary file beside the note, then a rename over it."""
        path = self._some_note() or self._new_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".syncthing.{path.name}.tmp")
        temporary.write_text(self._text(), encoding="utf-8")
        temporary.replace(path)

    def burst(self, count: int) -> None:
        """A git checkout: many small files at once."""
        folder = self.vault / self._name()
        folder.mkdir()
        for n in range(count):
            (folder / f"{n}.md").write_text(f"{self._sentence()} {n}", encoding="utf-8")

    def drop_burst(self) -> None:
        """The checkout goes away again, a few notes at a time."""
        folders = sorted(entry for entry in self.vault.iterdir() if (entry / "0.md").exists())
        if folders:
            shutil.rmtree(folders[0])

    def any(self) -> None:
        """One operation, drawn by how often it happens."""
        operations = {
            self.edit: 30,
            self.append: 20,
            self.create: 14,
            self.sync: 8,
            self.rename_note: 6,
            self.move_note: 6,
            self.delete: 6,
            self.restore: 4,
            self.rename_folder: 3,
            self.rename_case: 3,
        }
        (operation,) = self.random.choices(list(operations), weights=list(operations.values()))
        operation()

    # --- making things up ------------------------------------------------------------------

    def _some_note(self) -> Path | None:
        # Not `rglob`: after a burst this goes over thousands of files at every operation.
        notes = sorted(
            os.path.join(folder, name)  # noqa: PTH118 - a Path a file costs more than the search
            for folder, _, names in os.walk(self.vault)
            for name in names
            if name.endswith(".md") and not name.startswith(".")
        )
        return Path(self.random.choice(notes)) if notes else None

    def _name(self) -> str:
        self._names += 1
        return f"{self.random.choice(WORDS)} {self._names}"

    def _new_path(self) -> Path:
        folder = self.vault / self.random.choice(["", "A", "B"])
        return folder / f"{self._name()}.md"

    def _sentence(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(5, 40))) + "."

    def _text(self) -> str:
        linked = self._some_note()
        link = f"See [[{linked.stem}]]." if linked is not None else "See [[nowhere]]."
        tag = f"---\ntags: [{self.random.choice(WORDS)}]\n---\n"
        parts = [f"# {self._name()}", self._sentence(), link, "## More", self._sentence()]
        return tag + "\n\n".join(parts) + "\n"

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _save(self, path: Path, text: str) -> None:
        """Save as editors do: write beside, then rename over."""
        temporary = path.with_name(f".{path.name}.swp")
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)  # noqa: PTH105 - the call editors make
