"""A bar that a person can read, and nothing where nobody looks."""

import collections
import importlib.util
import io
import re

import numpy as np
import pytest

import kernelwise as kw
from inside import Bar, Task, _BarCallback, bar
from inside import progress as _progress


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)


def shown(bar):
    """Record what a bar is told to draw."""
    drawn = []
    bar.show = drawn.append
    return drawn


def test_parts_share_a_stretch_equally():
    whole = Bar("work")
    drawn = shown(whole)
    with whole.part("all", 2) as work:
        with work.part("first", 4) as first:
            for _ in range(4):
                first.advance()
        work.advance()
    np.testing.assert_allclose(drawn, [0.125, 0.25, 0.375, 0.5, 0.5, 1.0, 1.0])


def test_more_parts_than_announced_do_not_go_beyond_the_end():
    whole = Bar("work")
    drawn = shown(whole)
    with whole.part("all", 1) as work:
        work.advance()
        work.advance()
    assert max(drawn) == 1.0


def test_a_part_may_stand_for_several():
    whole = Bar("work")
    drawn = shown(whole)
    with whole.part("all", 10) as work:
        with work.part("long", 2, share=8) as long:
            long.advance()
        work.sized(2).advance()
    np.testing.assert_allclose(drawn, [0.4, 0.8, 1.0, 1.0])


def test_shares_beyond_the_end_stay_within():
    whole = Bar("work")
    drawn = shown(whole)
    with whole.part("all", 3) as work:
        for _ in range(3):
            work.part(share=2).end()
    np.testing.assert_allclose(drawn, [2 / 3, 1.0, 1.0, 1.0])


@pytest.mark.skipif(
    importlib.util.find_spec("sklearn.callback") is None,
    reason="scikit-learn has callbacks from 1.9 on",
)
def test_callbacks_count_as_many_tasks_as_were_announced():
    """To them a part that stands for several is followed by empty ones."""
    announced, ended, drawn = {}, collections.Counter(), []

    class Listener(_BarCallback):
        def on_fit_task_begin(self, estimator, context):
            super().on_fit_task_begin(estimator, context)
            announced[context.task_name] = context.max_subtasks

        def on_fit_task_end(self, estimator, context):
            super().on_fit_task_end(estimator, context)
            if context.parent is not None:
                ended[context.parent.task_name] += 1

    listener = Listener("fit")
    listener._bar.show = drawn.append
    X = np.random.default_rng(0).normal(size=(60, 3))
    kw.KernelSelector(kernels=kw.grids.gaussian(0, 3)).set_callbacks(listener).fit(X, X[:, 0] > 0)
    assert ended["fit"] == announced["fit"] and ended["search"] == announced["search"] > 2
    assert drawn == sorted(drawn) and drawn[-1] == pytest.approx(1.0)


def test_nothing_is_drawn_where_nobody_looks(impatient, capsys):
    X = np.random.default_rng(0).normal(size=(60, 3))
    kw.score_kernels(X, X[:, 0] > 0.0, engine="tiled")
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == ""


@pytest.mark.parametrize("engine", ["dense", "tiled"])
def test_a_bar_with_the_time_left_goes_to_standard_error(impatient, capsys, monkeypatch, engine):
    monkeypatch.setattr("kernelwise.gram.runner._POLL", 0.001)
    X = np.random.default_rng(0).normal(size=(900, 3))
    kw.score_kernels(X, X[:, 0] > 0.0, engine=engine, progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "scoring kernels" in captured.err
    assert re.search(r"\d:\d\d", captured.err), "the time left"


def test_quick_work_draws_nothing(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "_PATIENCE", 600.0)  # a busy machine is not that slow
    X = np.random.default_rng(0).normal(size=(60, 3))
    kw.score_kernels(X, X[:, 0] > 0.0, kw.Gaussian(1.0), progress=True)
    assert capsys.readouterr().err == ""


def test_false_is_silent(impatient, capsys):
    assert type(bar("work", False)) is Task
    X = np.random.default_rng(0).normal(size=(60, 3))
    kw.score_kernels(X, X[:, 0] > 0.0, progress=False)
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_the_bar_unasked(impatient, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    X = np.random.default_rng(0).normal(size=(300, 3))
    kw.score_kernels(X, X[:, 0] > 0.0, engine="dense")
    assert "scoring kernels" in screen.getvalue()


def test_an_error_takes_the_bar_away(impatient, capsys):
    with pytest.raises(ZeroDivisionError), bar("work", True) as whole:
        with whole.part("all", 2) as work:
            work.advance()
            raise ZeroDivisionError
