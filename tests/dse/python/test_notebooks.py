# SPDX-License-Identifier: Apache-2.0
"""Notebooks run from their first cell to their last, and print what they have kept. RECORD=1 keeps what they print now;
NOTEBOOKS='power*' runs those alone. Cells with the tag `versions` may print other figures where another library is older or
newer: they run, and what is asserted in them holds."""
import importlib.util
import os
import sys
import unittest

from support import ROOT, Case

try:
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
except ImportError:
    nbformat = None


def figures(notebook):
    """Texts and tables of each cell; pictures differ with matplotlib's version, and are there or not."""
    found = []
    for cell in notebook.cells:
        if "versions" in cell.metadata.get("tags", []):
            continue
        texts, printed = [], False
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                continue
            data = output.get("data", {})
            if "text" in output and texts and printed:
                texts[-1] += output["text"]  # what is printed comes in as many pieces as the kernel likes
                continue
            printed = "text" in output
            texts.append(output.get("text") or data.get("text/html") or ("picture" if "image/png" in data else data.get("text/plain")))
        found.append(texts)
    return found


@unittest.skipUnless(nbformat, "no nbconvert here (Debian: python3-nbconvert and python3-ipykernel)")
class Notebooks(Case):
    def test_outputs(self):
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        names = os.environ.get("NOTEBOOKS", "1")
        paths = sorted((ROOT / "dse" / "python" / "notebooks").glob("*.ipynb" if names == "1" else names + ".ipynb"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(notebook=path.name):
                if "from scipy" in path.read_text(encoding="utf-8") and not importlib.util.find_spec("scipy"):
                    print(f"SKIPPED: {path.name}, no SciPy here (Debian: python3-scipy)", flush=True)
                    continue
                kept = nbformat.read(path, as_version=4)
                run = nbformat.read(path, as_version=4)
                for cell in run.cells:
                    if cell.cell_type == "code":
                        cell.outputs, cell.execution_count = [], None
                worker = ExecutePreprocessor(timeout=900, kernel_name="python3")
                manager = worker.create_kernel_manager()
                # the kernel of this Python, whatever others are known here
                manager.kernel_spec.argv = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f",
                                            "{connection_file}", "--HistoryManager.enabled=False"]
                worker.preprocess(run, {"metadata": {"path": str(path.parent)}}, km=manager)
                for cell in run.cells:
                    cell.metadata.pop("execution", None)  # when it ran
                    cell["outputs"] = [o for o in cell.get("outputs", []) if o.get("name") != "stderr"] if \
                        cell.cell_type == "code" else []
                    if cell.cell_type != "code":
                        del cell["outputs"]
                if os.environ.get("RECORD") == "1":
                    nbformat.write(run, path)
                else:
                    self.assertEqual(figures(run), figures(kept))


if __name__ == "__main__":
    unittest.main()
