"""Valid requests, and those refused before they reach an engine."""

from __future__ import annotations

import io
import unicodedata
import zlib
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from aiohttp import ClientResponse
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from notewell.base.errors import OutsideVaultError, QueryTooLongError, UsageError
from notewell.contract.fields import note_path
from notewell.contract.search import SearchRequest
from notewell.doors.web.request_models import from_query, model_of
from tests.doors.web.fakes import Client, FakeEngine

SEARCH = model_of(SearchRequest)


async def refusal(response: ClientResponse) -> tuple[int, str, str]:
    problem = await response.json(content_type="application/problem+json")
    assert problem["status"] == response.status
    return response.status, problem["code"], problem["detail"]


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("q=x&limt=3", "`limt`"),
        ("q=x&limit=0", "`limit`"),
        ("q=x&limit=1001", "`limit`"),
        ("q=x&limit=ten", "`limit`"),
        ("q=x&limit=1e2", "`limit`"),
        ("q=x&limit=99999999999999999999999", "`limit`"),
        ("q=x&plain=1", "`plain`"),
        ("q=x&plain=True", "`plain`"),
        ("q=x&explain=yes", "`explain`"),
        ("q=x&mode=magic", "`mode`"),
        ("q=x&fusion=cold", "`fusion`"),
        ("q=x&alpha=1.5", "`alpha`"),
        ("q=x&alpha=nan", "`alpha`"),
        ("q=x&min_score=-1", "`min_score`"),
        ("q=x&min_score=inf", "`min_score`"),
        ("limit=3", "`q` is missing"),
        ("q=x&q=y", "`q` is given twice"),
    ],
)
async def test_what_cannot_be_right_is_refused_and_named(
    client: Client, engine: FakeEngine, query: str, named: str
) -> None:
    status, code, detail = await refusal(await client.get(f"/api/search?{query}"))

    assert (status, code) == (400, "bad_request")
    assert named in detail
    assert engine.asked == []


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("q=x", ()),
        ("q=x&paths=", ()),
        ("q=x&paths=Work", ("Work",)),
        ("q=x&paths=Work/&paths=Garden.md", ("Work", "Garden.md")),
    ],
)
async def test_a_list_is_given_by_a_parameter_several_times(
    client: Client, engine: FakeEngine, query: str, paths: tuple[str, ...]
) -> None:
    assert (await client.get(f"/api/search?{query}")).status == 200
    (asked,) = engine.asked
    assert tuple(path.rstrip("/") for path in asked.paths) == paths


async def test_all_mistakes_are_told_at_once(client: Client) -> None:
    _, _, detail = await refusal(await client.get("/api/search?limit=x&plain=maybe&wrong=1"))

    assert all(name in detail for name in ("`q`", "`limit`", "`plain`", "`wrong`"))


@pytest.mark.parametrize(("given_limit", "status"), [("1", 200), ("1000", 200), ("", 200)])
async def test_limits_within_bounds_are_taken(
    client: Client, given_limit: str, status: int
) -> None:
    assert (await client.get(f"/api/search?q=x&limit={given_limit}")).status == status


@pytest.mark.parametrize(
    "query",
    [
        "q",
        "q=%",
        "q=%zz",
        "q=%ff%fe",
        "q=%ed%a0%80",
        "q=%00",
        "q=a%0d%0aSet-Cookie:%20x=1",
        "q=a;limit=0",
        "&&&",
        "=x",
        "q=x&=",
        "q=x&%71=y",
        "q=x&limit[]=3",
        "q=x&__proto__=1",
        "q=x&vault=../../etc",
        "q=x&vault=%00",
    ],
)
async def test_no_spelling_of_a_query_string_breaks_the_server(client: Client, query: str) -> None:
    target = URL(f"http://127.0.0.1:{client.port}/api/search?{query}", encoded=True)

    response = await client.session.get(target)

    assert response.status in {200, 400, 404}
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("letter", ["a", "漢", "🐝"])
async def test_a_query_of_4096_characters_is_searched_whatever_its_script(
    client: Client, engine: FakeEngine, letter: str
) -> None:
    response = await client.get("/api/search", params={"q": letter * 4096})

    assert response.status == 200
    assert engine.asked[0].q == letter * 4096


@pytest.mark.parametrize("count", [4097, 200_000])
async def test_a_longer_query_is_refused_by_name(client: Client, count: int) -> None:
    status, code, detail = await refusal(await client.get("/api/search?q=" + "a" * count))

    assert (status, code) == (400, "query_too_long")
    assert "4,096" in detail


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "a/../../secret.md",
        "a/..",
        "..",
        "/etc/passwd",
        "\\\\server\\share",
        "C:\\Windows\\win.ini",
        "c:/windows/win.ini",
        "a\\..\\..\\b.md",
        "a\0.md",
    ],
)
async def test_a_path_out_of_the_vault_is_refused_before_the_engine(
    client: Client, engine: FakeEngine, path: str
) -> None:
    for route in ("note", "similar", "ledger"):
        response = await client.get(f"/api/{route}?path={quote(path)}")
        status, code, _ = await refusal(response)
        assert (status, code) == (400, "outside_vault")
    response = await client.post("/api/reindex", json={"paths": ["fine.md", path]})
    assert (await refusal(response))[:2] == (400, "outside_vault")
    assert engine.asked == []


@pytest.mark.parametrize(
    "path", ["a..b.md", "...md", "x/…/y.md", "#^[]|.md", "🐝/a b.md", "C: x.md"]
)
def test_strange_but_honest_paths_are_taken(path: str) -> None:
    assert note_path(path) == path


@given(st.text())
def test_no_path_that_is_taken_leads_out_or_is_spelled_in_another_form(path: str) -> None:
    try:
        taken = note_path(path)
    except OutsideVaultError:
        return
    assert not taken.startswith("/")
    assert ".." not in taken.split("/")
    assert unicodedata.is_normalized("NFC", taken)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{", "not JSON"),
        (b"nonsense", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"full": NaN}', "not JSON"),
        (b"[]", "JSON object"),
        (b'"full"', "JSON object"),
        (b"null", "JSON object"),
    ],
)
async def test_a_body_that_is_no_json_object_is_refused(
    client: Client, body: object, named: str
) -> None:
    status, code, detail = await refusal(await client.post("/api/reindex", data=body))

    assert (status, code) == (400, "bad_json")
    assert named in detail


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"ful": True}, "`ful`"),
        ({"full": "true"}, "`full`"),
        ({"full": 1}, "`full`"),
        ({"paths": "a.md"}, "`paths`"),
        ({"paths": [1]}, "`paths.0`"),
        ({"vault": 3}, "`vault`"),
    ],
)
async def test_a_body_s_mistakes_are_named(client: Client, body: object, named: str) -> None:
    status, _, detail = await refusal(await client.post("/api/reindex", json=body))

    assert status == 400
    assert named in detail


async def test_a_post_takes_only_the_vault_from_the_query_string(client: Client) -> None:
    status, _, detail = await refusal(await client.post("/api/reindex?full=true", json={}))

    assert status == 400
    assert "`full`" in detail


async def test_a_body_of_16_mib_is_read_and_a_larger_one_refused(
    client: Client, engine: FakeEngine
) -> None:
    frame = len(b'{"text":""}')
    room = 16 * 1024 * 1024 - frame

    async def send(length: int) -> ClientResponse:
        body = io.BytesIO(b'{"text":"' + b"a" * length + b'"}')
        return await client.post("/api/similar", data=body)

    fits, over = await send(room), await send(room + 1)

    assert fits.status == 200
    assert (await refusal(over))[:2] == (413, "body_too_large")
    assert len(engine.asked) == 1


async def test_a_compressed_body_is_refused_before_it_unpacks(
    client: Client, engine: FakeEngine
) -> None:
    bomb = zlib.compress(b'{"text":"' + b"a" * (64 * 1024 * 1024) + b'"}')

    response = await client.post("/api/similar", data=bomb, headers={"Content-Encoding": "deflate"})

    assert (await refusal(response))[:2] == (415, "unsupported_media")
    assert engine.asked == []


@given(st.dictionaries(st.sampled_from([*SEARCH.model_fields, "x"]), st.text(), max_size=6))
def test_any_strings_are_either_a_request_or_a_usage_error(given_strings: dict[str, str]) -> None:
    try:
        asked = from_query(SEARCH, SimpleNamespace(query=given_strings, match_info={}))
    except (UsageError, QueryTooLongError, OutsideVaultError):
        return
    assert 1 <= asked.limit <= 1000
    assert len(asked.q) <= 4096


@pytest.mark.parametrize("body", ['{"number": 9223372036854775808}', '{"number": -1e400}'])
async def test_a_number_beyond_64_bits_is_refused(client: Client, body: str) -> None:
    undo = await client.post("/api/writes/undo", data=body)
    log = await client.get("/api/log", params={"limit": str(2**64)})

    assert (undo.status, log.status) == (400, 400)
