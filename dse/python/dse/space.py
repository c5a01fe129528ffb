# SPDX-License-Identifier: Apache-2.0
"""Spaces: what may vary, what must hold, what is better."""
from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping as MappingType, Optional, Sequence, Union

from . import _library as lib
from ._progress import Told, watcher
from .design import Machine, Network, PathLike
from .errors import InfeasibleError, Interrupted
from .front import Front, Why
from .run import Run

SIZES_OF_MACS = ("mla.array", "systolic.array", "qpe.n_pe", "chip.n_qpe", "chip.mesh_")
SIZES_OF_SRAM = ("pe.sram_byte", "systolic.ifmap_byte", "systolic.filter_byte", "systolic.ofmap_byte")


def _yaml_load(text: str) -> Any:
    """YAML as dse reads it: numbers are decimal, true and false are truth values, all else is text ("16x4", "on")."""
    try:
        import yaml
    except ImportError as error:
        raise ImportError("changing a space that is a YAML file needs PyYAML (Debian: python3-yaml)") from error

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers: Dict[str, Any] = {}

    for tag, pattern, first in (
        ("bool", r"true|false", "tf"), ("int", r"[-+]?(0|[1-9][0-9]*)", "-+0123456789"),
        ("float", r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?", "-+0123456789"), ("null", r"~|null|", "~n\0"),
    ):
        Loader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile("^(?:" + pattern + ")$"), list(first))
    return yaml.load(text, Loader)  # noqa: S506 (a SafeLoader)


def _name(given: Any) -> Any:
    """A machine or network as a space names it."""
    return given.name if isinstance(given, (Machine, Network)) else os.fspath(given) if isinstance(given, os.PathLike) else given


class Space:
    """A design space. Of a YAML file or text, of a dict, or of keywords, which are the keys of a space's file:

        space = dse.Space("spaces/mla_sizing.yaml")
        space = dse.Space(machine="dvfs_chip", networks=["vgg16", "model.onnx"], objectives=["latency_ms", "energy_mj"])
        space.axes["mla.array"] = ["16x4", "8x4"]
        space.constraints.append("latency_ms <= 43")

    data is the whole of it; axes, constraints, objectives and layers are parts of that. A space without layers may choose
    from every legal split, strategy and operating point; without objectives it asks for latency_ms and energy_mj.
    Parameters that a Machine sets are axes of one value."""

    def __init__(self, given: Union[None, PathLike, MappingType[str, Any]] = None, **keys: Any):
        self._path: Optional[str] = None  # of its file
        self._text: Optional[str] = None  # of it while nobody has changed it
        self._data: Optional[Dict[str, Any]] = None
        self._held: List[Any] = []  # machines and networks whose files are theirs
        self.front: Optional[Front] = None
        """The last front that was found, also of a search that was interrupted."""
        if given is None or isinstance(given, MappingType):
            self._data = dict(given or {})
        else:
            self._path = os.fspath(given)
        if keys:
            self.data.update(keys)
        if self._data is not None:
            self._complete()

    @classmethod
    def from_yaml(cls, text: str) -> "Space":
        """Of YAML text. Files that it names are looked for from the working directory, then among the shipped ones."""
        made = cls.__new__(cls)
        made._path, made._text, made._data, made._held, made.front = None, text, None, [], None
        return made

    def _complete(self) -> None:
        data = self.data
        data.setdefault("name", "space")
        for key in ("machine", "network"):
            many = data.get(key + "s")
            for one in many if isinstance(many, (list, tuple)) else [data.get(key)]:
                if isinstance(one, (Machine, Network)):
                    self._held.append(one)
                if isinstance(one, Machine):
                    for parameter, value in one.set.items():
                        data.setdefault("axes", {}).setdefault(parameter, [value])
        data.setdefault("layers", [{"match": ".*"}])
        data.setdefault("objectives", ["latency_ms", "energy_mj"])

    @property
    def data(self) -> Dict[str, Any]:
        """The space as its file has it; what is changed here is what is explored."""
        if self._data is None:
            text = self._text if self._text is not None else Path(self._found()).read_text(encoding="utf-8")
            loaded = _yaml_load(text)
            self._data = loaded if isinstance(loaded, dict) else {}
        return self._data

    def _found(self) -> str:
        assert self._path is not None
        for path in (self._path, self._path + ".yaml", os.path.join("spaces", self._path + ".yaml")):
            if os.path.isfile(path):
                self._path = path
                return path
        return self._path

    @property
    def axes(self) -> Dict[str, Any]:
        """Machine parameters that vary: key to a list of values, or to a range, {"from": 65536, "to": 262144, "times": 2}."""
        return self.data.setdefault("axes", {})

    @property
    def constraints(self) -> List[str]:
        """What must hold, of machines ("chip.n_dram * dram.clk_mhz <= 1600") and results ("latency_ms <= 43")."""
        return self.data.setdefault("constraints", [])

    @property
    def objectives(self) -> List[str]:
        """What is better where it is less, four at most: "latency_ms", "energy_mj", "mac_units", "sram_byte", ..."""
        return self.data.setdefault("objectives", [])

    @property
    def layers(self) -> List[Any]:
        """Rules of what layers may choose from; later ones win."""
        return self.data.setdefault("layers", [])

    def yaml(self) -> str:
        """The text that is explored; of a dict JSON, which is YAML."""
        if self._data is None:
            return self._text if self._text is not None else Path(self._found()).read_text(encoding="utf-8")
        data = {key: value for key, value in self._data.items() if value not in ([], {})}
        for key in ("machine", "network"):
            if key in data:
                data[key] = _name(data[key])
            if isinstance(data.get(key + "s"), (list, tuple)):
                data[key + "s"] = [{**one, "network": _name(one["network"])} if isinstance(one, dict) and "network" in one
                                   else _name(one) for one in data[key + "s"]]
        return json.dumps(data, indent=1, default=_plain, ensure_ascii=False) + "\n"

    def _open(self) -> lib.Handle:
        handle = lib.Handle()
        if self._path is not None and self._data is None:
            handle.call("open_space", lib.to_bytes(self._path))
        else:
            beside = self._found() if self._path is not None else "<space>"
            handle.call("open_space_text", self.yaml().encode("utf-8"), lib.to_bytes(beside))
        return handle

    def check(self) -> None:
        """InputError with every mistake of the space and of all files that it names; nothing where it is right."""
        self._open()

    def explore(self, detail: Optional[str] = None, threads: int = 0, progress: Told = None) -> Front:
        """The front: every design that no other one beats, with the complete mapping that reaches it.

        detail: "fast" (closed forms: the quick look), "both" (the fast tier searches, the event tier prices), "event", or
        None, as `dse explore` does (both; fast for systolic arrays and genetic engines). threads 0: all cores; the front
        is the same for any number. progress: None, a line where somebody sees it; True or False; or a function of
        dse._progress.Progress, called ten times a second, whose exceptions end the search.

        Interrupted on Ctrl-C (also a notebook's stop): its front, and the space's, have what was found by then.
        InfeasibleError where nothing keeps the limits: its front's verdict says which limit fails and by how much."""
        handle = self._open()
        tell, end = watcher(progress)
        try:
            handle.search("explore", lib.to_bytes(detail), threads, progress=tell)
        except (Interrupted, InfeasibleError) as error:
            self.front = error.front = Front(handle, self.yaml(), is_complete=isinstance(error, InfeasibleError))
            raise
        finally:
            end()
        self.front = Front(handle, self.yaml())
        return self.front

    def why(self, *choice: str, threads: int = 0, progress: Told = None) -> Why:
        """Why not this one? Choices as `dse why` has them, all at once: "mla.array=24x8", "machine=my_chip",
        "CONV_3.split=height:28*2", "CONV_3.strategy=fusion", "level=PL1", "my_mapping.yaml"."""
        return ask_why(self._open(), choice, threads, progress)

    def run(self, out: PathLike = "results", *options: str) -> Run:
        """Explore with the program `dse`, for hours: files in a folder below out, a journal that Run.resume goes on from,
        and all of its options ("--max-seconds", "3600"). Ctrl-C saves what was found and raises Interrupted."""
        return Run.start(self, out, options)

    def __repr__(self) -> str:
        return f"Space({self._path!r})" if self._data is None and self._path is not None else f"Space({self.yaml()})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.yaml())}</pre>"


def _plain(value: Any) -> Any:
    """Of NumPy's numbers and arrays, paths, ranges: what JSON has."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} is none of a space's values")


def ask_why(handle: lib.Handle, choice: Sequence[str], threads: int, progress: Told) -> Why:
    """Space.why on an open handle."""
    import ctypes

    words = (ctypes.c_char_p * len(choice))(*[lib.to_bytes(word) for word in choice])
    answer = ctypes.c_char_p()
    tell, end = watcher(progress)
    with handle.lock:
        try:
            handle.search("why", words, len(choice), threads, ctypes.byref(answer), progress=tell)
        finally:
            end()
        return Why(json.loads(lib.to_text(answer.value)))


def explore(space: Union[Space, PathLike, MappingType[str, Any]], detail: Optional[str] = None, threads: int = 0,
            progress: Told = None) -> Front:
    """Space.explore of a space, a file or a dict."""
    return (space if isinstance(space, Space) else Space(space)).explore(detail, threads, progress)


def why(space: Union[Space, PathLike, MappingType[str, Any]], *choice: str, threads: int = 0, progress: Told = None) -> Why:
    """Space.why of a space, a file or a dict."""
    return (space if isinstance(space, Space) else Space(space)).why(*choice, threads=threads, progress=progress)


def size(machine: Union[Machine, PathLike], networks: Union[Network, PathLike, Sequence[Union[Network, PathLike]]],
         vary: MappingType[str, Any], limits: Sequence[str] = (), objectives: Sequence[str] = (),
         detail: Optional[str] = None, threads: int = 0, progress: Told = None) -> Front:
    """Which machine for my networks: `dse size` as a function.

        front = dse.size("dvfs_chip", "model.onnx", vary={"mla.array": ["16x4", "8x4"]}, limits=["latency_ms <= 2"])
        print(front.verdict)

    vary: machine parameters to lists of values or ranges ("64KiB..256KiB:x2"). Without objectives these are latency_ms,
    energy_mj and what grows with what varies: mac_units, sram_byte."""
    many = list(networks) if isinstance(networks, (list, tuple)) else [networks]
    wanted = list(objectives) or ["latency_ms", "energy_mj"] + \
        ["mac_units"] * any(key.startswith(SIZES_OF_MACS) for key in vary) + \
        ["sram_byte"] * any(key.startswith(SIZES_OF_SRAM) for key in vary)
    space = Space(name="size", machine=machine, networks=many, axes=dict(vary),
                  layers=[{"match": ".*", "conv_1x1": ["conv", "packed", "matmul"]}],
                  constraints=list(limits), objectives=wanted)
    return space.explore(detail, threads, progress)
