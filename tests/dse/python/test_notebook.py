# SPDX-License-Identifier: Apache-2.0
"""In a notebook's kernel: a search is stopped and what it found stays."""
import os
import sys
import time
import unittest

from support import Case

try:
    import ipykernel  # noqa: F401
    from jupyter_client.manager import KernelManager
except ImportError:
    KernelManager = None

SETUP = """
import sys; sys.path[:0] = [{path!r}, {tests!r}]
import os; os.environ["DSE"] = {program!r}
from support import dse, LONG
space = dse.Space(LONG)
print("ready", flush=True)
space.explore()
"""


@unittest.skipUnless(KernelManager, "no ipykernel here (Debian: python3-ipykernel)")
class Kernel(Case):
    def start(self):
        manager = KernelManager(kernel_name="python3")
        # the kernel of this Python, whatever others are known here
        spec = manager.kernel_spec_manager.get_kernel_spec("python3")
        spec.argv = [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        manager._kernel_spec = spec
        manager.start_kernel(extra_arguments=["--HistoryManager.enabled=False"])
        self.addCleanup(manager.shutdown_kernel, now=True)
        client = manager.client()
        client.start_channels()
        self.addCleanup(client.stop_channels)
        client.wait_for_ready(timeout=60)
        return manager, client

    def text_of(self, client, id):
        """What a cell printed, and its result's HTML."""
        text = []
        while True:
            message = client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != id:
                continue
            content = message["content"]
            text.append(content.get("text", "") + str(content.get("data", {}).get("text/html", "")))
            if message["msg_type"] == "status" and content["execution_state"] == "idle":
                return "".join(text)

    def reply(self, client, id):
        while True:
            message = client.get_shell_msg(timeout=60)
            if message["parent_header"].get("msg_id") == id:
                return message["content"]

    def test_interruption(self):
        manager, client = self.start()
        id = client.execute(SETUP.format(path=os.path.abspath("dse/python"), tests=os.path.abspath("tests/dse/python"),
                                         program=os.environ["DSE"]), stop_on_error=False)
        while "ready" not in client.get_iopub_msg(timeout=60)["content"].get("text", ""):
            pass
        time.sleep(0.8)
        manager.interrupt_kernel()
        reply = self.reply(client, id)
        self.assertEqual((reply["status"], reply["ename"]), ("error", "Interrupted"))
        id = client.execute("assert dse.Space('spaces/smoke.yaml').explore('fast').is_complete")
        self.assertEqual(self.reply(client, id)["status"], "ok")
        last = client.execute("print(space.front.is_complete); dse.simulate('dvfs_chip', 'tiny')")
        shown = self.text_of(client, last)
        self.assertIn("False", shown)
        self.assertIn("<table", shown)


if __name__ == "__main__":
    unittest.main()
