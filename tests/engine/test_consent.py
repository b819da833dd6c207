"""Notes are sent to a service once a person allows its host, at once, and no longer than that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from notewell.base.types import Embedder, ModelRules, VaultRecord
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.features import FEATURES
from notewell.models.remote.model import require_consent
from tests.search.library import HashedWords
from tests.vaults import settings_in
from tests.waiting import until

HOST = "models.example"
RULES = ModelRules(name="some", provider="openai", base_url=f"https://{HOST}/v1")


def load(
    rules: ModelRules,
    *,
    model_dir: Path,
    offline: bool,
    fetch_missing: bool,
    say: Callable[[str], None],
) -> Embedder:
    require_consent(rules, offline=offline)
    return HashedWords()


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Bees.md").write_text("Bees dance in spring.", encoding="utf-8")
    settings = settings_in(tmp_path, offline=False, model=RULES)
    record = VaultRecord("v1", "vault", vault)
    engine = Engine.open(
        record, tmp_path / "index", settings, writable=True, load_model=load, features=FEATURES
    )
    yield engine
    engine.close()


def test_the_cost_is_told_while_nobody_has_allowed_the_service(engine: Engine) -> None:
    engine.index_now()

    cost = engine.suggestions.waiting_service()

    assert cost is not None
    assert (cost.host, cost.allowed, cost.passages, cost.dollars) == (HOST, False, 1, None)
    assert cost.tokens > 0
    assert f"is sent to {HOST}" in cost.sent
    engine.use_consent((HOST,))
    assert engine.suggestions.waiting_service() is None


def test_a_server_embeds_as_soon_as_it_is_allowed_and_stops_when_it_is_forbidden(
    engine: Engine,
) -> None:
    engine.start()
    until(lambda: not engine.busy and engine.status().semantic == "unavailable")
    assert HOST in (engine.status().semantic_reason or "")

    engine.use_consent((HOST,))
    until(lambda: engine.status().semantic == "ready")
    assert engine.status().vectors == 1

    engine.use_consent(())
    until(lambda: not engine.busy and engine.status().semantic == "unavailable")
    found = engine.search(SearchRequest("bees", weak=True))
    assert found.warnings
    assert [result.path for result in found.results] == ["Bees.md"]


def test_a_run_in_this_process_goes_on_after_the_answer(engine: Engine) -> None:
    assert engine.index_now().embedded == 0
    engine.use_consent((HOST,))
    assert engine.index_now().embedded == 1
