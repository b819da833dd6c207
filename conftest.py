"""Fixtures for every room: where the shared data is, unpacked on first use."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import settings

# First of all tests: it switches reports of onnxruntime off, which some tests import themselves.
import notewell  # noqa: F401
from tests.live_tokens import secrets_in, secrets_in_logs
from tests.unpacking import unpack

if TYPE_CHECKING:
    from tests.postgres_server import Server

# No property has a time limit: on a busy machine any example may take long.
settings.register_profile("notewell", deadline=None)
settings.load_profile("notewell")

# Hints name the program as a shell finds it, which is in this environment.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

# The tests that take longest go first, so that at the end no core waits for one of them alone.
LONGEST = (
    "tests/stress/",
    "tests/faults/",
    "tests/outside/",
    "tests/vault/test_edit_properties.py",
)


# What a quick run leaves out: long searches for faults, programs that are started anew for
# each test, and measurements.
NOT_QUICK = (
    "packages/notewell-postgres/tests",
    "tests/bench",
    "tests/doors/cli",
    "tests/eval",
    "tests/faults",
    "tests/features/backup",
    "tests/fuzz",
    "tests/hostile",
    "tests/outside",
    "tests/stress",
    "tests/doors/mcp/test_http.py",
    "tests/doors/mcp/test_odd_arguments.py",
    "tests/doors/mcp/test_stdio.py",
    "tests/doors/web/test_attachments.py",
    "tests/doors/web/test_schemathesis.py",
    "tests/engine/ingest/test_indexer.py",
    "tests/engine/test_ledger.py",
    "tests/engine/test_reader_pool.py",
    "tests/features/ask/test_harmless.py",
    "tests/features/gardener/test_real_vaults.py",
    "tests/features/history/test_hostile_repository.py",
    "tests/features/test_table.py",
    "tests/index/test_expunge.py",
    "tests/index/test_vector_snapshots.py",
    "tests/search/query/test_conditions.py",
    "tests/search/rank/test_guarantees.py",
    "tests/search/test_typing_in_vaults.py",
    "tests/test_crashes.py",
    "tests/vault/test_confined_reading.py",
    "tests/vault/test_edit_properties.py",
    "tests/vault/test_linear.py",
    "tests/vault/test_reader_process.py",
    "tests/vault/test_real_vaults.py",
    "tests/vault/test_watch.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick` leaves out what takes long."""
    parser.addoption("--quick", action="store_true", help="leave out the tests that take long")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files that a quick run does without."""
    if not config.getoption("quick") or not collection_path.is_relative_to(config.rootpath):
        return None
    return collection_path.relative_to(config.rootpath).as_posix() in NOT_QUICK or None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collection, and never again look at what was made here.

    Nearly all of it, modules and test items, lives to the end; to look through it again and again
    took a quarter of the time of collecting tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what of a whole run a quick one would have taken, in seconds of one worker."""
    if config.getoption("quick"):
        return
    seconds = {True: 0.0, False: 0.0}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                is_slow = any(report.nodeid.startswith(name) for name in NOT_QUICK)
                seconds[not is_slow] += report.duration
    whole = sum(seconds.values())
    if whole:
        terminalreporter.write_line(
            f"quick tests: {seconds[True]:,.0f} s of one worker; all: {whole:,.0f} s"
        )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest files first; otherwise the order stays."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test in which something printed or logged a live token."""
    report = yield
    if report.when == "teardown":
        return report
    printed = {title: found for title, text in report.sections if (found := secrets_in(text))}
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if report.when == "call" and isinstance(folder, Path) and folder.exists():
        printed |= secrets_in_logs(folder)
    if printed and not report.failed:
        report.outcome = "failed"
        report.longrepr = f"a live token was printed or logged: {printed}"
    return report


@pytest.fixture(scope="session")
def shared_data(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from the name of a data set to its unpacked folder.

    The name is the archive's without `vault-` or `ir-`, or that of the folder inside. Archives are
    looked for where NOTEWELL_TEST_DATA says, else in shared/data beside the repository; the
    calling test is skipped where they are not.
    """
    root = Path(__file__).resolve().parent
    source = Path(os.environ.get("NOTEWELL_TEST_DATA") or root.parent / "shared" / "data")
    unpacked: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in unpacked:
            archive = _archive(source, name)
            if archive is None:
                pytest.skip(f"the shared data set {name} is not in {source}")
            target = _unpacked(archive, tmp_path_factory.getbasetemp())
            inside = list(target.iterdir())
            unpacked[name] = inside[0] if len(inside) == 1 else target
        return unpacked[name]

    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The PostgreSQL server of this test run; without one, its tests are skipped, and say why."""
    postgres_server = pytest.importorskip("tests.postgres_server", exc_type=ImportError)
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"pid-{os.getpid()}"
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres_server.shared(run))
        except postgres_server.NoServerError as error:
            pytest.skip(f"NOT TESTED: no PostgreSQL here. {error}")
        os.environ["NOTEWELL_POSTGRES_PASSWORD"] = server.password
        yield server
        del os.environ["NOTEWELL_POSTGRES_PASSWORD"]


def _unpacked(archive: Path, own: Path) -> Path:
    """The folder of an archive's files, which the processes of a test run share; nobody writes it.

    `own` is the temporary folder of this process. By `tar` where there is one: thousands of files
    take Python's module ten times as long.
    """
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    target = shared / f"shared-data-{archive.name}"
    with FileLock(f"{target}.lock"):
        if not target.exists():
            partial = target.with_name(f"{target.name}-partial")
            partial.mkdir()
            if shutil.which("tar"):
                subprocess.run(["tar", "-xf", archive, "-C", partial], check=True)
            else:
                unpack(archive, partial)
            partial.rename(target)
    return target


def _archive(source: Path, name: str) -> Path | None:
    """Find the archive of a data set: the same name first, else one of the two starts the other."""
    found = {
        path.name.removesuffix(".tar.gz").removeprefix("vault-").removeprefix("ir-"): path
        for path in sorted(source.glob("*.tar.gz"))
    }
    near = (stem for stem in found if stem.startswith(name) or name.startswith(stem))
    stem = name if name in found else next(near, None)
    return found[stem] if stem else None
