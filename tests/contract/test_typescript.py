"""The TypeScript types that are generated from the contract's records."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from release.contract_types import declarations, main

from notewell.base.types import Settings
from notewell.contract.request import request_fields
from notewell.contract.search import SearchRequest
from notewell.engine.configuration import settings_by_key
from notewell.engine.feature import requests, sections
from notewell.features import FEATURES

UPDATE = "npm run contract"
TEXT = declarations()
PLUGIN = Path(__file__).parents[2] / "plugin"
COMMITTED = PLUGIN / "src" / "contract.ts"
WORDS = PLUGIN / "web" / "views" / "manage" / "settingWords.ts"


def interface(name: str) -> str:
    """The members of an interface, without their comments."""
    found = re.search(
        rf"export interface {name}(?: extends \w+)? {{\n(.*?)^}}", TEXT, re.DOTALL | re.MULTILINE
    )
    assert found is not None, name
    return re.sub(r"/\*\*.*?\*/\s*", "", found[1], flags=re.DOTALL)


def test_the_web_pages_have_words_for_every_setting(tmp_path: Path) -> None:
    of_features = {section.name: section.rules() for section in sections(FEATURES)}
    settings = Settings(
        data_dir=tmp_path, model_dir=tmp_path, state_dir=tmp_path, of_features=of_features
    )
    named = set(
        re.findall(r"""^  "?([a-z_.]+)"?: t\(""", WORDS.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert set(settings_by_key(settings)) - named == set()


def test_the_committed_file_is_up_to_date() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == TEXT, f"run {UPDATE}"


def test_the_check_reports_an_outdated_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contract.ts"

    assert main([str(file)]) == 0
    assert main(["--check", str(file)]) == 0
    file.write_text("export type Direction = string;\n")

    assert main(["--check", str(file)]) == 1
    assert "npm run contract" in capsys.readouterr().err


def test_every_route_is_listed_with_parameters_and_reply() -> None:
    routes = interface("Routes")

    assert routes.count("\n") == len(requests(FEATURES))
    assert (
        'readonly "GET /api/search": '
        "{ readonly parameters: SearchRequest; readonly reply: SearchReply };"
    ) in routes
    assert 'readonly "GET /metrics": { readonly parameters: Record<never, never>;' in routes


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("SearchRequest", "readonly q: string;"),
        ("SearchRequest", "readonly limit?: number;"),
        ("SearchRequest", "readonly mode?: SearchMode;"),
        ("SearchRequest", 'readonly expand?: boolean | "llm";'),  # no null in an address
        ("SearchRequest", "readonly ignore?: string;"),
        ("LogRequest", "readonly since?: string;"),
        ("ContextRequest", "readonly door?: string | null;"),
        ("ChangesRequest", "readonly changes: readonly Change[];"),
        ("Change", "readonly old_path?: string | null;"),
        ("SyncRequest", "readonly files: readonly (readonly [string, number, number])[];"),
        ("SearchReply", "readonly explain?: Explain;"),
        ("LoggedQuery", "readonly query_id: string;"),
        ("Result", "readonly highlights: readonly (readonly [number, number])[];"),
        ("Result", "readonly properties: Readonly<Record<string, PropertyValue>>;"),
        ("Result", "readonly linked: Direction | null;"),
        ("StatusReply", "readonly ledger: Readonly<Partial<Record<LedgerState, number>>>;"),
        ("AskEventReply", "readonly data: AskEventData;"),
        ("SettingView", "readonly value: SettingValue;"),
    ],
)
def test_a_field_has_its_type(name: str, member: str) -> None:
    assert f"  {member}\n" in interface(name)


def test_internal_fields_are_left_out() -> None:
    assert "hidden" not in interface("SearchRequest")


def test_a_field_is_described() -> None:
    about = {field.name: field.doc for field in request_fields(SearchRequest)}["explain"]

    assert f"  /** {about} */\n  readonly explain?: boolean;\n" in TEXT
