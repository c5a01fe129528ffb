# SPDX-License-Identifier: Apache-2.0
"""How far a search is: a line on a terminal or below a notebook's cell, or a function of the user's."""
from __future__ import annotations

import math
import sys
import time
from typing import Any, Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """What a progress function is told: the phase in words, done_frac 0..1, seconds so far and left (inf: nobody knows),
    designs evaluated."""

    phase: str
    done_frac: float
    elapsed_s: float
    left_s: float
    n_evaluation: int


Told = Union[None, bool, Callable[[Progress], Any]]


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return bool(shell) and "IPKernelApp" in getattr(shell, "config", {})


class _Line:
    """Four times a second at most, from a third of a second on, and taken away at the end."""

    def __init__(self) -> None:
        self._width = 0
        self._next_s = time.monotonic() + 0.3

    def __call__(self, at: Progress) -> None:
        if time.monotonic() < self._next_s:
            return
        self._next_s = time.monotonic() + 0.25
        left = f", {math.ceil(at.left_s)} s left" if math.isfinite(at.left_s) else ""
        text = f"{100 * at.done_frac:5.1f} %  {at.phase}{left}"[:100]
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._width = len(text)

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def watcher(told: Told) -> "tuple[Callable[[Any], None], Callable[[], None]]":
    """For Handle.search, and what ends it. None: a line where somebody sees it; True: a line; False: nothing."""
    line: Optional[_Line] = None
    if told is True or (told is None and (sys.stderr.isatty() or _is_notebook())):
        line = _Line()
    function = line or (told if callable(told) else None)

    def tell(at: Any) -> None:
        # Also without a function: a Ctrl-C is raised here, where Python's code runs.
        if function:
            function(Progress(at.phase.decode("utf-8", "replace"), at.done_frac, at.elapsed_s, at.left_s, at.n_evaluation))

    return tell, line.end if line else lambda: None
