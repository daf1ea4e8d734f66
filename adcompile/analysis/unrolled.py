"""Bodies of loops as branches: what leaves an iteration early, or the loop, is a branch of one block.

A loop over a few known items that no loop of the generated code can go through, as those of a dict that
holds a number and an array, is run item by item. If it may be left, the iterations stand one in the other:

    for k, v in d.items():               k, v = "a", d["a"]
        if k == "b" and v > 0:           left = k == "b" and v > 0
            r = v                        if left:
            break                            r = v
                                         else:
                                             k, v = "b", d["b"]
                                             …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from adcompile.analysis.bound import TRUE
from adcompile.analysis.builder import Builder, Lifted
from adcompile.ir.nodes import (
    Atom,
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    If,
    Raise,
    Statement,
    Unreachable,
    Var,
    Yield,
)


def as_branch(body: Block) -> Block | None:
    """A loop body as a block that yields the next carried values; None if it can Break."""
    end = body.end
    if isinstance(end, Continue):
        return Block((), body.statements, Yield(end.values))
    if isinstance(end, Raise):
        return Block((), body.statements, end)
    if isinstance(end, Break) or not isinstance(end, Unreachable) or not body.statements:
        return None
    last = body.statements[-1]
    if not isinstance(last, If):
        return None
    then, orelse = as_branch(last.then), as_branch(last.orelse)
    if then is None or orelse is None:
        return None
    arity = next((len(x.end.values) for x in (then, orelse) if isinstance(x.end, Yield)), 0)
    results = tuple(Var(p.name, p.place) for p in (body.params[-arity:] if arity else ()))
    if len(results) != arity:
        results = tuple(Var("t") for _ in range(arity))
    tail: Statement = If(results, last.test, then, orelse, last.place, last.role)
    return Block((), (*body.statements[:-1], tail), Yield(results))


def telling(body: Block, params: Sequence[Var]) -> Block:
    """A loop body as a block that yields the next carried values, and whether the loop is left."""
    end = body.end
    if isinstance(end, (Continue, Break)):
        return Block((), body.statements, Yield((*end.values, Const(isinstance(end, Break)))))
    tail = body.statements[-1] if body.statements else None
    if not isinstance(end, Unreachable) or not isinstance(tail, If):
        return Block((), body.statements, end)
    results = (*(Var(p.name, p.place) for p in params), Var("left", tail.place))
    then, orelse = telling(tail.then, params), telling(tail.orelse, params)
    tail = If(results, tail.test, then, orelse, tail.place, tail.role)
    return Block((), (*body.statements[:-1], tail), Yield(results))


def of_those_that_pass(s: For, source: Var, test: Callable[[Builder, Atom], Atom]) -> For:
    """The loop over `source`, whose body runs where its item passes a test."""
    element, *params = s.body.params
    passes = Var("test")
    call = Call(passes, Const(Lifted(test)), (element,), (), s.place)
    then = Block((), s.body.statements, s.body.end)
    choice = If((), passes, then, Block((), (), Continue(tuple(params))), s.place)
    return replace(s, iterable=source, body=Block(s.body.params, (call, choice), Unreachable()))


def one_in_the_other(s: For, items: Sequence[Callable[[Builder], Atom]]) -> Block:
    """The iterations of a loop over so many items: each runs unless that before it has left the loop."""
    element, *params = s.body.params
    body = telling(s.body, params)
    if not isinstance(body.end, Yield):  # every iteration raises
        return Block((), (Call(element, Const(Lifted(items[0])), (), (), s.place), *body.statements), body.end)
    *values, left = body.end.values

    def iteration(k: int, carried: Sequence[Atom], results: Sequence[Var]) -> tuple[Statement, ...]:
        unchanged = Block((), (), Yield(tuple(carried)))
        given = If(tuple(params), TRUE, unchanged, unchanged, s.place)
        rest = tuple(Var(p.name, p.place) for p in params)
        done = Block((), (), Yield(tuple(values)))
        more = Block((), iteration(k + 1, values, rest), Yield(rest)) if k + 1 < len(items) else done
        item = Call(element, Const(Lifted(items[k])), (), (), s.place)
        return (given, item, *body.statements, If(tuple(results), left, done, more, s.place, s.role))

    return Block((), iteration(0, s.init, s.results), Yield(s.results))
