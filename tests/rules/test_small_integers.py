"""Small integers beside what carries derivatives give the derivatives that floats give, wherever they give the same
value: they wrap around and have functions in half precision.

Of every twentieth rule here; `ADCOMPILE_ALL=1` takes all."""

import numpy as np
import pytest

import adcompile as ad
from adcompile.errors import AdcompileError
from adcompile.frontend.source import synthesise
from tests.programs import some
from tests.rules.test_registry import CHECKED, calls_of, is_ours, name_of

IMPOSSIBLE = (TypeError, ValueError, IndexError, ArithmeticError, AttributeError, NotImplementedError, AdcompileError)


def is_numeric(a):
    return isinstance(a, (int, float, np.number, np.ndarray)) and np.asarray(a).dtype.kind in "if"


def calls_beside(fn):
    """Calls by an argument that may carry derivatives, and the places of others that may be whole numbers."""
    for args, settings in calls_of(fn):
        for k, x in enumerate(args):
            others = [i for i, a in enumerate(args) if i != k and is_numeric(a)]
            if others and isinstance(x, (float, np.ndarray)) and np.asarray(x).dtype == float:
                yield args, settings, k, others


def whole(a, dtype):
    """Whole numbers near those of `a`, none of them negative."""
    return np.rint(np.abs(a) * (3.0 if np.ndim(a) else 1.0)).astype(dtype)[()]


def beside(fn, args, settings, k, others, dtype):
    """The call as a function of argument `k`, with the others in this dtype."""
    given = {f"x{i}": whole(a, dtype) if i in others else a for i, a in enumerate(args) if i != k}
    passed = [*(f"x{i}" for i in range(len(args))), *(f"{name}={name}" for name in settings)]
    return synthesise("call", f"x{k}", [f"return fn({', '.join(passed)})"], {"fn": fn, **given, **settings})


def attempt(call, x):
    """The value, an array of floats or one of them, or None."""
    try:
        value = call(x)
    except IMPOSSIBLE:
        return None
    return value if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype == float else None


def outcome(call, x):
    """The value and the cotangent of x; None where there are none, as where that is not given by an array or number."""
    try:
        value, pullback = ad.vjp(call, x.copy() if isinstance(x, np.ndarray) else x)
        seed = np.cos(np.arange(np.size(value))).reshape(np.shape(value)) + 0.0 * value
        return value, pullback(seed if np.ndim(value) else seed[()])[0]
    except IMPOSSIBLE:
        return None


OF_OTHERS = [fn for fn in CHECKED if not is_ours(fn) and any(calls_beside(fn))]


@pytest.mark.parametrize("fn", some(OF_OTHERS, 20), ids=name_of)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8], ids=lambda t: t.__name__)
@pytest.mark.filterwarnings("ignore")  # the calls are not all sensible
def test_beside_small_integers(fn, dtype):
    for sample in calls_beside(fn):
        x = sample[0][sample[2]]
        plain, small = beside(fn, *sample, float), beside(fn, *sample, dtype)
        expected, value = outcome(plain, x), attempt(small, x)
        if expected is None or value is None or not np.array_equal(expected[0], value, equal_nan=True):
            continue
        found = outcome(small, x)
        assert found is not None
        np.testing.assert_allclose(found[1], expected[1], 1e-11, 1e-11)
