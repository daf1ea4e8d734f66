"""Facts about other modules as text; that modules compare them is tested in tests/cli/test_ahead.py."""

import numpy as np
import pytest

from adcompile import pipeline
from adcompile.backend.aot import _home
from adcompile.backend.assumed import facts
from adcompile.ir.abstract import type_of
from adcompile.runtime.ahead import _fits, source_digest

TABLE = {"a": [1.0, 2.0], "b": (np.ones(2), None)}
FAST = True


def reads(x, scale=(1.0,)):
    return x * TABLE["a"][1] * np.sum(TABLE["b"][0]) * scale[0] if FAST else x


def test_facts_name_module_path_and_type():
    made = pipeline.specialise(reads, pipeline.Request("joint", (0,)), (type_of(1.0),))
    found = {path: text for module, path, text in facts([made.program], [reads, np.sum], _home) if module == __name__}
    assert found["reads"] == f"source {source_digest(reads)}"
    assert found["FAST"] == "True"
    assert any(path.startswith("TABLE") for path in found) and "sum" not in found
    assert found.get("reads.__defaults__[0]", "float") in ("float", "(float,)")


@pytest.mark.parametrize(
    "value, text, fits",
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
        (reads, f"source {source_digest(reads)}", True),
        (test_facts_name_module_path_and_type, f"source {source_digest(reads)}", False),
        (len, "source 123", True),  # no Python function: nothing to compare
    ],
)
def test_values_fit_their_text(value, text, fits):
    assert _fits(value, text) is fits
