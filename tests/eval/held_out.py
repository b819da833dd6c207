"""The questions of XQuAD that are a test: those about paragraphs that no development set asks for."""

from __future__ import annotations

from pathlib import Path

from development.corpora import is_development

from notewell.features.evaluate.datasets import read_qrels


def held_out(folder: Path, target: Path) -> Path:
    """Write the judgements of the test's half to the folder `target`; returns the file."""
    rows = [
        f"{query}\t{document}\t{grade}\n"
        for query, grades in read_qrels(folder / "qrels.tsv").items()
        if not is_development(grades)
        for document, grade in grades.items()
    ]
    target.mkdir(parents=True, exist_ok=True)
    qrels = target / "qrels.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\n" + "".join(rows), encoding="utf-8")
    return qrels
