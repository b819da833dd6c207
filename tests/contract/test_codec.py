"""Replies as JSON."""

from __future__ import annotations

import json
from types import MappingProxyType

import pytest

from notewell.base.errors import ServerError
from notewell.contract.codec import from_json, to_json
from notewell.contract.search import Corrected, Explain, Fusion, SearchReply
from notewell.contract.server import HealthReply
from notewell.contract.status import LedgerReply, LedgerRow, QueueStatus


def reply(**changes: object) -> SearchReply:
    values = {
        "query": "q",
        "vault": "Home",
        "mode": "hybrid",
        "fusion": Fusion("rrf", MappingProxyType({"k": 60.0})),
        "expanded": (),
        "filtered": {},
        "generation": 1,
        "took_ms": 0.1,
        "total": 0,
        "confidence": None,
        "results": (),
        "warnings": (),
    }
    return SearchReply(**(values | changes))


def test_fields_keep_the_order_of_the_record() -> None:
    encoded = json.loads(to_json(QueueStatus()))

    assert list(encoded) == ["pending", "current", "done", "failed", "paused", "eta_s"]


def test_none_is_null_but_parts_not_requested_are_absent() -> None:
    encoded = json.loads(to_json(reply()))

    assert encoded["confidence"] is None
    assert "explain" not in encoded
    asked = json.loads(to_json(reply(explain=Explain({}, ()))))
    assert asked["explain"] == {"query": {}, "stages": [], "results": []}


def test_a_corrected_query_is_read_back_as_it_was_written() -> None:
    corrected: Corrected = {"text": "bee hive", "from": ("hvie",)}
    written = to_json(reply(corrected=corrected))

    assert json.loads(written)["corrected"] == {"text": "bee hive", "from": ["hvie"]}
    assert from_json(SearchReply, written).corrected == corrected


def test_read_only_mappings_are_objects() -> None:
    assert json.loads(to_json(reply()))["fusion"] == {"method": "rrf", "params": {"k": 60.0}}


def test_a_lone_surrogate_in_a_property_does_not_lose_the_reply() -> None:
    broken = reply(query="\ud800", explain=Explain(MappingProxyType({"a": ("\udc00",)}), ()))

    encoded = json.loads(to_json(broken))

    assert encoded["query"] == "\ud800"
    assert encoded["explain"]["query"]["a"] == ["\udc00"]


def test_other_scripts_are_sent_as_utf_8() -> None:
    assert "漢字 🐝".encode() in to_json(reply(query="漢字 🐝"))


def test_a_value_without_json_form_is_a_programming_error() -> None:
    with pytest.raises(TypeError):
        to_json({"when": object()})


def test_plain_records_are_encoded_completely() -> None:
    health = HealthReply("ok", "1.0", 1, ("search",))

    assert json.loads(to_json(health)) == {
        "status": "ok",
        "version": "1.0",
        "api": 1,
        "features": ["search"],
        "auth": "token",
    }


def test_a_reply_of_many_rows_can_be_decoded() -> None:
    row = LedgerRow("Bees.md", "indexed", None, None, ("w",), 0, 12, None, "2026-03-01")
    ledger = LedgerReply("Home", 2, {"indexed": 2}, (row, row))

    assert from_json(LedgerReply, to_json(ledger)) == ledger


@pytest.mark.parametrize(
    "document",
    [
        b"[]",
        b"not JSON",
        b'{"vault": "Home"}',
        b'{"vault": 1, "total": 0, "counts": {}, "entries": []}',
        b'{"vault": "Home", "total": "0", "counts": {}, "entries": []}',
        b'{"vault": "Home", "total": 0, "counts": [], "entries": []}',
        b'{"vault": "Home", "total": 0, "counts": {}, "entries": 5}',
        b'{"vault": "Home", "total": 0, "counts": {}, "entries": [{"path": "Bees.md"}]}',
    ],
)
def test_a_document_of_another_kind_is_refused(document: bytes) -> None:
    with pytest.raises(ServerError, match="LedgerReply of this version"):
        from_json(LedgerReply, document)


def test_a_field_that_the_record_lacks_is_ignored_and_a_whole_number_may_be_a_fraction() -> None:
    status = from_json(QueueStatus, b'{"pending": 3, "eta_s": 2, "new": true}')

    assert status == QueueStatus(pending=3, eta_s=2.0)
    assert isinstance(status.eta_s, float)
