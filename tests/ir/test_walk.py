"""Walks find everything, copies are independent, and the large stack is large."""


from adcompile.frontend.lower import lower_function
from adcompile.ir.nodes import Block, Break, Call, Const, Continue, For, If, Var, Yield
from adcompile.ir.show import show
from adcompile.ir.verify import verify
from adcompile.ir.walk import all_blocks, copy_function, defined, ends, free_vars, statements_of, substitute


def sample(x, n):
    total = 0.0
    for i in range(n):
        if i == 3:
            break
        total += x * i
    while total > 10:
        total = total / 2
    return total if total else x


def test_walks():
    body = lower_function(sample).body
    statements = list(statements_of(body))
    assert len(statements) == sum(len(b.statements) for b in all_blocks(body))
    assert {s.result for s in statements if isinstance(s, Call)} <= defined(body)
    assert [v.name for v in free_vars(body)] == ["n", "x"]


def test_what_ways_out_of_an_iteration_carry():
    inner = Block((), (), Break((Const(1),)))
    around = Block((), (), Yield(()))
    nested = For((), Const(range(2)), (), Block((Var("j"),), (), Continue((Const(7),))))
    body = Block((Var("i"),), (nested, If((), Const(True), inner, around)), Continue((Const(2),)))
    assert sorted(values[0].value for values in ends(body)) == [1, 2]


def test_substitute_and_copy():
    function = lower_function(sample)
    body = substitute(function.body, {function.params[0]: Const(2.0)})
    assert [v.name for v in free_vars(body)] == ["n"]
    copy = copy_function(function)
    verify(copy)
    assert show(copy) == show(function)
    assert not defined(copy.body) & defined(function.body)
    assert all(isinstance(v, Var) for v in defined(copy.body))
