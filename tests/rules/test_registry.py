"""Every rule that computes has samples, and passes `check_rule` at each of them; a wrong rule does not.

Every thirtieth to second order, and every eighteenth sample behind the first; `ADCOMPILE_ALL=1` takes all."""

import copy
import importlib
import math
import os
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

from adcompile import runtime as rt
from adcompile.frontend.source import synthesise
from adcompile.rules import elementwise, frule, linear, rrule, vjp
from adcompile.rules.registry import lookup, registered, unregister
from adcompile.tangents import has_tangent
from adcompile.testing import CheckFailure, check_rule
from tests.programs import some
from tests.rules import samples

special = pytest.importorskip("scipy.special")
for library in ("linalg", "stats", "signal", "interpolate", "sparse.linalg"):
    importlib.import_module(f"scipy.{library}")
lookup(np.sin)  # rules for libraries are registered once these are imported

# What the kinds leave without a derivative of its own: no code, a refusal, another function,
# or a step that autodiff knows itself (it writes in place, and programs of second order test it).
WITHOUT = {"constant", "primitive", "overlay", "structure"}
OF_FUNCTIONS = {"implicit", "integral", "trajectory"}
"""What these are given are functions of a program that is differentiated: tests/programs/scipy_solvers.py."""


def collected(kind="SAMPLES"):
    """By callable, the sample calls of all files: [(args, settings), …]."""
    found = {}
    for info in pkgutil.iter_modules(samples.__path__):
        module = importlib.import_module(f"{samples.__name__}.{info.name}")
        for fn, calls in getattr(module, kind, {}).items():
            known = found.setdefault(fn, [])
            known.extend(call for call in calls if not any(call is k for k in known))
    return found


def name_of(fn):
    owner = getattr(getattr(fn, "__objclass__", None), "__name__", None) or getattr(fn, "__module__", "")
    return f"{owner}.{getattr(fn, '__name__', fn)}"


# Bodies of rules themselves, long ones: the rule they are of is checked to second order, which
# differentiates them once, and their own second order takes longer than all else. And series on grids,
# which are series along each axis: those are checked to second order.
ONCE = {rt.cofactors_bar}
GRIDS = ("grid2d", "grid3d")

SAMPLES = collected()
APART = {**collected("METHODS"), **collected("WRAPPED")}
"""Called with an object that carries no derivative, or from a function: tests/rules/test_methods.py."""
COMPUTING = {
    fn: rule
    for fn, rule in registered().items()
    if rule.kind not in WITHOUT | OF_FUNCTIONS and rule.pure and fn is not rt.valued
}
"""`rt.valued` has the derivatives of another value than its own: tests/analysis/test_folds.py. Draws give another value
every time: tests/programs/draws.py."""


def test_every_computing_rule_has_samples():
    assert [name_of(fn) for fn in COMPUTING if not SAMPLES.get(fn) and not APART.get(fn)] == []
    assert len(COMPUTING) >= 150


def test_every_sample_has_a_rule():
    assert [name_of(fn) for fn in SAMPLES if lookup(fn) is None] == []


def calls_of(fn):
    """The samples of a rule that have a derivative."""
    return [(args, settings) for args, settings in SAMPLES[fn] if any(map(has_tangent, args))]


IN_SPACE = [fn for fn in COMPUTING if fn in SAMPLES and name_of(fn).endswith("grid3d")]
CHECKED = [fn for fn in COMPUTING if fn in SAMPLES and (fn not in IN_SPACE or fn in some(IN_SPACE, 3))]
"""Every second here, `ADCOMPILE_ALL=1` takes all; of the series on grids of three axes, which take as long as all other
series, every third of these."""
TWICE = some([fn for fn in CHECKED if fn not in ONCE and not name_of(fn).endswith(GRIDS)], 40)
"""Checked to second order here, at the first sample; the others in tests/rules/test_compiled_arrays.py."""
SINGLE = some(CHECKED, 7)
"""Checked in float32 as well."""


@pytest.mark.parametrize("fn", some(CHECKED, 2), ids=name_of)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of NumPy, for forms that still work
@pytest.mark.filterwarnings("ignore:future versions will not create a writeable array:FutureWarning")
def test_rule(fn):
    failures, calls = [], calls_of(fn)
    calls = [*calls[:1], *some(calls[1:], 24)]
    assert calls, "no sample has an argument with a derivative"
    for k, (args, settings) in enumerate(calls):
        try:
            order, single = 2 if k == 0 and fn in TWICE else 1, k == 0 and fn in SINGLE
            check_rule(fn, *args, order=order, float32=single, options=settings)
        except CheckFailure as failure:
            failures.append(f"sample {k}: {failure}")
    assert not failures, f"{len(failures)} of {len(calls)} samples:\n" + "\n".join(failures)


# -- what has no derivative does not change where its arguments do ---------------------------------

LINE = np.array([0.31, 0.72, 1.23])
CALLS = [
    (0.37, 0.7, 1.2), (LINE, LINE[::-1] + 0.1), (np.array([[2.0, 0.3], [0.1, 1.0]]),), (5, 0.3), (2, 1.2), (3, LINE),
    (0.3, LINE), (3.3,), (5.3, 2.2),
]  # fmt: skip
STEPWISE = {np.spacing, math.ulp, np.diag_indices}  # constants whose value does, with such arguments


def numbers(value):
    """The inexact numbers that a value consists of, in one array; None if there are none."""
    if isinstance(value, (tuple, list)):
        found = [n for n in map(numbers, value) if n is not None]
        return np.concatenate(found) if found else None
    if not isinstance(value, (float, complex, np.inexact, np.ndarray)):
        return None
    return np.ravel(value).astype(complex) if np.asarray(value).dtype.kind in "fc" else None


NO_ARGUMENTS = (TypeError, ValueError, AttributeError, IndexError, OverflowError, RuntimeError, KeyError)


def attempt(fn, args):
    try:
        return numbers(fn(*args))
    except NO_ARGUMENTS:  # LinAlgError is a ValueError
        return None


def is_ours(fn):
    return str(getattr(fn, "__module__", "")).startswith("adcompile")


def smooth_in(fn):
    """A call of `fn` whose result changes a little where an argument does, or None."""
    for args in (call[:n] for call in CALLS for n in range(1, len(call) + 1)):
        before = attempt(fn, copy.deepcopy(args))
        for k, a in enumerate(args):
            if isinstance(a, int) or before is None:
                continue
            moved = [a + 1e-6 if i == k else copy.deepcopy(x) for i, x in enumerate(args)]
            after = attempt(fn, moved)
            if after is None or after.shape != before.shape:
                continue
            if 0.0 < np.max(np.abs(after - before), initial=0) < 1e-3:
                return args
    return None


@pytest.mark.filterwarnings("ignore")  # the calls are not all sensible
def test_constants_are_constant():
    constants = [fn for fn, rule in registered().items() if rule.kind == "constant" and rule.pure and not is_ours(fn)]
    smooth = {name_of(fn): smooth_in(fn) for fn in constants if fn not in STEPWISE}
    assert {name: args for name, args in smooth.items() if args is not None} == {}
    assert len(constants) > 200
    assert smooth_in(special.factorial) is not None and smooth_in(np.fft.fftfreq) is not None


# -- wrong rules are caught ---------------------------------------------------------------------

X = np.array([0.3, -0.7, 1.1])


def tripled(x):
    return 3.0 * x


def cubed(x):
    return x * x * x


def weighed(a, x):
    return a * x


def shapes(x):
    return np.sum(x, axis=0)


@pytest.fixture
def registering():
    """The functions of this file without rules before and after."""
    yield
    for fn in (tripled, cubed, weighed, shapes):
        unregister(fn)


def caught(fn, *args, match):
    with pytest.raises(CheckFailure, match=match) as found:
        check_rule(fn, *args)
    assert fn.__name__ in str(found.value)


def body_of(text):
    """Bodies as parameters need source of their own."""
    params, _, result = text.partition(": ")
    return synthesise("body", params, [f"return {result}"], {"np": np})


@pytest.mark.parametrize(
    "text, match",
    [
        ("y, x: 2.0 * x * x", "got"),
        ("y, x: np.float64(3.0) * x * x", "float64|float32"),
        ("y, x: np.outer(3.0 * x * x, x)", "shape"),
        ("y, x: (3.0 * x * x, x)", "number of partial"),
        ("y, x: -3.0 * x * x", "got"),
        ("y, x: 3.0 * x * x + 1e-6", "got"),
        ("y, x: 3.0 * x * x * (1.0 + 1e-6)", "got"),
    ],
)
def test_wrong_partials(registering, text, match):
    elementwise(cubed)(body_of(text))
    caught(cubed, X, match=match)


@pytest.mark.parametrize(
    "text, match",
    [
        ("y_bar, y, x: 2.0 * y_bar", "got"),
        ("y_bar, y, x: np.float64(3.0) * y_bar", "float64|float32"),
        ("y_bar, y, x: np.sum(3.0 * y_bar)", "shape"),
        ("y_bar, y, x: (3.0 * y_bar, y_bar)", "number of cotangents|shape"),
    ],
)
@pytest.mark.parametrize("kind", [linear, vjp], ids=lambda k: k.__name__)
def test_wrong_adjoints(registering, kind, text, match):
    kind(tripled)(body_of(text))
    caught(tripled, X, match=match)


def test_a_swap_of_arguments(registering):
    elementwise(weighed)(body_of("y, a, x: (a, x)"))
    caught(weighed, 2.0, X, match="argument")


def test_a_missing_cotangent(registering):
    vjp(weighed)(body_of("y_bar, y, a, x: (x * y_bar,)"))
    caught(weighed, X + 1.0, X, match="number of cotangents")


def test_a_cotangent_without_its_axis(registering):
    vjp(shapes)(body_of("y_bar, y, x: y_bar"))
    caught(shapes, np.outer(X, X), match="shape")


def test_wrong_explicit_rules(registering):
    @rrule(cubed)
    def of_another_value(x):
        return x * x, lambda y_bar: 3.0 * x * x * y_bar

    caught(cubed, X, match="value of the rrule")
    unregister(cubed)

    @rrule(cubed)
    def without_pullback(x):
        return x * x * x

    caught(cubed, X, match="result of the rrule")
    unregister(cubed)

    @frule(cubed)
    def of_another_shape(x, x_dot):
        return x * x * x, np.sum(x_dot)

    caught(cubed, X, match="shape of the tangent")


def test_right_rules_pass(registering):
    elementwise(cubed)(body_of("y, x: 3.0 * x * x"))
    linear(tripled)(body_of("y_bar, y, x: 3.0 * y_bar"))
    vjp(weighed)(body_of("y_bar, y, a, x: (np.sum(x * y_bar), a * y_bar)"))
    check_rule(cubed, X)
    check_rule(tripled, X)
    check_rule(weighed, 2.0, X)


def test_what_somebody_has_put_in_the_place_of_a_librarys_function_has_no_rule(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, scipy.special, adcompile as ad\n"
        "np.fft.fft, scipy.special.expit = lambda a: a * 1j, lambda a: a * a\n"
        "def f(x):\n    return np.sum(np.abs(np.fft.fft(x)) ** 2)\n"
        "def g(x):\n    return np.sum(scipy.special.expit(x))\n"
        "print(ad.grad(f)(np.ones(2)), ad.grad(g)(np.array([1.0, 2.0])))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "[2. 2.] [2. 4.]\n"


def test_rules_of_modules_that_are_called_as_ours_are_others(tmp_path):
    (tmp_path / "adcompile_more.py").write_text(
        "__name__ = 'adcompile.more'\nfrom adcompile import rules\n"
        "def own(x):\n    return float(x) * 2.0\n"
        "rules.vjp(own)(lambda y_bar, y, x: y_bar * 5.0)\n"
    )
    code = (
        "import adcompile_more, adcompile as ad\nfrom adcompile.rules import registry\n"
        "print(adcompile_more.own in registry.others)\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "True\n"


def test_rules_that_are_registered_before_ours(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import math, adcompile as ad\n"
        "from adcompile import rules\n"
        "rules.elementwise(math.exp)(lambda y, x: 100.0)\n"
        "print(ad.grad(lambda x: math.exp(x) * 1.0)(0.7))\n"
    )
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert float(run.stdout) == 100.0
