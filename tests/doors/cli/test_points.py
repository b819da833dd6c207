"""Passages exported for Qdrant and Weaviate: one line each, with ids that stay."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.doors.cli.support import CommandLine


def exported(notewell: CommandLine, file: Path, to: str) -> list[dict[str, Any]]:
    report = notewell.json("pack", "export", file, "--to", to, "--yes", "--force")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (report["format"], report["points"], report["left_out"]) == (to, len(lines), 0)
    return lines


@pytest.mark.usefixtures("with_model")
def test_points_of_qdrant_and_objects_of_weaviate(
    notewell: CommandLine, vault: Path, tmp_path: Path
) -> None:
    notewell("index", vault)
    points = exported(notewell, tmp_path / "points.jsonl", "qdrant")
    objects = exported(notewell, tmp_path / "objects.jsonl", "weaviate")

    assert [set(point) for point in points] == [{"id", "vector", "payload"}] * len(points)
    assert {point["payload"]["path"] for point in points} == {
        "City.md",
        "Garden/Bees.md",
        "Garden/Compost.md",
    }
    bees = next(point for point in points if point["payload"]["path"] == "Garden/Bees.md")
    assert bees["payload"]["heading"] == "Hives"
    assert "the light of the sun" in bees["payload"]["text"]
    assert np.linalg.norm(bees["vector"]) == pytest.approx(1.0, abs=1e-2)
    assert uuid.UUID(bees["id"]).version == 5
    same = next(point for point in objects if point["id"] == bees["id"])
    assert (same["class"], same["vector"]) == ("NotewellPassage", bees["vector"])
    assert None not in same["properties"].values()

    (vault / "Garden" / "Bees.md").write_text("# Hives\n\nOther words.\n", encoding="utf-8")
    notewell("index", vault)
    again = exported(notewell, tmp_path / "points.jsonl", "qdrant")
    assert {point["id"] for point in again} == {point["id"] for point in points}


@pytest.mark.usefixtures("with_model")
def test_text_leaves_only_after_a_yes(notewell: CommandLine, vault: Path, tmp_path: Path) -> None:
    notewell("index", vault)
    file = tmp_path / "points.jsonl"

    refused = notewell.json("pack", "export", file, "--to", "qdrant", fails=2)

    assert "text of your notes" in refused["detail"]
    assert not file.exists()


@pytest.mark.usefixtures("with_model")
@pytest.mark.filterwarnings("ignore")  # of the client
def test_qdrant_takes_the_points(notewell: CommandLine, vault: Path, tmp_path: Path) -> None:
    client_of = pytest.importorskip("qdrant_client", reason="NOT TESTED: no qdrant-client here")
    notewell("index", vault)
    points = exported(notewell, tmp_path / "points.jsonl", "qdrant")
    client = client_of.QdrantClient(":memory:")
    models = client_of.models
    size = len(points[0]["vector"])
    client.create_collection(
        "notes",
        vectors_config=models.VectorParams(size=size, distance=models.Distance.COSINE),
    )

    for _ in range(2):  # a second time replaces
        client.upsert("notes", [models.PointStruct(**point) for point in points])

    assert client.count("notes").count == len(points)
    [found] = client.query_points("notes", query=points[1]["vector"], limit=1).points
    assert (found.id, found.payload["path"]) == (points[1]["id"], points[1]["payload"]["path"])
    client.close()
