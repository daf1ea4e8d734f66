"""Ways back by Jacobians of many iterations at once: which loops, and that they give what the iterations give."""

import math
import re

import numpy as np
import pytest

from adcompile.backend.native import preaccumulated
from adcompile.backend.native.preaccumulated import WIDTH
from tests.kernels import agree, agree_pulled, agree_pushed, parts_of, stays
from tests.programs import recurrences

IN_BLOCKS = [name for name in recurrences.SAMPLES if name.startswith("fourth") and not name.endswith("pendulum")]


def blocks_in(f, *args, value=False):
    """How many loops of a gradient go in blocks."""
    kernels = parts_of(f, *args, value=value).kernels.values()
    return sum(len(re.findall(r"fine\w* = True", kernel.source)) for kernel in kernels)


def always(monkeypatch):
    """All loops that can go in blocks do."""
    monkeypatch.setattr(preaccumulated, "WORTH", 0.0)


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_deep_chains_go_in_blocks(name):
    f = getattr(recurrences, name)
    for args in recurrences.SAMPLES[name]:
        assert blocks_in(f, *args) == blocks_in(f, *args, value=True) == 1
        stays(f, *args)
        agree_pulled(f, *args)
        agree_pushed(f, *args)


@pytest.mark.parametrize("name", recurrences.SAMPLES)
def test_blocks_give_what_iterations_give(name, monkeypatch, tmp_path):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path))
    always(monkeypatch)
    f = getattr(recurrences, name)
    for args in recurrences.SAMPLES[name]:
        stays(f, *args)
        agree_pulled(f, *args)


@pytest.mark.parametrize("many", [0, 1, 7, 8, WIDTH - 1, WIDTH, WIDTH + 1, 2 * WIDTH, 200])
def test_any_number_of_iterations(many):
    stays(recurrences.fourth_order, 1.2, 0.8, 1.1, 0.4, 0.7, many)
    stays(recurrences.fourth_order_held, np.linspace(0.1, 0.9, many), 0.9, 0.6, 1.1)
    stays(recurrences.fourth_order_pushed, np.linspace(0.1, 0.9, many), 0.5, 0.1, 1.2)


@pytest.mark.parametrize("stiff", [1e3, 1e6, 1e9, 1e12])
def test_what_jacobians_lose_is_not_taken_from_them(stiff):
    """Cotangents that are equal: `k * (x_bar - y_bar)` is zero, where `k * x_bar - k * y_bar` rounds what stands beside
    it."""
    stays(recurrences.fourth_order_on_a_spring, 0.5, 0.5, stiff, 3)
    stays(differences_first, 0.7, 0.7, stiff, 150)


def differences_first(x, y, k, n):
    for _ in range(n):
        d = k * (x - y)
        p, q = 0.9 * x + d, 0.9 * y - d
        d = k * (p - q)
        p, q = 1.1 * p + d, 1.1 * q - d
        d = k * (p - q)
        p, q = 0.95 * p + d, 0.95 * q - d
        d = k * (p - q)
        p, q = 1.05 * p + d, 1.05 * q - d
        d = k * (p - q)
        x, y = p + d, q - d
    return x + y


def test_differences_first_go_in_blocks(monkeypatch):
    always(monkeypatch)
    assert blocks_in(differences_first, 0.7, 0.7, 1e3, 150) == 1


@pytest.mark.parametrize("x", [1.2, -0.3, 1e80, 1e300, math.inf, math.nan, 0.0])
def test_what_is_not_finite(x):
    """Where the chain ends in what is no number, or begins with it."""
    for n in (5, 100):
        agree(recurrences.fourth_order, x, 0.8, 1.1, 0.4, 0.7, n)
        agree(recurrences.fourth_order_of_one, x, 1.3, n)


def divided_by_what_may_be_zero(x, d, n):
    for i in range(n):
        s = d - i
        u = x + 0.01 * x * x
        u = u + 0.02 * u / s
        u = u - 0.03 * u * u
        u = u + 0.04 * u / s
        u = u - 0.05 * u * u
        u = u + 0.06 * u * u
        x = u - 0.07 * u * u
    return x


@pytest.mark.parametrize("d", [0.5, 3.0, 70.0, 99.0])
def test_division_by_zero_raises(d, monkeypatch, tmp_path):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path))
    always(monkeypatch)
    assert blocks_in(divided_by_what_may_be_zero, 0.3, d, 99) == 1
    assert agree(divided_by_what_may_be_zero, 0.3, d, 99) is (ZeroDivisionError if d in (3.0, 70.0) else None)


def beside_a_counter(x, n):
    """Whole numbers in the Jacobian: they are no Jacobian of whole numbers."""
    for i in range(n):
        u = x * i * 3
        u = u + x * (i * i)
        u = u * 0.001 - x
        u = u * 0.7 + x * i
        u = u - 0.3 * x
        u = u * 0.5 + 0.1 * x
        x = 0.01 * u - 0.2 * x
    return x


def test_whole_numbers(monkeypatch, tmp_path):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path))
    always(monkeypatch)
    stays(beside_a_counter, 0.7, 150)
    agree(beside_a_counter, 0.7, 2000)


FORMS = ["{0} + {2!r} * {1}", "{0} - {1}", "{2!r} * {0} * {1}", "{0} * ({1} - {2!r})", "{2!r} * ({0} - {1})"]


def random_chain(rng):
    """A function that hands on up to three numbers by products and sums of them, of all sizes."""
    states = ["x", "y", "z"][: rng.integers(1, 4)]
    lines, known = list[str](), [*states, "a", "b"]
    for k in range(int(rng.integers(6, 14))):
        one, other = rng.choice(known[-6:]), rng.choice(known)
        factor = float(rng.choice([0.1, 0.5, 1.0, 1e4, 1e-3])) * float(rng.uniform(0.5, 1))
        lines.append(f"t{k} = " + rng.choice(FORMS).format(one, other, factor))
        known.append(f"t{k}")
    for s in states:
        one, other = rng.choice(known[-4:]), rng.choice(known[-3:])
        saturated, divided = f"math.tanh(0.9 * {s} + 0.1 * {one})", f"0.9 * {s} + 0.01 * {one} / (1.0 + abs({other}))"
        lines.append(f"{s} = {saturated if rng.random() < 0.3 else divided}")
    body = "\n        ".join(lines)
    total = f"{' + '.join(states)} + 0.0 * (x + y + z + a + b)"
    return f"def chain(x, y, z, a, b, n):\n    for _ in range(n):\n        {body}\n    return {total}\n"


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 6, 7])
def test_random_chains(seed, monkeypatch, tmp_path):
    monkeypatch.setenv("ADCOMPILE_CACHE", str(tmp_path))
    always(monkeypatch)
    source = random_chain(np.random.default_rng(seed))
    path = tmp_path / f"chain_{seed}.py"
    path.write_text("import math\n\n\n" + source, encoding="utf-8")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert blocks_in(scope["chain"], 0.3, -0.4, 0.5, 0.7, 1.1, 100) == 1
    for args in ((0.3, -0.4, 0.5, 0.7, 1.1), (0.3, 0.3, 0.3, 1.0, 1.0)):
        assert agree(scope["chain"], *args, 100) is None
