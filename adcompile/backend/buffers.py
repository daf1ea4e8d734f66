"""Arrays that a derivative makes anew at each call, kept from one call to the next instead.

The entry function gets one more parameter, a list: a result that nobody holds behind the call is computed into an
item of it (`np.multiply(x, y, out=spare[3])`). The first call finds None there, and so makes the arrays. Only results
whose shapes follow from those of the arguments are kept so: the same shapes, the same arrays.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from adcompile.backend.callables import GETTER_TYPES
from adcompile.backend.purity import callee
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, For, Function, If, Return, Statement, Var, While
from adcompile.ir.program import Program
from adcompile.ir.types import UNKNOWN, Array, DictT, ListT, Scalar, TupleT, Type
from adcompile.ir.walk import atoms_of, end_atoms
from adcompile.optimise.effects import Effects, has_buffer
from adcompile.optimise.shapes import REDUCTIONS, is_elementwise
from adcompile.optimise.sharing import is_fresh, sometimes_real
from adcompile.optimise.typing import hashable, is_immutable, type_of
from adcompile.runtime import arrays, memory

UFUNCS: dict[Any, np.ufunc] = {
    operator.add: np.add,
    operator.sub: np.subtract,
    operator.mul: np.multiply,
    operator.truediv: np.true_divide,
    operator.neg: np.negative,
    operator.matmul: np.matmul,
    **{getattr(operator, name): ufunc for name, ufunc in (("lt", np.less), ("le", np.less_equal))},
    **{getattr(operator, name): ufunc for name, ufunc in (("gt", np.greater), ("ge", np.greater_equal))},
    **{getattr(operator, name): ufunc for name, ufunc in (("eq", np.equal), ("ne", np.not_equal))},
}
"""What operators are on arrays. `**` is not among them: for some exponents it is another ufunc."""
_LIKE = {np.zeros_like: 0, np.copy: 0, arrays.broadcast_like: 1, arrays.unbroadcast: 1, arrays.contract: 1}
_OF_SHAPE = {np.zeros: 0, np.ones: 0, np.empty: 0, np.broadcast_to: 1, np.reshape: 1}
_OF_ALL = (operator.matmul, np.matmul, np.dot, np.outer, np.transpose)
_KEEPING_NOTHING = (operator.setitem, memory.add_at)
_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.floordiv)
_CONTAINERS = (TupleT, ListT, DictT)


@frozen
class Slot:
    """An item of the list: in use from one statement of the function to another."""

    first: int
    last: float


def buffered(program: Program, holding: Sequence[int] = ()) -> tuple[Program, tuple[Slot, ...]]:
    """The program whose entry keeps what it computes with in a list, its last argument, and the items of that.
    `holding`: which parts of the result must not lie there, where it is a tuple; what is returned may otherwise."""
    types = dict(program.types)
    entry = program.functions[program.entry]
    reading = _Reading(types, entry, holding)
    if not reading.slots:
        return program, ()
    spare = Var("spare")
    types[spare] = UNKNOWN
    slots = {call: k for k, call in enumerate(reading.slots)}
    body = _rewritten(entry.body, slots, spare, types)
    function = replace(entry, params=(*entry.params, spare), body=body)
    functions = {**program.functions, program.entry: function}
    return replace(program, functions=functions, types=types), tuple(reading.slots.values())


def _rewritten(block: Block, slots: Mapping[Call, int], spare: Var, types: dict[Var, Type]) -> Block:
    out: list[Statement] = []
    for s in block.statements:
        match s:
            case Call() if s in slots:
                out += _stored(s, slots[s], spare, types)
            case If():
                then, orelse = (_rewritten(b, slots, spare, types) for b in (s.then, s.orelse))
                out.append(replace(s, then=then, orelse=orelse))
            case For() | While():
                out.append(replace(s, body=_rewritten(s.body, slots, spare, types)))
            case _:
                out.append(s)
    return replace(block, statements=tuple(out))


def _stored(call: Call, k: int, spare: Var, types: dict[Var, Type]) -> Iterator[Call]:
    """`t = f(a, b, out=spare[k])` and `spare[k] = t`, in place of `t = f(a, b)`."""
    item, done = Var("t", call.place), Var("_", call.place)
    types[item], types[done] = UNKNOWN, UNKNOWN
    ufunc = _ufunc(call)
    yield Call(item, Const(operator.getitem), (spare, Const(k)), (), call.place, "adjoint")
    yield replace(call, fn=Const(ufunc), kwargs=(("out", item),))
    yield Call(done, Const(operator.setitem), (spare, Const(k), call.result), (), call.place, call.role)


def _ufunc(call: Call) -> np.ufunc | None:
    fn = callee(call)
    if not hashable(fn):
        return None
    fn = np.absolute if fn is builtins.abs else UFUNCS.get(fn, fn)
    return fn if isinstance(fn, np.ufunc) else None


@dataclass
class _Reading:
    """What may be kept: arrays made by ufuncs, of shapes that follow from those of the arguments, that are read within
    the function alone."""

    types: Mapping[Var, Type]
    function: Function
    holding: Sequence[int]
    steady: set[Atom] = field(default_factory=set[Atom])  # arrays of such shapes
    sizes: set[Atom] = field(default_factory=set[Atom])  # their shapes, and what is made of these
    containers: set[Atom] = field(default_factory=set[Atom])  # that came in
    tuples: dict[Atom, tuple[Atom, ...]] = field(default_factory=dict[Atom, tuple[Atom, ...]])
    held: set[Atom] = field(default_factory=set[Atom])
    views: list[tuple[Var, Var]] = field(default_factory=list[tuple[Var, Var]])  # each after its base
    first: dict[Var, int] = field(default_factory=dict[Var, int])
    last: dict[Var, float] = field(default_factory=dict[Var, float])
    made: list[Call] = field(default_factory=list[Call])
    count: int = 0

    def __post_init__(self) -> None:
        self.effects = Effects(self.types)
        self.doubtful = sometimes_real(self.function, self.types)
        params = self.function.params
        self.steady.update(p for p in params if isinstance(self.types.get(p), Array))
        self.containers.update(p for p in params if isinstance(self.types.get(p), _CONTAINERS))
        body = self.function.body
        self._block(body)
        self._returned(body)
        for view, base in reversed(self.views):
            if view in self.held:
                self.held.add(base)
            self.last[base] = max(self.last.get(base, 0), self.last.get(view, 0))
        self.slots = {c: Slot(self.first[c.result], self.last.get(c.result, 0)) for c in self.made if self._kept(c)}

    def _kept(self, call: Call) -> bool:
        return call.result not in self.held

    def _returned(self, body: Block) -> None:
        """What is handed out is read behind the call."""
        if not isinstance(body.end, Return) or not isinstance(body.end.value, Var):
            return
        value = body.end.value
        self.last[value] = math.inf
        for s in body.statements:
            if self.holding and isinstance(s, Call) and s.result is value:
                whole = callee(s) is not ops.build_tuple
                self.held.update([value] if whole else [s.args[k] for k in self.holding])

    def _block(self, block: Block) -> None:
        for s in block.statements:
            self.count += 1
            start = self.count
            for atom in atoms_of(s):
                if isinstance(atom, Var):
                    self.last[atom] = self.count
            match s:
                case Call():
                    self._call(s)
                case If():
                    self._block(s.then)
                    self._block(s.orelse)
                case For() | While():
                    self.held.update(atoms_of(s))
                    self._block(s.body)
                    self.count += 1
                    # what was made before the loop is read again in its next iteration
                    again = [v for v, at in self.last.items() if at > start and self.first.get(v, 0) < start]
                    self.last.update(dict.fromkeys(again, self.count))
                case _:
                    self.held.update(atoms_of(s))
        if block is not self.function.body or not isinstance(block.end, Return):
            self.held.update(end_atoms(block.end))

    def _call(self, call: Call) -> None:
        self.first[call.result] = self.count
        operands = [a for a in atoms_of(call) if isinstance(a, Var)]
        self._shape(call)
        if not self.effects.pure(call):
            stores = callee(call) in _KEEPING_NOTHING and isinstance(type_of(call.args[0], self.types), Array)
            self.held.update([] if stores else operands)
        elif not is_fresh(call, self.types) and not is_immutable(self.types.get(call.result, UNKNOWN)):
            self.views.extend((call.result, a) for a in operands)
        if self._is_made(call):
            self.made.append(call)

    def _is_made(self, call: Call) -> bool:
        ufunc, t = _ufunc(call), self.types.get(call.result)
        if ufunc is None or call.kwargs or ufunc.nout != 1 or len(call.args) != ufunc.nin or has_buffer(call):
            return False
        if not isinstance(t, Array) or not t.dims or t.dtype.kind not in "biufc":
            return False
        if self.doubtful and t.dtype.kind == "c" or call.result not in self.steady:
            return False
        return all(isinstance(type_of(a, self.types), (Array, Scalar)) or _is_number(a) for a in call.args)

    # -- shapes -----------------------------------------------------------------------------

    def _shape(self, call: Call) -> None:
        """Note whether the shape of the result follows from the shapes of the arguments of the function, or the
        result itself does, where it is a size, a shape or a slice."""
        fn, array = callee(call), isinstance(self.types.get(call.result), Array)
        given = [*call.args, *(v for _, v in call.kwargs)]
        if not hashable(fn) or not given:
            return
        if array and self._is_steady(fn, given):
            self.steady.add(call.result)
        elif _attribute(fn, given) == "shape":
            self.sizes.update([call.result] if given[0] in self.steady else [])
        elif fn in (ops.build_tuple, slice, *_ARITHMETIC):
            self.sizes.update([call.result] if all(map(self._known, given)) else [])
        elif fn is operator.getitem and isinstance(given[1], Const):
            if given[0] in self.sizes:
                self.sizes.add(call.result)
            elif given[0] in self.containers and isinstance(self.types.get(call.result), _CONTAINERS):
                self.containers.add(call.result)
        if fn is ops.build_tuple:
            self.tuples[call.result] = call.args

    def _is_steady(self, fn: Any, given: list[Atom]) -> bool:
        if is_elementwise(fn) or fn in _OF_ALL:
            return all(map(self._follows, given))
        if fn in REDUCTIONS:
            return given[0] in self.steady and all(map(self._known, given[1:]))
        if fn in _LIKE:
            return len(given) > _LIKE[fn] and given[_LIKE[fn]] in self.steady
        if fn in _OF_SHAPE:
            return len(given) > _OF_SHAPE[fn] and self._known(given[_OF_SHAPE[fn]])
        if _attribute(fn, given) in ("T", "real", "imag"):
            return given[0] in self.steady
        if fn is not operator.getitem:
            return False
        if given[0] in self.containers:
            return isinstance(given[1], Const)
        return given[0] in self.steady and all(map(self._is_part, self.tuples.get(given[1], given[1:])))

    def _is_part(self, index: Atom) -> bool:
        """Whether an index takes a part whose shape is known: which one does not matter."""
        t = type_of(index, self.types)
        return self._known(index) or isinstance(t, Scalar) and all(
            issubclass(kind, (int, np.integer)) and kind is not bool for kind in t.kinds
        )

    def _known(self, atom: Atom) -> bool:
        """A constant, or what is made of shapes alone."""
        return not isinstance(atom.value, np.ndarray) if isinstance(atom, Const) else atom in self.sizes

    def _follows(self, atom: Atom) -> bool:
        return self._known(atom) or atom in self.steady or isinstance(type_of(atom, self.types), Scalar)


def _attribute(fn: Any, given: Sequence[Atom]) -> Any:
    """The name of the attribute that a call reads."""
    if fn is getattr:
        return given[1].value if isinstance(given[1], Const) else None
    if fn is np.shape and len(given) == 1:
        return "shape"
    return fn.__name__ if isinstance(fn, GETTER_TYPES) else None


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, Const) and isinstance(atom.value, (bool, int, float, complex, np.number))


def shared(slots: Sequence[Slot], spare: list[Any]) -> None:
    """One array for all that are never needed at once, of those of one shape, dtype and layout: `spare` after the
    first call."""
    free: dict[Any, list[tuple[float, Any]]] = {}
    for k in sorted(range(len(slots)), key=lambda k: slots[k].first):
        array = spare[k]
        if array is None:
            continue
        left = free.setdefault((array.shape, array.dtype, array.strides), [])
        done = [n for n, (until, _) in enumerate(left) if until <= slots[k].first]
        if done:
            n = max(done, key=lambda n: left[n][0])  # what was used last is in the cache
            spare[k] = left[n][1]
            left[n] = (slots[k].last, left[n][1])
        else:
            left.append((slots[k].last, array))
