"""Configuration: which layer overrides which, and errors that name the setting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from notewell.config.load import known_keys, load_settings, user_file
from notewell.errors import ConfigError
from notewell.types import Settings


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose per-user file is the test's own."""
    file = tmp_path / "user.toml"
    file.write_text("", encoding="utf-8")
    return {"NOTEWELL_CONFIG": str(file)}


def user(home: Mapping[str, str], text: str) -> None:
    Path(home["NOTEWELL_CONFIG"]).write_text(text, encoding="utf-8")


def test_defaults_hold_where_nothing_is_said(home: dict[str, str]) -> None:
    settings = load_settings(environ=home)

    assert settings.server.host == "127.0.0.1"
    assert settings.server.port == 8765
    assert settings.model.name == "all-MiniLM-L6-v2"
    assert settings.index_dir is None


def test_each_layer_wins_over_the_one_before(home: dict[str, str], tmp_path: Path) -> None:
    user(home, '[model]\nname = "from-user"\n[chunking]\nmax_tokens = 100\n')
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / ".notewell.toml").write_text(
        '[model]\nname = "from-vault"\n[vault]\nexclude = ["Archive/**"]\n', encoding="utf-8"
    )

    def names(environ: Mapping[str, str], **flags: object) -> Settings:
        return load_settings(environ={**home, **environ}, flags=flags, vault=vault)

    assert load_settings(environ=home).model.name == "from-user"
    assert names({}).model.name == "from-vault"
    assert names({}).vault.exclude == ("Archive/**",)
    assert names({}).chunking.max_tokens == 100
    assert names({"NOTEWELL_MODEL_NAME": "from-env"}).model.name == "from-env"
    flagged = load_settings(
        environ={**home, "NOTEWELL_MODEL_NAME": "from-env"},
        flags={"model.name": "from-flag", "server.port": None},
        vault=vault,
    )
    assert flagged.model.name == "from-flag"
    assert flagged.server.port == 8765


def test_numbers_booleans_and_lists_are_read_from_the_environment(home: dict[str, str]) -> None:
    settings = load_settings(
        environ={
            **home,
            "NOTEWELL_SERVER_PORT": "0",
            "NOTEWELL_OFFLINE": "true",
            "NOTEWELL_VAULT_EXCLUDE": "Templates/**, *.tmp.md",
        }
    )

    assert settings.server.port == 0
    assert settings.offline is True
    assert settings.vault.exclude == ("Templates/**", "*.tmp.md")


def test_home_and_variables_are_expanded(home: dict[str, str]) -> None:
    user(home, 'data_dir = "$PLACE/data"\nmodel_dir = "~/models"\n')

    settings = load_settings(environ={**home, "PLACE": "/somewhere"})

    assert settings.data_dir == Path("/somewhere/data")
    assert settings.model_dir == Path("~/models").expanduser()


def test_a_data_directory_of_its_own_keeps_its_state_inside(home: dict[str, str]) -> None:
    settings = load_settings(environ={**home, "NOTEWELL_DATA_DIR": "/data"})

    assert settings.state_dir == Path("/data/state")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[serve]\nport = 1\n", "serve"),
        ("[server]\nprot = 1\n", "server.prot"),
        ('[server]\nport = "many"\n', "server.port"),
        ("server = 3\n", "server"),
        ('[model]\nquantisation = "int4"\n', "model.quantisation"),
        ("[server\n", "TOML"),
    ],
)
def test_an_unknown_or_invalid_key_is_named(home: dict[str, str], text: str, named: str) -> None:
    user(home, text)

    with pytest.raises(ConfigError) as caught:
        load_settings(environ=home)

    assert named in caught.value.message


def test_an_unknown_variable_is_named(home: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="NOTEWELL_SERVER_PROT"):
        load_settings(environ={**home, "NOTEWELL_SERVER_PROT": "1"})


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_settings(environ={"NOTEWELL_CONFIG": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    "text", ['[server]\nhost = "0.0.0.0"\n', 'data_dir = "/x"\n', '[model]\nfolder = "/x"\n']
)
def test_a_vault_cannot_say_what_is_this_machines(
    home: dict[str, str], tmp_path: Path, text: str
) -> None:
    (tmp_path / ".notewell.toml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match="cannot be set in a vault"):
        load_settings(environ=home, vault=tmp_path)


def test_a_vault_may_say_where_its_index_lives(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ".notewell.toml").write_text('index_dir = "../index"\n', encoding="utf-8")

    settings = load_settings(environ=home, vault=tmp_path)

    assert settings.index_dir == tmp_path / "../index"


def test_every_setting_has_a_key() -> None:
    assert "server.port" in known_keys()
    assert "chunking.max_tokens" in known_keys()
    assert "index_dir" in known_keys()


def test_the_user_file_is_where_the_variable_says(tmp_path: Path) -> None:
    assert user_file({"NOTEWELL_CONFIG": str(tmp_path / "a.toml")}) == tmp_path / "a.toml"


def test_types_of_notes_are_a_list(tmp_path: Path) -> None:
    environ = {"NOTEWELL_VAULT_TYPES": ".md, .canvas", "NOTEWELL_DATA_DIR": str(tmp_path)}

    assert load_settings(environ=environ).vault.types == (".md", ".canvas")
    assert load_settings(environ={}).vault.types == (".md",)
