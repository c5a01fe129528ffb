# SPDX-License-Identifier: Apache-2.0
"""libdse by ctypes: where it is, its structures and functions (dse/lib/dse.h), and handles."""
from __future__ import annotations

import ctypes
import os
import signal
import threading
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, List, Optional

from .errors import BY_CODE, ErrorLine, InternalError

ABI = "0.1"  # of the soname; before 1.0 each second number is another interface
HERE = Path(__file__).resolve().parent


class Figures(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p), ("verdict", c_char_p), ("reason", c_char_p),
        ("demanded_byte", c_uint64), ("available_byte", c_uint64),
        ("total_clk", c_uint64), ("core_clk", c_uint64),
        ("latency_ms", c_double), ("energy_mj", c_double), ("peak_power_mw", c_double), ("mac", c_double),
        ("dram_read_byte", c_uint64), ("dram_write_byte", c_uint64), ("sram_byte", c_uint64),
        ("sram_used_frac", c_double), ("mac_util_frac", c_double),
    ]


class Error(ctypes.Structure):
    _fields_ = [("file", c_char_p), ("line", c_uint), ("column", c_uint), ("message", c_char_p), ("suggestion", c_char_p)]


class Progress(ctypes.Structure):
    _fields_ = [("phase", c_char_p), ("done_frac", c_double), ("elapsed_s", c_double), ("left_s", c_double),
                ("n_evaluation", c_uint64)]


class Metric(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("help", c_char_p), ("is_objective", c_int)]


class Point(ctypes.Structure):
    _fields_ = [("machine", c_char_p), ("value", POINTER(c_char_p)), ("metric", POINTER(c_double)),
                ("n_like", c_size_t), ("n_layer", c_size_t)]


class Choice(ctypes.Structure):
    _fields_ = [("network", c_char_p), ("layer", c_char_p), ("n_field", c_size_t), ("key", POINTER(c_char_p)),
                ("value", POINTER(c_char_p)), ("text", c_char_p), ("total_clk", c_uint64), ("latency_ms", c_double),
                ("energy_mj", c_double), ("dram_byte", c_uint64)]


WATCHER = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Progress))

# name: result, arguments behind the handle
FUNCTIONS = {
    "dse_message": (c_char_p,),
    "dse_n_error": (c_size_t,), "dse_error": (POINTER(Error), c_size_t),
    "dse_watch": (None, WATCHER, c_void_p), "dse_cancel": (None,),
    "dse_open": (c_int, c_char_p, c_char_p), "dse_open_mapping": (c_int, c_char_p),
    "dse_set": (c_int, c_char_p, c_char_p),
    "dse_map": (c_int, c_char_p, c_char_p), "dse_map_best": (c_int, c_char_p, c_uint),
    "dse_save": (c_int, c_char_p), "dse_evaluate": (c_int, c_char_p),
    "dse_n_layer": (c_size_t,), "dse_layer": (POINTER(Figures), c_size_t), "dse_total": (POINTER(Figures),),
    "dse_open_space": (c_int, c_char_p), "dse_open_space_text": (c_int, c_char_p, c_char_p),
    "dse_explore": (c_int, c_char_p, c_uint),
    "dse_n_metric": (c_size_t,), "dse_metric": (POINTER(Metric), c_size_t),
    "dse_n_objective": (c_size_t,), "dse_objective": (c_size_t, c_size_t),
    "dse_n_axis": (c_size_t,), "dse_axis": (c_char_p, c_size_t),
    "dse_front_detail": (c_char_p,), "dse_n_point": (c_size_t,),
    "dse_point": (POINTER(Point), c_size_t), "dse_choice": (POINTER(Choice), c_size_t, c_size_t),
    "dse_verdict": (c_char_p,), "dse_verdict_json": (c_char_p,),
    "dse_why": (c_int, POINTER(c_char_p), c_size_t, c_uint, POINTER(c_char_p)),
    "dse_open_point": (c_int, c_size_t, c_size_t),
}


def _candidates() -> List[str]:
    """Where libdse may be: as told, in the wheel, in a clone, where the system's linker looks."""
    told = os.environ.get("DSE_LIBRARY")
    if told:
        return [told]
    soname = f"libdse.so.{ABI}"
    found = [HERE / "_home" / "lib" / soname]
    found += sorted(HERE.parents[2].joinpath("build").glob(f"libdse.so.{ABI}.*"))  # of dse/python/dse
    found += [HERE.parents[2] / soname]  # of PREFIX/lib/python3/dist-packages/dse
    return [str(path) for path in found if path.exists()] + [soname]


def _load() -> ctypes.CDLL:
    """The library. Its calls release the interpreter's lock. ImportError where there is none, or another version."""
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            tried.append(f"{path}: {error}")
            continue
        library.dse_version.restype = c_char_p
        found = library.dse_version().decode()
        if found.rsplit(".", 1)[0] != ABI:
            tried.append(f"{path}: version {found}, wanted is {ABI}")
            continue
        library.dse_new.restype = c_void_p
        library.dse_free.argtypes = [c_void_p]
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = [c_void_p, *arguments]
        library._path = path
        return library
    raise ImportError("libdse is not found; `make` builds it in a clone, `make install` or package libdse" + ABI +
                      " brings it, DSE_LIBRARY names it. Tried: " + "; ".join(tried))


LIBRARY = _load()


def version() -> str:
    """Version of the library that is loaded, "0.1.0"."""
    return LIBRARY.dse_version().decode()


def library_path() -> str:
    """The file, or the name, that it was loaded by."""
    return LIBRARY._path


def to_bytes(text: Any) -> Optional[bytes]:
    """A text or path as C has it; None stays None."""
    return None if text is None else os.fsencode(os.fspath(text)) if not isinstance(text, bytes) else text


def to_text(value: Optional[bytes]) -> str:
    """C's text; names of files may be no UTF-8."""
    return (value or b"").decode("utf-8", "surrogateescape")


class Handle:
    """A handle of the library: one call at a time, whichever threads share it. Freed with the object."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._pointer = LIBRARY.dse_new()
        if not self._pointer:
            raise MemoryError("libdse: out of memory")

    def __del__(self) -> None:
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer:
            LIBRARY.dse_free(pointer)

    @property
    def lock(self) -> threading.RLock:
        """For whoever reads what one call left for the next."""
        return self._lock

    def get(self, name: str, *arguments: Any) -> Any:
        """A function that cannot fail."""
        with self._lock:
            return getattr(LIBRARY, "dse_" + name)(self._pointer, *arguments)

    def call(self, name: str, *arguments: Any) -> None:
        """A function that returns a code; DseError of its kind with all messages."""
        with self._lock:
            code = getattr(LIBRARY, "dse_" + name)(self._pointer, *arguments)
            if code != 0:
                raise BY_CODE.get(code, InternalError)(self._errors())

    def search(self, name: str, *arguments: Any, progress: Optional[Callable[["Progress"], None]] = None) -> None:
        """The same of one that takes long: progress is told of it ten times a second in this thread. What progress
        raises, KeyboardInterrupt above all, ends the search; Interrupted then where it was that one, else the exception.
        """
        raised: List[BaseException] = []
        is_main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGINT) if is_main else None

        def stop(number: int, frame: Any) -> None:
            # An exception raised at the first step of a callback of C's would be lost: the handler keeps it.
            try:
                before(number, frame)
            except BaseException as error:  # noqa: B902
                raised.append(error)
                LIBRARY.dse_cancel(self._pointer)

        def tell(_context: Any, at: Any) -> int:
            try:
                if not raised and progress:
                    progress(at.contents)
            except BaseException as error:  # noqa: B902 (an exception cannot pass through C)
                raised.append(error)
            return len(raised)

        watcher = WATCHER(tell)
        with self._lock:
            LIBRARY.dse_watch(self._pointer, watcher, None)
            if callable(before):
                signal.signal(signal.SIGINT, stop)
            try:
                self.call(name, *arguments)
            except BY_CODE[130] as stopped:
                if raised and not isinstance(raised[0], KeyboardInterrupt):
                    raise raised[0] from None
                raise stopped from None
            finally:
                if callable(before):
                    signal.signal(signal.SIGINT, before)
                LIBRARY.dse_watch(self._pointer, WATCHER(0), None)
        if raised:  # it was done already
            raise raised[0]

    def _errors(self) -> List[ErrorLine]:
        lines = []
        for i in range(LIBRARY.dse_n_error(self._pointer)):
            error = LIBRARY.dse_error(self._pointer, i).contents
            lines.append(ErrorLine(to_text(error.file) if error.file else None, error.line, error.column,
                                   to_text(error.message), to_text(error.suggestion) if error.suggestion else None))
        return lines
