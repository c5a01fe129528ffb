# SPDX-License-Identifier: Apache-2.0
"""Mistakes as exceptions. All mistakes of a file come at once: DseError.lines has each with its place."""
from __future__ import annotations

from typing import TYPE_CHECKING, List, NamedTuple, Optional

if TYPE_CHECKING:
    from .front import Front


class ErrorLine(NamedTuple):
    """One mistake: where it stands (file None: in no file; line and column count from 1), what it is, what was meant."""

    file: Optional[str]
    line: int
    column: int
    message: str
    suggestion: Optional[str]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}" if self.file else self.message


class DseError(Exception):
    """What went wrong. lines has every mistake; file, line, column, suggestion are those of the first; code is the
    program's exit code."""

    code = 1

    def __init__(self, lines: List[ErrorLine]):
        super().__init__("\n".join(str(line) for line in lines) or "dse: no message")
        self.lines = lines

    def _first(self) -> ErrorLine:
        return self.lines[0] if self.lines else ErrorLine(None, 0, 0, "", None)

    @property
    def file(self) -> Optional[str]:
        return self._first().file

    @property
    def line(self) -> int:
        return self._first().line

    @property
    def column(self) -> int:
        return self._first().column

    @property
    def suggestion(self) -> Optional[str]:
        return self._first().suggestion


class InternalError(DseError):
    """Memory is out, or a bug of ours."""


class UsageError(DseError, ValueError):
    """An argument is wrong; the message has what is allowed."""

    code = 2


class InputError(DseError, ValueError):
    """A machine, network, space or mapping is wrong."""

    code = 3


class InfeasibleError(DseError):
    """Nothing keeps the limits, or some layer cannot run. front: of a space that was explored, for its verdict."""

    code = 4
    front: Optional["Front"] = None


class ReadWriteError(DseError, OSError):
    """Reading or writing failed; there is no such file."""

    code = 5


class Interrupted(DseError, KeyboardInterrupt):
    """Ctrl-C, or a notebook's stop. What a search had found by then is front (None where it had nothing)."""

    code = 130
    front: Optional["Front"] = None


BY_CODE = {1: InternalError, 2: UsageError, 3: InputError, 4: InfeasibleError, 5: ReadWriteError, 130: Interrupted}
