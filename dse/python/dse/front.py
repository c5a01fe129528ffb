# SPDX-License-Identifier: Apache-2.0
"""Fronts: designs that no other one beats, as tables, pictures and mappings."""
from __future__ import annotations

import html
import json
from typing import Any, Dict, List, Optional, Tuple

import pandas as pd

from . import _library as lib
from .design import Mapping, texts

N_HTML = 20  # rows that a notebook shows
N_MARKED = 200  # points of a curve that are marked each


class Why:
    """The answer of Space.why: data has all of it, as `dse why --json` prints it."""

    def __init__(self, data: Dict[str, Any]):
        self.data = data

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __repr__(self) -> str:
        return json.dumps(self.data, indent=1)


class Front:
    """A front. points is a DataFrame, a row a point, in the order of front.csv (by the first objective):

    id (the index), the space's objectives, machine, its axes, all other metrics, each with its unit in the name, and
    like_it (how many points of the whole front it stands for in the event tier). Axes are texts, as machine files have
    them, but for those whose values are all whole numbers.

    objectives: their names. detail: the tier, "fast" or "event". is_complete: False after an interruption. verdict: which
    machine wins, who loses to whom, and why, in sentences; verdict_data: the same as data. yaml: the space's text."""

    def __init__(self, handle: lib.Handle, yaml: str, is_complete: bool = True):
        self._handle = handle
        self.yaml = yaml
        self.is_complete = is_complete
        with handle.lock:
            self.detail = lib.to_text(handle.get("front_detail"))
            self.objectives = [self._metric(handle.get("objective", i)) for i in range(handle.get("n_objective"))]
            self.axes = [lib.to_text(handle.get("axis", i)) for i in range(handle.get("n_axis"))]
            self.points = self._read()
            self.verdict = lib.to_text(handle.get("verdict"))

    def _metric(self, i: int) -> str:
        return lib.to_text(self._handle.get("metric", i).contents.name)

    def _read(self) -> pd.DataFrame:
        metrics = [self._metric(i) for i in range(self._handle.get("n_metric"))]
        rows: List[Dict[str, Any]] = []
        for i in range(self._handle.get("n_point")):
            point = self._handle.get("point", i).contents
            value = dict(zip(metrics, point.metric[:len(metrics)]))
            rows.append({"machine": lib.to_text(point.machine), **dict(zip(self.axes, texts(point.value, len(self.axes)))),
                         **value, "like_it": point.n_like})
        columns = self.objectives + ["machine"] + self.axes + [m for m in metrics if m not in self.objectives] + ["like_it"]
        table = pd.DataFrame(rows, columns=columns)
        table.index.name = "id"
        for axis in self.axes:
            if len(table) and table[axis].str.fullmatch(r"[0-9]+").all():
                table[axis] = table[axis].astype("int64")
        for name in metrics:  # counts, as front.csv has them
            if name.endswith(("_byte", "_units")) and len(table) and (table[name] % 1 == 0).all():
                table[name] = table[name].astype("int64")
        return table

    @property
    def units(self) -> Dict[str, Tuple[str, str]]:
        """Of each metric: its unit, and what it is."""
        units = {}
        with self._handle.lock:
            for i in range(self._handle.get("n_metric")):
                metric = self._handle.get("metric", i).contents
                units[lib.to_text(metric.name)] = (lib.to_text(metric.unit), lib.to_text(metric.help))
        return units

    @property
    def verdict_data(self) -> Dict[str, Any]:
        """The verdict's sentences, table and claims, as in run.json."""
        text = lib.to_text(self._handle.get("verdict_json"))
        return json.loads(text).get("verdict", {}) if text else {}

    def __len__(self) -> int:
        return len(self.points)

    def best(self, metric: str) -> pd.Series:
        """The point with the least of a metric; of equal ones the first."""
        return self.points.loc[self.points[metric].idxmin()]

    def layers(self, id: int) -> pd.DataFrame:  # noqa: A002
        """What point id has for each layer: network, layer, strategy, level, split by dimension ("28*2": two parts of
        28), places of ifmap and result, total_clk, latency_ms, energy_mj, dram_byte. A row a layer, in order."""
        rows = []
        with self._handle.lock:
            point = self._handle.get("point", id)
            if not point:
                raise IndexError(f"point {id}: the front has {len(self)}")
            for k in range(point.contents.n_layer):
                choice = self._handle.get("choice", id, k).contents
                fields = dict(zip(texts(choice.key, choice.n_field), texts(choice.value, choice.n_field)))
                rows.append({"network": lib.to_text(choice.network), "layer": lib.to_text(choice.layer), **fields,
                             "total_clk": choice.total_clk, "latency_ms": choice.latency_ms,
                             "energy_mj": choice.energy_mj, "dram_byte": choice.dram_byte})
        return pd.DataFrame(rows)

    def mapping(self, id: int, network: int = 0) -> Mapping:  # noqa: A002
        """Point id as a mapping of one network (counted from 0, in the space's order), to simulate or save."""
        with self._handle.lock:
            self._handle.call("open_point", id, network)
            return _Opened(self._handle, id, network)

    def plot(self, x: Optional[str] = None, y: Optional[str] = None, by: Optional[str] = None, ax: Any = None) -> Any:
        """The front over two columns (None: the first two objectives), a colour a value of by (None: the first axis, else
        the machine), on matplotlib's axes (made where None); returns them."""
        import matplotlib.pyplot as plt

        x = x or self.objectives[0]
        y = y or self.objectives[min(1, len(self.objectives) - 1)]
        by = by or (self.axes[0] if self.axes else "machine")
        ax = ax or plt.subplots(figsize=(6, 4), layout="constrained")[1]
        for name, part in self.points.groupby(by, sort=False):
            part = part.sort_values(x)
            # A curve falls, but for what fronts were thinned by; else points trade in other columns, too.
            is_curve = not part[y].diff().max() > 0.01 * (part[y].max() - part[y].min())
            style = ("o-" if len(part) <= N_MARKED else "-") if is_curve else "o"
            ax.plot(part[x], part[y], style, markersize=4, linewidth=1.5, label=str(name))
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        ax.legend(title=by)
        ax.set_title(self._heading())
        return ax

    def _heading(self) -> str:
        return f"{len(self)} designs, {self.detail or 'no'} tier" + ("" if self.is_complete else ", interrupted")

    def __repr__(self) -> str:
        return self.verdict + self._heading() + "\n" + repr(self.points)

    def _repr_html_(self) -> str:
        shown = self.points.head(N_HTML).dropna(axis=1, how="all")
        rest = f"<p>{len(self) - N_HTML} more in <code>points</code></p>" if len(self) > N_HTML else ""
        sentences = "".join(f"<li>{html.escape(line)}</li>" for line in self.verdict.splitlines())
        return (f"<ul>{sentences}</ul><p><b>Pareto front: {html.escape(self._heading())}</b></p>" +
                shown.to_html(float_format=lambda value: f"{value:.5g}") + rest)


class _Opened(Mapping):
    """A point of a front: the front's handle opens it again where another one was opened since."""

    def __init__(self, handle: lib.Handle, id: int, network: int):  # noqa: A002
        super().__init__(handle)
        self._of = (id, network)
        self._settings: List[Tuple[str, Any]] = []

    def _again(self) -> None:
        self._handle.call("open_point", *self._of)
        for key, value in self._settings:
            super().set(key, value)

    def set(self, key: str, value: Any) -> "Mapping":  # noqa: A003
        with self._handle.lock:
            self._again()
            super().set(key, value)
            self._settings.append((key, value))
        return self

    def save(self, path: Any) -> None:
        with self._handle.lock:
            self._again()
            super().save(path)

    def simulate(self, detail: str = "fast") -> Any:
        with self._handle.lock:
            self._again()
            return super().simulate(detail)
