"""What the text calls a Python object: `np.sum`, `math.sin`, `rt.unbroadcast`, a bound name.

`Globals` hands out the global names of one generated module: imports, definitions, and objects
that have no text and are bound in the namespace the text runs in.
"""

from __future__ import annotations

import builtins
import cmath
import keyword
import math
import operator
import re
import sys
import types
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from adcompile import runtime
from adcompile.ir import ops
from adcompile.ir.nodes import GlobalRef, OwnerSpace

METHOD_TYPES = (types.MethodDescriptorType, types.WrapperDescriptorType)
GETTER_TYPES = (types.GetSetDescriptorType, types.MemberDescriptorType)

_MODULES: dict[str, tuple[types.ModuleType, str]] = {
    "math": (math, "import math"),
    "cmath": (cmath, "import cmath"),
    "operator": (operator, "import operator"),
    "np": (np, "import numpy as np"),
    "rt": (runtime, "from adcompile import runtime as rt"),
    "ops": (ops, "from adcompile.ir import ops"),
}
_NUMPY_PARTS = ("linalg", "fft", "random", "lib.stride_tricks", "lib.scimath")
_NICE = {"absolute": "abs", "conjugate": "conj", "amax": "max", "amin": "min"}
KEYWORDS = frozenset(keyword.kwlist) | {"None", "True", "False"}
BUILTINS = frozenset(dir(builtins))


def identifier(text: str) -> str:
    """`text` as a Python name: other characters become underscores."""
    clean = re.sub(r"\W", "_", text)
    if not clean or clean[0].isdigit():
        clean = "_" + clean
    return clean + "_" if clean in KEYWORDS else clean


class LiveGlobals:
    """The globals of code whose namespace is no importable module: `globals_["K"]` reads live."""

    __slots__ = ("_namespace",)

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    def __getitem__(self, name: str) -> Any:
        if name in self._namespace:
            return self._namespace[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name {name!r} is not defined")


def load(name: str) -> gast.Name:
    return gast.Name(name, gast.Load(), None, None)


def attribute(value: Any, name: str) -> gast.Attribute:
    return gast.Attribute(value, name, gast.Load())


def dotted(path: str) -> Any:
    first, *rest = path.split(".")
    node: Any = load(first)
    for name in rest:
        node = attribute(node, name)
    return node


def _numpy_path(name: str, value: Any) -> str | None:
    if np.__dict__.get(name) is value:
        return f"np.{name}"
    for part in _NUMPY_PARTS:
        module = sys.modules.get(f"numpy.{part}")
        if module is not None and module.__dict__.get(name) is value:
            return f"np.{part}.{name}"
    return None


def known_path(value: Any) -> str | None:
    """The text of a public object of builtins, math, cmath, operator, numpy or the runtime."""
    for alias, (module, _) in _MODULES.items():
        if value is module:
            return alias
    if isinstance(value, types.ModuleType):
        name = value.__name__
        return f"np.{name[6:]}" if name.startswith("numpy.") and name[6:] in _NUMPY_PARTS else None
    name = getattr(value, "__name__", None)
    if not isinstance(name, str) or not name.isidentifier():
        return None
    if isinstance(value, types.BuiltinMethodType) and isinstance(value.__self__, np.ufunc):
        owner = known_path(value.__self__)
        return f"{owner}.{name}" if owner is not None else None
    if isinstance(value, np.ufunc) and name in _NICE and np.__dict__.get(_NICE[name]) is value:
        return f"np.{_NICE[name]}"
    if builtins.__dict__.get(name) is value:
        return name
    for alias in ("math", "cmath", "operator", "rt", "ops"):
        if getattr(_MODULES[alias][0], name, None) is value:
            return f"{alias}.{name}"
    return _numpy_path(name, value)


def importing(module: str, name: str, item: str = "") -> str:
    """The line that binds a name to a module, or to an item of it; files may be called `my-model.py` or `class.py`."""
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split(".")):
        return f"{name} = __import__('importlib').import_module({module!r})" + (f".{item}" if item else "")
    if not item:
        return f"import {module}" if name == module else f"import {module} as {name}"
    return f"from {module} import {item}" if name == item else f"from {module} import {item} as {name}"


@dataclass
class Globals:
    """The global names of one generated module; two objects never share a name."""

    namespace: dict[str, Any] = field(default_factory=dict[str, Any])
    imports: dict[str, str] = field(default_factory=dict[str, str])
    _taken: set[str] = field(default_factory=lambda: set(_MODULES))
    _bound: dict[int, tuple[str, Any]] = field(default_factory=dict[int, tuple[str, Any]])

    def unique(self, hint: str) -> str:
        """A global name not given out before, that hides no builtin."""
        base = identifier(hint)
        name, count = base, 0
        while name in self._taken or name in BUILTINS:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name

    def bind(self, value: Any, hint: str | None = None) -> str:
        """The name under which the namespace holds `value`."""
        known = self._bound.get(id(value))
        if known is not None:
            return known[0]
        if hint is None:
            hint = getattr(value, "__name__", None)
            if not isinstance(hint, str) or hint == "<lambda>":
                hint = type(value).__name__ if hint is None else "function"
        name = self.unique(hint)
        self._bound[id(value)] = name, value
        self.namespace[name] = value
        return name

    def path(self, value: Any) -> str:
        """The text of a callable, class, module or other object that is no literal."""
        path = known_path(value)
        if path is None:
            return self.bind(value)
        root = path.split(".")[0]
        if root in _MODULES and (root == path or "." in path):
            self.imports[root] = _MODULES[root][1]
        return path

    def known(self, alias: str) -> str:
        """`alias` itself, after noting that its import is needed."""
        self.imports[alias] = _MODULES[alias][1]
        return alias

    def global_name(self, ref: GlobalRef) -> Any:
        """An expression that reads a module-level name when it runs."""
        namespace, name = ref.namespace, ref.name
        if isinstance(namespace, OwnerSpace):
            return dotted(self.path(namespace["owner"]))
        if name not in namespace and hasattr(builtins, name):
            return load(name)
        module = namespace.get("__name__")
        found = sys.modules.get(module) if isinstance(module, str) else None
        if name in namespace and found is not None and found.__dict__ is namespace:
            return attribute(load(self._module(found)), name)
        proxy = self._bound.get(id(namespace))
        if proxy is None:
            proxy = self.unique("globals_"), namespace
            self._bound[id(namespace)] = proxy
            self.namespace[proxy[0]] = LiveGlobals(namespace)
        return gast.Subscript(load(proxy[0]), gast.Constant(name, None), gast.Load())

    def _module(self, module: types.ModuleType) -> str:
        path = known_path(module)
        if path is not None and "." not in path:
            return self.known(path)
        known = self._bound.get(id(module))
        if known is not None:
            return known[0]
        full = module.__name__
        name = self.unique(full.rsplit(".", 1)[-1])
        self._bound[id(module)] = name, module
        self.namespace[name] = module
        self.imports[name] = importing(full, name)
        return name

    def header(self) -> list[str]:
        """The import lines that the text needs, sorted."""
        return sorted(self.imports.values(), key=lambda line: (line.startswith("from"), line))
