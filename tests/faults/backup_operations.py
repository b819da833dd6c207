"""A backup that is written and one that is restored: what has to hold after a call failed."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from notewell.base import querylog
from notewell.base.errors import NotFoundError
from notewell.base.types import Batch, Settings, VaultRecord
from notewell.contract.status import Change
from notewell.engine import switch
from notewell.engine.access import Devices
from notewell.engine.configuration import Configuration
from notewell.engine.known_vaults import KnownVaults, Registry
from notewell.features.ask.service import CONVERSATIONS
from notewell.features.backup.create import write_backup
from notewell.features.backup.restore import STAGED, restore_backup
from notewell.index.embedded import EmbeddedIndex
from notewell.vault.mirror import Mirror
from notewell.vault.write import VaultWriter
from notewell.vault.write_journal import Journal
from tests.faults.index_operations import MAKE, notes, picture
from tests.faults.injection import LEFT, Operation

NOTES, PHONE = "aaaaaaaaaaaa", "bbbbbbbbbbbb"
_SAVED = 1_772_445_600_123


class Computer:
    """A data directory, settings and a vault below one folder."""

    def __init__(self, root: Path) -> None:
        """Nothing is made yet."""
        self.root = root
        self.data = root / "data"
        self.settings = Settings(
            data_dir=self.data, model_dir=root / "models", state_dir=root / "state"
        )
        self.configuration = Configuration(
            {"NOTEWELL_CONFIG": str(root / "settings.toml"), "HOME": str(root)}
        )
        self.known = KnownVaults(self.settings)

    def fill(self, *, changed: bool, at: Path) -> None:
        """Make a state; `changed` is another one of the same vaults, which are said to lie `at`."""
        word = "new" if changed else "old"
        self.root.mkdir()
        Registry(self.data).write(
            [
                VaultRecord(NOTES, f"Notes {word}", at / "vault"),
                VaultRecord(PHONE, "Phone", self._mirror(at), source="mirror"),
            ]
        )
        self._index(changed=changed)
        folder = self._folder
        log = querylog.QueryLog(folder, enabled=True)
        log.judge(querylog.Judged(1.0, word, "A.md", "never_for_this"))
        log.close()
        (self.root / "vault").mkdir()
        VaultWriter(self.root / "vault", Journal(folder)).create(f"{word}.md", word, action="test")
        (folder / CONVERSATIONS).mkdir()
        (folder / CONVERSATIONS / f"{7:016x}.json").write_text(f'["{word}"]', "utf-8")
        Mirror(self._mirror(self.root)).apply(
            [Change("create", f"In/{word}.md", mtime=_SAVED, content=word)]
        )
        Devices(self.root / "state").add("Phone", "read")
        text = f"# {word}\n[search]\nsnippet_chars = {200 if changed else 300}\n"
        self.configuration.file.write_text(text, encoding="utf-8")

    def _index(self, *, changed: bool) -> None:
        index = EmbeddedIndex.open(self._folder, writable=True)
        index.use_model(MAKE.model, MAKE.dimensions)
        index.apply(Batch(puts=tuple(notes(changed=changed).values())[:3]))
        MAKE.embed(index)
        index.close()

    @property
    def _folder(self) -> Path:
        return self.data / "vaults" / NOTES

    @staticmethod
    def _mirror(root: Path) -> Path:
        return root / "data" / "mirrors" / PHONE / "vault"

    def backup(self, file: Path, *, overwrite: bool = False) -> None:
        settings_file = self.configuration.file
        write_backup(
            self.known,
            self.settings,
            settings_file,
            file,
            logs=True,
            vectors=True,
            overwrite=overwrite,
        )

    def restore(self, file: Path, *, replace_state: bool) -> None:
        restore_backup(
            file,
            self.known,
            self.settings,
            self.configuration,
            folders={},
            replace_state=replace_state,
        )

    def shown(self) -> dict[str, object]:
        """The whole state, as its rooms read it."""
        # First: it takes back what a stopped restore has done.
        records = self.known.records()
        folder, mirror = self._folder, self._mirror(self.root)
        shown = {
            "vaults": [[record.id, record.name, record.source] for record in records],
            "index": self._answers(),
            "verdicts": self._verdicts() if (folder / querylog.NAME).exists() else [],
            "writes": [entry.path for entry in Journal(folder).entries()],
            "conversations": _texts(folder / CONVERSATIONS, "*.json"),
            "mirror": _texts(mirror, "[!.]*/*.md"),
            "settings": _texts(self.root, "settings.toml"),
        }
        return dict(json.loads(json.dumps(shown)))

    def _verdicts(self) -> list[str]:
        log = querylog.QueryLog(self._folder, enabled=True)
        try:
            return [judged.query for judged in log.judgements().verdicts]
        finally:
            log.close()

    def _answers(self) -> dict[str, object]:
        try:
            with closing(EmbeddedIndex.open(self._folder, writable=False)) as index:
                index.use_model(MAKE.model, MAKE.dimensions)
                return picture(index)
        except NotFoundError:
            return {}

    def leftovers(self) -> list[str]:
        """Temporary files and folders of ours anywhere below."""
        begins = (STAGED, ".backup-", ".settings.toml-", ".vault", ".unfinished", ".b.tar-")
        found = [each for each in self.root.rglob(".*") if each.name.startswith(begins)]
        journal = self.data / switch.JOURNAL
        return [f"{LEFT}{each.name}" for each in [*found, journal] if each.exists()]


def _texts(folder: Path, which: str) -> dict[str, list[object]]:
    return {
        file.relative_to(folder).as_posix(): [
            file.read_text(encoding="utf-8"),
            file.stat().st_mtime_ns // 1_000_000 if file.suffix == ".md" else 0,
        ]
        for file in sorted(folder.glob(which))
    }


# --- writing one --------------------------------------------------------------------------------


def _filled(root: Path) -> None:
    computer = Computer(root / "old")
    computer.fill(changed=False, at=root.with_name("work") / "old")  # the copy that is tried on
    _write(root / "old.json", computer.shown())


def _with_a_backup(root: Path) -> None:
    _filled(root)
    Computer(root / "new").fill(changed=True, at=root / "new")
    Computer(root / "new").backup(root / "old" / "b.tar")
    _write(root / "new.json", Computer(root / "new").shown())


def _check_backup(root: Path, done: bool) -> list[str]:
    """The old file or none, or a whole backup; and the state is as it was."""
    computer, file = Computer(root / "old"), root / "old" / "b.tar"
    old = _read(root / "old.json")
    wrong = _differences(computer.shown(), [old]) + computer.leftovers()
    if not file.exists():
        return [*wrong, *(["there is no backup"] if done or (root / "new.json").exists() else [])]
    elsewhere = Computer(root / "elsewhere")
    elsewhere.root.mkdir()
    elsewhere.restore(file, replace_state=False)
    before = [] if done or not (root / "new.json").exists() else [_read(root / "new.json")]
    return wrong + _differences(elsewhere.shown(), [old, *before])


# --- restoring one ------------------------------------------------------------------------------


def _restored_elsewhere(root: Path) -> None:
    """A backup, and a computer on which nothing is."""
    _with_a_backup(root)
    (root / "empty").mkdir()
    _write(root / "empty.json", Computer(root / "empty").shown())


def _check_restore(root: Path, done: bool, name: str) -> list[str]:
    """All of the state in the backup, or all of the one before; then it can be restored."""
    computer = Computer(root / name)
    old, new = _read(root / f"{name}.json"), _read(root / "new.json")
    wrong = _differences(computer.shown(), [new] if done else [new, old]) + computer.leftovers()
    computer.restore(root / "old" / "b.tar", replace_state=True)
    return wrong + _differences(computer.shown(), [new])


def _differences(now: dict[str, object], allowed: list[dict[str, object]]) -> list[str]:
    if now in allowed:
        return []
    return [
        f"{key}: {str(now[key])[:200]}, not {str(allowed[0][key])[:200]}"
        for key in now
        if now[key] != allowed[0][key]
    ]


def _write(file: Path, shown: dict[str, object]) -> None:
    file.write_text(json.dumps(shown), encoding="utf-8")


def _read(file: Path) -> dict[str, object]:
    return dict(json.loads(file.read_text(encoding="utf-8")))


def _backup(root: Path) -> None:
    Computer(root / "old").backup(root / "old" / "b.tar")


def _backup_again(root: Path) -> None:
    Computer(root / "old").backup(root / "old" / "b.tar", overwrite=True)


def _restore(root: Path, name: str) -> None:
    Computer(root / name).restore(root / "old" / "b.tar", replace_state=True)


BACKUPS = (
    Operation("backup", _filled, _backup, _check_backup),
    Operation("backup_again", _with_a_backup, _backup_again, _check_backup),
    Operation(
        "restore",
        _with_a_backup,
        lambda root: _restore(root, "old"),
        lambda root, done: _check_restore(root, done, "old"),
    ),
    Operation(
        "restore_elsewhere",
        _restored_elsewhere,
        lambda root: _restore(root, "empty"),
        lambda root, done: _check_restore(root, done, "empty"),
    ),
)
