"""The bodies of rules, called as plain Python, against differences of the primal.

This says whether the maths is right before any compiler is involved: a body is an ordinary
function. Both modes of each kind are checked against a central difference of the primal along a
random direction, real or complex.
"""

import importlib
import inspect
import warnings

import numpy as np
import pytest

from adcompile import runtime
from adcompile.rules import registry

TOPICS = ("python", "mathematics", "elementwise", "reduce")
STEP = 1e-6


def all_samples():
    for topic in TOPICS:
        samples = importlib.import_module(f"tests.rules.samples.{topic}").SAMPLES
        for fn, calls in samples.items():
            for number, (args, kwargs) in enumerate(calls):
                yield pytest.param(fn, args, kwargs, id=f"{topic}-{name_of(fn)}-{number}")


def name_of(fn):
    owner = getattr(fn, "__objclass__", None) or getattr(fn, "__self__", None)
    return f"{getattr(owner, '__name__', '')}.{fn.__name__}".lstrip(".").replace("builtins.", "")


def call(fn, args, kwargs):
    return fn(*args, **kwargs) if callable(fn) else fn.__get__(args[0])


def bind(body, leading, args, kwargs):
    """The differentiable arguments and the settings, as the compiler binds them."""
    signature = inspect.signature(body)
    parameters = list(signature.parameters.values())[leading:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return list(args), dict(kwargs)
    positional = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    keywords = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    settings = dict(zip(keywords, args[len(positional) :]))
    return list(args[: len(positional)]), {**settings, **kwargs}


def is_inexact(x):
    return isinstance(x, (float, complex, np.inexact)) or isinstance(x, np.ndarray) and x.dtype.kind in "fc"


def direction(x, rng):
    if isinstance(x, (list, tuple)):
        return type(x)(direction(item, rng) for item in x)
    if not is_inexact(x):
        return 0.0
    shape = np.shape(x)
    d = rng.standard_normal(shape)
    if np.iscomplexobj(x):
        d = d + 1j * rng.standard_normal(shape)
    return d if isinstance(x, np.ndarray) else d[()]


def moved(x, d, h):
    if isinstance(x, (list, tuple)):
        return type(x)(moved(item, part, h) for item, part in zip(x, d))
    if not is_inexact(x):
        return x
    if isinstance(x, np.ndarray):
        return x.astype(complex if x.dtype.kind == "c" else float) + h * d
    value = x + h * d
    return complex(value) if np.iscomplexobj(x) else float(value)


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


def dot(a, b):
    """The real inner product."""
    return sum(float(np.sum(np.real(np.conj(x) * y))) for x, y in zip(leaves(a), leaves(b)))


def methods_on_arrays(fn, args):
    """A method of np.generic needs one of its scalars."""
    owner = getattr(fn, "__objclass__", None)
    if owner is np.generic:
        return [np.asarray(a)[()] if i == 0 else a for i, a in enumerate(args)]
    return args


def difference(fn, args, dots, kwargs):
    up = call(fn, methods_on_arrays(fn, [moved(x, d, STEP) for x, d in zip(args, dots)]), kwargs)
    down = call(fn, methods_on_arrays(fn, [moved(x, d, -STEP) for x, d in zip(args, dots)]), kwargs)
    pairs = zip(leaves(up), leaves(down))
    return [(a - b) / (2 * STEP) if a.dtype.kind in "fc" else np.zeros(a.shape) for a, b in pairs]


def forward(rule, fn, y, args, dots, kwargs):
    """What the kind makes of a body in forward mode; None where it derives nothing itself."""
    if rule.frule is not None:
        given, settings = bind(rule.frule, len(args), args, kwargs)
        return leaves(rule.frule(*args, *dots, **settings)[1])
    if rule.kind == "elementwise":
        given, settings = bind(rule.body, 1, args, kwargs)
        partials = rule.body(y, *given, **settings)
        partials = partials if isinstance(partials, tuple) else (partials,)
        pairs = [(p, d) for p, d, x in zip(partials, dots, given) if p is not None and is_inexact(x)]
        total = sum((p * d for p, d in pairs), np.zeros(np.shape(y)))
        return [np.real(total) if not np.iscomplexobj(y) else total]
    if rule.kind == "reduction":
        given, settings = bind(rule.body, 1, args, kwargs)
        axis, keepdims = settings.get("axis"), settings.get("keepdims", False)
        p = rule.body(runtime.expand(y, args[0], axis, keepdims), *given, **settings)
        total = np.sum(p * dots[0], axis=axis, keepdims=keepdims)
        return [total if np.iscomplexobj(y) else np.real(total)]
    if rule.kind == "linear":
        return leaves(call(fn, methods_on_arrays(fn, [dots[0], *args[1:]]), kwargs))
    return None


def reverse(rule, y_bar, y, args, kwargs):
    given, settings = bind(rule.body, 2, args, kwargs)
    bars = rule.body(y_bar, y, *given, **settings)
    return bars if isinstance(bars, tuple) else (bars,)


def close(found, expected, tolerance):
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize(("fn", "args", "kwargs"), list(all_samples()))
def test_body(fn, args, kwargs):
    rule = registry.lookup(fn)
    assert rule is not None
    rng = np.random.default_rng(1)
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    single = any(getattr(a, "dtype", None) == np.float32 for a in args)
    leading = {"composite": 0, "elementwise": 1, "reduction": 1}.get(rule.kind, 2)
    given, _ = bind(rule.body, leading, args, kwargs)
    dots = [direction(a, rng) if i < len(given) else 0.0 for i, a in enumerate(args)]
    if rule.wrt is not None:
        dots = [d if i in rule.wrt else 0.0 * np.zeros(np.shape(a)) for i, (a, d) in enumerate(zip(args, dots))]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        y = call(fn, args, kwargs)
        if rule.kind == "composite":
            for result, expected in zip(leaves(rule.body(*args, **kwargs)), leaves(y), strict=True):
                assert result.shape == expected.shape
                np.testing.assert_allclose(result, expected, rtol=1e-6 if single else 1e-13, atol=1e-14)
            return
        numeric = difference(fn, args, dots, kwargs)
        found = forward(rule, fn, y, args, dots, kwargs)
        tolerance = 3e-5 if single else 1e-7
        if found is not None:
            close(found, numeric, tolerance)
        if rule.kind in ("linear", "vjp"):
            y_bar = direction(y, rng)
            bars = reverse(rule, y_bar, y, args, kwargs)
            positions = rule.wrt if rule.wrt is not None and len(rule.wrt) == len(bars) else range(len(bars))
            chosen = [(bar, dots[i]) for bar, i in zip(bars, positions) if i < len(args) and is_inexact(args[i])]
            for bar, d in chosen:
                assert np.shape(bar) == np.shape(d)
            expected = dot([y_bar] if not isinstance(y_bar, (list, tuple)) else list(y_bar), numeric)
            found = sum(dot([b], [d]) for b, d in chosen)
            assert abs(found - expected) <= tolerance * max(1.0, abs(expected))


TIES = [
    (np.absolute, (np.array([0.0, -2.0]),), 0, [0.0, -1.0]),
    (abs, (0.0,), 0, 0.0),
    (np.maximum, (np.array([1.0, 2.0]), 1.0), 0, [0.5, 1.0]),
    (np.minimum, (np.array([1.0, 2.0]), 1.0), 1, [0.5, 1.0]),
    (max, (1.0, 1.0), 0, 0.5),
    (min, (1.0, 1.0, 2.0), 1, 0.5),
    (np.max, (np.array([1.0, 3.0, 3.0]),), 0, [0.0, 0.5, 0.5]),
    (np.clip, (np.array([0.0, 0.5, 1.0, 2.0]), 0.0, 1.0), 0, [0.5, 1.0, 0.5, 0.0]),
    (np.clip, (np.array([0.0, 0.5]), 0.0, None), 0, [0.5, 1.0]),
    (np.hypot, (0.0, 0.0), 0, 0.0),
    (pow, (0.0, 0), 0, 0.0),
    (pow, (np.array([0.0, 2.0]), 0.0), 0, [0.0, 0.0]),
    (pow, (np.array([0.0, 2.0]), np.array([2.0, 2.0])), 1, [0.0, 4.0 * np.log(2.0)]),
    (np.std, (np.array([2.0, 2.0]),), 0, [0.0, 0.0]),
]


@pytest.mark.parametrize(("fn", "args", "position", "expected"), TIES)
def test_conventions(fn, args, position, expected):
    rule = registry.lookup(fn)
    y = fn(*args)
    partials = rule.body(1.0, y, *args) if rule.kind == "vjp" else rule.body(y, *args)
    found = partials[position] if isinstance(partials, tuple) else partials
    np.testing.assert_array_equal(np.broadcast_to(found, np.shape(expected)), expected)
