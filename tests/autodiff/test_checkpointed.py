"""Checkpointed loops: the gradient of the plain loop, bit for bit, in little memory and few steps."""

import inspect
import os
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest

import adcompile as ad
from tests.programs import collect, some
from tests.programs import inplace_checkpointed as programs
from tests.runtime.test_checkpoints import least

X = np.array([0.3, 0.7, 1.1])


def plain(function, monkeypatch, *args):
    """The gradient of a program with `range` in the place of `checkpointed_range`."""
    with monkeypatch.context() as patch:
        patch.setattr(ad, "checkpointed_range", lambda *bounds, snaps: range(*bounds))
        ad.clear()
        out = ad.grad(function, argnums=0)(*args)
        assert "run_back" not in ad.source(ad.grad(function), *args)
    ad.clear()
    return out


LOOPS = [name for name, samples in programs.SAMPLES.items() if isinstance(samples[0][-1], int)]


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("count", [0, 1, 2, 6, 23])
def test_bit_for_bit(name, count, monkeypatch):
    function, start = getattr(programs, name), programs.SAMPLES[name][0][0]
    if name == "checkpointed_in_checkpointed":
        count = min(count, 6)

    def args():
        return (start.copy() if isinstance(start, np.ndarray) else start, count)

    wanted = plain(function, monkeypatch, *args())
    assert "run_back" in ad.source(ad.grad(function), *args())
    assert np.array_equal(ad.grad(function)(*args()), wanted)
    given = args()
    _, pullback = ad.vjp(function, *given)
    first = pullback(1.0)[0]
    if isinstance(start, np.ndarray):
        given[0][...] = 9.0
    assert np.array_equal(first, wanted) and np.array_equal(pullback(1.0)[0], wanted)
    with ad.config(debug=True):
        assert np.array_equal(ad.grad(function)(*args()), wanted)


def halves(x, n, snaps):
    y = x
    for _ in ad.checkpointed_range(n, snaps=snaps):
        y = 0.5 * np.sin(y)
    return y


def steps_run(function, *args):
    """How often each function that makes a step is called."""
    made = {"step": 0, "recorded_step": 0}

    def count(frame, event, argument):
        if event == "call" and frame.f_code.co_name in made:
            made[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function(*args)
    finally:
        sys.setprofile(before)
    return made


@pytest.mark.parametrize(("count", "snaps"), [(0, 1), (1, 1), (3, 1), (20, 3), (60, 5), (200, 10)])
def test_steps_that_run(count, snaps):
    """Each step is recorded once, and advanced as often as the best schedule has it."""
    gradient = ad.grad(halves)
    gradient(0.4, 2, snaps)
    made = steps_run(gradient, 0.4, count, snaps)
    assert made == {"step": least(count, snaps)[snaps][count], "recorded_step": count}
    y, wanted = 0.4, 1.0
    for _ in range(count):
        wanted *= 0.5 * np.cos(y)
        y = 0.5 * np.sin(y)
    assert gradient(0.4, count, snaps) == pytest.approx(wanted, rel=1e-12)


def rk4(y, p, h, n, snaps):
    def slope(y):
        return p[0] * y * (1.0 - y) - p[1] * np.sin(y)

    for _ in ad.checkpointed_range(n, snaps=snaps):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def peak(function, *args):
    tracemalloc.start()
    function(*args)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used


def test_memory_does_not_grow_with_the_number_of_steps():
    gradient, p = ad.grad(rk4, argnums=(0, 1)), np.array([0.7, 0.3])
    gradient(0.3, p, 1e-6, 10, 3)
    assert peak(gradient, 0.3, p, 1e-6, 3000, 50) < 40_000
    assert peak(gradient, 0.3, p, 1e-6, 3000, 3000) > 500_000  # a snapshot a step


@pytest.mark.skipif("ADCOMPILE_ALL" not in os.environ, reason="takes a minute: ADCOMPILE_ALL=1")
def test_a_million_steps_in_64_megabytes():
    """By the process's largest resident set."""
    code = """
        import resource
        import numpy as np
        import adcompile as ad
        from tests.autodiff.test_checkpointed import rk4

        print(ad.grad(rk4, argnums=(0, 1))(0.3, np.array([0.7, 0.3]), 1e-6, 1_000_000, 1500))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    """
    sizes: list[int] = []
    for steps in ("10", "1_000_000"):
        text = textwrap.dedent(code).replace("1_000_000", steps)
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        sizes.append(int(done.stdout.split()[-1]))
    assert sizes[1] - sizes[0] < 64_000, f"{sizes} kB for ten steps and for a million"


def test_arrays_in_the_states():
    def diffused(u, n):
        v = np.empty_like(u)
        for _ in ad.checkpointed_range(n, snaps=4):
            v[1:-1] = u[1:-1] + 0.1 * (u[2:] * u[:-2] - u[1:-1])
            v[0], v[-1] = u[0], u[-1]
            u, v = v.copy(), v
        return np.sum(u)

    u, gradient = np.linspace(0.0, 1.0, 10_000), ad.grad(diffused)
    gradient(u, 3)
    # four snapshots of two arrays, as many shadows, and what one step takes
    assert peak(gradient, u, 200) < 45 * u.nbytes


def left_early(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = np.sin(y)
        if y < 0.1:
            break
    return y


def returns_early(x, n):
    y = x
    for _ in ad.checkpointed_range(n, snaps=2):
        y = np.sin(y)
        if y < 0.1:
            return y * y
    return y


def grows_a_list(x, n):
    found = []
    for i in ad.checkpointed_range(n, snaps=2):
        found.append(x * i)
    return sum(found)


def binds_first(x, n):
    for i in ad.checkpointed_range(n, snaps=2):
        y = x * i
    return y


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (returns_early, "result, which this checkpointed loop binds first"),
        (grows_a_list, "a checkpointed loop that changes found, of which no snapshot can be taken"),
        (binds_first, "y, which this checkpointed loop binds first"),
    ],
)
def test_refused_with_the_place(function, message):
    with pytest.raises(ad.Unsupported, match=message) as caught:
        ad.grad(function)(0.5, 4)
    assert caught.value.place is not None and caught.value.place.file == __file__ and caught.value.remedy


def test_what_is_not_differentiated_is_a_plain_loop():
    assert left_early(0.5, 2) == np.sin(np.sin(0.5)) == returns_early(0.5, 2)
    assert ad.jvp(left_early, (0.5, 2), (1.0, None))[1] == pytest.approx(np.cos(np.sin(0.5)) * np.cos(0.5))
    assert list(ad.checkpointed_range(2, 8, 3, snaps=1)) == [2, 5]
    with pytest.raises(ValueError, match="snaps must be at least 1"):
        ad.grad(halves)(0.5, 3, 0)


def settles(x, n, most):
    u, v = x.copy(), np.zeros_like(x)
    for i in ad.checkpointed_range(n, snaps=2):
        if u[0] > most:
            break
        v[1:], v[0] = u[:-1] * u[1:], u[0] * 1.2
        u, v = v, u
        if i % 2:
            continue
        u[1] *= 1.5
    else:
        u[2] += u[0]
    return np.sum(u * u)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 17])
@pytest.mark.parametrize("most", [0.1, 0.5, 1.0, 1e9])
def test_loops_that_are_left(count, most, monkeypatch):
    wanted = plain(settles, monkeypatch, X, count, most)
    assert np.array_equal(ad.grad(settles)(X, count, most), wanted)
    _, pullback = ad.vjp(settles, X, count, most)
    assert np.array_equal(pullback(1.0)[0], wanted) and np.array_equal(pullback(1.0)[0], wanted)


def raises_in_the_middle(x, n):
    y = x.copy()
    for i in ad.checkpointed_range(n, snaps=2):
        y[i % 2] *= x[i]
    return np.sum(y)


def test_exceptions_come_through():
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        ad.grad(raises_in_the_middle)(X, 7)
    assert np.isfinite(ad.grad(raises_in_the_middle)(X, 3)).all()


def powers(x, depth):
    if depth == 0:
        return np.sum(x * x)
    y = x
    for _ in ad.checkpointed_range(6, snaps=2):
        y = y * np.cos(y)
    return powers(y, depth - 1) + np.sum(y)


def test_in_a_function_that_calls_itself(monkeypatch):
    wanted = plain(powers, monkeypatch, X, 3)
    assert np.array_equal(ad.grad(powers)(X, 3), wanted)
    _, pullback = ad.vjp(powers, X, 3)
    assert np.array_equal(pullback(1.0)[0], wanted) and np.array_equal(pullback(1.0)[0], wanted)


LOOPS = [p for p in collect() if " in range(" in inspect.getsource(p.function)]
JUMPING = [p for p in LOOPS if p.function.__module__.endswith(("left_twice", "left_by_jumps"))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [*some(LOOPS, 20), *(p for p in JUMPING if p not in some(LOOPS, 20))])
def test_programs_with_checkpointed_ranges(program, monkeypatch):
    """The loops of other programs: the same bits, or refused."""
    module = sys.modules[program.function.__module__]
    wanted = pulled_twice(program)
    with monkeypatch.context() as patch:
        patch.setattr(module, "range", lambda *bounds: ad.checkpointed_range(*bounds, snaps=2), raising=False)
        ad.clear()
        try:
            found = pulled_twice(program)
        except ad.Unsupported as error:
            assert error.place is not None
            pytest.skip(str(error).splitlines()[0])
        finally:
            ad.clear()
    assert found == wanted


def seed_of(value):
    """Ones of the structure of a result."""
    if isinstance(value, (tuple, list)):
        items = [seed_of(v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {k: seed_of(v) for k, v in value.items()}
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        return np.ones_like(value)
    return type(value)(1.0) if isinstance(value, (float, complex, np.inexact)) else None


def pulled_twice(program):
    """What two runs of a pullback give, to the last bit."""
    try:
        value, pullback = ad.vjp(program.function, *program.fresh())
    except ad.Unsupported:
        raise
    except ad.AdcompileError as error:
        pytest.skip(str(error).splitlines()[0])
    with np.printoptions(floatmode="unique"):
        return repr(value), repr(pullback(seed_of(value))), repr(pullback(seed_of(value)))


def test_by_position():
    with pytest.raises(ad.Unsupported, match="checkpointed_range"):
        ad.grad(lambda x: sum(x for _ in ad.checkpointed_range(3, snaps=1, step=2)))(1.0)
