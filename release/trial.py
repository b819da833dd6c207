"""Tries a program that was just installed, the way a person and the plugin would use it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.request import Request, urlopen

NOTES = {
    "Garden/Slugs.md": "# Slugs\n\nSlugs ate the young lettuce in one night.\n",
    "Kitchen/Bread.md": "# Bread\n\nFeed the sourdough starter twice before baking.\n",
    "Work/Database.md": "# Database\n\nA long transaction kept the table locked.\n",
}
WORDS, QUESTION, ANSWER = "lettuce", "what devoured my seedlings after dark", "Garden/Slugs.md"
PDF, PDF_WORD = "Plan.pdf", "Meridian"
LIMIT_S = 180


def the_wheel(folder: str) -> Path:
    """The one wheel of Notewell in a folder; without it, this process ends."""
    wheels = sorted(Path(folder).resolve().glob("notewell-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"There is not one wheel in {folder} but {len(wheels)}; run `make release`.")
    return wheels[0]


def other_wheels(folder: str) -> list[Path]:
    """The wheels of Notewell's other packages in a folder."""
    return sorted(Path(folder).resolve().glob("notewell_*.whl"))


class Trial:
    """A program, a home of its own and a few notes. Every failure ends this process."""

    def __init__(self, program: Path, root: Path, environment: Mapping[str, str]) -> None:
        """Write the notes; start nothing."""
        self._program = program
        self._environment = dict(environment)
        self._vault = root / "notes"
        for path, text in NOTES.items():
            (self._vault / path).parent.mkdir(parents=True, exist_ok=True)
            (self._vault / path).write_text(text, encoding="utf-8")
        (self._vault / PDF).write_bytes(_pdf(f"The {PDF_WORD} project starts in May"))

    def search(self, *, by_meaning: bool) -> None:
        """Index the notes and find one by words, one in a PDF, and one by meaning if asked."""
        version = json.loads(self._run("--version", "--json"))
        _expect(version["name"] == "Notewell for Obsidian", f"it calls itself {version}")
        self._run("index", str(self._vault))
        _expect(self._found(WORDS)[:1] == [ANSWER], "a word was not found")
        _expect(self._found(PDF_WORD)[:1] == [PDF], "the PDF was not read")
        if by_meaning:
            found = self._found(QUESTION)
            _expect(found[:1] == [ANSWER], f"by meaning it found {found}")

    def name_missing_packages(self) -> None:
        """Ask for what only other packages have: the answer names the package."""
        listed = json.loads(self._run("features", "--json"))["features"]
        missing = {line["package"] for line in listed if line["state"] == "not installed"}
        for package, *arguments in (
            ("notewell-postgres", "engine", "show"),
            (
                "notewell-eval",
                *("eval", "--vault", str(self._vault), "--golden", "--against", "rank-bm25"),
            ),
        ):
            _expect(package in missing, f"{package} is not listed as missing: {missing}")
            done = self._start(*arguments)
            _expect(
                done.returncode != 0 and f"pip install {package}" in done.stderr.decode(),
                f"{arguments[0]} does not name {package}: {done.stderr.decode()}",
            )

    def install_plugin(self) -> None:
        """Put the plugin that the package carries into the notes."""
        (self._vault / ".obsidian").mkdir()
        done = json.loads(self._run("plugin", "install", str(self._vault), "--enable", "--json"))
        _expect(done["enabled"], "the plugin was not switched on")
        _expect((Path(done["folder"]) / "main.js").is_file(), "the plugin was not installed")

    def serve(self) -> None:
        """Start a server as the plugin does: its first line has the port; closed stdin ends it."""
        command = [str(self._program), "serve", str(self._vault), "--port", "0", "--handshake"]
        with subprocess.Popen(  # noqa: S603 - the program that is tried
            command, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as server:
            if server.stdin is None or server.stdout is None:
                sys.exit("The server has no pipes.")
            hand = json.loads(server.stdout.readline())
            page = _get(f"http://127.0.0.1:{hand['port']}/", hand["token"])
            _expect(b"<script" in page, "it has no pages")
            server.stdin.close()
            _expect(server.wait(LIMIT_S) == 0, "the server did not end with its stdin")

    def _found(self, query: str) -> list[str]:
        reply = json.loads(self._run("search", query, "--vault", str(self._vault), "--json"))
        return [result["path"] for result in reply["results"]]

    def _run(self, *arguments: str) -> str:
        done = self._start(*arguments)
        if done.returncode:
            sys.exit(f"{' '.join(arguments)} failed:\n{done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def _start(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603 - the program that is tried
            [str(self._program), *arguments],
            env=self._environment,
            timeout=LIMIT_S,
            capture_output=True,
            check=False,
        )


def _get(url: str, token: str) -> bytes:
    request = Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - loopback
    with urlopen(request, timeout=LIMIT_S) as reply:  # noqa: S310
        body: bytes = reply.read()
    return body


def _expect(holds: bool, problem: str) -> None:
    if not holds:
        sys.exit(f"The installed program does not work: {problem}.")


def _pdf(text: str) -> bytes:
    """The smallest PDF of one line; readers rebuild its table of objects."""
    page = f"BT /F1 12 Tf 20 50 Td ({text}) Tj ET"
    box = "/MediaBox [0 0 400 100]"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    fonts = f"<< /Font << /F1 {font} >> >>"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {box} /Contents 4 0 R /Resources {fonts} >>",
        f"<< /Length {len(page)} >>\nstream\n{page}\nendstream",
    )
    body = "".join(f"{n} 0 obj\n{each}\nendobj\n" for n, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R >>\n%%EOF\n".encode()
