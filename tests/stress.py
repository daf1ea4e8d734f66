"""Source text of any length: many statements, long elif chains, long sums; exec'd where tracebacks find it."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any


def define(name: str, source: str) -> Callable[..., Any]:
    """Run `source` and give the function `name` in it; linecache knows its lines."""
    filename = f"<stress {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": f"stress.{name}"}
    exec(compile(source, filename, "exec"), namespace)
    return namespace[name]


STATEMENTS = (
    "    {new} = {old} * x + 0.5",
    "    {new} = math.sin({old})",
    "    {new} = {old} - 0.25 * x",
    "    {new} = math.sqrt(1.0 + {old} * {old})",
    "    {new} = {old} if {old} > 0.0 else -{old}",
)


def n_statements(n: int) -> Callable[[float], float]:
    """A straight line of n assignments, each of the one before; names cycle through seven."""
    lines = ["import math", "", "", f"def statements_{n}(x):", "    a0 = x"]
    lines += [STATEMENTS[i % len(STATEMENTS)].format(new=f"a{(i + 1) % 7}", old=f"a{i % 7}") for i in range(n)]
    lines += [f"    return a{n % 7}", ""]
    return define(f"statements_{n}", "\n".join(lines))


def elif_chain(n: int) -> Callable[[float], float]:
    """An if with n branches, x in [i, i + 1) taking the branch i."""
    lines = [f"def elif_{n}(x):"]
    for i in range(n):
        lines += [f"    {'elif' if i else 'if'} x < {i + 1}.0:", f"        y = x * x + {i}.0 * x"]
    lines += ["    else:", "        y = x", "    return y", ""]
    return define(f"elif_{n}", "\n".join(lines))


def long_sum(n: int) -> Callable[[float], float]:
    """One expression, the sum of n terms, which nests n deep in the syntax tree."""
    terms = " + ".join(f"x * {1.0 / (i + 1)!r}" for i in range(n))
    return define(f"sum_{n}", f"def sum_{n}(x):\n    return {terms}\n")


def array_statements(n: int) -> Callable[[Any], Any]:
    """n statements on vectors, ending in a sum."""
    lines = ["import numpy as np", "", "", f"def arrays_{n}(x):", "    a0 = x"]
    forms = ("    {new} = np.sin({old}) * x", "    {new} = {old} + 0.5 * x", "    {new} = np.exp(-{old} * {old})")
    lines += [forms[i % len(forms)].format(new=f"a{(i + 1) % 7}", old=f"a{i % 7}") for i in range(n)]
    lines += [f"    return np.sum(a{n % 7})", ""]
    return define(f"arrays_{n}", "\n".join(lines))
