"""kernelwise reproduce: found by its entry point, and explained where it is missing."""

import tomllib
from types import SimpleNamespace

import pytest
from cli_helpers import ROOT, run

from inside import cli_reproduce as reproduce


def brings(monkeypatch, *commands):
    """Let these be what other distributions bring."""
    found = [SimpleNamespace(load=lambda command=command: command) for command in commands]
    monkeypatch.setattr(reproduce, "entry_points", lambda group, name: found)


@pytest.mark.parametrize("argv", [[], ["--list"], ["sm-table2", "--quick"], ["--help"], ["--nope"]])
def test_a_missing_distribution_is_one_sentence(argv, monkeypatch, capsys):
    brings(monkeypatch)
    status, out, err = run(capsys, "reproduce", *argv)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("kernelwise: 'kernelwise reproduce' ") and "pip install ./papers" in err


@pytest.mark.parametrize("argv", [["--help"], ["criteria"]])
def test_other_commands_do_not_look_for_it(argv, monkeypatch, capsys):
    monkeypatch.setattr(reproduce, "installed", None)
    status, out, err = run(capsys, *argv)
    assert (status, err) == (0, "")
    assert argv == ["criteria"] or "run the papers" in out


def test_a_command_from_outside(monkeypatch, capsys):
    def add_options(add):
        add("word", help="what to say")

    def say(args, screen):
        screen.note("from outside")
        print(args.word)
        return 0

    brings(monkeypatch, reproduce.Command("Says a word.", "example: a word", add_options, say))
    assert run(capsys, "reproduce", "hello") == (0, "hello\n", "note: from outside\n")
    assert run(capsys, "reproduce", "hello", "--quiet") == (0, "hello\n", "")
    status, out, _ = run(capsys, "reproduce", "--help")
    assert status == 0 and "Says a word." in out and "example: a word" in out
    status, out, err = run(capsys, "reproduce", "hello", "--jobs", "none")
    assert (status, out) == (2, "") and "a number of jobs must be" in err


def test_experiments_are_not_in_the_wheel():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert wheel["targets"]["wheel"]["packages"] == ["src/kernelwise"]
    assert not [p for p in (ROOT / "src").rglob("*.py") if "experiments" in p.parts]
    assert not list((ROOT / "src").rglob("*.csv"))
