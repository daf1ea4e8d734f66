"""The walk: identity where nothing changes, order where something does."""

import operator

from adcompile.ir.nodes import Break, Const, Continue, While
from adcompile.optimise.rewrite import ForwardWalk, leaves
from tests.optimise.programs import compound, entry, outcome, typed


def program(x, n):
    y = x
    for i in range(n):
        if i > 3:
            break
        y = y * x if y > 1.0 else y + x
    while y > 10.0:
        y = y / 2.0
    return y


def test_nothing_to_do_gives_the_same_object():
    typed_program = typed(program, 2.0, 5)
    body = entry(typed_program).body
    assert ForwardWalk(dict(typed_program.types)).block(body) is body


def test_replacements_reach_every_use():
    class Twice(ForwardWalk):
        """Reads the first operand of every sum and product for its result."""

        def visit(self, call, out):
            if isinstance(call.fn, Const) and call.fn.value in (operator.add, operator.mul):
                self.replace(call.result, call.args[0])
            else:
                self.emit(call, out)

    def f(x, n):
        y = x
        for _ in range(n):
            y = (y + x) * x
        return y * x

    typed_program = typed(f, 2.0, 5)
    body = Twice(dict(typed_program.types)).block(entry(typed_program).body)
    (loop,) = [s for s in body.statements if hasattr(s, "body")]
    assert loop.body.statements == () and loop.body.end.values == (loop.body.params[1],)


def test_leaves_of_a_loop_body():
    typed_program = typed(program, 2.0, 5)
    for loop in compound(typed_program):
        if hasattr(loop, "body"):
            ends = sorted(type(e).__name__ for e in leaves(loop.body))
            assert ends == ["Break", "Continue"] and (Break, Continue)
            assert isinstance(loop, While) or len(loop.body.params) == len(loop.results) + 1
    assert outcome(typed_program, (2.0, 5))
