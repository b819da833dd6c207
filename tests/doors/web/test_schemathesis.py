"""The OpenAPI document, checked with generated valid and invalid requests."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from http.cookiejar import DefaultCookiePolicy

import pytest
import requests
import schemathesis
from aiohttp import web
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.specs.openapi import checks as openapi_checks

from notewell.base.types import LimitRules, ServerRules, VaultRecord
from notewell.doors.web.app import create_app
from notewell.doors.web.openapi import document
from notewell.doors.web.routes import ROUTES
from notewell.doors.web.server import make_runner
from notewell.engine.configuration import Configuration
from notewell.engine.feature import sections
from notewell.features import FEATURES
from tests.doors.web.fakes import NOTES, ROWS, TOKEN, FakeEngine, FakeVaults
from tests.waiting import HANG_S

# Nothing is rationed: a test asks more often than anybody may.
UNLIMITED = LimitRules(search=0, read=0, heavy=0, write=0)
CHECKS = (
    not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.negative_data_rejection,
)

schema = schemathesis.openapi.from_dict(document(ROUTES, "1.2.3")).exclude(
    operation_id=["events", "ask"]  # streams: one does not end, and frames are no documents
)
LABELS = sorted(found.ok().label for found in schema.get_all_operations())


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a small honest engine, on a thread of its own."""
    home = tmp_path_factory.mktemp("schemathesis")
    file = home / "config.toml"
    file.touch()
    engine = FakeEngine(VaultRecord("a1b2", "Home", home, default=True), NOTES)
    app = create_app(
        FakeVaults([engine], home),
        token=TOKEN,
        server=ServerRules(),
        limits=UNLIMITED,
        configuration=Configuration({"NOTEWELL_CONFIG": str(file)}, features=sections(FEATURES)),
        static=home / "none",
        features=ROWS,
    )
    loop, stop = asyncio.new_event_loop(), asyncio.Event()
    listening: list[str] = []
    up = threading.Event()

    async def serve() -> None:
        runner = make_runner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        listening.append(f"http://127.0.0.1:{runner.addresses[0][1]}")
        up.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert up.wait(HANG_S), "the server never came up"
    yield listening[0]
    loop.call_soon_threadsafe(stop.set)
    thread.join()
    loop.close()


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """Connections that stay open, which is a third of the time of tens of requests a route.

    No cookie is kept, and neither proxies nor passwords are looked up in the environment.
    """
    with requests.Session() as kept:
        kept.trust_env = False
        kept.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield kept


@pytest.mark.parametrize("label", LABELS)
def test_the_server_does_what_its_document_says(
    label: str, url: str, session: requests.Session
) -> None:
    # Made here and not by `schema.parametrize()`, which lets each worker that collects tests make
    # the cases of all operations: half the time of collecting the suite.
    tests = get_all_tests(
        schema=schema.include(name=label), test_func=_answers, settings=None, given_kwargs={}
    )
    [(_, check)] = [made.ok() for made in tests]
    check(url=url, session=session)


@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def _answers(case: Case, url: str, session: requests.Session) -> None:
    token = {"Authorization": f"Bearer {TOKEN}"}
    response = case.call(base_url=url, session=session, headers=token, timeout=HANG_S)

    left_out = "" in (case.query or {}).values()  # an empty value counts as left out
    case.validate_response(response, checks=CHECKS[:-1] if left_out else CHECKS)
