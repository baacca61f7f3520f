"""Which members a stack has, and how each is made.

A member is a :class:`~kernelwise.KernelSelector` with candidates of its own. Those below have a
letter and a name; users give kernels, lists of kernels, or selectors.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from kernelwise._arguments import is_list, shown
from kernelwise._registry import unknown
from kernelwise._types import Array
from kernelwise.criteria import SM
from kernelwise.kernels import Kernel, Linear, Scaled
from kernelwise.kernels.laplacian import scales_for
from kernelwise.kernels.named import NAMES as FAMILIES
from kernelwise.kernels.transform import Scaling
from kernelwise.machines.relevance import relevance
from kernelwise.selection import Cascade, KernelSelector
from kernelwise.selection.cascade import loo_criterion
from kernelwise.targets import Targets

_SURVIVORS = 3  # Laplacian kernels that the screen lets pass
_BASE, _DERIVED = "laplacian", "relevant_laplacian"


class Unsuitable(Exception):
    """A member cannot be made from the data; the message says why."""


class Known(NamedTuple):
    """What a member may be made from.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, d)
    targets : Targets
    random_state : int, RandomState or None
    names : sequence of str
        Of the columns of X; empty where it has none.
    fitted : dict of str to KernelSelector
        The members that were fitted before it.
    """

    X: Any
    targets: Targets
    random_state: Any
    names: Sequence[str]
    fitted: dict[str, KernelSelector]


def _gaussian(known: Known) -> dict[str, Any]:
    """Return the default choice of a selector."""
    return {}


def _laplacian(known: Known) -> dict[str, Any]:
    """Return Laplacian kernels: the screen keeps three, leave-one-out picks."""
    return _screened(known, scales_for(known.X, known.random_state), _SURVIVORS)


def _relevant_laplacian(known: Known) -> dict[str, Any]:
    r"""Return Laplacian kernels on features scaled by :math:`\sqrt{M_j}` over its mean.

    M is the relevance of the features to the machine with the plain Laplacian kernel.
    """
    if _BASE not in known.fitted:
        raise Unsuitable(f"{_BASE}, which it is made from, is left out")
    base = known.fitted[_BASE]
    M = relevance(base.best_estimator_, random_state=known.random_state).values
    scaling = Scaling(tuple(feature_weights(M).tolist()))
    plain = scales_for(scaling(known.X), known.random_state)
    kernels = [Scaled(scaling.weights, kernel) for kernel in plain]
    return _screened(known, kernels, _SURVIVORS)


def _linear(known: Known) -> dict[str, Any]:
    """Return the linear kernel, whose ridge leave-one-out picks."""
    return _screened(known, [Linear()], keep=1)


def _screened(known: Known, kernels: Sequence[Kernel], keep: int) -> dict[str, Any]:
    """Return a choice by the spectral measure, then by leave-one-out."""
    last = loo_criterion(known.targets)
    return {"kernels": list(kernels), "criterion": Cascade((SM(r=2), keep), (last, 1))}


def feature_weights(M: Array) -> Array:
    r"""Return :math:`\sqrt{M_j} / \mathrm{mean}(\sqrt M)`, by which features are scaled."""
    roots = np.sqrt(M / M.max(initial=0.0)) if M.any() else M
    if not (np.isfinite(roots).all() and roots.any()):
        raise Unsuitable("no feature is relevant to the machine with the plain kernel")
    return np.asarray(roots / roots.mean())


@dataclass(frozen=True, eq=False)
class Member:
    """A member to be made.

    Attributes
    ----------
    name : str
        Under which it is found among ``members_``.
    make : callable
        Returns the unfitted selector, from what is known and the settings of the stack.
    is_own : bool
        Whether the user gave it; the stack does without others that do not suit the data.
    is_quick : bool
        Whether it takes next to no time beside others.
    """

    name: str
    make: Callable[[Known, Mapping[str, Any]], KernelSelector]
    is_own: bool = False
    is_quick: bool = False


def _built(
    name: str, parameters: Callable[[Known], dict[str, Any]], *, is_quick: bool = False
) -> Member:
    def make(known: Known, settings: Mapping[str, Any]) -> KernelSelector:
        return KernelSelector(**settings, **parameters(known))

    return Member(name, make, is_quick=is_quick)


MEMBERS: Mapping[str, Member] = MappingProxyType(
    {
        "G": _built("gaussian", _gaussian),
        "L": _built(_BASE, _laplacian),
        "B": _built(_DERIVED, _relevant_laplacian),
        "l": _built("linear", _linear, is_quick=True),
    }
)
NAMES = {member.name: letter for letter, member in MEMBERS.items()}


def as_recipe(recipe: Any) -> list[Member]:
    """Return the members of a recipe in their order, each with a name of its own."""
    if not is_list(recipe) and not isinstance(recipe, str):
        raise TypeError(
            f"recipe must be letters such as 'GLBl' or a list of members, got {shown(recipe)}."
        )
    members: dict[str, Member] = {}
    for item in recipe:
        member = _member(item)
        if member.name in members and not member.is_own:
            raise ValueError(f"recipe names {member.name!r} twice: name each member once.")
        member = replace(member, name=_new_name(member.name, members))
        members[member.name] = member
    names = list(members)
    if not names:
        raise ValueError("recipe is empty: name at least one member, as in 'GLBl'.")
    if _DERIVED in names and _BASE not in names[: names.index(_DERIVED)]:
        raise ValueError("recipe names B, which is made from L: name L before it.")
    return list(members.values())


def _member(item: Any) -> Member:
    """Return the member that an item of a recipe stands for."""
    if isinstance(item, str):
        letter = NAMES.get(item, item)
        if letter not in MEMBERS and item not in FAMILIES:
            raise ValueError(unknown("member of recipe", item, [*MEMBERS, *NAMES, *FAMILIES]))
        return MEMBERS.get(letter) or _of_kernels(item, item)
    if isinstance(item, KernelSelector):
        return Member("selector", lambda _, settings: _adapted(item, settings), is_own=True)
    kernels = [item] if isinstance(item, Kernel) else list(item) if is_list(item) else []
    for kernel in kernels:
        if not isinstance(kernel, Kernel) or kernel.takes_matrix:
            raise _no_member(kernel)
    if not kernels:
        raise _no_member(item)
    return _of_kernels(type(kernels[0]).__name__.lower(), kernels)


def _of_kernels(name: str, kernels: Any) -> Member:
    """Return a member that chooses among kernels, given or of a family."""

    def make(known: Known, settings: Mapping[str, Any]) -> KernelSelector:
        return KernelSelector(**settings, kernels=_positioned(kernels, known.names))

    return Member(name, make, is_own=True)


def _positioned(kernels: Any, names: Sequence[str]) -> Any:
    """Return kernels with the names of columns, of a frame, replaced by positions."""
    if not names or isinstance(kernels, str):
        return kernels
    return [kernel.with_positions(names) for kernel in kernels]


def _no_member(item: Any) -> TypeError:
    return TypeError(
        "a member of recipe must be a letter, a name, a kernel of features, a list of such kernels "
        f"or a KernelSelector, got {shown(item)}."
    )


def _adapted(selector: KernelSelector, settings: Mapping[str, Any]) -> KernelSelector:
    """Return a copy of a user's selector, for the task and with the class weights of the stack."""
    copied: KernelSelector = clone(selector)
    if copied.task == "auto":
        copied.set_params(task=settings["task"])
    if copied.class_weight is None:
        copied.set_params(class_weight=settings["class_weight"])
    return copied


def _new_name(name: str, taken: Container[str]) -> str:
    """Return a name that is not taken, with a number if need be."""
    numbered = (f"{name}_{i}" for i in count(2))
    return name if name not in taken else next(n for n in numbered if n not in taken)
