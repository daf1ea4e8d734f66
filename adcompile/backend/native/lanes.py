"""What an iteration does in one lane, without branches: both ways of each test are computed, and one of them chosen.

    if step > h:              over = step > h
        step = h         →    step_1 = h if over else step
    x += step                 x_1 = x + step_1

So the same instructions run in all lanes, whichever way each of them goes.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Break, Call, Const, Continue, If, Raise, Role, Unreachable, Var, Yield
from adcompile.ir.types import BOOL, FLOAT64, INT, Array, Maybe, Type
from adcompile.optimise.direct import called
from adcompile.optimise.typing import INPLACE, kinds, type_of
from adcompile.runtime.loops import Leave

_SAME = "sin cos tan sinh cosh tanh exp expm1 log1p log2 log10 sqrt fabs"
OF_NUMPY: dict[Any, Any] = {
    **{getattr(math, name): getattr(np, name) for name in _SAME.split()},
    **{getattr(math, f"a{name}"): getattr(np, f"arc{name}") for name in ("sin", "cos", "tan")},
    math.atan2: np.arctan2, math.hypot: np.hypot, math.pow: np.power, math.log: np.log,
    operator.truediv: np.true_divide,
}  # fmt: skip
"""NumPy's functions in place of Python's: where Python's raise, these give what is not finite."""
ARITHMETIC = frozenset({
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos, operator.abs, builtins.abs,
    builtins.min, builtins.max, builtins.float, np.float64, np.minimum, np.maximum, np.add, np.subtract, np.multiply,
    np.true_divide, np.negative, np.absolute, np.square, np.sqrt, np.fabs, ops.identity,
})  # fmt: skip
TESTS = frozenset({
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.not_, operator.and_,
    operator.or_, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_not,
    np.isfinite, np.isnan, np.isinf, math.isfinite, math.isnan, math.isinf,
})  # fmt: skip
COUNTING = 2**20
"""What is added to a number that counts iterations is smaller than this, so that the sum is exact as a float."""


class Unfit(Exception):
    """A loop whose iterations do not go side by side."""


SORTS = {"float": {float, np.float64}, "test": {bool, np.bool_}, "count": {int, np.int64, np.int32}}


def sort_of(t: Type) -> str:
    """What a number is in a lane: a float, a test or a count; one that may be None is read where it is there."""
    found = kinds(t.type if isinstance(t, Maybe) else t)
    for name, these in SORTS.items():
        if found and found <= these:
            return name
    raise Unfit


def is_small(atom: Atom) -> bool:
    """Whether a number of iterations begins here, or goes on by this much."""
    return isinstance(atom, Const) and abs(atom.value) <= COUNTING


def may_raise(s: Call, types: Mapping[Var, Type]) -> bool:
    """Whether a call on numbers may raise where NumPy gives what is not finite."""
    fn = INPLACE.get(called(s), called(s))
    if fn in (operator.truediv, operator.pow, operator.floordiv, operator.mod):
        return bool(kinds(type_of(s.result, types)) & {int, float})
    return fn in OF_NUMPY and fn not in (math.fabs, operator.truediv)


def never_raises(s: Call) -> bool:
    fn = INPLACE.get(called(s), called(s))
    if fn in (operator.floordiv, operator.mod):
        return isinstance(s.args[1], Const) and s.args[1].value != 0
    return fn in TESTS or fn in ARITHMETIC and fn is not operator.truediv


def is_none(atom: Atom) -> bool:
    return isinstance(atom, Const) and atom.value is None


@dataclass(eq=False)
class Calls:
    """Calls that are being written, and the types of what they give."""

    types: MutableMapping[Var, Type]
    role: Role
    out: list[Any] = field(default_factory=list[Any])
    sure: set[Var] = field(default_factory=set[Var])

    def call(self, name: str, t: Type, fn: Any, *args: Atom) -> Var:
        result = Var(name)
        self.types[result] = t
        self.out.append(Call(result, Const(fn), args, role=self.role))
        return result

    def load(self, array: Var, place: Atom, sort: str, name: str) -> Var:
        """An element that is there, as what it is in a lane."""
        value = self.call(name, FLOAT64, operator.getitem, array, place)
        self.sure.add(value)
        return self.call(name, BOOL, operator.ne, value, Const(0.0)) if sort == "test" else value

    def store(self, array: Var, place: Atom, value: Atom) -> None:
        self.sure.add(self.call("t", INT, operator.setitem, array, place, self.as_float(value)))

    def leave_unless(self, fine: Atom) -> None:
        """Leave the kernel where a test fails."""
        self.out.append(If((), fine, Block((), (), Yield()), Block((), (), Raise(Const(Leave)))))

    def as_float(self, value: Atom) -> Atom:
        """A number as a lane holds it; of none, anything."""
        if isinstance(value, Const):
            return Const(float(value.value or 0.0))
        sort = sort_of(type_of(value, self.types))
        return self.call("t", FLOAT64, np.where, value, Const(1.0), Const(0.0)) if sort == "test" else value


@dataclass(eq=False)
class Lane:
    """Writes a block as straight-line code. `now`: what stands for its Vars."""

    calls: Calls
    front: Calls  # what is computed once for all lanes
    pure: Callable[[Call], bool]
    now: dict[Var, Atom]
    lanes: set[Atom]  # of these, what differs between lanes
    lists: dict[Var, tuple[Var, Atom | None]]  # of what is kept: the list that came in, and what has been pushed
    elementary: frozenset[Any]
    own: set[Var]  # what an iteration defines, and a lane has by another name
    done: set[Var]  # what has been computed in front
    bad: Atom
    leaves: list[tuple[Atom, Continue | Break]] = field(default_factory=list["tuple[Atom, Continue | Break]"])
    branched: int = 0  # the branches around
    heavy: bool = False  # whether a function has been met that vector instructions compute

    def block(self, block: Block, mask: Atom) -> None:
        for s in () if isinstance(block.end, Raise) else block.statements:
            match s:
                case Call():
                    self.statement(s, mask)
                case If():
                    self.branches(s, mask)
                case _:
                    raise Unfit
        match block.end:
            case Continue() | Break():
                self.leaves.append((mask, block.end))
            case Raise():
                self.bad = self.test(operator.or_, self.bad, mask)
            case _:
                assert isinstance(block.end, (Yield, Unreachable))

    def branches(self, s: If, mask: Atom) -> None:
        test = self.atom(s.test)
        if sort_of(type_of(test, self.calls.types)) != "test":
            raise Unfit
        other = self.test(operator.not_, test)
        self.branched += 1
        self.block(s.then, self.test(operator.and_, mask, test))
        self.block(s.orelse, self.test(operator.and_, mask, other))
        self.branched -= 1
        ends = [b.end.values for b in (s.then, s.orelse) if isinstance(b.end, Yield)]
        for k, r in enumerate(s.results):
            self.now[r] = self.chosen(test, self.atom(ends[0][k]), self.atom(ends[-1][k]))
            self.lanes.add(self.now[r])

    def chosen(self, test: Atom, one: Atom, other: Atom) -> Atom:
        """One of two values; where there is none, that is read by nobody."""
        if one is other or is_none(other):
            return one
        if is_none(one):
            return other
        sorts = {sort_of(type_of(a, self.calls.types)) for a in (one, other)}
        if "test" in sorts and len(sorts) > 1:
            raise Unfit
        t = BOOL if "test" in sorts else FLOAT64
        return self.calls.call(getattr(one, "name", "t"), t, np.where, test, one, other)

    def test(self, fn: Any, *args: Atom) -> Atom:
        if fn in (operator.and_, operator.or_):
            neutral = fn is operator.and_
            args = tuple(a for a in args if not (isinstance(a, Const) and a.value is neutral))
            if len(args) < 2:
                return args[0] if args else Const(neutral)
        return self.calls.call("t", BOOL, fn, *args)

    def atom(self, atom: Atom) -> Atom:
        found = self.now.get(atom, atom) if isinstance(atom, Var) else atom
        if found in self.lists or found in self.own and found is not self.now.get(found):  # type: ignore[arg-type]
            raise Unfit
        if not is_none(found):
            sort_of(type_of(found, self.calls.types))
        return found

    # -- calls

    def statement(self, s: Call, mask: Atom) -> None:
        if s.result in self.done:
            return
        fn = INPLACE.get(called(s), called(s))
        if fn is ops.push:
            self.push(s)
            return
        if s.kwargs or any(map(is_none, s.args)):
            raise Unfit
        sort = sort_of(type_of(s.result, self.calls.types))
        if self.once(s):
            return
        args = tuple(map(self.atom, s.args))
        if sort == "count":
            self.now[s.result] = self.count(s, fn, args)
        elif sort == "test":
            if fn not in TESTS:
                raise Unfit
            self.now[s.result] = self.calls.call(s.result.name, BOOL, fn, *args)
        else:
            self.now[s.result] = self.number(s, fn, args, mask)
        self.lanes.add(self.now[s.result])

    def once(self, s: Call) -> bool:
        """Compute in front of the lanes what is the same in all of them; also elements of arrays. What may raise is not
        computed where the function perhaps does not."""
        args = [self.now.get(a, a) if isinstance(a, Var) else a for a in s.args]
        if any(a in self.lanes for a in args) or not self.pure(s) or self.branched and not never_raises(s):
            return False
        array = called(s) is operator.getitem and isinstance(type_of(args[0], self.calls.types), Array)
        for a in args[array:]:
            self.atom(a)
        if array and args[0] in self.own:
            raise Unfit
        result = self.now[s.result] = Var(s.result.name, s.result.place)
        self.calls.types[result] = self.calls.types[s.result]
        self.front.out.append(replace(s, result=result, args=tuple(args)))
        return True

    def push(self, s: Call) -> None:
        source, before = self.lists.get(s.args[0], (None, None)) if isinstance(s.args[0], Var) else (None, None)
        if source is None or before is not None:
            raise Unfit
        self.lists[s.result] = source, self.atom(s.args[1])

    def count(self, s: Call, fn: Any, args: Sequence[Atom]) -> Atom:
        """A number that counts iterations, as a float."""
        if fn not in (operator.add, operator.sub) or sum(map(is_small, args)) != 1:
            raise Unfit
        return self.calls.call(s.result.name, FLOAT64, fn, *map(self.calls.as_float, args))

    def number(self, s: Call, fn: Any, args: tuple[Atom, ...], mask: Atom) -> Atom:
        raises = may_raise(s, self.calls.types)
        fn = OF_NUMPY.get(fn, fn)
        if isinstance(fn, np.ufunc) and len(args) != fn.nin:
            raise Unfit
        small = isinstance(args[-1], Const) and args[-1].value in (2, 3)
        if fn is operator.pow:
            base = self.calls.call("t", FLOAT64, np.float64, args[0])
            fn, args = (fn, (base, args[1])) if small else (np.power, tuple(map(self.calls.as_float, args)))
        elif fn not in ARITHMETIC and fn not in self.elementary:
            raise Unfit
        self.heavy = self.heavy or fn in self.elementary
        value = self.calls.call(s.result.name, FLOAT64, fn, *args)
        if raises:
            fine = self.test(np.isfinite, value)
            self.bad = self.test(operator.or_, self.bad, self.test(operator.and_, mask, self.test(operator.not_, fine)))
        return value

    # -- ends

    def carried(self, k: int, before: Atom) -> Atom:
        """What is carried at one place when the iteration is over, or as before where no lane ran."""
        out = before
        for mask, end in self.leaves:
            value = self.atom(end.values[k])
            out = out if value is before else self.chosen(mask, value, out)
        return out

    def goes_on(self) -> Atom:
        """Whether a lane runs on."""
        out: Atom = Const(False)
        for mask, end in self.leaves:
            if isinstance(end, Continue):
                out = self.test(operator.or_, out, mask)
        return out

    def kept(self, k: int, before: Var) -> Atom | None:
        """What has been pushed to a list: something in each iteration behind which another one runs."""
        out: Atom | None = None
        for mask, end in self.leaves:
            value = end.values[k]
            source, pushed = self.lists.get(value, (None, None)) if isinstance(value, Var) else (None, None)
            if source is not before or pushed is None and isinstance(end, Continue):
                raise Unfit
            if pushed is not None:
                out = pushed if out is None else self.chosen(mask, pushed, out)
        return out
