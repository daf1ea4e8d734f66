"""No setting of a function is passed over: its derivative is followed, or refused in every mode."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

import adcompile as ad
from adcompile.rules.registry import registered

INERT = {
    "out", "dtype", "order", "casting", "subok", "copy", "device", "overwrite_input", "overwrite_x",  # memory,
    "workers",  # and the loop
    "exact", "extend", "check_finite",  # how, and whether it is checked
    "settings", "named", "place", "axis",  # of numbers, which have but one element
    "maxpower", "bounds_error",  # what is beyond it raises
    "self",  # of objects that hold nothing
}  # fmt: skip


def bodies():
    """The functions in other primitives that stand for functions."""
    found = []
    for rule in registered().values():
        found += [b for b in (rule.general, rule.body if rule.kind == "composite" else None) if inspect.isfunction(b)]
    return list(dict.fromkeys(b for b in found if b.__module__.startswith("adcompile.rules.")))


@pytest.mark.parametrize("body", bodies(), ids=lambda body: f"{body.__module__}.{body.__name__}")
def test_every_parameter_is_read(body):
    tree = ast.parse(textwrap.dedent(inspect.getsource(body)))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert set(inspect.signature(body).parameters) - names <= INERT


def padded(x):
    return np.sum(np.pad(np.ones(3), 1, constant_values=(x[0], x[1])) ** 2)


def padded_by_keyword(x):
    return np.sum(np.pad(np.ones(3), 1, mode="linear_ramp", end_values=x[0]) ** 2)


def of_order(x):
    return np.linalg.vector_norm(x, ord=x[0] + 1.0)


def as_if_by_weights(x):
    return np.sum(np.histogram(np.ones(3), bins=2, range=np.array([x[2], x[1]]))[1])


@pytest.mark.parametrize("function", [padded, padded_by_keyword, of_order, as_if_by_weights])
@pytest.mark.parametrize("transform", [ad.grad, ad.jacfwd, ad.hessian])
def test_what_is_not_followed_is_refused(transform, function):
    with pytest.raises((ad.NotDifferentiable, ad.Unsupported)) as found:
        transform(function)(np.array([1.17, 2.21, 0.37]))
    assert found.value.place is not None
