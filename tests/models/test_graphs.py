"""Graphs are built once, survive crashes, and int8 is used only where it agrees with fp32."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import onnxruntime
import pytest

from notewell.base.errors import ModelDamagedError, ModelError
from notewell.base.types import Device
from notewell.models import graphs, onnx_writer
from notewell.models.catalogue import ModelSpec
from notewell.models.devices import available_devices
from notewell.models.encoder import GRAPH_VERSION
from notewell.models.fetch import fetch
from notewell.models.graphs import GraphStore, open_session, run
from notewell.models.onnx_writer import BuiltGraph
from tests.tiny_model import tiny_tokenizer


@pytest.fixture
def store(tiny_spec: ModelSpec, tiny_folder: Path, tmp_path: Path) -> GraphStore:
    files = fetch(tiny_spec, model_dir=tmp_path, folder=tiny_folder, offline=True)
    tokenizer = tiny_tokenizer()
    return GraphStore(files, "mean", tmp_path, lambda text: tokenizer.encode(text).ids, "cpu")


def _built(store: GraphStore, pattern: str = "*.onnx") -> list[Path]:
    return sorted((store.model_dir / "graphs").glob(pattern))


def test_the_first_start_builds_verifies_and_caches(store: GraphStore) -> None:
    _, quantisation, _ = store.open("int8")
    assert quantisation == "int8"
    (graph,), (verdict,) = _built(store), _built(store, "*.json")
    assert "int8" in graph.name
    assert store.files.weights_hash[:16] in graph.name
    assert json.loads(verdict.read_text())["mean_cosine"] >= graphs.AGREEMENT


def test_later_starts_build_nothing(store: GraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.open("int8")

    def refuse(*_: object) -> bytes:
        raise AssertionError("built again")

    monkeypatch.setattr(GraphStore, "_graph", refuse)
    assert store.open("int8")[1] == "int8"


def test_a_processor_where_int8_differs_always_uses_fp32(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphs, "AGREEMENT", 1.1)
    assert store.open("int8")[1] == "fp32"
    monkeypatch.undo()
    assert store.open("int8")[1] == "fp32"
    assert json.loads(_built(store, "*.json")[0].read_text())["agrees"] is False


def test_another_computer_verifies_again(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.open("int8")
    monkeypatch.setattr("platform.node", lambda: "another")
    store.open("int8")
    assert len(_built(store)) == 1
    assert len(_built(store, "*.json")) == 2


def test_an_incomplete_verification_file_is_ignored(store: GraphStore) -> None:
    store.open("int8")
    _built(store, "*.json")[0].write_bytes(b"")
    assert store.open("int8")[1] == "int8"


def test_fp32_needs_no_check(store: GraphStore) -> None:
    assert store.open("fp32")[1] == "fp32"
    assert not _built(store, "*.json")


@pytest.mark.parametrize("content", [b"", b"half a graph"])
def test_an_incomplete_graph_is_built_again(store: GraphStore, content: bytes) -> None:
    expected = run(store.open("fp32")[0], [2, 7, 3])
    (graph,) = _built(store)
    graph.write_bytes(content)
    assert run(store.open("fp32")[0], [2, 7, 3]) == pytest.approx(expected)
    assert graph.stat().st_size > len(content)


def test_large_tensors_are_in_a_file_of_their_own(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_writer, "_LARGE_BYTES", 1024)
    inside = run(open_session(store._graph("int8")), [2, 7, 3])
    assert run(store.open("int8")[0], [2, 7, 3]).tolist() == inside.tolist()
    (graph,), (tensors,) = _built(store), _built(store, "*.weights")
    assert graph.stem == tensors.stem
    assert graph.stat().st_size < tensors.stat().st_size


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"half")])
def test_missing_tensor_files_are_built_again(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], object]
) -> None:
    monkeypatch.setattr(onnx_writer, "_LARGE_BYTES", 1024)
    expected = run(store.open("int8")[0], [2, 7, 3]).tolist()
    (tensors,) = _built(store, "*.weights")
    kept = tensors.rename(tensors.with_name("mapped"))  # by the session above
    tensors.write_bytes(kept.read_bytes())
    damage(tensors)
    assert run(store.open("int8")[0], [2, 7, 3]).tolist() == expected


def test_graphs_of_earlier_builders_are_removed(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.open("int8")
    before = _built(store, "*int8*")
    monkeypatch.setattr(graphs, "GRAPH_VERSION", GRAPH_VERSION + 1)
    store.open("int8")
    assert len(before) == len(_built(store, "*int8*"))
    assert not set(before) & set(_built(store, "*"))


def test_a_graph_that_cannot_be_loaded_is_a_damaged_model() -> None:
    with pytest.raises(ModelDamagedError, match="onnxruntime"):
        open_session(BuiltGraph(b"not a graph", {}))


def test_no_temporary_files_remain(store: GraphStore) -> None:
    store.open("int8")
    assert not [path for path in (store.model_dir / "graphs").iterdir() if path.name[0] == "."]


def test_a_model_stays_closed_where_onnxruntime_would_report_its_use(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY")  # as where it was imported before notewell

    with pytest.raises(ModelError, match="with ORT_DISABLE_TELEMETRY=1 in its") as raised:
        store.open("int8")

    assert raised.value.code == "telemetry_on"


@pytest.mark.parametrize("device", ["coreml", "cuda", "openvino"])
def test_a_device_that_is_not_there_leaves_the_processor_as_it_was(
    store: GraphStore, device: Device
) -> None:
    if device in available_devices():
        pytest.skip("this computer has it")
    assert replace(store, device=device).open("int8")[1:] == ("int8", "cpu")


def offer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the processor stand for a device that this build offers."""
    offered = [*onnxruntime.get_available_providers(), "CUDAExecutionProvider"]
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: offered)
    monkeypatch.setattr(graphs, "providers_of", lambda _: ["CPUExecutionProvider"])


def test_a_device_that_agrees_is_used_in_fp32_and_compared_once(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch)
    on_device = replace(store, device="cuda")
    assert on_device.open("int8")[1:] == ("fp32", "cuda")
    monkeypatch.setattr(GraphStore, "_agreement", _never)
    assert on_device.open("int8")[1:] == ("fp32", "cuda")


def test_a_device_that_computes_something_else_is_not_used(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch)
    store.open("int8")
    monkeypatch.setattr(GraphStore, "_agreement", lambda *_: 0.5)
    for _ in range(2):
        assert replace(store, device="cuda").open("int8")[1:] == ("int8", "cpu")


def _never(*_: object) -> float:
    raise AssertionError("it was compared before")
