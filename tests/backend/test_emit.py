"""What is printed means what was lowered: value, type, exception, printed output."""

import contextlib
import importlib
import operator
import pkgutil

import pytest

from adcompile.backend.emit import emit
from adcompile.backend.load import load
from adcompile.errors import Unsupported
from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Call, Const, Function, Var
from adcompile.ir.program import FunctionRef, Program
from adcompile.ir.walk import statements_of
from tests import stress
from tests.backend.printing import call, describe, function, outcome, printed, reprint
from tests.frontend import language
from tests.frontend.random_programs import random_function
from tests.programs import collect, some

CALLS = [
    case
    for info in pkgutil.iter_modules(language.__path__)
    for case in getattr(importlib.import_module(f"{language.__name__}.{info.name}"), "CALLS", ())
]


METHODS = {"scaled", "secret", "__call__"}  # called with another class than the one they close over


UNBOUND = {"try_unbinds"}  # the primal raises where foreign code ends, ours where the name is read


SHARED = {
    "nested_counters", "functions_see_the_last_value", "closure_in_loop", "sorted_again_in_a_loop", "simplex",
    "kept_behind_another", "called_behind_the_loop", "steps_that_run_again", "integrals_in_a_loop", "implicit_steps",
}  # fmt: skip
"""Variables that nested functions write, or see change: only the specialiser gives them meaning."""
REFUSED = ("is assigned to after", "generator expression", "which a function captures")


@pytest.mark.parametrize("fn, args, kwargs", CALLS, ids=lambda v: getattr(v, "__name__", None))
def test_language(fn, args, kwargs):
    if fn.__name__ in METHODS | UNBOUND | SHARED:
        pytest.skip("not a plain function")
    again = reprint(fn)
    assert outcome(again, *args, **kwargs) == outcome(fn, *args, **kwargs), again.source


def makes_generators(fn):
    calls = [s for s in statements_of(lower_function(fn).body) if isinstance(s, Call)]
    made = [a.value for s in calls for a in s.args if isinstance(a, Const) and isinstance(a.value, Function)]
    return any(f.yields for f in made)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # those of the programs themselves
@pytest.mark.parametrize("p", some(collect(), 10), ids=lambda p: p.name)
def test_programs(p):
    if p.function.__name__ in SHARED or makes_generators(p.function):
        pytest.skip("lowered code has cells and runs generators, which printed code has not and does not")
    again = reprint(p.function)
    try:
        got = describe(again(*p.fresh()))
    except Unsupported as error:
        assert any(text in str(error) for text in REFUSED)
        return
    assert got == describe(p.function(*p.fresh())), again.source


@pytest.mark.parametrize("chunk", range(8))
def test_random_programs(chunk):
    for seed in range(chunk * 20, chunk * 20 + 20):
        notes = []

        def note(value):
            notes.append(value)
            return value

        fn, text = random_function(seed, {"note": note, "quiet": contextlib.nullcontext})
        again = reprint(fn)
        for args in [(0, 3), (5, -2)]:
            expected = outcome(fn, *args), notes[:]
            notes.clear()
            got = outcome(again, *args), notes[:]
            notes.clear()
            # ours raises where an unbound value is used, not where it is read
            if not expected[0][0].startswith(("UnboundLocalError", "NameError")) and "Unsupported" not in got[0][0]:
                assert got == expected, text + again.source


@pytest.mark.parametrize("make", [stress.n_statements, stress.elif_chain, stress.long_sum])
def test_two_thousand(make):
    f = make(2000)
    assert reprint(f)(0.7) == f(0.7)


def test_same_bytes():
    for f in (collect()[0].function, stress.n_statements(50)):
        assert printed(f) == printed(f)


def test_functions_call_each_other():
    main, helper = FunctionRef("main"), FunctionRef("sum")
    x, a = Var("x"), Var("a")
    double = call(operator.mul, a, 2)
    use = call(helper, x)
    functions = {main: function("main", [x], [use], use.result), helper: function("sum", [a], [double], double.result)}
    emitted = emit(Program(main, functions, {}))
    assert emitted.source == "def sum_1(a):\n    return a * 2\n\n\ndef main(x):\n    return sum_1(x)\n"
    assert load(emitted)(4) == 8
