"""Rewrite rules written as Python expressions: `rule("x * (-y)", "-(x * y)")`.

In a pattern x, y, z, m match any value, c and d a numeric literal; 0, 1, -1 and 2 match that number,
and 0 and 1 also arrays known to be all that. `{c * d}` in a replacement is computed when the rule
fires. Functions are written by the names in FUNCTIONS.

A rewrite is made only if its type is the type of what it replaces (dtype, class, rank) and its
shape is too: if an array operand disappears, the shapes must be proved equal. So a rule states
the algebra only.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union

import numpy as np

from adcompile.frozen import frozen
from adcompile.runtime import special

OPERATIONS: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "Pow": operator.pow,
    "USub": operator.neg,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "conj": np.conj,
    "real": np.real,
    "where": np.where,
    "quotient": special.quotient,
}
SAME_AS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.power: operator.pow,
    np.negative: operator.neg,
}
"""NumPy functions that are the operators wherever NumPy types are involved."""

LITERAL, NUMBER = "literal", "number"
COST: dict[Callable[..., Any], int] = {
    operator.neg: 1,
    operator.add: 2,
    operator.sub: 2,
    operator.mul: 2,
    operator.truediv: 3,
}
COSTLY = 4
"""What operations cost beside each other; the sign of a value is nearly free."""


@frozen
class Hole:
    """x, y, z, m: any value; c, d: a numeric literal."""

    name: str
    literal: bool


@frozen
class Number:
    value: int


@frozen
class Operation:
    fn: Callable[..., Any]
    args: tuple[Pattern, ...]


@frozen
class Computed:
    """`{c * d}`: worked out from the literals that matched."""

    code: Any

    def value(self, found: Mapping[str, Any]) -> Any:
        return eval(self.code, {"__builtins__": {}}, dict(found))


Only = Literal["", "real", "negative", "wide x", "wide y", "array"]
Pattern = Union[Hole, Number, Operation, Computed]


@frozen
class Rule:
    """`text` is the rule as it is written, for messages and tests."""

    before: Operation
    after: Pattern
    only: Only
    text: str
    cost: int  # of the operations that the replacement makes
    needs: tuple[Any, ...]  # of each operand: an operation, a LITERAL, a NUMBER, or None for any


def rule(before: str, after: str, only: Only = "") -> Rule:
    """`only`: "real" values, literals c that are "negative", x or y as "wide" as the result, x an "array"."""
    pattern = _parse(ast.parse(before, mode="eval").body)
    replacement = _parse(ast.parse(after, mode="eval").body)
    assert isinstance(pattern, Operation)
    return Rule(pattern, replacement, only, f"{before} → {after}", _cost(replacement), tuple(map(_need, pattern.args)))


def _parse(node: ast.expr) -> Pattern:
    match node:
        case ast.Name(id=name):
            return Hole(name, name in "cd")
        case ast.Constant(value=int() as value):
            return Number(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return Number(-value)
        case ast.UnaryOp(op=op, operand=x):
            return Operation(OPERATIONS[type(op).__name__], (_parse(x),))
        case ast.BinOp(left=x, op=op, right=y):
            return Operation(OPERATIONS[type(op).__name__], (_parse(x), _parse(y)))
        case ast.Call(func=ast.Name(id=name), args=args):
            return Operation(FUNCTIONS[name], tuple(map(_parse, args)))
        case ast.Set(elts=[inner]):
            return Computed(compile(ast.Expression(inner), "<rule>", "eval"))
        case _:
            raise ValueError(f"no pattern: {ast.dump(node)}")


def _need(p: Pattern) -> Any:
    match p:
        case Operation(fn, _):
            return fn
        case Hole(_, literal):
            return LITERAL if literal else None
        case _:
            return NUMBER


def _cost(p: Pattern) -> int:
    return COST.get(p.fn, COSTLY) + sum(map(_cost, p.args)) if isinstance(p, Operation) else 0
