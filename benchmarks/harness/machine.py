"""The signature of a benchmark: versions, device, settings and seed."""

import platform

import torch

from lexalign import __version__


def signature(device: str, **settings: object) -> dict[str, object]:
    gpu = torch.cuda.get_device_name() if device.startswith("cuda") else None
    return {
        "lexalign": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "device": gpu or platform.processor() or platform.machine(),
        **settings,
        "seed": 1,
    }
