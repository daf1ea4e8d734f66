"""Every sample of the array rules through the whole compiler, in both modes, against differences.

Settings and data are known when it is compiled. Where a call has neither, `test_registry.test_rule` compiles the same.
"""

from __future__ import annotations

import inspect
import itertools
import linecache

import numpy as np
import pytest

import adcompile as ad
from adcompile.rules import registry
from tests.programs import some
from tests.rules.test_bodies_arrays import (
    call,
    cases,
    direction,
    flat,
    inexact_part,
    is_inexact,
    mapped,
    moved,
    pairing,
)
from tests.rules.test_registry import COMPUTING, TWICE, calls_of

counter = itertools.count()


def literal(x, namespace):
    """`x` as source text: settings must be known when the function is compiled."""
    if x is Ellipsis:
        return "..."
    if isinstance(x, float) and not np.isfinite(x):
        return f'float("{x}")'
    if x is None or isinstance(x, (bool, int, str, slice, float, complex)):
        return repr(x)
    if isinstance(x, (tuple, list)):
        items = "".join(f"{literal(item, namespace)}, " for item in x)
        return f"({items})" if isinstance(x, tuple) else f"[{items}]"
    name = f"g{len(namespace)}"
    namespace[name] = x
    return name


def carries_floats(x):
    return any(is_inexact(leaf) and not (isinstance(leaf, float) and not np.isfinite(leaf)) for leaf in flat([x]))


def written(fn, args, kwargs):
    """A function of the differentiable arguments that makes the call, and these arguments."""
    rule = registry.lookup(fn)
    namespace, values = {"fn": fn}, []
    names = list(inspect.signature(rule.body).parameters)[0 if rule.kind == "composite" else 2 :]

    def text(x, position):
        if not carries_floats(x) or (rule.wrt is not None and position not in rule.wrt):
            return literal(x, namespace)
        values.append(x)
        return f"a{len(values) - 1}"

    parts = [text(a, k) for k, a in enumerate(args)]
    parts += [f"{name}={text(a, names.index(name) if name in names else None)}" for name, a in kwargs.items()]
    result = f"fn({', '.join(parts)})" if callable(fn) else f"a0.{fn.__name__}"
    source = f"def f({', '.join(f'a{k}' for k in range(len(values)))}):\n    return {result}\n"
    file = f"<sample {next(counter)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), namespace)
    return namespace["f"], values


def shaped(v, x):
    """`v` in the structure, type and dtype of `x`."""
    if isinstance(x, (list, tuple)):
        parts = [shaped(p, q) for p, q in zip(v, x)]
        return parts if isinstance(x, list) else tuple(parts) if type(x) is tuple else type(x)(*parts)
    if v is None:
        return None
    return np.asarray(v).astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(v)


def conjugated(tree):
    return mapped(lambda leaf: None if leaf is None else np.conj(leaf), tree)


def is_the_same_in_test_rule(fn, args, kwargs):
    rule = registry.lookup(fn)
    return fn in COMPUTING and rule.wrt is None and not kwargs and all(map(carries_floats, args))


@pytest.mark.parametrize(
    ("fn", "args", "kwargs"), some([case for case in cases() if not is_the_same_in_test_rule(*case.values)], 7)
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_modes(fn, args, kwargs):
    f, xs = written(fn, args, kwargs)
    if not xs:
        pytest.skip("nothing to differentiate by")
    rng = np.random.default_rng(11)
    y = f(*xs)
    mapped(np.testing.assert_array_equal, y, call(fn, args, kwargs))
    y_bar = shaped(mapped(direction(rng), y), y)
    vs = [shaped(mapped(direction(rng), x), x) for x in xs]

    def weighed(h):
        return pairing(y_bar, inexact_part(f(*[moved(x, v, h) for x, v in zip(xs, vs)])))

    coarse, fine = ((weighed(h) - weighed(-h)) / (2 * h) for h in (1e-4, 5e-5))
    wanted = (4 * fine - coarse) / 3
    single = any(np.asarray(leaf).dtype.itemsize < 8 for leaf in flat(xs) if is_inexact(leaf))
    scale = max(1.0, abs(wanted), *(np.sqrt(abs(pairing(v, v))) for v in vs))
    tolerance = (2e-3 if single else 2e-8) * scale

    value, pullback = ad.vjp(f, *xs)
    mapped(np.testing.assert_array_equal, value, y)
    bars = pullback(shaped(conjugated(y_bar), y))
    for bar, x in zip(flat(bars), flat(xs)):
        assert bar is None or not is_inexact(x) or (type(bar) is type(x) and np.shape(bar) == np.shape(x))
    reverse = sum(pairing(conjugated(bar), v) for bar, v in zip(bars, vs))
    assert abs(reverse - wanted) <= tolerance
    value, tangent = ad.jvp(f, tuple(xs), tuple(vs))
    mapped(np.testing.assert_array_equal, value, y)
    assert abs(pairing(y_bar, inexact_part(tangent)) - wanted) <= tolerance


# -- second order ----------------------------------------------------------------------------


def leaf_paths(y, path="y"):
    if isinstance(y, (list, tuple)):
        return [found for k, item in enumerate(y) for found in leaf_paths(item, f"{path}[{k}]")]
    return [(path, y)] if is_inexact(y) else []


def weighed_sum(f, count, y):
    """A real function: the real part of a weighed sum of all that `f` returns."""
    rng, namespace = np.random.default_rng(3), f.__globals__
    terms = []
    for k, (path, leaf) in enumerate(leaf_paths(y)):
        namespace[f"w{k}"] = direction(rng)(leaf)
        terms.append(f"np.sum(np.real(w{k} * {path}))")
    namespace["np"] = np
    call_line = linecache.cache[f.__code__.co_filename][2][1].replace("return", "y =")
    head = f"def g({', '.join(f'a{k}' for k in range(count))}):\n"
    source = f"{head}{call_line}    return {' + '.join(terms)}\n"
    file = f"<weighed {next(counter)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), namespace)
    return namespace["g"]


SECOND = {fn: args for fn in TWICE for args, _ in calls_of(fn)[:1]}


def first_samples():
    """Two samples of every callable, without that which `test_registry.test_rule` takes to second order; none in
    single precision, nor the eigenvalues of real matrices, whose type depends on their values, nor loops over the
    rows of a list."""
    seen = {}
    for case in cases():
        fn, args, _ = case.values
        seen[fn] = seen.get(fn, 0) + 1
        single = any(np.asarray(leaf).dtype.itemsize < 8 for leaf in flat(args) if is_inexact(leaf))
        by_values = fn in (np.linalg.eig, np.linalg.eigvals) and args[0].dtype == float
        if seen[fn] > 2 or single or by_values or fn is np.apply_along_axis:
            continue
        if args is not SECOND.get(fn):
            yield case


@pytest.mark.parametrize(("fn", "args", "kwargs"), some(list(first_samples()), 8))
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_second_order(fn, args, kwargs):
    f, xs = written(fn, args, kwargs)
    y = f(*xs)
    if not xs or not leaf_paths(y):
        pytest.skip("nothing to differentiate")
    gradient = ad.grad(weighed_sum(f, len(xs), y), tuple(range(len(xs))))
    rng = np.random.default_rng(5)
    u, v = ([shaped(mapped(direction(rng), x), x) for x in xs] for _ in range(2))

    def slope(h):
        return pairing(u, conjugated(gradient(*[shaped(moved(x, w, h), x) for x, w in zip(xs, v)])))

    coarse, fine = ((slope(h) - slope(-h)) / (2 * h) for h in (1e-4, 5e-5))
    wanted = (4 * fine - coarse) / 3
    tolerance = 1e-6 * max(1.0, abs(wanted), np.sqrt(pairing(u, u) * pairing(v, v)))
    _, tangent = ad.jvp(gradient, tuple(xs), tuple(v))
    assert abs(pairing(u, conjugated(inexact_part(tangent))) - wanted) <= tolerance
    value, pullback = ad.vjp(gradient, *xs)
    bars = pullback(tuple(shaped(a, b) for a, b in zip(u, value)))
    assert abs(sum(pairing(conjugated(bar), w) for bar, w in zip(bars, v)) - wanted) <= tolerance
