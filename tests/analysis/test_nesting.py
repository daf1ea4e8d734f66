"""Tuples that nest in themselves without end have a type: a record."""

import numpy as np
import pytest

import adcompile as ad
from adcompile import pipeline
from adcompile.analysis.nesting import as_records, depth, growing, not_nested
from adcompile.api import Derivative
from adcompile.ir.abstract import type_of
from adcompile.ir.nodes import Call
from adcompile.ir.types import FLOAT, NONE, UNKNOWN, Maybe, Node, Record, Seq, TupleT, join
from adcompile.ir.walk import statements_of
from adcompile.pipeline import Request
from adcompile.testing import check_grads
from tests.compiled import specialised
from tests.programs import inplace_recursion, keyword_dicts, recursion, some
from tests.test_emitted_again import outcome
from tests.test_programs import FOLLOWED

PAIR = TupleT((FLOAT, NONE))


def test_what_grows():
    inner = TupleT((FLOAT, Maybe(PAIR)))
    assert depth(PAIR) == 1 and depth(inner) == 2
    assert list(growing(TupleT((FLOAT, PAIR)), TupleT((FLOAT, inner)))) == [(1,)]
    assert list(growing(PAIR, inner)) == [()]
    assert list(growing(PAIR, PAIR)) == list(growing(UNKNOWN, PAIR)) == []


def test_a_record_is_named_by_its_node():
    node = Node()
    record = Record(UNKNOWN, tuple, node)
    whole = TupleT((FLOAT, TupleT((FLOAT, Maybe(record)))))
    assert as_records(whole, {(1,): node}) == TupleT((FLOAT, record))
    assert node.items == (FLOAT, Maybe(record))
    assert not_nested(whole, {(1,): node}) == []
    assert not_nested(TupleT((FLOAT, PAIR)), {(1,): node}) == [(1,)]
    assert join(record, NONE) == Maybe(record) and join(Maybe(record), record) == Maybe(record)
    assert join(record, Record(UNKNOWN, tuple, Node())) == Seq(UNKNOWN, tuple)


def chain(x, n):
    return (x, None) if n == 0 else (np.sin(x) * n, chain(x * 1.1, n - 1))


def pairs(x, n):
    if n == 0:
        return x, (None, 0)
    value, (_, count) = pairs(x * 1.2, n - 1)
    return value * x, ((x, value), count + 1)


def test_only_what_nests_is_a_record():
    def types(f):
        program = specialised(f, 0.7, 3)
        made = [s for g in program.functions.values() for s in statements_of(g.body) if isinstance(s, Call)]
        return [t for s in made if isinstance(t := program.types[s.result], Record)]

    assert types(lambda x, n: chain(x, n)[0])
    assert not types(lambda x, n: pairs(x, n)[0])


def test_derivatives_of_a_whole_chain():
    def f(x):
        return chain(x, 2)

    value, tangent = ad.jvp(f, (0.7,), (1.0,))
    assert value == f(0.7) and np.isclose(tangent[1][0], 1.1 * np.cos(0.77)) and tangent[1][1][1] is None
    _, pull = ad.vjp(f, 0.7)
    wanted = 2.0 * np.cos(0.7) + 3.0 * 1.21
    assert all(np.isclose(pull((1.0, (0.0, (3.0, None))))[0], wanted) for _ in range(2))


def test_none_raises_what_it_raises():
    def unpacked(x, n):
        _, _ = chain(x, n)[1]
        return x

    def no_item(x, n):
        return chain(x, n)[1][0]

    for f in (unpacked, no_item):
        with pytest.raises(TypeError) as here:
            f(0.7, 0)
        for call in (lambda f=f: ad.grad(f)(0.7, 0), lambda f=f: ad.jvp(f, (0.7, 0), (1.0, None))):
            with pytest.raises(TypeError, match=str(here.value)):
                call()


def written(a, n):
    if n == 0:
        return a[0] * a[1]
    b = a * 1.5
    b[0] *= b[1]
    return written(b, n - 1) + b[0]


KEPT = (
    recursion.fibonacci_like, recursion.recursive_dict_result, recursion.tree_made_by_recursion, recursion.fast_power,
    inplace_recursion.merge_sort, inplace_recursion.transform_into,
    inplace_recursion.recursion_returns_pair, keyword_dicts.each_call_of_a_recursion_has_its_own,
)  # fmt: skip


def test_what_a_recursive_function_keeps_is_read_again():
    """Second derivatives of the text of a gradient, forward (`tests/test_emitted_again`) and backward."""
    chosen = some(KEPT, 2)
    found = {p.name: outcome(p) for p in FOLLOWED if p.function in chosen}
    assert set(found.values()) == {"right"} and len(found) >= len(chosen), found
    x = np.array([0.3, 0.8])
    text = ad.source(ad.grad(written), x, 3)
    assert "rt.hold" in text
    check_grads(written, (x, 3))


def test_a_pullback_of_the_text_is_called_twice():
    x, seed = np.array([0.3, 0.8]), np.array([1.0, -0.5])
    made = pipeline.derive(written, Request("joint", (0,)), (type_of(x), type_of(3)))
    _, wanted = ad.vjp(Derivative(written, "grad", (0,)), x, 3)
    _, pull = ad.vjp(made.call, x.copy(), 3)
    for _ in range(2):
        assert np.allclose(pull((seed,))[0], wanted((seed,))[0], rtol=1e-10)
