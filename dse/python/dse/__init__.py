# SPDX-License-Identifier: Apache-2.0
"""dse: which DNN accelerator for your networks, from Python.

    import dse

    space = dse.Space(machine="dvfs_chip", network="model.onnx")
    space.axes["mla.array"] = ["16x4", "8x4"]
    front = space.explore()
    print(front.verdict)
    front.plot()

Machines and networks are names of shipped ones ("dvfs_chip", "vgg16"), or paths of files (machines .yaml or SCALE-Sim's
.cfg; networks .yaml, .onnx or SCALE-Sim's .csv). Names of columns end in their unit: latency_ms, energy_mj, dram_byte.
"""
from .design import Layers, Machine, Mapping, Network, map, simulate  # noqa: A004 (the field's word)
from .errors import (
    DseError,
    ErrorLine,
    InfeasibleError,
    InputError,
    InternalError,
    Interrupted,
    ReadWriteError,
    UsageError,
)
from .front import Front, Why
from .run import Run, command
from .space import Space, explore, size, why
from ._library import library_path, version

__version__ = "0.1.0"

__all__ = [
    "DseError", "ErrorLine", "Front", "InfeasibleError", "InputError", "InternalError", "Interrupted", "Layers",
    "Machine", "Mapping", "Network", "ReadWriteError", "Run", "Space", "UsageError", "Why", "command", "explore", "library_path",
    "map", "simulate", "size", "version", "why",
]
