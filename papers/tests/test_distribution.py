"""The distribution: what it brings to kernelwise, and what belongs to it."""

import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import kernelwise
from inside import cli_reproduce, main
from kernelwise_papers.command import REPRODUCE

PAPERS = Path(__file__).parents[1]


def project(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


def test_the_command_is_found_by_its_entry_point():
    assert cli_reproduce.installed() is REPRODUCE


@pytest.mark.parametrize("argv", [["--help"], ["criteria"], ["reproduce", "--help"]])
def test_no_experiment_is_imported_before_one_is_run(argv):
    code = f"""
import sys
from kernelwise.cli.main import main
status = main({argv})
sys.exit(status or "kernelwise_papers.catalog" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_help_has_examples_and_the_options_of_all_commands(capsys):
    assert main(["reproduce", "--help"]) == 0
    said = capsys.readouterr().out
    assert "kernelwise reproduce --all --quick" in said
    assert all(option in said for option in ("--repetitions", "--no-run", "--jobs", "--quiet"))


@pytest.mark.parametrize("jobs", ["0", "many", "1.5"])
def test_no_number_of_jobs(jobs, capsys):
    assert main(["reproduce", "--jobs", jobs]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "--jobs: a number of jobs must be" in said


def test_it_goes_with_the_kernelwise_beside_it():
    """It uses the inside of kernelwise, which changes from version to version."""
    ours = project(PAPERS)
    assert ours["version"] == kernelwise.__version__
    assert f"kernelwise[figures]=={kernelwise.__version__}" in ours["dependencies"]
    assert (PAPERS / "LICENSE").read_bytes() == (PAPERS.parent / "LICENSE").read_bytes()


def test_published_numbers_and_sources_belong_to_the_package():
    package = files("kernelwise_papers")
    assert (package / "sources.csv").is_file()
    assert (package / "published" / "sm2017_table2.csv").is_file()
    assert (package / "published" / "README.md").is_file()
