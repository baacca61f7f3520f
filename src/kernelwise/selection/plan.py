"""What a selector is about to do: all that can be refused is refused here, before any work."""

from typing import Any, NamedTuple

from kernelwise._arguments import is_one_of
from kernelwise.gram import Targets
from kernelwise.kernels import Kernel
from kernelwise.kernels.geometry import in_range
from kernelwise.selection.estimators import (
    criterion_machine,
    fit_needs,
    has_bias,
    knows_by_name,
    machine_for,
    takes_over,
)
from kernelwise.selection.inputs import as_kernels, weighted_rows
from kernelwise.selection.problem import Budget, Problem
from kernelwise.selection.search import Search
from kernelwise.selection.terms import stages_for


class Plan(NamedTuple):
    """A choice that can be made, and a fit that can follow.

    Attributes
    ----------
    X, y : arrays
        Rows that have a weight.
    problem : Problem
        All of them.
    chosen_on : Problem
        Those that the choice is made on.
    search : Search
    kernels : list of Kernel
    extends : bool
        Whether the grid may be extended.
    machine : estimator
    by_name : bool
        Whether the machine gets the name of the kernel.
    params : dict
        Of the fit.
    """

    X: Any
    y: Any
    problem: Problem
    chosen_on: Problem
    search: Search
    kernels: list[Kernel]
    extends: bool
    machine: Any
    by_name: bool
    params: dict[str, Any]


def planned(selector: Any, X: Any, y: Any, params: dict[str, Any]) -> Plan:
    """Return what a selector will do with checked data and the parameters of its fit.

    What is not possible is refused.
    """
    is_matrix = selector.__sklearn_tags__().input_tags.pairwise
    class_weight, task = selector.class_weight, selector._task()
    X, y, weights, params = weighted_rows(X, y, params, class_weight, task, is_matrix)
    X, targets = in_range(X), Targets.of(y, task).weighted(weights)
    extends = is_one_of(selector.kernels, (None, "auto", "rbf"))
    names = getattr(selector, "feature_names_in_", None)
    kernels = as_kernels(selector.kernels, X, names, selector.random_state)
    machine = machine_for(selector.estimator, targets, kernels, class_weight)
    problem = Problem(
        X,
        targets,
        kernels,
        selector.engine,
        fit_intercept=has_bias(machine),
        machine=criterion_machine(machine),
        budget=Budget(selector.memory, selector.time),
    )
    adopts = takes_over(machine, params, class_weight)
    chosen_on = problem if adopts or not selector.refit else problem.within_reach()
    stages = stages_for(selector.criterion, selector.scoring, targets)
    search = Search(chosen_on, stages, selector.ridge)
    by_name = chosen_on is not problem and knows_by_name(machine, kernels)
    if selector.refit and not by_name:
        needs = fit_needs(machine, params, class_weight, problem.engine)
        problem.require(needs, f"the fit of {type(machine).__name__}")
    return Plan(X, y, problem, chosen_on, search, kernels, extends, machine, by_name, params)
