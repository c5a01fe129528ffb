# SPDX-License-Identifier: Apache-2.0
"""Python's numbers are the program's, to the last bit: random designs, random spaces, shipped ones."""
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import pandas as pd
from support import IS_ALL, PROGRAM, SEED, Case, dse, program, random_network, random_settings

COLUMNS = ("total_clk", "core_clk", "latency_ms", "energy_mj", "dram_read_byte", "dram_write_byte", "sram_byte",
           "peak_power_mw", "sram_used_frac", "mac_util_frac")
TOTALS = ("total_clk", "core_clk", "latency_ms", "energy_mj", "peak_power_mw", "sram_used_frac", "mac_util_frac")


class Numbers(Case):
    def test_random_designs(self):
        """Machines, networks, strategies, levels and tiers drawn; each layer and the totals."""
        draw, n_design, n_run = random.Random(SEED), 1000 if IS_ALL else 24, 0
        for i in range(n_design):
            network = self.write(f"net{i}.yaml", random_network(draw))
            settings = random_settings(draw)
            strategy = draw.choice(["no_fusion", "fusion", "fusion_reuse"])
            level, detail = draw.choice(["PL1", "PL2"]), draw.choice(["fast", "fast", "fast", "event"])
            what = f"{i}: {settings} {strategy} {level} {detail}"
            words = ["simulate", "dvfs_chip", network, "--strategy", strategy, "--level", level, "--detail", detail]
            for key, value in settings.items():
                words += ["--set", f"{key}={value}"]
            told = program(*words)
            try:
                found = dse.simulate(dse.Machine("dvfs_chip", settings), network, detail, strategy, level)
            except dse.InfeasibleError as error:
                found = getattr(error, "layers", None)
                self.assertTrue(found is None or any(row["verdict"] != "feasible" for row in told["layers"]), what)
                if found is None:
                    continue
            self.assertEqual(len(told["layers"]), len(found.layers), what)
            for row, (name, own) in zip(told["layers"], found.layers.iterrows()):
                self.assertEqual((row["operation"], row["verdict"]), (name, own["verdict"]), what)
                for column in COLUMNS if row["verdict"] == "feasible" else ():
                    self.same(own[column], row[column], f"{what} {name} {column}")
            for column in TOTALS:
                self.same(found.total[column], told["totals"][column], f"{what} {column}")
            n_run += 1
        self.assertGreater(n_run, 0.8 * n_design)

    def compare_front(self, path, detail):
        """Space's front against front.csv; the number of its points."""
        out = Path(tempfile.mkdtemp(dir=self.folder))
        subprocess.run([PROGRAM, "explore", path, "-q", "-o", str(out), "--store", "none", "--detail", detail], check=False,
                       capture_output=True)
        files = list(out.glob("*/front.csv"))
        try:
            front = dse.Space(path).explore(detail, progress=False)
        except dse.InfeasibleError:
            self.assertFalse(files)
            return 0
        told = pd.read_csv(files[0], float_precision="round_trip")
        own = front.points.reset_index()
        shared = [name for name in told.columns if name in own.columns]
        self.assertEqual(list(told.columns[:4]), list(own.columns[:4]))
        self.assertGreaterEqual(len(shared), 12)
        pd.testing.assert_frame_equal(own[shared], told[shared], check_exact=True, check_dtype=False)
        return len(own)

    def test_shipped_fronts(self):
        for detail in ("fast", "both", "event"):
            self.assertGreater(self.compare_front("spaces/smoke.yaml", detail), 4)

    def test_random_spaces(self):
        draw, n_point = random.Random(SEED + 1), 0
        for i in range(40 if IS_ALL else 3):
            self.write("net.yaml", random_network(draw))
            limit = f"constraints: ['energy_mj <= {draw.uniform(0.001, 0.2):.4f}']\n" if draw.random() < 0.4 else ""
            path = self.write(f"space{i}.yaml", "name: drawn\nmachine: dvfs_chip\nnetwork: ./net.yaml\n"
                              "axes: {mla.array: [16x4, 8x4], pe.sram_byte: [65536, 98304]}\n"
                              "layers: [{match: '.*', split: even}]\n" + limit +
                              "objectives: [latency_ms, energy_mj, mac_units]\n")
            n_point += self.compare_front(path, draw.choice(["fast", "both"]) if IS_ALL else "fast")
        self.assertGreater(n_point, 0)

    def test_points_are_mappings(self):
        """A point simulated again, saved and loaded, costs what the front says."""
        front = dse.Space("spaces/smoke.yaml").explore(progress=False)
        first, last = front.mapping(0), front.mapping(len(front) - 1)
        for id, mapping in ((0, first), (len(front) - 1, last), (0, first)):
            result = mapping.simulate(front.detail)
            self.assertEqual(result.latency_ms, front.points.loc[id, "latency_ms"])
            self.assertEqual(result.energy_mj, front.points.loc[id, "energy_mj"])
            layers = front.layers(id)
            self.assertEqual(list(layers["latency_ms"]), list(result.layers["latency_ms"]))
            self.assertEqual(list(layers["layer"]), list(result.layers.index))
        path = self.folder / "mine.yaml"
        last.save(path)
        self.assertEqual(dse.Mapping.load(path).simulate("event").latency_ms, last.simulate("event").latency_ms)
        told = program("simulate", "--mapping", str(path), "--detail", "event")
        self.assertEqual(told["totals"]["latency_ms"], last.simulate("event").latency_ms)
        self.assertRaises(IndexError, front.layers, len(front))
        self.assertRaises(dse.UsageError, front.mapping, len(front))

    def test_best_mapping(self):
        chip = dse.Machine("dvfs_chip", {"mla.array": "8x4"})
        fast, least = dse.map(chip, "tiny"), dse.map(chip, "tiny", "energy")
        self.assertLess(fast.simulate().latency_ms, dse.simulate(chip, "tiny").latency_ms)
        self.assertLessEqual(least.simulate().energy_mj, fast.simulate().energy_mj)
        told = program("map", "dvfs_chip", "tiny", "--set", "mla.array=8x4", "-o", str(self.folder / "map"))
        mapping = self.folder / "map" / "mapping.yaml"
        self.assertTrue(told and mapping.exists())
        self.assertEqual(dse.Mapping.load(mapping).simulate().latency_ms, fast.simulate().latency_ms)

    def test_verdict_and_why(self):
        """In words and as data what the program says."""
        space = dse.Space("spaces/smoke.yaml")
        run = space.run(self.folder / "runs", "--store", "none")
        front = space.explore(progress=False)
        self.assertEqual(front.verdict, run.verdict)
        self.assertEqual(front.verdict_data, run.data["verdict"])
        answer = space.why("mla.array=8x4", progress=False)
        self.assertTrue(answer["on_front"])
        self.assertEqual(answer.data, program("why", str(run.folder), "mla.array=8x4"))
        with self.assertRaises(dse.UsageError) as caught:
            space.why("mla.aray=8x4")
        self.assertEqual(caught.exception.suggestion, "mla.array")

    def test_size(self):
        vary = {"mla.array": ["16x4", "8x4"]}
        front = dse.size("dvfs_chip", "tiny", vary, limits=["latency_ms <= 1"], detail="fast", progress=False)
        self.assertEqual(front.objectives, ["latency_ms", "energy_mj", "mac_units"])
        told = program("size", "dvfs_chip", "tiny", "--vary", "mla.array=16x4,8x4", "--limit", "latency_ms <= 1", "-o",
                       str(self.folder), "--detail", "fast")
        self.assertEqual(list(front.points["energy_mj"]), [point["metrics"]["energy_mj"] for point in told["front"]])
        self.assertEqual(front.verdict.splitlines(), told["verdict"]["text"])


if __name__ == "__main__":
    unittest.main()
