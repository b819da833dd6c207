"""Configuration: which layer overrides which, and errors that name the setting."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from notewell.base.config import known_keys, load_settings, user_file
from notewell.base.errors import ConfigError
from notewell.base.types import NOTE_TYPES, Settings
from notewell.engine.configuration import Configuration


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """An environment whose per-user file is the test's own."""
    file = tmp_path / "user.toml"
    file.write_text("", encoding="utf-8")
    return {"NOTEWELL_CONFIG": str(file)}


def user(home: Mapping[str, str], text: str) -> None:
    Path(home["NOTEWELL_CONFIG"]).write_text(text, encoding="utf-8")


def test_defaults_apply_without_other_settings(home: dict[str, str]) -> None:
    settings = load_settings(environ=home)

    assert settings.server.host == "127.0.0.1"
    assert settings.server.port == 8765
    assert settings.model.name == "all-MiniLM-L6-v2"
    assert settings.index_dir is None


def test_each_layer_overrides_the_one_before(home: dict[str, str], tmp_path: Path) -> None:
    user(home, '[model]\nname = "from-user"\n[chunking]\nmax_tokens = 100\n')
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / ".notewell.toml").write_text(
        '[model]\nname = "all-mpnet-base-v2"\n[vault]\nexclude = ["Archive/**"]\n', encoding="utf-8"
    )

    def names(environ: Mapping[str, str], **flags: object) -> Settings:
        return load_settings(environ={**home, **environ}, flags=flags, vault=vault)

    assert load_settings(environ=home).model.name == "from-user"
    assert names({}).model.name == "all-mpnet-base-v2"
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


def test_a_configured_data_directory_contains_the_state(home: dict[str, str]) -> None:
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
        ("[serch]\nx = 1", "known: search."),
        ("[zzz]\nx = 1", "`notewell config show --all` lists all"),
    ],
)
def test_the_error_about_an_unknown_or_invalid_key_names_it(
    home: dict[str, str], text: str, named: str
) -> None:
    user(home, text)

    with pytest.raises(ConfigError) as caught:
        load_settings(environ=home)

    assert named in caught.value.message


def test_the_error_about_an_unknown_variable_names_it(home: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="NOTEWELL_SERVER_PROT"):
        load_settings(environ={**home, "NOTEWELL_SERVER_PROT": "1"})


def test_a_named_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_settings(environ={"NOTEWELL_CONFIG": str(tmp_path / "none.toml")})


@pytest.mark.parametrize(
    "text", ['[server]\nhost = "0.0.0.0"\n', 'data_dir = "/x"\n', '[model]\nfolder = "/x"\n']
)
def test_a_vaults_file_cannot_set_machine_settings(
    home: dict[str, str], tmp_path: Path, text: str
) -> None:
    (tmp_path / ".notewell.toml").write_text(text, encoding="utf-8")

    with pytest.raises(ConfigError, match="cannot be set in a vault"):
        load_settings(environ=home, vault=tmp_path)


def test_a_vaults_file_can_set_the_index_folder(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / ".notewell.toml").write_text('index_dir = "fast/one"\n', encoding="utf-8")

    settings = load_settings(environ=home, vault=tmp_path)

    assert settings.index_dir == settings.data_dir / "indexes/fast/one"


@pytest.mark.parametrize(
    "place", ["/x", "../index", "a/../../b", "~/x", "$HOME", ".", "", "a//b", "C:/x", "..\\\\x"]
)
def test_a_vaults_file_cannot_lead_its_index_out_of_the_data_directory(
    home: dict[str, str], tmp_path: Path, place: str
) -> None:
    (tmp_path / ".notewell.toml").write_text(f'index_dir = "{place}"\n', encoding="utf-8")

    with pytest.raises(ConfigError, match="inside the data directory"):
        load_settings(environ=home, vault=tmp_path)


def test_every_setting_has_a_key() -> None:
    assert "server.port" in known_keys()
    assert "chunking.max_tokens" in known_keys()
    assert "index_dir" in known_keys()


def test_the_variable_sets_the_path_of_the_user_file(tmp_path: Path) -> None:
    assert user_file({"NOTEWELL_CONFIG": str(tmp_path / "a.toml")}) == tmp_path / "a.toml"


def test_types_of_notes_are_a_list(tmp_path: Path) -> None:
    environ = {"NOTEWELL_VAULT_TYPES": ".md, .canvas", "NOTEWELL_DATA_DIR": str(tmp_path)}

    assert load_settings(environ=environ).vault.types == (".md", ".canvas")
    assert load_settings(environ={}).vault.types == NOTE_TYPES


def test_weights_of_fields_are_numbers_by_known_names(home: dict[str, str]) -> None:
    user(home, '[search]\nfield_preset = "copilot"\n[search.field_weights]\ntitle = 2\n')
    rules = load_settings(environ=home).search
    assert (rules.field_preset, dict(rules.field_weights)) == ("copilot", {"title": 2.0})
    user(home, "[search.field_weights]\nheadline = 2\n")
    with pytest.raises(ConfigError, match="field_weights"):
        load_settings(environ=home)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("offline = " + "1" * 5000, "not valid TOML"),
        ("offline = " + "[" * 5000, "nested too deeply"),
        ('data_dir = "~nobody-of-this-name/x"', "'data_dir' is invalid.*write the whole path"),
        ('model.folder = "~nobody-of-this-name"', "'model.folder' is invalid"),
        ('data_dir = "a\\u0000b"', "'data_dir' is invalid.*NUL"),
    ],
)
def test_what_python_cannot_read_is_an_error_about_the_file(
    home: dict[str, str], text: str, told: str
) -> None:
    user(home, text)
    with pytest.raises(ConfigError, match=told):
        load_settings(environ=home)


def test_the_variable_may_not_name_the_home_of_nobody() -> None:
    with pytest.raises(ConfigError, match=r"NOTEWELL_CONFIG.*write the whole path"):
        user_file({"NOTEWELL_CONFIG": "~nobody-of-this-name/config.toml"})


@pytest.mark.parametrize("text", ["log = 1\n", "[[log]]\nlevel = 'info'\n", "a = " + "[" * 5000])
def test_a_file_that_cannot_be_changed_is_an_error_and_stays(
    home: dict[str, str], tmp_path: Path, text: str
) -> None:
    user(home, text)
    before = user_file(home).read_bytes()
    with pytest.raises(ConfigError):
        Configuration(home).change({"log.level": None}, tmp_path)
    assert user_file(home).read_bytes() == before


def test_a_section_within_a_section(home: dict[str, str]) -> None:
    user(home, "[search.gars]\ndecay = 0.25\n")

    gars = load_settings(environ={**home, "NOTEWELL_SEARCH_GARS_MODE": "ontology"}).search.gars

    assert (gars.decay, gars.mode, gars.similarity) == (0.25, "ontology", 0.6)
