# SPDX-License-Identifier: Apache-2.0
"""Machines, networks, mappings, and what they cost."""
from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping as MappingType, Optional, Union

import pandas as pd

from . import _library as lib
from ._progress import Told, watcher
from .errors import InfeasibleError

PathLike = Union[str, "os.PathLike[str]"]

# Columns of Layers.table, in this order: clocks of the PEs at the layer's operating point, bytes, fractions.
COLUMNS = ("verdict", "latency_ms", "energy_mj", "total_clk", "core_clk", "peak_power_mw", "mac", "dram_read_byte",
           "dram_write_byte", "sram_byte", "sram_used_frac", "mac_util_frac", "reason")
WHOLE = {"mac"}  # whole numbers that C has as reals


class _File:
    """A shipped name, a path, or a text that lies in a file of its own as long as this object lives."""

    suffix = ".yaml"

    def __init__(self, name: PathLike):
        self.name = os.fspath(name)
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None

    @classmethod
    def from_text(cls, text: str, name: str = "mine") -> Any:
        """One whose file's text this is, as YAML (dse/spaces/README.md has the keys)."""
        folder = tempfile.TemporaryDirectory(prefix="dse-")
        path = Path(folder.name) / (name + cls.suffix)
        path.write_text(text, encoding="utf-8")
        made = cls(path)
        made._folder = folder
        return made

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Network(_File):
    """A network: the name of a shipped one ("vgg16"), or a file (.yaml, .onnx, SCALE-Sim's .csv).

    The batch is 1; sizes of tensors are the file's. It is read when it is used."""


class Machine(_File):
    """A machine: the name of a shipped one ("dvfs_chip") or a file (.yaml, SCALE-Sim's .cfg), with other parameters.

        chip = dse.Machine("dvfs_chip", {"mla.array": "8x4"})
        chip["pe.sram_byte"] = "96KiB"

    Keys and units are those of machine files; values are texts or numbers in the key's unit."""

    def __init__(self, name: PathLike, set: Optional[MappingType[str, Any]] = None):  # noqa: A002
        super().__init__(name)
        self.set: Dict[str, Any] = dict(set or {})

    def __setitem__(self, key: str, value: Any) -> None:
        self.set[key] = value

    def __getitem__(self, key: str) -> Any:
        return self.set[key]

    def __repr__(self) -> str:
        return f"Machine({self.name!r}{', ' + repr(self.set) if self.set else ''})"


class Layers:
    """What a mapping costs: layers (a DataFrame, a row a layer, in the order they run) and total (a Series).

    Both have latency_ms, energy_mj (static energy included), total_clk and core_clk (of the PEs at the layer's operating
    point), peak_power_mw, mac (multiply-accumulates), dram_read_byte, dram_write_byte, sram_byte (of the fullest PE),
    sram_used_frac and mac_util_frac (0..1), and verdict ("feasible", or why a layer cannot run). detail is the tier."""

    def __init__(self, network: str, detail: str, layers: pd.DataFrame, total: pd.Series):
        self.network, self.detail, self.layers, self.total = network, detail, layers, total

    @property
    def latency_ms(self) -> float:
        """Of all layers together."""
        return float(self.total["latency_ms"])

    @property
    def energy_mj(self) -> float:
        """Of all layers together."""
        return float(self.total["energy_mj"])

    def _heading(self) -> str:
        return f"{self.network}: {self.latency_ms:.5g} ms, {self.energy_mj:.5g} mJ, {self.detail} tier"

    def __repr__(self) -> str:
        return self._heading() + "\n" + repr(self.layers.drop(columns="reason"))

    def _repr_html_(self) -> str:
        return f"<p><b>{html.escape(self._heading())}</b></p>" + self.layers.drop(columns="reason").to_html(
            float_format=lambda x: f"{x:.5g}")

    def plot(self, column: str = "latency_ms", ax: Any = None) -> Any:
        """Bars of a column, a bar a layer, on matplotlib's axes (made where None); returns them."""
        import matplotlib.pyplot as plt

        ax = ax or plt.subplots(figsize=(8, 3))[1]
        ax.bar(self.layers.index, self.layers[column])
        ax.set_ylabel(column)
        ax.set_title(f"{self.network}, {self.detail} tier")
        ax.tick_params(axis="x", rotation=90)
        return ax


def _value(figures: lib.Figures, column: str) -> Any:
    value = getattr(figures, column)
    return lib.to_text(value) if isinstance(value, (bytes, type(None))) else int(value) if column in WHOLE else value


class Mapping:
    """A network on a machine with a design for every layer. Made by dse.map, Front.mapping and Mapping.load."""

    def __init__(self, handle: lib.Handle):
        self._handle = handle

    @classmethod
    def load(cls, path: PathLike) -> "Mapping":
        """From FILE.yaml, as save and `dse map` write it, or "FRONT.json:ID", a point of a front."""
        handle = lib.Handle()
        handle.call("open_mapping", lib.to_bytes(path))
        return cls(handle)

    def save(self, path: PathLike) -> None:
        """Write it, for load, `dse simulate --mapping` and editors; whole or not at all."""
        self._handle.call("save", lib.to_bytes(path))

    def set(self, key: str, value: Any) -> "Mapping":  # noqa: A003
        """Another value of a machine parameter; the designs stay. Returns self."""
        self._handle.call("set", lib.to_bytes(key), lib.to_bytes(str(value)))
        return self

    def simulate(self, detail: str = "fast") -> Layers:
        """What it costs in a tier: "fast" (closed forms), "event" (event by event) or "greybox" (fitted clocks).

        InfeasibleError where some layer cannot run: its layers attribute has the figures of the others all the same."""
        with self._handle.lock:
            refused: Optional[InfeasibleError] = None
            try:
                self._handle.call("evaluate", lib.to_bytes(detail))
            except InfeasibleError as error:
                refused = error
            made = self._read(detail)
        if refused:
            refused.layers = made
            raise refused
        return made

    def _read(self, detail: str) -> Layers:
        n = self._handle.get("n_layer")
        figures = [self._handle.get("layer", i).contents for i in range(n)]
        total = self._handle.get("total").contents
        names = pd.Index([lib.to_text(one.name) for one in figures], name="layer")
        table = pd.DataFrame({c: [_value(one, c) for one in figures] for c in COLUMNS}, index=names)
        name = lib.to_text(total.name)
        return Layers(name, detail, table, pd.Series({c: _value(total, c) for c in COLUMNS}, name=name, dtype=object))

    def __repr__(self) -> str:
        return f"<dse.Mapping of {self._handle.get('n_layer')} layers>"


def _open(machine: Union[Machine, PathLike], network: Union[Network, PathLike]) -> lib.Handle:
    machine = machine if isinstance(machine, Machine) else Machine(machine)
    network = network if isinstance(network, Network) else Network(network)
    handle = lib.Handle()
    handle.call("open", lib.to_bytes(machine.name), lib.to_bytes(network.name))
    for key, value in machine.set.items():
        handle.call("set", lib.to_bytes(key), lib.to_bytes(str(value)))
    return handle


def simulate(machine: Union[Machine, PathLike], network: Union[Network, PathLike], detail: str = "fast",
             strategy: Optional[str] = None, level: Optional[str] = None) -> Layers:
    """What a network costs by rules: the thesis' splits, one strategy ("no_fusion", "fusion", "fusion_reuse"; None:
    fusion_reuse, on systolic arrays the fastest dataflow of each layer) at one operating point (None: the first)."""
    handle = _open(machine, network)
    handle.call("map", lib.to_bytes(strategy), lib.to_bytes(level))
    return Mapping(handle).simulate(detail)


def map(machine: Union[Machine, PathLike], network: Union[Network, PathLike], goal: str = "latency",  # noqa: A001
        threads: int = 0, progress: Told = None) -> Mapping:
    """The best mapping for a goal, "latency", "energy" or "edp" (their product): of all splits, strategies and operating
    points none is better in the fast tier. threads 0: all cores. Interrupted on Ctrl-C; progress as in Space.explore."""
    handle = _open(machine, network)
    tell, end = watcher(progress)
    try:
        handle.search("map_best", lib.to_bytes(goal), threads, progress=tell)
    finally:
        end()
    return Mapping(handle)


def texts(values: Any, n: int) -> List[str]:
    """[n] texts of C."""
    return [lib.to_text(values[i]) for i in range(n)]
