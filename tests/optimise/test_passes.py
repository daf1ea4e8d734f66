"""The optimiser as a whole: primal programs keep every bit, and it comes to rest in linear time."""

import doctest
import operator
import time
import warnings

import pytest

from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Attempt, Block, Call, Const, Var, Yield
from adcompile.ir.show import show
from adcompile.ir.types import FLOAT
from adcompile.ir.verify import verify
from adcompile.ir.walk import statements_of
from adcompile.optimise import passes
from adcompile.optimise.passes import PASSES, optimise, optimise_block
from tests import interpret, stress
from tests.optimise.programs import entry, outcome, program_of, typed
from tests.programs import collect, some


def lowered(program):
    """A program of tests/programs with the values of its parameters and cells, or a skip."""
    function = lower_function(program.function)
    if any(isinstance(s, Attempt) for s in statements_of(function.body)):
        pytest.skip("a try statement, which the specialiser removes")
    fn = getattr(program.function, "__wrapped__", program.function)
    values = interpret.bind(function, fn.__defaults__ or (), fn.__kwdefaults__ or {}, program.fresh(), {})
    cells = [cell.cell_contents for cell in fn.__closure__ or ()]
    return function, (*values, *cells)


STATEFUL = {"partial_of_a_writer", "counters_that_share", "methods_of_operators"}
FOLLOWED = {"in_place_operator_of_a_vector"}


@pytest.mark.parametrize("program", some(collect(), 11), ids=lambda p: p.name)
def test_primal_programs_keep_every_bit(program):
    if program.name in STATEFUL:
        pytest.skip("a callable that holds state, or its array, is one value in types by example")
    if program.name in FOLLOWED:
        pytest.skip("the operators of a record's class are followed before anything is optimised")
    function, values = lowered(program)
    before = program_of(function, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        after = optimise(before)
        verify(entry(after))
        assert outcome(after, values) == outcome(before, values)


@pytest.mark.parametrize(
    "program", collect("loops") + collect("control_flow") + collect("broadcasting"), ids=lambda p: p.name
)
@pytest.mark.parametrize("role", ["primal", "adjoint"])
def test_optimising_twice_changes_nothing(program, role):
    function, values = lowered(program)
    once = optimise(program_of(function, values, role))
    assert show(optimise(once)) == show(once)


@pytest.mark.parametrize("p", PASSES, ids=lambda p: p.name)
def test_each_pass_alone_keeps_primal_bits(p):
    for program in collect("loops") + collect("containers"):
        function = lower_function(program.function)
        if any(isinstance(s, Attempt) for s in statements_of(function.body)):
            continue
        before = program_of(function, program.fresh())
        after = optimise(before, (p,))
        verify(entry(after))
        assert outcome(after, program.args) == outcome(before, program.args)


@pytest.mark.parametrize("role", ["primal", "adjoint"])
def test_time_is_linear(role):
    def once(n):
        program = typed(stress.n_statements(n), 0.7, role=role)
        start = time.process_time()
        optimise(program)
        return time.process_time() - start

    seconds = [min(once(n) for _ in range(3)) for n in (500, 2000)]  # others take their time as well
    assert seconds[1] < 1.0
    assert seconds[1] < 8 * seconds[0]


def test_deep_chains_are_walked():
    for fn in (stress.elif_chain(1000), stress.long_sum(2000)):
        program = typed(fn, 3.5)
        assert outcome(optimise(program), (3.5,)) == outcome(program, (3.5,))


def test_printed_output_and_exceptions_stay_in_order():
    def f(x):
        print("first", x)
        y = 1.0 / x
        print("second")
        unused = y / (x - 2.0)
        return x

    program = typed(f, 3.0)
    for x in (3.0, 2.0, 0.0):
        assert outcome(optimise(program), (x,)) == outcome(program, (x,))


def test_docstring():
    assert doctest.testmod(passes).failed == 0


def test_a_block_is_optimised_for_its_readers():
    x, a, b, c = (Var(n) for n in "xabc")
    types = dict.fromkeys((x, a, b, c), FLOAT)
    block = Block(
        (),
        (
            Call(a, Const(operator.neg), (x,), role="adjoint"),
            Call(b, Const(operator.neg), (a,), role="adjoint"),
            Call(c, Const(operator.mul), (b, Const(2.0)), role="adjoint"),
        ),
        Yield(),
    )
    new = optimise_block(block, types, [b, c])
    assert new.end.values[0] is x and new.end.values[1] is c
    assert [s.result for s in new.statements] == [c]


def test_the_same_input_gives_the_same_text():
    texts = {show(optimise(typed(stress.n_statements(50), 0.7, role="adjoint"))) for _ in range(3)}
    assert len(texts) == 1
