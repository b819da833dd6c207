"""The devices on which onnxruntime can run a model, by what its installed build offers.

The build on PyPI has the processor everywhere and Core ML on macOS; `onnxruntime-gpu` has CUDA, and
`onnxruntime-openvino` OpenVINO. See https://onnxruntime.ai/docs/execution-providers/.
"""

from __future__ import annotations

from collections.abc import Mapping

import onnxruntime

from notewell.base.types import Device

_PROCESSOR = "CPUExecutionProvider"
_PROVIDERS: Mapping[Device, str] = {
    "cpu": _PROCESSOR,
    "coreml": "CoreMLExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}


def available_devices() -> tuple[Device, ...]:
    """The devices that this build of onnxruntime offers, the processor first."""
    offered = frozenset(onnxruntime.get_available_providers())
    return tuple(device for device, name in _PROVIDERS.items() if name in offered)


def providers_of(device: Device) -> list[str]:
    """The execution providers of a device; what it lacks is done by the processor."""
    return list(dict.fromkeys((_PROVIDERS[device], _PROCESSOR)))
