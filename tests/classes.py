"""Every function that has a rule, of numbers and arrays of every class: `python -m tests.classes [part of a name …]`.

What a rule does may hang on the class of its arguments: Python's numbers, NumPy's, elements of arrays, arrays without
axes, in single precision, of complex numbers, in Fortran's order. Functions of one and two arguments of `math`,
`cmath`, `operator` and NumPy, against differences of the function itself; takes ten minutes.
"""

from __future__ import annotations

import cmath
import linecache
import math
import operator
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import adcompile as ad
from adcompile.rules import registry

MODULES = {"math": math, "cmath": cmath, "operator": operator, "np": np}
CLASSES = {
    "float": "{v}",
    "float64": "np.float64({v})",
    "element": "np.array([{v}, 1.0])[0]",
    "no axes": "np.array({v})",
    "float32": "np.float32({v})",
    "vector": "np.array([{v}, {v} * {v} + 0.1])",
    "Fortran": "np.array([[{v}, {v} + 0.2], [{v} * 0.5 + 0.2, 0.3 + {v} * {v}]]).T",
    "complex": "complex({v} + 0.3j)",
    "complex element": "np.array([1j, {v} + 0.3j])[1]",
    "complex vector": "np.array([{v} + 0.3j, 0.4 + {v} * 1j])",
    "int": "2",
}
SECOND = ("float", "element", "vector", "complex element", "int", "no axes")
SIZES = {"np.empty", "np.empty_like", "np.diag_indices", "np.kaiser"}
"""Of these nothing is defined, or what is given is no number to differentiate by."""


def functions() -> dict[Any, str]:
    """The functions with rules, and their names."""
    out: dict[Any, str] = {}
    for prefix, module in MODULES.items():
        for name in dir(module):
            fn = getattr(module, name)
            if name.startswith("_") or not callable(fn) or isinstance(fn, type):
                continue
            try:
                known = registry.lookup(fn) is not None
            except TypeError:
                continue
            if known and f"{prefix}.{name}" not in SIZES:
                out.setdefault(fn, f"{prefix}.{name}")
    return out


def made(expression: str, tag: str) -> Callable[[float], float]:
    """The function of a number that sums up an expression."""
    text = f"def f(x):\n    w = {expression}\n    return float(np.sum(np.real(w) * 1.3 + np.imag(w) * 0.7))\n"
    linecache.cache[tag] = (len(text), None, text.splitlines(True), tag)
    scope: dict[str, Any] = dict(MODULES)
    exec(compile(text, tag, "exec"), scope)
    return scope["f"]


def check(expression: str, tag: str, h: float = 1e-6, tolerance: float = 3e-5) -> str | None:
    """What the derivatives of an expression are: right, wrong, refused or crashed; None where it has none."""
    f, x = made(expression, f"<{tag}>"), 0.6
    try:
        with np.errstate(all="ignore"):
            value, slope = f(x), (f(x + h) - f(x - h)) / (2 * h)
            wider = (f(x + 10 * h) - f(x - 10 * h)) / (20 * h)
    except Exception:
        return None  # not of these classes
    if not np.isfinite(slope) or abs(slope - wider) > 1e-3 * (1 + abs(slope)):
        return None
    try:
        found, bar = ad.value_and_grad(f)(x)
        dot = ad.jvp(f, (x,), (1.0,))[1]
    except ad.AdcompileError:
        return "refused"
    except Exception as error:
        print(f"{tag}: {type(error).__name__}: {error}", flush=True)
        return "crash"
    near = [abs(g - slope) < tolerance * (1 + abs(slope)) for g in (bar, dot)]
    if all(near) and abs(found - value) < 1e-12 * (1 + abs(value)):
        return "right"
    print(f"{tag}: value {found} for {value}, slope {slope}, grad {bar}, jvp {dot}", flush=True)
    return "wrong"


def main(parts: list[str]) -> int:
    count: Counter[str | None] = Counter()
    for name in functions().values():
        if parts and not any(part in name for part in parts):
            continue
        for cls, form in CLASSES.items():
            first = form.replace("{v}", "(x * 0.9)")
            single = {"h": 1e-2, "tolerance": 2e-2} if cls == "float32" else {}
            count[check(f"{name}({first})", f"{name} of {cls}", **single)] += 1
            for other in SECOND if not single else ():
                second = CLASSES[other].replace("{v}", "(x * 0.4 + 0.2)")
                count[check(f"{name}({first}, {second})", f"{name} of {cls} and {other}")] += 1
    print(", ".join(f"{n} {what}" for what, n in count.items() if what is not None))
    return 1 if count["wrong"] else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
