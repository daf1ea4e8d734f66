"""What a function has made itself, as its code says: numbers, lists and arrays that nobody else holds.

Asked where a function writes that something else calls, unseen, and whose values have no types yet (see callbacks).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.analysis.activity import leaf_ends
from adcompile.analysis.detached import is_in
from adcompile.analysis.writing import AUGMENTED
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Var, While, Yield
from adcompile.ir.walk import statements_of

ARRAYS: frozenset[Any] = frozenset({
    np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.eye, np.identity,
})  # fmt: skip
"""These make arrays of numbers, if they are not told otherwise: each of their views is the function's own, too."""
DTYPES: frozenset[Any] = frozenset({float, int, complex, np.float64, np.float32, np.complex128, np.int64})
MAKERS = ARRAYS | {np.full, np.full_like, np.arange, np.linspace, np.array, np.copy, list, dict, set, float, int}
"""These make something that is new, whatever it holds."""
OPERATORS: frozenset[Any] = frozenset({
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.matmul, operator.neg, ops.build_list, ops.build_dict,
})  # fmt: skip


class Homemade:
    """`meaning`: what a value that is called is, as far as that is known by names of modules."""

    def __init__(self, function: Function, meaning: Callable[[Atom], Any]) -> None:
        self.meaning = meaning
        self.made: dict[Var, Call] = {}
        self.joined: dict[Var, list[Atom]] = {}
        self._walk(function.body)

    def _walk(self, body: Block) -> None:
        for s in statements_of(body):
            match s:
                case Call():
                    self.made[s.result] = s
                    if isinstance(s.fn, Const) and s.fn.value is ops.make_function and isinstance(s.args[0], Const):
                        self._walk(s.args[0].value.body)
                case If():
                    for branch in (s.then, s.orelse):
                        if isinstance(branch.end, Yield):
                            self._join(s.results, branch.end.values)
                case For() | While():
                    params = s.body.params[1:] if isinstance(s, For) else s.body.params
                    for values in (s.init, *leaf_ends(s.body)):
                        self._join(params, values)
                        self._join(s.results, values)
                case _:
                    pass

    def _join(self, names: tuple[Var, ...], values: tuple[Atom, ...]) -> None:
        for name, value in zip(names, values):
            self.joined.setdefault(name, []).append(value)

    def has(self, atom: Atom) -> bool:
        """Whether a value is the function's own, or a number."""
        return self._goes_back(atom, self._is_new, set())

    def _goes_back(self, atom: Atom, to: Callable[[Call], bool], seen: set[tuple[Any, Var]]) -> bool:
        """Whether all that a value may be is what calls have made of which `to` holds, numbers, or their items."""
        if isinstance(atom, Const):
            return isinstance(atom.value, (bool, int, float, complex)) or atom.value is ops.UNDEFINED
        if (to, atom) in seen:
            return True  # what else it may be is asked where it was met first
        seen.add((to, atom))
        if atom in self.joined:
            return all(self._goes_back(a, to, seen) for a in self.joined[atom])
        call = self.made.get(atom)
        if call is None:
            return False
        fn = call.fn.value if isinstance(call.fn, Const) else None
        if is_in(fn, AUGMENTED) or fn is ops.identity:
            return self._goes_back(call.args[0], to, seen)
        if fn is operator.getitem:
            return self._goes_back(call.args[0], self._is_array, seen)
        return to(call)

    def _is_new(self, call: Call) -> bool:
        if isinstance(call.fn, Const):
            return is_in(call.fn.value, OPERATORS)
        return is_in(self.meaning(call.fn), MAKERS) and all(name != "copy" for name, _ in call.kwargs)

    def _is_array(self, call: Call) -> bool:
        """Whether a call makes an array of numbers: one of objects holds what others hold."""
        told = [*call.args[1:], *(value for _, value in call.kwargs)]
        numbers = all(is_in(self.meaning(a), DTYPES) for a in told)
        return isinstance(call.fn, Var) and is_in(self.meaning(call.fn), ARRAYS) and numbers
