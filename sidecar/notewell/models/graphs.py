"""Opens a model's graph in onnxruntime: builds it once, caches it, verifies int8 on this computer.

    <model_dir>/graphs/<weights>-<config>-<pooling>-<quantisation>-v<builder>.onnx
    <model_dir>/graphs/….weights              its large tensors, mapped by onnxruntime
    <model_dir>/graphs/….<computer>.json      whether int8 agrees with fp32 on that computer

The tensors are in a file of their own, because a graph that contains them is parsed and copied at
every start: that takes three times as long, and the whole vocabulary is held in memory, although a
query needs about ten rows of it.

The products of int8 weights are exact on every processor (`quantise_columns`). Builds of
onnxruntime may lack operators all the same, so int8 is used only after its vectors were compared
with those of fp32 on the same computer.
"""

from __future__ import annotations

import hashlib
import json
import logging
import platform
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import onnxruntime
from filelock import FileLock
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, RuntimeException

from notewell.base.errors import ModelDamagedError, ModelError
from notewell.base.support import disk, program
from notewell.base.types import Device, FloatArray, Quantisation
from notewell.base.types.frozen import frozen
from notewell.models.bert_onnx import build_graph
from notewell.models.catalogue import CONFIG_FILE, Q4_FILE, Pooling
from notewell.models.devices import available_devices, providers_of
from notewell.models.encoder import GRAPH_INPUT, GRAPH_OUTPUT, GRAPH_VERSION, read_encoder
from notewell.models.fetch import ModelFiles
from notewell.models.onnx_writer import BuiltGraph
from notewell.models.q4 import read_q4

log = logging.getLogger(__name__)

AGREEMENT = 0.98
_TINY = 1e-12
SAMPLES = (
    "Meeting notes: we moved the launch to March and Priya owns the checklist.",
    "How do I link to a heading in another note?",
    "The mitochondrion produces most of the cell's chemical energy.",
    "sourdough",
    "Der Zug nach München fährt um 7:42 Uhr von Gleis 3.",
    "每天写日记可以帮助整理思路。",
    "def area(r): return 3.14159 * r ** 2  # of a circle",
    "- [ ] buy oat milk\n- [x] call the plumber\n- [ ] read chapter 4 of the statistics book",
)


@frozen
class GraphStore:
    """The graphs of one model. `ids` gives the token ids of a text, for the comparison.

    On another `device` than the processor the graph is fp32, if its vectors agree with those of the
    processor; else the processor is used.
    """

    files: ModelFiles
    pooling: Pooling
    model_dir: Path
    ids: Callable[[str], Sequence[int]]
    device: Device

    def open(self, wanted: Quantisation) -> tuple[InferenceSession, Quantisation, Device]:
        """A session of the graph, and the quantisation and the device that it uses here.

        Builds missing files. Raises ModelDamagedError if the weights do not fit the graph.
        """
        if self.device != "cpu" and (session := self._session_on_device()) is not None:
            return session, "fp32", self.device
        session = self._agreeing_session() if wanted == "int8" else None
        if session is not None:
            return session, "int8", "cpu"
        return self._cached_session("fp32"), "fp32", "cpu"

    def _agreeing_session(self) -> InferenceSession | None:
        """The int8 session, unless int8 does not agree with fp32 on this computer."""
        agrees = _read_verdict(self._verdict_path())
        if agrees is None:
            return self._first_start()
        return self._cached_session("int8") if agrees else None

    def _session_on_device(self) -> InferenceSession | None:
        """The fp32 session on the device; None where it is not there or computes something else."""
        if self.device not in available_devices():
            return None
        verdict, graph = self._verdict_path(self.device), self._graph_path("fp32")
        agrees = _read_verdict(verdict)
        if agrees is False:
            return None
        if agrees is None or not graph.exists():
            reference = self._cached_session("fp32")
        try:
            session = open_session(graph, self.device)
            cosine = self._agreement(session, reference) if agrees is None else 1.0
        except (ModelDamagedError, RuntimeException, Fail) as error:  # also of its driver
            log.warning("The model does not run on %s: %s", self.device, error)
            return None
        if agrees is None:
            _write_verdict(verdict, cosine)
        return session if cosine >= AGREEMENT else None

    def _graph_path(self, quantisation: Quantisation) -> Path:
        weights, config = self.files.weights_hash, self.files.hashes[CONFIG_FILE]
        name = f"{weights[:16]}-{config[:8]}-{self.pooling}-{quantisation}-v{GRAPH_VERSION}"
        return self.model_dir / "graphs" / f"{name}.onnx"

    def _verdict_path(self, device: Device = "cpu") -> Path:
        path = self._graph_path("int8" if device == "cpu" else "fp32")
        of_device = "" if device == "cpu" else f".{device}"
        return path.with_name(f"{path.stem}.{_this_computer()}{of_device}.json")

    def _cached_session(self, quantisation: Quantisation) -> InferenceSession:
        path = self._graph_path(quantisation)
        if path.exists():
            try:
                return open_session(path)
            except ModelDamagedError:
                path.unlink(missing_ok=True)  # incomplete after a crash: build it again
        self._build(path, quantisation)
        return open_session(path)

    def _build(self, path: Path, quantisation: Quantisation) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():  # another process may have built it meanwhile
                tensors = path.with_suffix(".weights")
                graph = self._graph(quantisation, tensors.name)
                with disk.replacing(tensors, mode=disk.SHARED) as stream:
                    graph.write_tensors(stream)
                disk.replace(path, graph.model, mode=disk.SHARED)
                self._drop_older(quantisation)

    def _drop_older(self, quantisation: Quantisation) -> None:
        """Remove the graphs that earlier builders made from the same weights."""
        current = self._graph_path(quantisation)
        stem = current.stem.removesuffix(f"{GRAPH_VERSION}")
        for version in range(1, GRAPH_VERSION):
            for old in current.parent.glob(f"{stem}{version}.*"):
                with suppress(OSError):  # another process may have it open, or have removed it
                    old.unlink()

    def _graph(self, quantisation: Quantisation, file: str = "") -> BuiltGraph:
        folder = self.files.folder
        if self.files.weights == Q4_FILE:
            encoder = read_q4(folder / Q4_FILE)
        else:
            encoder = read_encoder(folder)
        return build_graph(encoder, quantisation=quantisation, pooling=self.pooling, file=file)

    def _first_start(self) -> InferenceSession | None:
        """The int8 session if it agrees with fp32 on this computer; stores the result."""
        reference = open_session(self._graph("fp32"))
        try:
            session = self._cached_session("int8")
            cosine = self._agreement(session, reference)
        except ModelDamagedError:  # operators or types that this build of onnxruntime lacks
            session, cosine = None, 0.0
        _write_verdict(self._verdict_path(), cosine)
        return session if cosine >= AGREEMENT else None

    def _agreement(self, session: InferenceSession, reference: InferenceSession) -> float:
        """The mean cosine between both embeddings of the samples."""
        cosines = []
        for text in SAMPLES:
            ids = self.ids(text)
            cosines.append(float(unit(run(session, ids)) @ unit(run(reference, ids))))
        mean = float(np.mean(cosines))
        return mean if np.isfinite(mean) else 0.0


def open_session(graph: Path | BuiltGraph, device: Device = "cpu") -> InferenceSession:
    """A session with one thread: callers use several threads (see onnx_embedder.py).

    Raises ModelDamagedError if onnxruntime cannot load the graph, ModelError if it would report
    the use of the model to its maker.
    """
    _check_telemetry()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena makes it no faster, and never returns memory
    options.log_severity_level = 3  # only errors, which are raised as well
    if isinstance(graph, BuiltGraph) and graph.tensors:
        values = [
            onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for tensor in graph.tensors.values()
        ]
        options.add_external_initializers(list(graph.tensors), values)
        # Copies of the weights in another order make it faster, but it is for a few texts only.
        options.add_session_config_entry("session.disable_prepacking", "1")
    try:
        return onnxruntime.InferenceSession(
            graph.model if isinstance(graph, BuiltGraph) else str(graph),
            options,
            providers=providers_of(device),
        )
    except Exception as error:  # onnxruntime's errors have no common base
        raise ModelDamagedError(
            f"onnxruntime cannot load the model's graph ({error}). Delete the folder `graphs` in"
            " the model cache; it will be built again."
        ) from error


def _check_telemetry() -> None:
    if not program.is_telemetry_off():
        raise ModelError(
            "The model stays closed, because onnxruntime would report its use to Microsoft: it was"
            " imported before notewell. Import notewell first, or start the program with"
            " ORT_DISABLE_TELEMETRY=1 in its environment.",
            code="telemetry_on",
            brief="onnxruntime was imported before notewell, and would report its use:"
            " import notewell first",
        )
    # On Windows its events go to the system's own tracing, whatever the environment says.
    onnxruntime.disable_telemetry_events()


def unit(output: FloatArray) -> FloatArray:
    """The embedding of a text whose graph pools; else the mean of its tokens at unit length."""
    if output.ndim == 1:
        return output
    pooled = output.mean(axis=0)
    length = max(float(np.linalg.norm(pooled)), _TINY)
    return np.asarray(pooled / length, np.float32)


def run(session: InferenceSession, ids: Sequence[int]) -> FloatArray:
    """The output for one text: its embedding (dimensions,), or its tokens (tokens, dimensions)."""
    row = np.asarray(ids, np.int64)[np.newaxis]
    (embedding,) = session.run([GRAPH_OUTPUT], {GRAPH_INPUT: row})
    return np.asarray(embedding[0], np.float32)


def _write_verdict(path: Path, cosine: float) -> None:
    verdict = {"agrees": cosine >= AGREEMENT, "mean_cosine": round(cosine, 5)}
    disk.replace(path, json.dumps(verdict).encode(), mode=disk.SHARED)


def _read_verdict(path: Path) -> bool | None:
    """True if the vectors agreed with those of fp32 on the processor; None if unknown."""
    try:
        return bool(json.loads(path.read_bytes())["agrees"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _this_computer() -> str:
    name = f"{platform.node()} {platform.machine()} {onnxruntime.__version__}"
    return hashlib.sha256(name.encode()).hexdigest()[:12]
