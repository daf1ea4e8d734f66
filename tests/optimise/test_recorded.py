"""Steps record what their reverse reads, and no more."""

import ast
import inspect

import numpy as np

import adcompile as ad


def chosen(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = np.where(y > 0.5, y / x, y**2)
    return np.sum(y)


def linear(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = 0.5 * y + x
    return np.sum(y)


def cubes(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = y * y * y
    return np.sum(y)


def names_read(function):
    """What the reverse loop takes apart, and how many values the function that records a step gives."""
    source = ad.source(ad.grad(function), np.ones(2), 4)
    loop = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.For) and "run_back" in ast.unparse(n.iter))
    namespace = {}
    exec(source, namespace)
    recorded = namespace["recorded_step"](*[1.0] * len(inspect.signature(namespace["recorded_step"]).parameters))
    return ast.unparse(loop.target), len(recorded[1]) + len(recorded[2])


def test_a_linear_step_records_nothing():
    assert names_read(linear) == ("_", 0)


def test_a_step_records_what_is_read():
    names, count = names_read(cubes)
    assert names.count(",") + 1 == count == 2


def test_what_a_rewrite_does_not_read_is_not_recorded():
    names, count = names_read(chosen)
    assert "_" not in names.strip("()").split(", ") and names.count(",") + 1 == count
