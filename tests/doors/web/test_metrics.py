"""Metrics for Prometheus: they parse, count correctly, and contain nothing of notes."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from tests.doors.web.fakes import Client, Connect, FakeVaults


async def figures(client: Client) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    response = await client.get("/metrics")
    assert response.status == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(await response.text())
        for sample in family.samples
    }


async def test_the_state_of_each_vault_is_told(connect: Connect, two_vaults: FakeVaults) -> None:
    found = await figures(await connect(two_vaults))

    home, work = (("vault", "Home"),), (("vault", "Work"),)
    assert (found["notewell_notes", home], found["notewell_notes", work]) == (3, 1)
    assert found["notewell_generation", home] == 7
    assert found["notewell_ready", home] == 1
    assert found["notewell_queue_pending", home] == 0
    assert found["notewell_texts_embedded_total", home] == 4
    assert found["notewell_vectors_reused_total", home] == 1
    assert found["notewell_files", (("state", "indexed"), ("vault", "Home"))] == 3
    assert found["notewell_uptime_seconds", ()] >= 0


async def test_requests_and_searches_are_counted_by_route(client: Client) -> None:
    for _ in range(3):
        await client.get("/api/search?q=bees")
    await client.get("/api/search?q=bees&limit=0")
    await client.get("/api/no-such-thing")

    found = await figures(client)

    def requests(route: str, status: str) -> float:
        labels = (("method", "GET"), ("route", route), ("status", status))
        return found["notewell_http_requests_total", labels]

    assert requests("/api/search", "200") == 3
    assert requests("/api/search", "400") == 1
    assert requests("(no route)", "404") == 1
    route = (("method", "GET"), ("route", "/api/search"))
    assert found["notewell_http_request_seconds_count", route] == 4
    searches = (("mode", "keyword"), ("vault", "Home"))
    assert found["notewell_search_seconds_count", searches] == 3
    assert found["notewell_search_seconds_sum", searches] == 0.0015


async def test_metrics_contain_no_address_and_no_query(client: Client, stranger: Client) -> None:
    await client.get("/api/search?q=diary")
    await client.get("/api/note?path=Diary.md")
    await client.post("/diary")

    page = await (await client.get("/metrics")).text()

    assert "diary" not in page.lower()
    assert "_created" not in page
    assert (await stranger.get("/metrics")).status == 401
