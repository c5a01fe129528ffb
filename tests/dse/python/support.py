# SPDX-License-Identifier: Apache-2.0
"""What the tests of the package share: the program beside it, random machines, networks and spaces."""
import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import dse

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ["DSE"]
# `make python-draws` draws all of what `make test` draws a sample of.
IS_ALL = os.environ.get("DRAWS") == "all"
SEED = 20261127


def program(*words):
    """The program's JSON."""
    done = subprocess.run([PROGRAM, *words, "--json", "-q"], capture_output=True, text=True,
                          env={**os.environ, "DSE_STORE": "none"})
    if done.returncode not in (0, 4):
        raise AssertionError(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def random_network(draw: random.Random) -> str:
    """A chain of convolutions and perhaps a fully connected layer."""
    size, layers = draw.choice([8, 12, 16, 28]), []
    for _ in range(draw.randint(1, 4)):
        layers.append("  - conv: {kernel: %d, out_channels: %d}" % (draw.choice([1, 3]), draw.choice([4, 8, 16, 24])))
    if draw.random() < 0.5:
        layers.append("  - fc: {out: %d}" % draw.choice([4, 10, 16]))
    return f"name: net\ninput: [{size}, {size}, {draw.choice([3, 4, 16])}]\nlayers:\n" + "\n".join(layers) + "\n"


def random_settings(draw: random.Random) -> dict:
    """Parameters of dvfs_chip in ranges that mostly work."""
    chosen = {"mla.array": draw.choice(["16x4", "8x4", "16x2", "8x8"])}
    if draw.random() < 0.5:
        chosen["pe.sram_byte"] = draw.choice([65536, 98304, 131072])
    if draw.random() < 0.3:
        chosen["energy.dram_byte_pj"] = draw.choice(["51.25", 64, 70.5])
    return chosen


class Case(unittest.TestCase):
    """Tests from the repository's root, with a folder of their own."""

    def setUp(self):
        os.chdir(ROOT)
        folder = tempfile.TemporaryDirectory(prefix="dse-python-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def same(self, left, right, what=""):
        """To the last bit; NaN is None in JSON."""
        if right is None:
            self.assertTrue(left != left, what)
        else:
            self.assertEqual(left, right, what)


LONG = {"name": "long", "machine": "dvfs_chip", "network": "vgg16",
        "axes": {"mla.array": ["16x4", "8x4"], "pe.sram_byte": [65536, 98304, 131072]},
        "objectives": ["latency_ms", "energy_mj", "mac_units", "sram_byte"]}

__all__ = ["Case", "IS_ALL", "LONG", "PROGRAM", "ROOT", "SEED", "dse", "program", "random_network", "random_settings"]
