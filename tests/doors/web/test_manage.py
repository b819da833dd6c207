"""The routes for managing a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from notewell.base.errors import WriteError
from notewell.base.types import ServerRules
from notewell.engine.access import Devices
from notewell.engine.configuration import Configuration
from tests.doors.web.fakes import Client, Connect, FakeEngine


async def test_a_caller_is_told_what_it_may_do(connect: Connect, tmp_path: Path) -> None:
    client = await connect(state_dir=tmp_path)
    phone = {"Authorization": f"Bearer {Devices(tmp_path).add('phone', 'read')}"}

    mine = await (await client.get("/api/session")).json()
    of_phone = await (await client.get("/api/session", headers=phone)).json()

    assert mine == {"name": "this computer", "scope": "admin"}
    assert of_phone == {"name": "phone", "scope": "read"}


async def test_the_models_say_which_is_used_and_which_is_here(client: Client) -> None:
    reply = await (await client.get("/api/models")).json()

    assert reply["configured"] == "all-MiniLM-L6-v2"
    assert reply["answering"] is None
    assert [m["name"] for m in reply["models"] if m["configured"]] == ["all-MiniLM-L6-v2"]
    assert not any(model["present"] for model in reply["models"])


async def test_the_figures_are_asked_for_with_a_limit(client: Client, engine: FakeEngine) -> None:
    reply = await (await client.get("/api/stats?limit=7")).json()

    assert engine.asked == [7]
    assert reply["types"][0] == {"name": None, "notes": 7}


async def test_the_phone_index_is_switched_with_its_setting(
    client: Client, engine: FakeEngine, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    assert (await (await client.get("/api/phone-index")).json())["on"] is False

    reply = await (await client.post("/api/phone-index", json={"on": True})).json()
    assert (reply["on"], reply["bytes"]) == (True, 500)
    assert engine.record.id in file.read_text(encoding="utf-8")

    await client.post("/api/phone-index", json={"on": False})
    assert engine.record.id not in file.read_text(encoding="utf-8")

    engine.features.phone.fails = WriteError("The disk is full.")
    failed = await client.post("/api/phone-index", json={"on": True})
    assert (failed.status, (await failed.json())["detail"]) == (503, "The disk is full.")
    assert engine.record.id not in file.read_text(encoding="utf-8"), "the setting is as it was"


# --- the configuration --------------------------------------------------------------------------


async def by_key(client: Client, query: str = "") -> dict[str, dict[str, object]]:
    reply = await (await client.get(f"/api/config{query}")).json()
    return {setting["key"]: setting for setting in reply["settings"]}


async def test_each_setting_says_who_set_it_and_whether_it_may_be_changed(client: Client) -> None:
    settings = await by_key(client)

    assert settings["search.passages"] == {
        "key": "search.passages",
        "value": 4,
        "running": 3,
        "default": 3,
        "source": "user",
        "writable": True,
        "reason": None,
    }
    assert (settings["log.level"]["source"], settings["log.level"]["writable"]) == (
        "environment",
        False,
    )
    assert "environment" in str(settings["log.level"]["reason"])
    assert settings["vault.exclude"]["source"] == "default"


async def test_a_section_may_be_asked_for_alone(client: Client) -> None:
    settings = await by_key(client, "?section=search")

    assert settings
    assert all(key.startswith("search.") for key in settings)


async def test_a_changed_setting_is_stored_and_waits_for_a_restart(
    client: Client, settings_file: Configuration
) -> None:
    changes = {"search.snippet_chars": 300, "vault.exclude": ["Private/**"], "log.queries": False}

    response = await client.patch("/api/config", json={"changes": changes})

    assert (response.status, (await response.json())["restart"]) == (200, True)
    text = settings_file.file.read_text()
    assert "# mine" in text
    assert "passages = 4  # not too many" in text
    settings = await by_key(client)
    assert settings["search.snippet_chars"]["value"] == 300
    assert settings["vault.exclude"]["value"] == ["Private/**"]
    assert settings["log.queries"]["value"] is False


async def test_a_changed_setting_of_searches_needs_no_restart(client: Client) -> None:
    response = await client.patch("/api/config", json={"changes": {"search.passages": 6}})

    (changed,) = (await response.json())["settings"]
    assert (changed["value"], changed["running"]) == (6, 6)
    assert (await (await client.get("/api/config?section=search")).json())["restart"] is False


async def test_null_takes_a_setting_out_of_the_file(
    client: Client, settings_file: Configuration
) -> None:
    changes = {"search.passages": None, "vault.include": None}

    assert (await client.patch("/api/config", json={"changes": changes})).status == 200

    assert "passages" not in settings_file.file.read_text()
    assert (await by_key(client))["search.passages"]["source"] == "default"


@pytest.mark.parametrize(
    "changes",
    [
        {"server.host": "0.0.0.0"},
        {"server.allowed_hosts": ["evil.example"]},
        {"limits.guesses": 0},
        {"memory.folder": "Anywhere"},
        {"data_dir": "/tmp"},
        {"model.folder": "/etc"},
        {"offline": False},
        {"search": 1},
        {"search.unheard": 1},
        {"search.passages": "many"},
        {"search.passages": 5, "model.quantisation": "int3"},
        {"log.level": "loudest"},
        {"search.passages.more": 1},
        {"vault.exclude": 'a"]\n[server]\nhost = "0.0.0.0"\n#'},
    ],
    ids=repr,
)
async def test_what_is_not_safe_or_not_valid_changes_nothing(
    client: Client, settings_file: Configuration, changes: dict[str, object]
) -> None:
    before = settings_file.file.read_text()

    response = await client.patch("/api/config", json={"changes": changes})

    if "vault.exclude" in changes:  # a string is a list written on one line, and stays a string
        assert (await by_key(client))["server.host"]["source"] == "default"
        return
    assert response.status == 400
    assert (await response.json(content_type=None))["code"] in {"bad_config", "bad_request"}
    assert settings_file.file.read_text() == before


async def test_a_device_that_may_write_notes_may_not_configure_the_server(
    connect: Connect, tmp_path: Path, settings_file: Configuration
) -> None:
    before = settings_file.file.read_text()
    token = Devices(tmp_path).add("laptop", "write")
    client = await connect(token=token, state_dir=tmp_path)

    response = await client.patch("/api/config", json={"changes": {"search.passages": 5}})

    assert response.status == 403
    assert settings_file.file.read_text() == before


async def test_a_setting_of_a_section_within_a_section_is_changed_alone(
    client: Client, settings_file: Configuration
) -> None:
    changes = {"search.gars.decay": 0.25}
    assert (await client.patch("/api/config", json={"changes": changes})).status == 200

    assert "[search.gars]\ndecay = 0.25" in settings_file.file.read_text()
    changed = (await by_key(client))["search.gars.decay"]
    assert (changed["value"], changed["running"], changed["source"]) == (0.25, 0.25, "user")
    changes = {"search.gars.decay": 2.0}
    assert (await client.patch("/api/config", json={"changes": changes})).status == 400
    removed = {"search.gars.decay": None}
    assert (await client.patch("/api/config", json={"changes": removed})).status == 200
    assert (await by_key(client))["search.gars.decay"]["source"] == "default"


async def test_the_checks_of_the_gardener_are_changed_and_hold_at_once(
    client: Client, settings_file: Configuration
) -> None:
    changes = {"garden.checks": ["broken_links"]}
    assert (await client.patch("/api/config", json={"changes": changes})).status == 200
    assert 'checks = ["broken_links"]' in settings_file.file.read_text()
    changed = (await by_key(client))["garden.checks"]
    assert (changed["value"], changed["writable"]) == (["broken_links"], True)


# --- what is confirmed at the server's computer --------------------------------------------------

FOLDER = {"changes": {"memory.folder": "Memory"}, "confirmed": True}


async def test_what_this_computer_decides_is_changed_there_once_confirmed(
    client: Client, settings_file: Configuration
) -> None:
    asked = await (await client.get("/api/config?section=memory")).json()
    assert asked["confirmable"] == ["memory.folder"]
    assert asked["settings"][0]["writable"] is False

    unconfirmed = await client.patch("/api/config", json={**FOLDER, "confirmed": False})
    changed = await client.patch("/api/config", json=FOLDER)

    assert (unconfirmed.status, changed.status) == (400, 200)
    (setting,) = (await changed.json())["settings"]
    assert (setting["value"], setting["running"]) == ("Memory", "Memory"), "without a restart"
    assert 'folder = "Memory"' in settings_file.file.read_text()


async def test_what_could_open_the_computer_is_not_confirmed_anywhere(client: Client) -> None:
    for key, value in {"server.host": "0.0.0.0", "model.base_url": "https://a.example"}.items():
        changes = {"changes": {key: value}, "confirmed": True}
        assert (await client.patch("/api/config", json=changes)).status == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "10.0.0.9"},
        {"Forwarded": "for=10.0.0.9"},
        {"Host": "notes.example.ts.net"},
    ],
    ids=repr,
)
async def test_a_confirmation_that_was_passed_on_counts_for_nothing(
    connect: Connect, tmp_path: Path, headers: dict[str, str]
) -> None:
    rules = ServerRules(allowed_hosts=("notes.example.ts.net",))
    client = await connect(state_dir=tmp_path, rules=rules)

    asked = await (await client.get("/api/config", headers=headers)).json()
    answer = await client.patch("/api/config", json=FOLDER, headers=headers)

    assert (answer.status, asked["confirmable"]) == (400, [])


async def test_a_device_that_may_administer_confirms_nothing(
    connect: Connect, tmp_path: Path
) -> None:
    client = await connect(state_dir=tmp_path)
    other = {"Authorization": f"Bearer {Devices(tmp_path).add('laptop', 'admin')}"}

    assert (await client.patch("/api/config", json=FOLDER, headers=other)).status == 400


async def test_each_setting_says_what_it_takes(client: Client) -> None:
    types = (await (await client.get("/api/config")).json())["types"]

    assert types["log.queries"] == {"kind": "switch", "words": []}
    assert types["log.level"]["kind"] == "choice"
    assert "debug" in types["log.level"]["words"]
    assert types["search.passages"]["kind"] == "number"
    assert types["vault.exclude"]["kind"] == "list"
    assert types["search.folder_weights"]["kind"] == "table"
    assert (types["memory.folder"]["kind"], types["model.folder"]["kind"]) == ("folder", "text")
    assert set(types) == set(await by_key(client))
