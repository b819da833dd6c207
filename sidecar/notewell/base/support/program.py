"""The running program: how it starts itself again, gives memory back, and reports nothing.

The helper is the program with Python and a model inside (`make helper`). PyInstaller sets
`sys.frozen` and `sys._MEIPASS` in it, and `sys.executable` is the program itself, which knows no
`-m`: https://pyinstaller.org/en/stable/runtime-information.html
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

FILE_READER = "--file-reader"  # the helper's only argument when it is to read files
CODE_RUNNER = "--code-runner"  # its only argument when it is to run code of a language model
SEARCHER = "--searcher"  # its only argument when it is to search for a server
_READER_MODULE = "notewell.vault.readers.child"
_SEARCHER_MODULE = "notewell.engine.reader_process"
# Isolated from the environment, the current folder and the user's packages.
_ISOLATED = ("-I", "-S", "-B", "-X", "utf8")
_RUN_CODE = (
    "import sys; sys.path.append(sys.argv[1]);"
    " from notewell.base.support.confined_program import main; main()"
)


def is_helper() -> bool:
    """True if this process is the helper, not a program in an environment of Python."""
    return bool(getattr(sys, "frozen", False))


def own_command() -> list[str]:
    """Return the command that starts this program again, whatever PATH there is."""
    if is_helper():
        return [sys.executable]
    python = Path(sys.executable)
    windowless = python.with_name("pythonw.exe")
    # -P: a folder that happens to be the current one must not add its modules.
    return [str(windowless if windowless.exists() else python), "-P", "-m", "notewell"]


def reader_command() -> tuple[str, ...]:
    """Return the command of the process that reads files."""
    return _module_command(FILE_READER, _READER_MODULE)


def searcher_command() -> tuple[str, ...]:
    """Return the command of a process that searches for a server."""
    # -OO: without docstrings it is some megabytes smaller.
    return _module_command(SEARCHER, _SEARCHER_MODULE, "-OO")


def _module_command(argument: str, module: str, *options: str) -> tuple[str, ...]:
    if is_helper():
        return sys.executable, argument
    # -P: a folder that happens to be the current one must not add its modules.
    return sys.executable, *options, "-P", "-m", module


def code_command() -> tuple[str, ...]:
    """Return the command of the process that runs code; it needs nothing of the environment."""
    if is_helper():
        return sys.executable, CODE_RUNNER
    return sys.executable, *_ISOLATED, "-c", _RUN_CODE, str(_package_root())


def own_folders() -> tuple[Path, ...]:
    """Return the folders that this program, its Python and its libraries lie in."""
    program = Path(sys.executable)
    inside = getattr(sys, "_MEIPASS", None)
    python = (Path(sys.prefix), Path(sys.base_prefix), _package_root() / "notewell")
    return (*python, program.resolve().parent, *([Path(inside)] if inside else []))


def _package_root() -> Path:
    return Path(__file__).resolve().parents[3]


def helper_folder() -> Path | None:
    """Return the folder of what the helper has inside; None elsewhere."""
    inside = getattr(sys, "_MEIPASS", None)
    return Path(inside) if is_helper() and inside else None


def models_inside() -> Path | None:
    """Return the folder of models in the helper, laid out like the cache; None elsewhere."""
    folder = helper_folder()
    return folder and folder / "models"


def release_freed_memory() -> None:
    """Return memory that was freed but is still held by the C library.

    glibc keeps freed memory in an arena for every thread, tens of megabytes after a busy hour.
    Other C libraries return it by themselves.
    """
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - every start loads this module

    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):  # not glibc
        return
    trim(0)


# Nothing may leave the machine unasked. onnxruntime starts its reports when it is imported: it
# writes an identifier of the computer to the user's cache folder, and sends events later. It reads
# the environment once, at that moment:
# https://github.com/microsoft/onnxruntime/blob/main/docs/Privacy.md#disabling-telemetry
_ONNXRUNTIME = "ORT_DISABLE_TELEMETRY"
# Of huggingface-hub and hf-xet; https://donottrack.sh is for those that we do not know.
_OTHERS = ("HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
_YES = frozenset({"1", "true", "yes", "on", "y"})  # as onnxruntime reads it


def switch_telemetry_off() -> None:
    """Switch reports off, for this process and those that it starts.

    Where another program has imported onnxruntime before, its variable stays as it is: it would be
    read no more, and `is_telemetry_off` tells by it whether onnxruntime reports.
    """
    os.environ.update(dict.fromkeys(_OTHERS, "1"))
    if "onnxruntime" not in sys.modules:
        os.environ[_ONNXRUNTIME] = "1"


def is_telemetry_off() -> bool:
    """True if onnxruntime was told, before it was imported, to report nothing."""
    return os.environ.get(_ONNXRUNTIME, "").strip().lower() in _YES
