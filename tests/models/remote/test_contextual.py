"""Contextual embeddings: notes as lists, in rounds of segments, within the documented limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.base.types import ModelRules
from notewell.models.remote.client import rounds
from notewell.models.remote.embedder import RemoteEmbedder
from notewell.models.remote.model import remote_model
from notewell.models.remote.services import Limits, service_named
from tests.models.remote.fakes import DIMENSIONS, KEY, FakeService, running
from tests.models.remote.test_families import RETRY, unit

SMALL = Limits(texts=16, tokens=350, text_tokens=100, documents=3, document_tokens=150, parallel=1)


@pytest.fixture
def voyage() -> Iterator[FakeService]:
    with running(FakeService("voyage")) as service:
        yield service


def open_at(service: FakeService) -> RemoteEmbedder:
    rules = ModelRules(name="voyage-context-4", provider="voyage", base_url=service.url)
    model = remote_model(rules, {"NOTEWELL_MODEL_KEY": KEY})
    endpoint = replace(model.endpoint, retry=RETRY)
    return RemoteEmbedder(replace(model, endpoint=endpoint, limits=SMALL), DIMENSIONS)


def test_the_limits_of_the_service_leave_a_margin() -> None:
    service = service_named("voyage")
    assert service is not None
    assert service.contextual is not None
    limits = service.contextual
    assert (limits.document_tokens, limits.tokens, limits.documents) == (31_040, 110_400, 1_000)


def test_passages_of_a_note_are_sent_together_and_come_back_in_order(voyage: FakeService) -> None:
    texts = [f"passage {n} of one of the notes" for n in range(12)]
    notes = [f"{n // 4}.md" for n in range(12)]
    embedder = open_at(voyage)
    found = np.zeros((12, DIMENSIONS))
    for piece in embedder.embed_pieces(texts, notes):
        found[list(piece.rows)] = piece.vectors

    assert found == pytest.approx(np.array([unit(text) for text in texts]), abs=1e-6)
    assert [len(document) for document in voyage.bodies[0]["inputs"]] == [4, 4, 4]
    assert voyage.bodies[0]["input_type"] == "document"
    embedder.embed_query("bread")
    assert (voyage.bodies[-1]["inputs"], voyage.bodies[-1]["input_type"]) == ([["bread"]], "query")
    embedder.close()


def test_a_note_that_comes_back_incomplete_is_left_out_and_the_others_are_kept(
    voyage: FakeService,
) -> None:
    voyage.wrong_counts = {"second a"}
    texts = ["first a", "first b", "second a", "second b", "third a"]
    embedder = open_at(voyage)
    pieces = list(embedder.embed_pieces(texts, [text.split()[0] for text in texts]))
    embedder.close()

    finite = {row for piece in pieces for row in piece.rows if np.isfinite(piece.vectors).all()}
    assert finite == {0, 1, 4}


def test_a_note_that_is_too_long_is_halved(voyage: FakeService) -> None:
    voyage.document_tokens = 20
    texts = [f"passage {n} of one note" for n in range(8)]
    embedder = open_at(voyage)
    found = list(embedder.embed_pieces(texts, ["a.md"] * 8))
    embedder.close()

    assert sorted(row for piece in found for row in piece.rows) == list(range(8))
    assert all(np.isfinite(piece.vectors).all() for piece in found)
    assert set(voyage.answered.values()) == {1}


@given(st.lists(st.lists(st.integers(1, 149), min_size=1, max_size=12), max_size=12))
def test_rounds_keep_all_limits_and_lose_nothing(notes: list[list[int]]) -> None:
    costs = [cost for note in notes for cost in note]
    starts = np.cumsum([0, *map(len, notes)])
    documents = [list(range(starts[n], starts[n + 1])) for n in range(len(notes))]
    requests = rounds(documents, costs, SMALL)

    sent = [row for request in requests for document in request for row in document]
    assert sorted(sent) == list(range(len(costs)))
    note_of = {row: n for n, rows in enumerate(documents) for row in rows}
    for request in requests:
        assert len(request) <= SMALL.documents
        assert sum(map(len, request)) <= SMALL.texts
        assert sum(costs[row] for document in request for row in document) <= SMALL.tokens
        assert len({note_of[document[0]] for document in request}) == len(request)
        for document in request:
            assert sum(costs[row] for row in document) <= SMALL.document_tokens
            assert document == sorted(document)
