"""Where scikit-learn's private API is used, and who may be named by a string."""

import ast
import pathlib

import kernelwise

ROOT = pathlib.Path(kernelwise.__file__).parent
TREES = {path.relative_to(ROOT): ast.parse(path.read_text()) for path in ROOT.rglob("*.py")}
LAYERS = "kernels gram machines criteria bounds selection report cli".split()


def private_imports(tree):
    """Yield the private names and modules of scikit-learn that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        yield from (name for name in names if name.startswith("sklearn") and "._" in name)


def strings(tree):
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [value for value in constants if isinstance(value, str)]


def test_private_parts_of_scikit_learn_are_imported_in_one_module():
    found = {path for path, tree in TREES.items() if any(private_imports(tree))}
    assert found == {pathlib.Path("_sklearn.py")}


def test_no_string_names_a_module_above():
    for path, tree in TREES.items():
        package = path.parts[0]
        own = LAYERS.index(package) if package in LAYERS else -1
        above = tuple(f"kernelwise.{higher}" for higher in LAYERS[own + 1 :])
        assert not [s for s in strings(tree) if s.startswith(above)], path
