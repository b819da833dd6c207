"""Which notes are excluded, by which rule, and that an invalid rule never stops the walk."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from notewell.base.types import VaultRules
from notewell.vault.paths import load_rules


def vault_with_filters(root: Path, filters: object) -> Path:
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "app.json").write_text(
        json.dumps({"userIgnoreFilters": filters}), encoding="utf-8"
    )
    return root


def test_obsidians_excluded_files_are_prefixes_and_patterns(tmp_path: Path) -> None:
    root = vault_with_filters(tmp_path, ["Templates/", r"/\d{4}-draft/", "Private"])
    rules = load_rules(root, VaultRules())
    assert rules.warnings == ()
    assert rules.decide("Templates/Daily.md") is not None
    assert rules.decide("Private notes.md") is not None
    decision = rules.decide("log/2024-draft.md")
    assert decision is not None
    assert decision[0] == "user_ignore"
    assert rules.decide("My Templates/Daily.md") is None


@pytest.mark.parametrize(
    ("include", "exclude", "path", "rule"),
    [
        ((), ("Archive/",), "Archive/old.md", "exclude"),
        ((), ("Archive/",), "Work/Archive/old.md", "exclude"),
        ((), ("/Archive/",), "Work/Archive/old.md", None),
        ((), ("*.draft.md", "!keep.draft.md"), "x.draft.md", "exclude"),
        ((), ("*.draft.md", "!keep.draft.md"), "keep.draft.md", None),
        ((), ("a/**/z.md",), "a/b/c/z.md", "exclude"),
        (("Notes/",), (), "Notes/a.md", None),
        (("Notes/",), (), "Other/a.md", "include"),
        (("Notes/",), ("Notes/secret.md",), "Notes/secret.md", "exclude"),
    ],
)
def test_globs_are_gitignore_style_and_exclude_wins(
    tmp_path: Path, include: tuple[str, ...], exclude: tuple[str, ...], path: str, rule: str | None
) -> None:
    decision = load_rules(tmp_path, VaultRules(include=include, exclude=exclude)).decide(path)
    assert (decision[0] if decision else None) == rule


def test_settings_that_are_being_written_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault_with_filters(tmp_path, ["Secret/"])
    settings = tmp_path / ".obsidian" / "app.json"
    whole = settings.read_text(encoding="utf-8")
    settings.write_text(whole[:20], encoding="utf-8")
    monkeypatch.setattr(time, "sleep", lambda _: settings.write_text(whole, encoding="utf-8"))

    rules = load_rules(tmp_path, VaultRules())

    assert rules.warnings == ()
    assert rules.decide("Secret/Diary.md") is not None


@pytest.mark.parametrize("content", ["{", "[]", '{"userIgnoreFilters": 3}', "\ufeff{}", "[" * 9999])
def test_broken_settings_are_a_warning_at_most(tmp_path: Path, content: str) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "app.json").write_text(content, encoding="utf-8")
    rules = load_rules(tmp_path, VaultRules())
    assert rules.decide("a.md") is None
    assert all("app.json" in warning for warning in rules.warnings)


@pytest.mark.parametrize(
    "pattern",
    ["/(/", "/(a+)+$/", "/((a*)b?)*c/", "/(a|a)*$/", "/(a|b+){2,}/", "/.*.*.*.*x/", "/(?<n>a)(/"],
)
def test_the_warning_about_an_unsafe_pattern_names_it(tmp_path: Path, pattern: str) -> None:
    rules = load_rules(vault_with_filters(tmp_path, [pattern]), VaultRules())
    assert rules.patterns == ()
    assert pattern in rules.warnings[0]


def test_safe_patterns_are_kept(tmp_path: Path) -> None:
    patterns = [r"/^Daily\/\d+-\d+/", "/(draft|wip)/", "/[(]x+[)]/", r"/a\)+/"]
    rules = load_rules(vault_with_filters(tmp_path, patterns), VaultRules())
    assert rules.warnings == ()
    assert len(rules.patterns) == len(patterns)


def test_the_warning_about_a_bad_glob_names_it_and_others_apply(tmp_path: Path) -> None:
    rules = load_rules(tmp_path, VaultRules(exclude=("!", "Archive/")))
    assert rules.decide("Archive/a.md") is not None
    assert rules.decide("a.md") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_in_the_place_of_obsidians_settings_holds_nothing_up(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    os.mkfifo(tmp_path / ".obsidian" / "app.json")
    rules = load_rules(tmp_path, VaultRules())
    assert rules.decide("a.md") is None
    assert "not a plain file" in rules.warnings[0]


@pytest.mark.parametrize("filters", [["/" + "(" * 2_000 + ")" * 2_000 + "/"], ["a" * 2_000]])
def test_filters_that_take_long_to_compile_are_left_out_with_a_warning(
    tmp_path: Path, filters: list[str]
) -> None:
    rules = load_rules(vault_with_filters(tmp_path, [*filters, "Secret/"]), VaultRules())
    assert rules.warnings
    assert rules.decide("Secret/a.md") is not None
    assert rules.decide("a.md") is None


def test_groups_are_bounded(tmp_path: Path) -> None:
    pattern = "/" + "(" * 51 + "x" + ")" * 51 + "/"
    rules = load_rules(vault_with_filters(tmp_path, [pattern]), VaultRules())
    assert "more than 50 groups" in rules.warnings[0]
