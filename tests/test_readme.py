"""The README's examples run as printed."""

import pathlib
import re
import runpy

README = pathlib.Path(__file__).parents[1] / "README.md"
DEMO = README.parent / "examples" / "demo.py"


def test_examples_run_as_printed(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), flags=re.DOTALL)
    assert len(blocks) == 2
    namespace = {}
    for block in blocks:
        exec(block, namespace)
    assert "Gaussian(tau=" in capsys.readouterr().out


def test_demo_prints_the_choice(capsys):
    runpy.run_path(str(DEMO), run_name="__main__")
    assert "kernel: Gaussian(tau=" in capsys.readouterr().out
