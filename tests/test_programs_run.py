"""The programs themselves: they run clean in plain Python, and have slopes at their sample points."""

import numpy as np
import pytest

from tests import stress
from tests.programs import Program, collect, modules

PROGRAMS = collect()
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves
UNSAMPLED = {"stopped"}  # stop_gradient is no derivative: finite differences see through it


def inexact(value):
    """Is this a leaf that has a tangent?"""
    array = isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.inexact)
    return array or isinstance(value, (float, complex, np.inexact))


def moved(value, rng, h):
    """`value` with every inexact leaf moved by h in a random direction; the same direction for the same rng."""
    if inexact(value):
        step = rng.standard_normal(np.shape(value))
        if np.iscomplexobj(value):
            step = step + 1j * rng.standard_normal(np.shape(value))
        new = value + h * step
        return new.astype(value.dtype) if isinstance(value, (np.ndarray, np.inexact)) else type(value)(new)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(moved(v, rng, h) for v in value))
    if isinstance(value, (tuple, list)):
        return type(value)(moved(v, rng, h) for v in value)
    if isinstance(value, dict):
        return {k: moved(v, rng, h) for k, v in value.items()}
    return value


def leaves(value):
    if isinstance(value, (tuple, list)):
        return [leaf for v in value for leaf in leaves(v)]
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in leaves(v)]
    return [np.ravel(value)] if inexact(value) else []


def flat(value):
    return np.concatenate([np.zeros(0), *leaves(value)])


def test_there_are_enough_programs():
    assert len({p.function for p in PROGRAMS}) >= 170


def test_names_are_distinct():
    names = [name for module in modules() for name in module.SAMPLES]
    assert len(names) == len(set(names))


def test_every_function_has_samples():
    """A public function that was forgotten in SAMPLES would never be tested."""
    for module in modules():
        mine = {n for n, f in vars(module).items() if callable(f) and getattr(f, "__module__", "") == module.__name__}
        functions = {n for n in mine if not n.startswith("_") and not isinstance(getattr(module, n), type)}
        assert functions - set(module.SAMPLES) <= UNSAMPLED, module.__name__


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_program_runs_and_has_a_slope(program: Program):
    args = program.fresh()
    value = program.function(*args)
    assert isinstance(value, (int, float, complex, np.generic, np.ndarray, tuple, list, dict)), type(value)
    written = program.function.__module__.rpartition(".")[2].startswith("inplace")
    assert written or repr(args) == repr(program.args), "a program leaves its arguments alone"
    assert all(np.all(np.isfinite(leaf)) for leaf in leaves(value))
    if program.function.__module__.endswith("float32"):
        return  # differences of single precision say nothing at these steps

    def slope(h):
        ahead = program.function(*moved(program.fresh(), np.random.default_rng(0), h))
        behind = program.function(*moved(program.fresh(), np.random.default_rng(0), -h))
        return (flat(ahead) - flat(behind)) / (2 * h)

    # Two steps that agree: no kink or jump nearby, and differences are a fit check of derivatives.
    np.testing.assert_allclose(slope(1e-5), slope(1e-6), rtol=2e-4, atol=1e-6)


def test_same_result_twice():
    """Caches, generators and counters inside the programs do not change what they return."""
    for program in PROGRAMS:
        first, second = program.function(*program.fresh()), program.function(*program.fresh())
        assert repr(first) == repr(second), program.name


def test_samples_are_not_shared_between_tests():
    program = collect("arrays_elementwise")[0]
    assert program.fresh()[0] is not program.args[0]


@pytest.mark.parametrize("make", [stress.n_statements, stress.elif_chain, stress.array_statements])
@pytest.mark.parametrize("n", [1, 10, 400])
def test_stress_sources_run(make, n):
    f = make(n)
    x = np.array([0.3, -0.4]) if make is stress.array_statements else 0.7
    assert np.isfinite(f(x))
    assert f.__code__.co_name.endswith(str(n))


@pytest.mark.parametrize("n", [1, 10, 400])
def test_long_sums_run(n):
    assert np.isclose(stress.long_sum(n)(2.0), 2.0 * np.sum(1.0 / np.arange(1.0, n + 1)))
