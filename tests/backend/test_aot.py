"""Modules ahead of time, over the programs; tests/cli/test_ahead tests what a user sees of them."""

import sys

import numpy as np
import pytest

import adcompile as ad
from adcompile.cli.ahead import Target, build
from adcompile.ir.abstract import type_of
from adcompile.ir.signature import SignatureError, spell
from adcompile.tangents import has_tangent
from tests.programs import collect

TOPICS = ("control_flow", "recursion", "inert_regions", "module_data", "containers", "fft_complex", "linalg", "float32")
LIBRARIES = ("scipy_functions", "draws")
NAMELESS = {"logged", "object_argument_inert_array", "cached_work_array", "cached_array", "cached_structure"}
"""A stream, a default, what caches hold: there is no text for these."""
PROGRAMS = [
    p
    for topic in (*TOPICS, *LIBRARIES)
    for p in collect(topic)
    if p.name not in NAMELESS and any(map(has_tangent, p.args)) and "<" not in p.function.__qualname__
]


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and np.array_equal(a, b) and getattr(a, "dtype", None) == getattr(b, "dtype", None)


CHOSEN = [p for k, p in enumerate(PROGRAMS) if k % 3 == 0 or p.function.__module__.endswith("scipy_functions")]


@pytest.mark.parametrize("program", CHOSEN, ids=lambda p: p.name)
def test_modules_give_what_grad_gives(program, tmp_path):
    function, args = program.function, program.fresh()
    at = next(i for i, a in enumerate(args) if has_tangent(a))
    try:
        expected = ad.grad(function, at)(*program.fresh())
    except Exception as error:  # other tests judge that
        pytest.skip(f"has no gradient: {str(error).splitlines()[0]}")
    try:
        signature = ", ".join(spell(type_of(a)) for a in args)
    except SignatureError as error:
        pytest.skip(str(error))
    target = Target(f"{function.__module__}:{function.__qualname__}", "made.py", tmp_path, (str(at),), (signature,))
    text = build(target)
    assert text == build(target)
    for line in text.splitlines():
        if line.startswith(("import ", "from ")):
            module = line.split()[1]
            assert (
                module.split(".")[0] in {*sys.stdlib_module_names, "numpy", "scipy", "tests"}
                or line
                in (
                    "from adcompile import runtime as rt",
                    "from adcompile.runtime import ahead as _ahead",
                )
                or module.startswith("adcompile.runtime.")
            ), line
    namespace = {"__name__": "made", "__file__": str(target.path)}
    exec(compile(text, str(target.path), "exec"), namespace)
    made = namespace[f"{function.__name__.lstrip('_')}_grad"]
    assert same(made(*program.fresh()), expected)
