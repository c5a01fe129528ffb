# SPDX-License-Identifier: Apache-2.0
"""Spaces changed in Python, mistakes with their places, interruption, what notebooks show, and no leaks."""
import math
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from support import IS_ALL, LONG, ROOT, Case, dse, program

from dse import _library as lib


class Spaces(Case):
    def test_changed_in_python(self):
        space = dse.Space("spaces/smoke.yaml")
        self.assertEqual(space.axes["mla.array"], ["16x4", "8x4"])
        space.axes["mla.array"] = ["8x4"]
        space.constraints.append("latency_ms <= 0.5")
        points = space.explore("fast", progress=False).points
        self.assertEqual(set(points["mla.array"]), {"8x4"})
        self.assertLessEqual(points["latency_ms"].max(), 0.5)
        again = dse.Space.from_yaml(space.yaml()).explore("fast", progress=False)
        self.assertTrue(again.points.equals(points))

    def test_values_of_other_kinds(self):
        import numpy as np

        chip = dse.Machine("dvfs_chip", {"mla.array": "8x4"})
        space = dse.Space(machine=chip, network=dse.Network("tiny"), axes={"pe.sram_byte": np.array([65536, 98304])},
                          layers=[{"match": ".*", "split": "even"}])
        front = space.explore("fast", progress=False)
        self.assertEqual(set(front.points["mla.array"]), {"8x4"})
        self.assertEqual(front.points["pe.sram_byte"].dtype, "int64")
        own = dse.Network.from_text("name: mine\ninput: [8, 8, 3]\nlayers:\n  - conv: {kernel: 3, out_channels: 4}\n")
        self.assertEqual(len(dse.simulate("dvfs_chip", own).layers), 1)
        weighted = dse.Space(machine="dvfs_chip", aggregate="weighted", networks=[{"network": dse.Network("tiny"), "weight": 2},
                             {"network": own, "weight": 1}], layers=[{"match": ".*", "split": "even"}])
        self.assertEqual(len(weighted.explore("fast", progress=False).layers(0)["network"].unique()), 2)

    def test_onnx(self):
        result = dse.simulate("dvfs_chip", "tests/reference/onnx/light_squeezenet.onnx")
        self.assertGreater(len(result.layers), 20)


    @unittest.skipUnless(IS_ALL, "make python-draws has it")
    def test_readme(self):
        """README's lines, as they stand there."""
        import matplotlib

        matplotlib.use("Agg")
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        names = {}
        exec(re.search(r"```python\n(.*?)```", text, re.S).group(1), names)  # noqa: S102
        self.assertIn("16x4 wins", names["front"].verdict)
        self.assertIn('"16x4"', names["front"].yaml)

    @unittest.skipUnless(IS_ALL, "make python-draws has it")
    def test_script(self):
        """The package's README has a script that sizes an array for a model and draws it."""
        text = (ROOT / "dse/python/README.md").read_text(encoding="utf-8")
        script = re.findall(r"```python\n(.*?)```", text, re.S)[1]
        self.assertLessEqual(len([line for line in script.split("\n") if line]), 15)
        model = Path("tests/reference/onnx/light_squeezenet.onnx").resolve()
        done = subprocess.run([sys.executable, "-c", script, model], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(sys.path)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("16x4 wins", done.stdout)
        self.assertIn("<svg", (Path(self.folder) / "arrays.svg").read_text(encoding="utf-8"))


class Mistakes(Case):
    def test_all_at_once_with_places(self):
        path = self.write("bad.yaml", "name: bad\nmachine: dvfs_chop\nnetwork: tiny\naxes: {mla.aray: [16x4]}\n"
                          "objectives: [latency_ms]\n")
        with self.assertRaises(dse.InputError) as caught:
            dse.Space(path).check()
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column, error.suggestion), (path, 2, 10, "dvfs_chip"))
        self.assertEqual([(line.line, line.suggestion) for line in error.lines], [(2, "dvfs_chip"), (4, "mla.array")])
        self.assertIn(f"{path}:4:", str(error))
        with self.assertRaises(dse.InputError) as caught:
            dse.Space(machine="dvfs_chip", network="vgg61").explore()
        self.assertEqual((caught.exception.file, caught.exception.suggestion), ("<space>", "vgg16"))

    def test_kinds(self):
        self.assertRaises(dse.ReadWriteError, dse.simulate, "dvfs_chop", "tiny")
        self.assertRaises(OSError, dse.Space("nowhere.yaml").explore)
        self.assertRaises(ValueError, dse.simulate, "dvfs_chip", "tiny", "slow")
        self.assertRaises(dse.UsageError, dse.map, "dvfs_chip", "tiny", "speed")
        with self.assertRaises(dse.UsageError) as caught:
            dse.simulate(dse.Machine("dvfs_chip", {"mla.aray": "8x4"}), "tiny")
        self.assertEqual(caught.exception.suggestion, "mla.array")
        with self.assertRaises(dse.InfeasibleError) as caught:
            dse.Mapping.load("spaces/mappings/tiny.yaml").set("pe.sram_byte", 2048).simulate()
        self.assertIn("cannot run", str(caught.exception))
        self.assertIn("pe_sram", list(caught.exception.layers.layers["verdict"]))
        with self.assertRaises(dse.InfeasibleError) as caught:
            dse.Space(machine="dvfs_chip", network="tiny", constraints=["latency_ms <= 0.001"]).explore(progress=False)
        self.assertIn("latency_ms", caught.exception.front.verdict)
        self.assertEqual(len(caught.exception.front), 0)
        self.assertRaises(dse.ReadWriteError, dse.Run, self.folder)

    def test_other_threads(self):
        """Handles share nothing, and one may be shared."""
        mapping, found = dse.Mapping.load("spaces/mappings/tiny.yaml"), []
        whole = mapping.simulate().latency_ms

        def work():
            for _ in range(10):
                found.append(mapping.simulate().latency_ms)
                found.append(dse.Mapping.load("spaces/mappings/tiny.yaml").simulate().latency_ms)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [whole] * 80)


class Interruption(Case):
    def after(self, seconds):
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        self.addCleanup(timer.join)

    def test_keeps_what_was_found(self):
        space = dse.Space(LONG)
        self.after(0.7)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt) as caught:
            space.explore(progress=False)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertIsInstance(caught.exception, dse.Interrupted)
        self.assertIs(space.front, caught.exception.front)
        self.assertFalse(space.front.is_complete)
        self.assertIn("interrupted", space.front._repr_html_())
        # and all goes on
        self.assertTrue(dse.Space("spaces/smoke.yaml").explore("fast", progress=False).is_complete)

    def test_mapping(self):
        self.after(0.2)
        with self.assertRaises(dse.Interrupted):
            dse.map("dvfs_chip", "resnet50", progress=False)

    def test_progress(self):
        seen = []

        def tell(at):
            seen.append(at)
            if len(seen) == 3:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            dse.Space(LONG).explore(progress=tell)
        self.assertEqual(len(seen), 3)
        for at in seen:
            self.assertTrue(at.phase and 0 <= at.done_frac <= 1 and at.elapsed_s > 0 and not math.isnan(at.left_s))

    def test_run_of_the_program(self):
        space = dse.Space(LONG)
        self.after(1.0)
        with self.assertRaises(dse.Interrupted) as caught:
            space.run(self.folder / "runs", "--store", "none", "--detail", "fast")
        run = caught.exception.run
        self.assertFalse(run.is_complete)
        self.assertTrue(list(run.folder.glob("journal*")))

    def test_command(self):
        """A command's JSON, and its exit codes as exceptions."""
        told = program("power", "dvfs_chip", "tiny", "--scenario", "speed")
        self.assertEqual(dse.command("power", "dvfs_chip", "tiny", "--scenario", "speed"), told)
        self.assertGreater(told["best"]["time_ms"], 0)
        with self.assertRaises(dse.InfeasibleError) as caught:
            dse.command("power", "dvfs_chip", "tiny", "--budget-mw", 1)
        self.assertIn("no schedule keeps all budgets", str(caught.exception))
        self.assertRaises(dse.UsageError, dse.command, "power", "dvfs_chip")


class Shown(Case):
    def test_pictures_and_html(self):
        import matplotlib

        matplotlib.use("Agg")
        front = dse.Space("spaces/smoke.yaml").explore("fast", progress=False)
        axes = front.plot()
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("latency_ms", "energy_mj"))
        self.assertEqual(len(axes.get_lines()), 2)
        axes.figure.savefig(self.folder / "front.png")
        result = dse.simulate("dvfs_chip", "tiny")
        self.assertEqual(len(result.plot().patches), 3)
        matplotlib.pyplot.close("all")
        for shown in (front, result):
            self.assertIn("latency_ms", shown._repr_html_())
            self.assertIn("fast tier", repr(shown))
        self.assertIn("16x4 wins", front._repr_html_())
        self.assertEqual(front.units["energy_mj"][0], "mJ")
        self.assertEqual(front.best("energy_mj")["energy_mj"], front.points["energy_mj"].min())


class Leaks(Case):
    def once(self, i):
        handle = lib.Handle()
        handle.call("open_mapping", b"spaces/mappings/tiny.yaml")
        handle.call("evaluate", b"fast")
        handle.get("total").contents.latency_ms
        try:
            handle.call("set", b"mla.aray", b"1")
        except dse.UsageError:
            pass
        if i % 20 == 0:
            dse.Mapping(handle).simulate()
        if i % 50 == 0:
            space = dse.Space("spaces/smoke.yaml")
            front = space.explore("fast", 1, progress=False)
            front.layers(1)
            front.mapping(1).simulate()

    def test_no_leak(self):
        n = 10000 if IS_ALL else 1000
        for i in range(n // 3):
            self.once(i)
        before = rss_kib()
        for i in range(n):
            self.once(i)
        # KiB: what allocators and caches keep has settled in the first part
        self.assertLess(rss_kib() - before, 512)


def rss_kib():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


if __name__ == "__main__":
    unittest.main()
