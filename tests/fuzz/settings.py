"""Settings files: any bytes are settings or a ConfigError, and a change keeps a valid file valid."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from notewell.base.config import VAULT_FILE, known_keys, load_settings
from notewell.base.errors import ConfigError
from notewell.engine.configuration import Configuration, settings_by_key
from notewell.engine.feature import sections
from notewell.features import FEATURES
from tests.fuzz.mutation import made_of, mutate, odd_bytes
from tests.fuzz.target import Check, FaultError, Generate, Target

SECTIONS = sections(FEATURES)
SEEDS = (
    (
        b'data_dir = "~/notes/data"\noffline = true\n\n[server]\nhost = "127.0.0.1"\nport = 8080\n'
        b'allowed_hosts = ["a.example", "b.example"]\n\n[search]\npassages = 4  # not too many\n'
    ),
    (
        b'[vault]\ninclude = ["**/*.md"]\nexclude = """a,\nb"""\nmax_note_bytes = 1_000_000\n'
        b"types = ['md', 'canvas']\n[model]\nname = \"all-MiniLM-L6-v2\"\nquantisation = 'int8'\n"
    ),
    b'[chunking]\nmax_tokens = 256\n[memory]\nfolder = "Memories"\n[log]\nlevel = "info"\n',
    b'index_dir = "fast"\n[vault]\nfollow_links = false\n[limits]\nsearch = 100\nroutes = []\n',
    b'\xef\xbb\xbf[ask]\nprovider = "openai"\nbase_url = "http://127.0.0.1:11434/v1"\n',
    b'log.level = "error"\nlog = { format = "json" }\n[[server]]\nport = 1\n[server.tls]\na = 1\n',
)
PIECES = (
    *(
        text.encode()
        for text in (
            "[", "]", "[[", "]]", "{", "}", "=", " = ", ",", ".", "\n", "#", '"', '"""', "'''", "'",
            "true", "false", "nan", "inf", "-inf", "0x", "0b1", "1e9", "1_0", "1979-05-27T07:32:00Z",
            "9999-99-99", "25:61:00", "\\u0000", "\\ud800", "\\U00110000", "\\x", "~", "~nobody",
            "$HOME", "${", "$", "../..", "/", "\\", "{a={", "[[[", "null", "a.b.c = 1\n", "1" * 5000,
        )
    ),
    *(key.encode() + b" = " for key in known_keys(SECTIONS)),
    *(f"[{key.partition('.')[0]}]\n".encode() for key in known_keys(SECTIONS) if "." in key),
    *odd_bytes(),
)  # fmt: skip
CHANGES = {"search.passages": 3, "vault.exclude": ("Old/**",), "log.level": None}


def _generator(_seed: int, _inputs: int) -> Generate:
    def generate(rng: random.Random) -> bytes:
        return made_of(rng, PIECES) if rng.random() < 0.2 else mutate(rng, SEEDS, PIECES)

    return generate


@contextmanager
def _opened() -> Iterator[Check]:
    with tempfile.TemporaryDirectory() as folder:
        user, vault = Path(folder, "config.toml"), Path(folder, "vault")
        vault.mkdir()
        environ = {"NOTEWELL_CONFIG": str(user)}

        def check(data: bytes) -> None:
            user.write_bytes(data)
            (vault / VAULT_FILE).unlink(missing_ok=True)
            _load(environ, None)
            _change(Configuration(environ, features=SECTIONS), user, vault)
            user.write_bytes(b"")
            (vault / VAULT_FILE).write_bytes(data)
            _load(environ, vault)

        yield check


def _load(environ: dict[str, str], vault: Path | None) -> None:
    try:
        settings = load_settings(environ=environ, vault=vault, features=SECTIONS)
    except ConfigError as error:
        if not error.message.strip():
            raise FaultError("an error without a message") from error
        return
    settings_by_key(settings)


def _change(configuration: Configuration, file: Path, vault: Path) -> None:
    """Change the file. What cannot be changed stays as it was."""
    before = file.read_bytes()
    try:
        configuration.change(CHANGES, vault)
    except ConfigError as error:
        if file.read_bytes() != before:
            raise FaultError("a refused change was written") from error
        return
    after = settings_by_key(
        load_settings(environ={"NOTEWELL_CONFIG": str(file)}, features=SECTIONS)
    )
    if (after["search.passages"], after["vault.exclude"]) != (3, ("Old/**",)):
        raise FaultError("the changed settings are not in the file")


SETTINGS = Target("settings", _opened, _generator)
