"""What others are told of an estimator: its task, tags and metadata."""

from typing import Any

from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping

from kernelwise._sklearn import _routing_enabled
from kernelwise.kernels import Kernel
from kernelwise.machines import KRR, LSSVC
from kernelwise.selection.estimators import task_of


class Declared:
    """The task, tags and metadata of a selector with the parameters declared at the end."""

    def _default_machine(self) -> Any:
        """Return the machine that is fitted where none is given."""
        machine = KRR() if self._known_task() == "regression" else LSSVC()
        return machine.set_fit_request(sample_weight=True) if _routing_enabled() else machine

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what the estimator requests."""
        estimator = self._default_machine() if self.estimator is None else self.estimator
        mapping = MethodMapping().add(caller="fit", callee="fit")
        return MetadataRouter(owner=self).add(estimator=estimator, method_mapping=mapping)

    def _task(self) -> str:
        """Return the task as far as parameters decide it."""
        if self.task != "auto" or self.estimator is None:
            return str(self.task)
        return task_of(self.estimator)

    def _known_task(self) -> str:
        """Return the task: by parameters, by the target once fitted, classification before.

        A classifier's folds are stratified where the target has classes and plain where it is
        continuous; a regressor's are never stratified, which ruins classes sorted by label.
        """
        if self._task() != "auto":
            return self._task()
        if hasattr(self, "result_") and not hasattr(self, "classes_"):
            return "regression"
        return "classification"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        if self._known_task() == "classification":
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        candidates = self.kernels if isinstance(self.kernels, list | tuple) else [self.kernels]
        for kernel in candidates:
            if isinstance(kernel, Kernel) and kernel.takes_matrix:
                tags.input_tags.pairwise = True
        return tags

    estimator: Any
    kernels: Any
    task: str
