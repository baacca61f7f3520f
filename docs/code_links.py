"""A Sphinx extension: names in inline code lead to their page in the reference.

The pages stay plain Markdown. On the site ``KernelSelector`` and ``kw.score_kernels`` lead to our
reference, ``SVC`` and ``GridSearchCV`` to scikit-learn's. The addresses there follow from the
names, so that no build asks the network; written as an inventory, they let the code of the gallery
lead there too.
"""

import re
import zlib
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path

import sklearn
from docutils import nodes
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sphinx.util.nodes import make_refnode

HOME = "https://scikit-learn.org/stable"
PAGE = "modules/generated/{name}.html#{name}"
PARTS = """base calibration cluster compose datasets decomposition ensemble feature_extraction.text
gaussian_process gaussian_process.kernels impute kernel_approximation kernel_ridge linear_model
manifold metrics metrics.pairwise model_selection multioutput pipeline preprocessing svm""".split()
# What is a name, perhaps called. Plain words such as "relevance" need the prefix.
NAME = re.compile(r"(kw\.|kernelwise\.)?([A-Za-z_][\w.]*)(?:\(\))?")
TELLING = re.compile(r"[A-Z]\w+|[a-z]+_\w+")


def public(module):
    """Return the classes and functions that a module offers, by name."""
    own = [name for name, value in vars(module).items() if value_home(value) == module.__name__]
    found = {name: getattr(module, name) for name in getattr(module, "__all__", own)}
    return {n: v for n, v in found.items() if n[0] != "_" and (isclass(v) or isfunction(v))}


def value_home(value):
    """Return the name of the module that defines a value; "" if that is not known."""
    return getattr(value, "__module__", None) or ""


def of_sklearn():
    """Return the kind of everything that scikit-learn's reference has a page for, by full name."""
    return {
        f"sklearn.{part}.{name}": "class" if isclass(value) else "function"
        for part in PARTS
        for name, value in public(import_module(f"sklearn.{part}")).items()
    }


def write_inventory(path: Path):
    """Write the names as ``sphinx.ext.intersphinx`` reads them."""
    head = "# Sphinx inventory version 2\n# Project: scikit-learn\n"
    head += f"# Version: {sklearn.__version__}\n"
    head += "# The remainder of this file is compressed using zlib.\n"
    lines = [f"{n} py:{kind} 1 {PAGE.format(name=n)} -\n" for n, kind in of_sklearn().items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))


def short_names(full):
    """Return full names by their last part, where that part says enough."""
    found = {name.rpartition(".")[2]: name for name in full}
    return {short: name for short, name in found.items() if TELLING.fullmatch(short)}


class Names:
    """What inline code may lead to: pages of ours, and of scikit-learn."""

    def __init__(self, app):
        kinds = ("class", "function", "exception")
        objects = app.env.domains["py"].objects.items()
        self.app = app
        self.ours = {n: e for n, e in objects if e.objtype in kinds and e.docname[:4] == "api/"}
        self.short = short_names(of_sklearn()) | short_names(self.ours)

    def full(self, text):
        """Return the full name that a text stands for; None if it is none."""
        match = NAME.fullmatch(text)
        if match is None:
            return None
        prefix, name = match.groups()
        if prefix:
            name = f"kernelwise.{re.sub(r'^grids[.]', 'kernels.grids.', name)}"
            return name if name in self.ours else None
        name = re.sub(r"^(criteria|gram|figures)[.]", "", name)
        return self.short.get(name)

    def reference(self, name, docname, content):
        """Return a link from a page to what a full name stands for."""
        if name in self.ours:
            to = self.ours[name]
            return make_refnode(self.app.builder, docname, to.docname, to.node_id, content, name)
        address = f"{HOME}/{PAGE.format(name=name)}"
        return nodes.reference(
            "", "", content, refuri=address, reftitle=name, internal=False, classes=["external"]
        )


def is_within(node, kinds):
    """Say whether a node is inside one of some kinds."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def section_of(node):
    """Return the section that a node is in."""
    while node.parent is not None and not isinstance(node, nodes.section):
        node = node.parent
    return node


def add_links(app, doctree, docname):
    """Make the first mention of a name in every section of a Markdown page a link."""
    if docname.startswith(("api/", "gallery/")):
        return
    if not hasattr(app, "kernelwise_names"):
        app.kernelwise_names = Names(app)
    names, done = app.kernelwise_names, set()
    for node in list(doctree.findall(nodes.literal)):
        name = names.full(node.astext())
        mention = (id(section_of(node)), name)
        if name and mention not in done and not is_within(node, (nodes.reference, nodes.title)):
            done.add(mention)
            node.replace_self(names.reference(name, docname, node.deepcopy()))


def setup(app):
    """Connect the links to the build."""
    app.connect("doctree-resolved", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
