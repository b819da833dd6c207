"""Run every benchmark, each in its own process, and write one table: `make bench`.

    python tests/bench/run.py --out FOLDER [--quick] [--torch-python PYTHON] [--only NAME,…]

A script is any `bench_*.py` beside this file; figures.py describes its arguments and output. A
script that fails is named in the table, and the others still run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
from provenance import Provenance, bound_to_cores, provenance

HERE = Path(__file__).parent
PACKAGES = (
    *("notewell", "numpy", "onnxruntime", "tokenizers", "tantivy", "networkx", "aiohttp"),
    "rank-bm25",
)
PEER_PACKAGES = ("torch", "sentence-transformers")
LIMIT_S = 3 * 3600
LONG = ("growth", "postgres")  # only when named

# Order of the table; what is not named here comes after.
SCRIPTS = (
    "embedding",
    "keywords",
    "vectors",
    "stack",
    "save",
    "live",
    "load",
    "clients",
    "parse",
    "graph",
    "search",
    "tokens",
)


@dataclass(frozen=True)
class Outcome:
    """The result of one script; `problem` is None where it succeeded."""

    script: str
    seconds: float
    rows: tuple[Mapping[str, object], ...]
    details: object
    problem: str | None = None


def main() -> int:
    """Run the scripts, print and write the table. Returns 1 where one failed."""
    options = _options()
    bound_to_cores()
    outcomes = [run(script, options) for script in _scripts(options.only)]
    facts = provenance(PACKAGES)
    facts.versions.update(_peer_versions(options.torch_python))
    text = markdown(outcomes, facts, quick=options.quick)
    sys.stdout.write(text)
    options.out.mkdir(parents=True, exist_ok=True)
    name = f"{facts.stem}-quick" if options.quick else facts.stem
    (options.out / f"{name}.md").write_text(text, encoding="utf-8")
    document = {"provenance": facts, "outcomes": outcomes}
    (options.out / f"{name}.json").write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))
    return int(any(outcome.problem for outcome in outcomes))


def run(script: Path, options: argparse.Namespace) -> Outcome:
    """Run one script in its own process."""
    name = script.stem.removeprefix("bench_")
    sys.stderr.write(f"--- {name}\n")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        command = [sys.executable, str(script), "--json", str(out)]
        command += ["--quick"] if options.quick else []
        if options.torch_python:
            command += ["--torch-python", str(options.torch_python)]
        try:
            subprocess.run(command, check=True, stdout=sys.stderr, timeout=LIMIT_S)
            document = orjson.loads(out.read_bytes())
        except (subprocess.SubprocessError, OSError, orjson.JSONDecodeError) as error:
            return Outcome(name, time.monotonic() - began, (), None, f"failed: {error}")
    rows = tuple(document["figures"])
    return Outcome(name, time.monotonic() - began, rows, document.get("details"))


def markdown(outcomes: Sequence[Outcome], facts: Provenance, *, quick: bool) -> str:
    """The table, after the commit, machine and versions."""
    lines = ["# Speed and memory\n", facts.markdown()]
    if quick:
        lines.append("Measured with `--quick`: smaller and with fewer runs, so not comparable.\n")
    lines.append("| figure | aim | beside | measured | ratio |\n|---|---|---|---:|---:|")
    lines.extend(_row(row) for outcome in outcomes for row in outcome.rows)
    lines.append("\n`ratio`: ours divided by the peer's, both measured in this run.\n")
    notes = [row for outcome in outcomes for row in outcome.rows if row.get("note")]
    lines.extend(f"- {row['figure']}: {row['note']}" for row in notes)
    lines.extend(
        f"- **{outcome.script} {outcome.problem}**" for outcome in outcomes if outcome.problem
    )
    return "\n".join(lines) + "\n"


def _row(row: Mapping[str, object]) -> str:
    ratio = row.get("ratio")
    cells = [str(row.get(name) or "") for name in ("figure", "aim", "beside", "measured")]
    cells.append(_ratio(ratio) if isinstance(ratio, int | float) else "")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _ratio(ratio: float) -> str:
    """Format a ratio like the aims: `1/250` where ours is far smaller, else `3.2x`."""
    return f"1/{1 / ratio:.0f}" if 0 < ratio < 0.1 else f"{ratio:.2f}x"


def _scripts(only: Sequence[str] | None) -> list[Path]:
    found = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    ordered = [name for name in SCRIPTS if name in found]
    ordered += [name for name in found if name not in SCRIPTS]
    return [found[name] for name in ordered if (name in only if only else name not in LONG)]


def _peer_versions(torch_python: Path | None) -> dict[str, str]:
    if torch_python is None:
        return {}
    script = (
        "import sys, importlib.metadata as m\n"
        "for name in sys.argv[1:]: print(name, m.version(name))"
    )
    command = [str(torch_python), "-c", script, *PEER_PACKAGES]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(line.split() for line in listed.splitlines())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help="smaller and fewer, to try it out")
    parser.add_argument("--torch-python", type=Path, help="a Python that has sentence-transformers")
    parser.add_argument("--only", type=lambda text: text.split(","), help="these, with commas")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
