"""Switches off what libraries report about their use. Nothing may leave the machine unasked.

onnxruntime starts its reports when it is imported: it writes an identifier of the computer to the
user's cache folder, and sends events later. It reads the environment once, at that moment:
https://github.com/microsoft/onnxruntime/blob/main/docs/Privacy.md#disabling-telemetry
"""

from __future__ import annotations

import os
import sys

_ONNXRUNTIME = "ORT_DISABLE_TELEMETRY"
# Of huggingface-hub and hf-xet; https://donottrack.sh is for those that we do not know.
_OTHERS = ("HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
_YES = frozenset({"1", "true", "yes", "on", "y"})  # as onnxruntime reads it


def switch_off() -> None:
    """Switch reports off, for this process and those that it starts.

    Where another program has imported onnxruntime before, its variable stays as it is: it would be
    read no more, and `is_off` tells by it whether onnxruntime reports.
    """
    os.environ.update(dict.fromkeys(_OTHERS, "1"))
    if "onnxruntime" not in sys.modules:
        os.environ[_ONNXRUNTIME] = "1"


def is_off() -> bool:
    """Whether onnxruntime was told, before it was imported, to report nothing."""
    return os.environ.get(_ONNXRUNTIME, "").strip().lower() in _YES
