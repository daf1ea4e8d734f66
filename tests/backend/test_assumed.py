"""Facts about other modules as text; that modules compare them is tested in tests/cli/test_ahead.py."""

from fractions import Fraction

import numpy as np
import pytest

from adcompile import pipeline
from adcompile.backend.aot import _home
from adcompile.backend.assumed import facts
from adcompile.ir.abstract import type_of
from adcompile.runtime.ahead import fits, source_digest, told

TABLE = {"a": [1.0, 2.0], "b": (np.ones(2), None)}
FAST = True


def reads(x, scale=(1.0,)):
    return x * TABLE["a"][1] * np.sum(TABLE["b"][0]) * scale[0] if FAST else x


def test_facts_name_module_path_and_type():
    made = pipeline.specialise(reads, pipeline.Request("joint", (0,)), (type_of(1.0),))
    found = {path: text for module, path, text in facts([made.program], [reads, np.sum], _home) if module == __name__}
    assert found["reads"] == told(reads) == f"source {source_digest(reads)} of {__name__}.reads"
    assert found["FAST"] == "True"
    assert any(path.startswith("TABLE") for path in found) and "sum" not in found
    assert found.get("reads.__defaults__[0]", "float") in ("float", "(float,)")


@pytest.mark.parametrize(
    "value, text, holds",
    [
        (1.0, "float", True),
        (1, "float", False),
        ([1.0] * 40, "[float, ...]", True),
        ([1.0, 2], "[float, ...]", False),
        ((1.0,), "[float, ...]", False),
        (np.ones((2, 1)), "float64[:,1]", True),
        (np.ones((2, 3)), "float64[:,1]", False),
        (True, "True", True),
        (False, "True", False),
        ({"a": 1.0}, "{'a': float}", True),
        (reads, told(reads), True),
        (test_facts_name_module_path_and_type, told(reads), False),
        (reads, told(reads).replace("reads", "read"), False),
        (len, told(reads), False),
        (len, "builtin_function_or_method builtins.len", True),
        (np, "module numpy", True),
        (dict, "class builtins.dict", True),
        (Fraction(1, 2), "object of class fractions.Fraction", True),
        (Fraction, "lacks real", True),
        (Fraction, "holds numerator", True),
        (2.0, "2.0", True),
        (2.5, "2.0", False),
        (2.0, "one of float, int", True),
        ((1.0, reads), "tuple with 2", True),
        ({"a": reads}, "dict with 'a'", True),
        ({"b": reads}, "dict with 'a'", False),
        ((int, dict), "tuple of class builtins.int, class builtins.dict", True),
        (np, "is numpy:linalg", False),
        (np.linalg, "is numpy:linalg", True),
        (np.linalg, "is not numpy:linalg", False),
    ],
)
def test_values_fit_their_text(value, text, holds):
    assert fits(value, text) is holds
