"""The query table of a vault: fitted in the background, used while typing, made again if damaged."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import filelock
import numpy as np
import pytest

from notewell.base.types import FloatArray
from notewell.contract.search import SearchRequest
from notewell.engine.engine import Engine
from notewell.engine.feature import OpenVault
from notewell.features.query_table import QUERY_TABLE, service
from notewell.features.query_table.fit import Check, Fitted, Lessons, fit
from notewell.features.query_table.service import TableWork
from notewell.models.onnx_embedder import OnnxEmbedder
from notewell.models.query_table import QueryTable
from notewell.models.query_table_file import NAME, TableFile
from notewell.search import context
from tests.vaults import indexed, tiny_rules
from tests.waiting import until

WORDS = ["bee", "hive", "honey", "garden", "roof", "sun", "bread", "flour", "water", "oven", "snow", "winter", "lake", "boat", "tyre", "oil", "bicycle"]  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = tmp_path_factory.mktemp("table")
    write(home / "vault", range(60))
    with indexed(home, model=tiny_rules(home)) as opened:
        yield opened


@pytest.fixture(autouse=True)
def slow_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "SLOW_S", -1.0)


@pytest.fixture(autouse=True)
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("_SPANS", 400), ("_INVENTED", 100), ("_REPLACED", 100), ("_HELD_OUT", 40)):
        monkeypatch.setattr(service, name, count)


def write(vault: Path, numbers: range) -> None:
    vault.mkdir(exist_ok=True)
    for number in numbers:
        words = random.Random(number).choices(WORDS, k=12)
        (vault / f"Note {number}.md").write_text(" ".join(words) + ".\n", encoding="utf-8")


def due(vault: OpenVault) -> int:
    """One look whether it is due, and the run to its end; the number of runs there were."""
    TableWork(vault).begin_due()
    until(lambda: not vault.runs.busy and all(run.ended for run in vault.runs.log.runs(1)))
    return len([run for run in vault.runs.log.runs() if run.kind == "table"])


def fitted(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> QueryTable:
    """The table of the vault, made if there is none."""
    vault = engine.vault
    monkeypatch.setattr(service, "_HOUR_S", 0.0)
    due(vault)
    table = vault.query_table(vault.index.vectors.model)
    assert table is not None
    return table


def test_it_is_fitted_once_and_says_how_well_it_agrees(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = fitted(engine, monkeypatch)
    vault = engine.vault

    assert table.head.model == str(vault.index.vectors.model)
    assert table.head.passages == vault.index.vectors.count
    assert 0.5 < table.head.agreement <= 1
    guess = table.guess("honey of the bee")
    embedder = vault.embedder()
    assert guess is not None
    assert embedder is not None
    assert guess.vector @ embedder.embed_query("honey of the bee") > 0.5
    assert due(vault) == due(vault)  # nothing has changed
    assert NAME in QUERY_TABLE.files
    run = next(run for run in vault.runs.log.runs() if run.kind == "table")
    assert (run.result, run.errors) == ("done", ())


def test_a_search_while_typing_runs_no_model(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted(engine, monkeypatch)
    asked: list[str] = []
    whole = OnnxEmbedder.embed_query
    monkeypatch.setattr(
        OnnxEmbedder, "embed_query", lambda self, text: asked.append(text) or whole(self, text)
    )

    typed = engine.search(SearchRequest("bee hive", typing=True, weak=True))
    assert not asked
    rested = engine.search(SearchRequest("bee hive", weak=True))

    assert asked == ["bee hive"]
    assert (typed.approximate, rested.approximate) == (True, False)
    assert typed.results[0].raw.cosine is not None


def test_a_fast_model_is_asked_at_every_key(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted(engine, monkeypatch)
    monkeypatch.setattr(context, "SLOW_S", 60.0)

    assert not engine.search(SearchRequest("bee hive", typing=True)).approximate


def test_a_model_is_slow_once_most_queries_have_been(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "SLOW_S", 0.008)
    pace = context.QueryPace()
    assert not pace.is_slow
    for seconds in (0.1, 0.1, 0.001, 0.0, 0.0, 0.0):  # vectors that it still had say nothing
        pace.add(seconds)
    assert pace.is_slow
    for _ in range(9):
        pace.add(0.001)
    assert not pace.is_slow


def test_words_that_it_does_not_know_have_no_meaning_while_typing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted(engine, monkeypatch)

    reply = engine.search(SearchRequest("Füße ☃", typing=True, weak=True))
    by_meaning = engine.search(SearchRequest("☃ ⚘ ⚒ ⚓", typing=True, weak=True, mode="semantic"))

    assert not reply.approximate
    assert all(result.raw.cosine is None for result in reply.results)
    assert by_meaning.results == ()


def test_a_damaged_table_is_ignored_and_made_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fitted(engine, monkeypatch)
    vault = engine.vault
    file = vault.folder / NAME
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 4
    file.write_bytes(bytes(raw))

    assert vault.query_table(vault.index.vectors.model) is None
    reply = engine.search(SearchRequest("bee hive", typing=True))
    assert not reply.approximate
    again = fitted(engine, monkeypatch)

    assert again.head.agreement == pytest.approx(whole.head.agreement, abs=0.1)


def test_another_model_s_table_is_not_used(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted(engine, monkeypatch)

    assert engine.vault.query_table(None) is None


def test_it_is_fitted_again_when_the_vault_grew_by_a_fifth(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fitted(engine, monkeypatch).head.passages
    write(engine.record.path, range(100, 105))
    engine.index_now()
    assert fitted(engine, monkeypatch).head.passages == before
    write(engine.record.path, range(200, 220))
    engine.index_now()

    assert fitted(engine, monkeypatch).head.passages > before * 1.2


def test_it_gives_way_while_it_works(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_HOUR_S", 0.0)
    (engine.vault.folder / NAME).unlink(missing_ok=True)
    pauses: list[None] = []
    due(replace(engine.vault, give_way=lambda: pauses.append(None)))

    assert len(pauses) > 20
    assert TableFile(engine.vault.folder).of(engine.vault.index.vectors.model) is not None


def test_vaults_are_fitted_one_after_the_other(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_HOUR_S", 0.0)
    vault = engine.vault
    (vault.folder / NAME).unlink(missing_ok=True)
    with filelock.FileLock(vault.settings().data_dir / "query-table.lock"):
        TableWork(vault).begin_due()
        run = next(run for run in vault.runs.log.runs() if run.kind == "table")
        assert run.ended is None
        assert vault.query_table(vault.index.vectors.model) is None
    until(lambda: vault.runs.log.run(run.id).ended is not None)

    assert vault.query_table(vault.index.vectors.model) is not None


def test_a_small_vault_has_none(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_LEAST_PASSAGES", 10_000)
    (engine.vault.folder / NAME).unlink(missing_ok=True)

    due(engine.vault)

    assert engine.vault.query_table(engine.vault.index.vectors.model) is None
    assert np.isfinite(engine.search(SearchRequest("bee", typing=True)).results[0].score)


def test_of_a_large_vocabulary_only_the_vault_s_tokens_are_fitted(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = [[f"▁{word}", -2.0] for word in WORDS] + [[f"▁other{n}", -9.0] for n in range(5000)]
    document = {
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *pieces]},
        "added_tokens": [{"content": "<unk>"}],
    }
    widths: list[int] = []

    def fitted_rows(lessons: Lessons, alone: FloatArray, check: Check) -> Fitted:
        widths.append(len(alone))
        return fit(lessons, alone, check)

    model = type(engine.vault.embedder())
    monkeypatch.setattr(model, "tokenizer_document", lambda _: json.dumps(document))
    monkeypatch.setattr(service, "fit", fitted_rows)
    file = engine.vault.folder / NAME
    kept = file.read_bytes() if file.exists() else None
    file.unlink(missing_ok=True)
    try:
        engine.vault.runs.now("table", "manual", TableWork(engine.vault).work)
        table = engine.vault.query_table(engine.vault.index.vectors.model)
        assert table is not None
        assert set(table.vocabulary.tokens) == {f"▁{word}" for word in WORDS}
        assert widths == [len(WORDS)]
    finally:
        file.unlink(missing_ok=True)
        if kept is not None:
            file.write_bytes(kept)
