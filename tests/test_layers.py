"""The layout: imports point one way and stand at the top, files stay short, tests mirror the package."""

import ast
import functools
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "adcompile"
FILES = sorted(path for path in PACKAGE.rglob("*.py"))

LAYERS = (
    "collecting",
    "frozen",
    "errors",
    "runtime",
    "tangents",
    "ir",
    "frontend",
    "rules",
    "analysis",
    "autodiff",
    "optimise",
    "nests",
    "backend",
    "pipeline",
    "targets",  # parts of the interface: the function behind a callable,
    "spaces",  # the tangents of what crosses
    "boundary",  # what crosses between user and generated code,
    "refusals",  # and calls that are refused
    "runs",  # what a specialisation is asked for and runs
    "api",
    "prepare",  # a derivative that keeps its arrays
    "products",  # jvp and vjp
    "lookup",  # derivatives that running code asks for
    "inspection",  # the source that runs, what is kept
    "transforms",  # made of them
    "numerical",  # differences, for testing
    "checking",  # one check of a function's derivatives
    "testing",
    "cli",
    "__main__",
)

# What may be imported inside a function, and why.
DEFERRED = {
    ("__init__", "*"): "the public names are lazy: `import adcompile` costs little more than numpy",
    ("cli", "adcompile"): "`adcompile --help` does not load the compiler",
    ("cli", "rich"): "only highlighting needs it",
}

# Files without a test file of their own, and why. A name that ends in / covers a folder.
UNMIRRORED = {
    "__init__": "the lazy names are tested by test_api",
    "__main__": "one line, run by test_cli",
    "rules/": "rules are tested by tests that are parametrised over the registry",
}

# Covered by the tests of the files that use them; each gets a test file of its own.
NOT_YET: set[str] = set()

# The part of the runtime that compiled code is made with: it needs Numba, and is imported by what needs it.
NATIVE = "runtime/vecmath"

LINES = 500


def name_of(path):
    """adcompile/ir/nodes.py → ir/nodes; a package's __init__ counts as the package."""
    name = path.relative_to(PACKAGE).with_suffix("").as_posix()
    return name.removesuffix("/__init__")


def layer_of(name):
    return name.split("/")[0]


@functools.lru_cache(2)  # the checks of one file follow each other
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def exists(name):
    return (PACKAGE / f"{name}.py").exists() or (PACKAGE / name / "__init__.py").exists()


def walk(tree):
    """The statements of a tree, and its except clauses: imports stand nowhere else."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        for node in getattr(tree, name, ()):
            yield node
            yield from walk(node)


def own_imports(tree):
    """The modules of adcompile that an import statement anywhere in the file names, with its line."""
    for node in walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from adcompile import pipeline` names a module, `from adcompile.ir import Var` does not
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] != "adcompile":
                continue
            inner = parts[1:]
            while inner and not exists("/".join(inner)):
                inner = inner[:-1]
            yield "/".join(inner) or "__init__", node.lineno


def deferred_imports(tree):
    """Import statements inside functions."""
    for function in walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in walk(function):
                if isinstance(node, ast.Import):
                    yield from ((alias.name, node.lineno) for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield node.module, node.lineno


def type_checking_only(tree):
    """Lines under `if TYPE_CHECKING:`, which never run."""
    lines = set()
    for node in walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for part in node.body:
                lines.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return lines


CHECKS = []
"""What must hold of every file: functions of its path that assert it."""


def every_file(check):
    CHECKS.append(check)
    return check


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_file(path):
    for check in CHECKS:
        check(path)


@every_file
def file_belongs_to_a_layer(path):
    assert name_of(path) == "__init__" or layer_of(name_of(path)) in LAYERS


@every_file
def imports_point_one_way(path):
    name = name_of(path)
    if name == "__init__":
        return  # the top: it names everything, lazily
    tree = tree_of(path)
    skipped = type_checking_only(tree)
    here = LAYERS.index(layer_of(name))
    upward = [
        f"{path.name}:{line}: {layer_of(name)} imports {other}"
        for other, line in own_imports(tree)
        if line not in skipped and other != "__init__" and LAYERS.index(layer_of(other)) > here
    ]
    assert not upward, upward


@every_file
def imports_stand_at_the_top(path):
    name = name_of(path)
    found = [
        f"{path.name}:{line}: {module}"
        for module, line in deferred_imports(tree_of(path))
        if (name, "*") not in DEFERRED and (name, module.split(".")[0]) not in DEFERRED
    ]
    assert not found, found


@every_file
def no_star_and_no_relative_imports(path):
    for node in walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}"
            assert all(alias.name != "*" for alias in node.names), f"{path.name}:{node.lineno}"


@every_file
def only_one_file_imports_astor(path):
    imported = {
        alias.name.split(".")[0]
        for node in walk(tree_of(path))
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {(node.module or "").split(".")[0] for node in walk(tree_of(path)) if isinstance(node, ast.ImportFrom)}
    assert "astor" not in imported or name_of(path) == "backend/text"


@every_file
def runtime_needs_numpy_alone(path):
    """Generated modules import it where nothing else of ours is wanted."""
    if layer_of(name_of(path)) != "runtime" or name_of(path).startswith(NATIVE):
        return
    for node in walk(tree_of(path)):
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module] if isinstance(node, ast.ImportFrom) else []
        for module in modules:
            assert module.split(".")[0] not in {"gast", "astor", "click", "rich", "scipy", "numba"}, module


@every_file
def native_code_is_imported_by_the_backend_alone(path):
    """numba is optional: nothing that everybody imports may import it."""
    name = name_of(path)
    if name.startswith((NATIVE, "backend/native", "runtime/native")):
        return
    assert not [line for other, line in own_imports(tree_of(path)) if other.startswith(NATIVE)]


@every_file
def no_bare_except(path):
    for node in walk(tree_of(path)):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, f"{path.name}:{node.lineno}"


@every_file
def every_file_has_its_test_file(path):
    name = name_of(path)
    if name in UNMIRRORED or name in NOT_YET or not tree_of(path).body[1:]:
        return  # an empty package, or a docstring alone
    folder, _, stem = name.rpartition("/")
    if any(f"{name}/".startswith(known) for known in UNMIRRORED if known.endswith("/")):
        return
    if path.name == "__init__.py":
        candidates = [ROOT / "tests" / name / "test_init.py", ROOT / "tests" / folder / f"test_{stem}.py"]
    else:
        candidates = [ROOT / "tests" / folder / f"test_{stem}.py"]
    assert any(candidate.exists() for candidate in candidates), f"{candidates[0].relative_to(ROOT)} is missing"


LONG = sorted(p for d in ("adcompile", "tests", "benchmarks", "examples", "docs") for p in (ROOT / d).rglob("*.py"))


def test_no_file_is_too_long():
    long = [p for p in LONG if "golden" not in p.parts and len(p.read_text(encoding="utf-8").splitlines()) > LINES]
    assert long == []


def test_exceptions_are_still_needed():
    for name in [*(name for name, _ in DEFERRED), *UNMIRRORED, *NOT_YET]:
        assert exists(name.rstrip("/")), f"{name} is gone: drop its exception"
