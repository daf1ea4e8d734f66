"""Where nothing is selected: a derivative raises what the function raises, and nothing where that has a value."""

import functools
from importlib.util import find_spec

import numpy as np
import pytest

import adcompile as ad

pytestmark = pytest.mark.filterwarnings(
    "ignore::RuntimeWarning", "ignore::adcompile.backend.native.notes.NativeWarning"
)
NEGATIVE = np.array([-1.0, -2.0])
BACKENDS = ["numpy", "numba"] if find_spec("numba") else ["numpy"]


def some(x):
    return x[x > 0]


def rows(x):
    return np.stack([some(x), some(x)])


OF_NOTHING = {
    "mean": lambda x: np.mean(some(x)),
    "method": lambda x: some(x).mean(),
    "list": lambda x: np.mean([v for v in x if v > 0]),
    "where": lambda x: np.mean(x, where=x > 0),
    "axis": lambda x: np.sum(np.mean(rows(x), axis=1)),
    "other_axis": lambda x: np.sum(np.mean(rows(x), axis=0)),
    "average": lambda x: np.average(some(x)),
    "nanmean": lambda x: np.nanmean(some(x)),
    "median": lambda x: np.median(some(x)),
    "medians": lambda x: np.sum(np.median(rows(x), axis=1, keepdims=True)),
    "nanmedian": lambda x: np.nanmedian(some(x)),
    "nanpercentile": lambda x: np.nanpercentile(some(x), 30.0),
    "std": lambda x: np.std(some(x)),
    "var_where": lambda x: np.var(x, where=x > 0),
    "std_where": lambda x: np.std(x, where=x > 0),
    "nanstd": lambda x: np.nanstd(some(x)),
    "trapezoid": lambda x: np.trapezoid(some(x), some(x)),
    "edges": lambda x: np.sum(np.histogram(some(x), 3)[1]),
    "of_logarithms": lambda x: np.exp(np.mean(np.log(some(x)))),
    "initial": lambda x: np.max(some(x), initial=-3.0),
    "default": lambda x: max(some(x), default=2.0) * max([v for v in x if v > 0], default=1.0),
}
OF_TOO_FEW = {
    "cov": lambda x: np.sum(np.cov(x[:1])),
    "cov_of_rows": lambda x: np.sum(np.cov(np.stack([x[:1], x[1:]]))),
    "corrcoef": lambda x: np.sum(np.corrcoef(x[:1], x[1:])),
    "std_ddof": lambda x: np.std(x, ddof=2),
    "var_ddof": lambda x: np.var(x[:1], ddof=1),
}
RAISING = {
    "max": lambda x: max([v for v in x if v > 0]),
    "min_of_array": lambda x: min(some(x)),
    "generator": lambda x: max(v for v in x if v > 0),
    "key": lambda x: min([v for v in x if v > 0], key=abs),
    "tuples": lambda x: max([(v, 1.0) for v in x if v > 0])[0],
    "values": lambda x: max({k: v for k, v in enumerate(x) if v > 0}.values()),
    "empty": lambda x: max([]) * x[0],
    "reduce": lambda x: functools.reduce(lambda a, b: a * b, [v for v in x if v > 0]),
    "reduce_array": lambda x: functools.reduce(lambda a, b: a * b, some(x)),
    "quantile": lambda x: np.quantile(some(x), 0.3),
    "ptp": lambda x: np.ptp(some(x)),
}


def modes(f, x, backend):
    direction = np.array([0.5, -1.5])
    yield lambda: ad.grad(f, backend=backend)(x)
    yield lambda: ad.jvp(f, (x,), (direction,), backend=backend)[1]
    yield lambda: ad.jvp_batched(f, (x,), (np.stack([direction, 2.0 * direction]),))[1]
    yield lambda: ad.hvp(f, (x,), (direction,))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", OF_NOTHING)
def test_nothing_has_a_share(name, backend):
    gradient, *others = [np.asarray(run()) for run in modes(OF_NOTHING[name], NEGATIVE, backend)]
    assert gradient.shape == NEGATIVE.shape
    for result in (gradient, *others):
        assert not np.any(result) or name == "of_logarithms" and np.all(np.isnan(result))


@pytest.mark.parametrize("name", OF_TOO_FEW)
def test_what_has_a_value_raises_nothing(name):
    OF_TOO_FEW[name](NEGATIVE)
    gradient, *_ = [np.asarray(run()) for run in modes(OF_TOO_FEW[name], NEGATIVE, "numpy")]
    assert gradient.shape == NEGATIVE.shape


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", RAISING)
def test_raises_what_the_function_raises(name, backend):
    f = RAISING[name]
    with pytest.raises((ValueError, TypeError, IndexError)) as expected:
        f(NEGATIVE)
    for run in modes(f, NEGATIVE, backend):
        with pytest.raises(type(expected.value)) as raised:
            run()
        assert str(raised.value) == str(expected.value)
