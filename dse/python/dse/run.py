# SPDX-License-Identifier: Apache-2.0
"""Runs of the program: searches of hours, with files, a journal and resumption."""
from __future__ import annotations

import html
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Sequence

import pandas as pd

from . import _library as lib
from .errors import BY_CODE, ErrorLine, InternalError, ReadWriteError

if TYPE_CHECKING:
    from .space import Space


def program_path() -> str:
    """The program: DSE_PROGRAM, the wheel's, a clone's, the library's neighbour, the PATH's. ReadWriteError: none."""
    beside = Path(lib.library_path()).resolve().parent
    found = [os.environ.get("DSE_PROGRAM", ""), str(lib.HERE / "_home" / "bin" / "dse"), str(beside / "dse"),
             str(beside.parent / "bin" / "dse"), shutil.which("dse") or ""]
    for path in found:
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise ReadWriteError([ErrorLine(None, 0, 0, "the program dse is not found; install it, or let DSE_PROGRAM name it", None)])


def call_program(words: Sequence[str]) -> str:
    """Its standard output. One Ctrl-C is handed on as one, which lets it save; DseError with its messages else."""
    is_stopped = False
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([program_path(), *words], stdout=subprocess.PIPE, text=True, start_new_session=True,
                                   stderr=errors)
        try:
            out, _ = process.communicate()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate()
            is_stopped = True
        except BaseException:
            process.kill()
            process.wait()
            raise
        errors.seek(0)
        lines = [line[5:] if line.startswith("dse: ") else line for line in errors.read().splitlines()]
    if is_stopped and process.returncode == 0:  # it was done just then
        raise KeyboardInterrupt
    if process.returncode != 0:
        raise BY_CODE.get(process.returncode, InternalError)([ErrorLine(None, 0, 0, line, None) for line in lines if line])
    return out


def command(*words: str) -> Dict[str, Any]:
    """What a command of the program prints with --json: dse.command("power", "dvfs_chip", "vgg16", "--budget-mw", "1200").
    All commands that have --json (dse --help), with all of their options. Exceptions are those of the other functions."""
    return json.loads(call_program([*(str(word) for word in words), "--json", "-q"]))


class Run:
    """What a run left in its folder: points (front.csv), data (run.json), verdict, and how to go on with it."""

    def __init__(self, folder: "str | os.PathLike[str]"):
        self.folder = Path(folder)
        try:
            self.data: Dict[str, Any] = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise ReadWriteError([ErrorLine(None, 0, 0, f"{self.folder} holds no run: {error}", None)]) from error

    @classmethod
    def start(cls, space: "Space", out: "str | os.PathLike[str]", options: Sequence[str]) -> "Run":
        """Space.run. On Ctrl-C Interrupted, whose run is what was saved."""
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        if space._path is not None and space._data is None:
            path = space._found()
        else:
            name = str(space.data.get("name", "space"))
            path = str((Path(space._found()).parent if space._path is not None else folder) / f"{name}.python.yaml")
            Path(path).write_text(space.yaml(), encoding="utf-8")
        return cls._call(["explore", path, "-o", str(folder), *options], folder)

    @classmethod
    def _call(cls, words: List[str], folder: Path) -> "Run":
        before = {path: path.stat().st_mtime_ns for path in folder.glob("*/run.json")}
        try:
            call_program([*words, "--json", "-q"])
        except BY_CODE[130] as error:
            error.run = cls._newest(folder, before)
            raise
        return cls._newest(folder, before)

    @classmethod
    def _newest(cls, folder: Path, before: Dict[Path, int]) -> "Run":
        made = [path for path in folder.glob("*/run.json") if before.get(path) != path.stat().st_mtime_ns]
        if not made:
            raise InternalError([ErrorLine(None, 0, 0, f"{folder} has no new run", None)])
        return cls(max(made, key=lambda path: path.stat().st_mtime_ns).parent)

    def resume(self) -> "Run":
        """Go on with a run that was stopped or killed, to the same files."""
        call_program(["explore", "--resume", str(self.folder), "--json", "-q"])
        return Run(self.folder)

    @property
    def points(self) -> pd.DataFrame:
        """front.csv: one line of pandas. Columns as in Front.points, then each network's own."""
        return pd.read_csv(self.folder / "front.csv", index_col="id", float_precision="round_trip")

    @property
    def verdict(self) -> str:
        """Sentences, one a line."""
        return "".join(line + "\n" for line in self.data.get("verdict", {}).get("text", []))

    @property
    def is_complete(self) -> bool:
        """Whether the search came to its end."""
        return bool(self.data.get("complete"))

    def __repr__(self) -> str:
        return f"{self.verdict}Run({str(self.folder)!r})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.verdict)}</pre>" + self.points.head(20).to_html()
