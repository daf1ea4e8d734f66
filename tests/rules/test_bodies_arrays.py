"""Every rule body on arrays, run as the Python that it is, against differences of its primal."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import pytest

from adcompile.rules import registry

TOPICS = (
    "shape",
    "select",
    "index",
    "join",
    "products",
    "linalg",
    "fft",
    "misc",
    "polynomials",
    "scipy_special",
    "scipy_linalg",
    "scipy_signal",
    "scipy_fft",
    "scipy_distance",
)


def cases():
    for topic in TOPICS:
        for fn, samples in import_module(f"tests.rules.samples.{topic}").SAMPLES.items():
            name = f"{topic}-{getattr(fn, '__qualname__', None) or fn.__name__}"
            for number, (args, kwargs) in enumerate(samples):
                yield pytest.param(fn, args, kwargs, id=f"{name}-{number}")


def call(fn, args, kwargs):
    return fn(*args, **kwargs) if callable(fn) else fn.__get__(args[0])


def is_inexact(x):
    return isinstance(x, (float, complex, np.inexact)) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def mapped(f, *trees):
    if isinstance(trees[0], (list, tuple)):
        return [mapped(f, *parts) for parts in zip(*trees)]
    return f(*trees)


def direction(rng):
    def of(x):
        if not is_inexact(x):
            return None
        v = rng.standard_normal(np.shape(x))
        return v + 1j * rng.standard_normal(np.shape(x)) if np.iscomplexobj(x) else v

    return of


def pairing(a, b):
    """Σ ⟨a, b⟩ over the leaves that have a derivative, the first tree a cotangent."""
    if isinstance(b, (list, tuple)):
        return sum(pairing(p, q) for p, q in zip(a, b)) if a is not None else 0.0
    if a is None or b is None:
        return 0.0
    return float(np.sum(np.real(np.conj(np.broadcast_to(a, np.shape(b))) * b)))


def moved(x, v, h):
    if isinstance(x, (list, tuple)):
        parts = [moved(p, q, h) for p, q in zip(x, v)]
        return parts if isinstance(x, list) else tuple(parts)
    if v is None:
        return x
    wide = np.asarray(x, complex if np.iscomplexobj(x) else float) + h * v
    return wide if isinstance(x, np.ndarray) else wide[()]


def difference(fn, given, vs, y_bar, h):
    ends = []
    for step in (h, -h):
        args = [moved(a, v, step) for a, v in zip(given.args, vs)]
        named = {k: moved(a, v, step) for (k, a), v in zip(given.kwargs.items(), vs[len(args) :])}
        ends.append(pairing(y_bar, inexact_part(call(fn, args, named))))
    return (ends[0] - ends[1]) / (2 * h)


@dataclass
class Given:
    """A sample call and the body's positions of all its arguments."""

    args: tuple
    kwargs: dict
    body: object

    def positions(self):
        names = list(inspect.signature(self.body).parameters)[2:]
        named = [names.index(k) if k in names else None for k in self.kwargs]
        return [*range(len(self.args)), *named]

    def values(self):
        return [*self.args, *self.kwargs.values()]


def inexact_part(y):
    return mapped(lambda leaf: leaf if is_inexact(leaf) else None, y)


def by_position(rule, result, count):
    """The cotangents of the positional arguments from what a body returns."""
    wrt = rule.wrt if rule.wrt is not None else tuple(range(count))
    single = len(wrt) == 1 and (rule.kind == "linear" or not isinstance(result, (tuple, list)))
    listed = [result] if single or (count == 1 and not isinstance(result, (tuple, list))) else list(result)
    positions = wrt if len(listed) == len(wrt) else range(len(listed))
    return dict(zip(positions, listed))


@pytest.mark.parametrize("fn, args, kwargs", list(cases()))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_body(fn, args, kwargs):
    rule = registry.lookup(fn)
    assert rule is not None, "no rule"
    if rule.kind == "elementwise":
        pytest.skip("partials, checked through the compiler")
    y = call(fn, args, kwargs)
    if rule.kind in ("composite", "overlay"):
        again = rule.body(*args, **kwargs)
        mapped(lambda p, q: np.testing.assert_allclose(p, q, rtol=1e-15), y, again)  # the primal itself gives the value
        mapped(lambda p, q: np.testing.assert_equal(np.asarray(p).dtype, np.asarray(q).dtype), y, again)
        return
    rng = np.random.default_rng(7)
    y_bar = mapped(direction(rng), y)
    given = Given(args, kwargs, rule.body)
    positions, values = given.positions(), given.values()
    wrt = rule.wrt if rule.wrt is not None else range(len(args))
    vs = [mapped(direction(rng) if k in wrt else lambda leaf: None, a) for k, a in zip(positions, values)]
    bars = by_position(rule, rule.body(y_bar, y, *args, **kwargs), len(args))
    for k, v, a in zip(positions, vs, values):
        check_shapes(bars.get(k), v, a)
    found = sum(pairing(bars.get(k), v) for k, v in zip(positions, vs))
    estimates = [difference(fn, given, vs, y_bar, h) for h in (1e-4, 5e-5)]
    wanted = (4 * estimates[1] - estimates[0]) / 3
    single = any(np.asarray(leaf).dtype.itemsize < 8 for leaf in flat(args) if is_inexact(leaf))
    tolerance = 2e-3 if single else 2e-8
    assert abs(found - wanted) <= tolerance * max(1.0, abs(wanted), *(np.sqrt(abs(pairing(v, v))) for v in vs))


def flat(tree):
    return [leaf for part in tree for leaf in flat(part)] if isinstance(tree, (list, tuple)) else [tree]


def check_shapes(bar, v, a):
    if isinstance(v, (list, tuple)):
        if bar is not None and any(leaf is not None for leaf in flat(v)):
            assert len(bar) == len(a)
            for part in zip(bar, v, a):
                check_shapes(*part)
    elif v is not None and bar is not None and np.ndim(bar) > 0:
        assert np.shape(bar) == np.shape(a)
