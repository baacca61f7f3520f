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


def test_demo_ends_with_the_answer_and_a_report(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["demo.py", str(tmp_path)])
    runpy.run_path(str(DEMO), run_name="__main__")
    out = capsys.readouterr().out
    assert "kernel     Gaussian(tau=" in out and str(tmp_path / "report.html") in out
    assert float(re.search(r"not seen: ([\d.]+) % error", out)[1]) < 8.0
    assert "Gaussian(tau=" in (tmp_path / "report.html").read_text()
