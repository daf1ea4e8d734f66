"""Library calls in loops, spelled out in what kernels know: sums, differences and extrema.

    np.mean(x)           →  np.sum(x) / np.size(x)
    np.var(x)            →  the mean of the squared differences from the mean; np.std(x) its root
    np.linalg.norm(x)    →  np.sqrt(np.sum(x * x))
    np.clip(x, a, b)     →  np.minimum(np.maximum(x, a), b)
    np.diff(x)           →  x[1:] - x[:-1]
    np.hstack(vectors)   →  np.concatenate(vectors); vstack and column_stack are stacks
    np.concatenate([…])  →  np.concatenate((…))
    np.array([[a, b]])   →  an empty array, into which the numbers are written
    x.sum(), x.max()     →  np.sum(x), np.max(x)
    k in (0, n - 1)      →  k == 0 or k == n - 1; of a range whether it lies within
    pow(x, n)            →  x ** n
    np.append(x, b)      →  np.concatenate((x, b))
    np.trapezoid(y, …)   →  the sum of the products of steps and means
    x[places, a:b]       →  x[:, a:b][places]
    rt.scatter(x, rt.diagonal_index(…), v)  →  np.zeros_like(x), and v added to its diagonal
    x.astype(float)      →  np.copy(x), where that is what it is; so is x.flatten() of a vector

NumPy computes them so, in these steps and dtypes. Beside loops its own functions are as fast, and read better; between
two loops they would be in the way of one kernel.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.backend.native.contracted import einsum, tensordot
from adcompile.backend.native.laid import tells_order
from adcompile.backend.native.padded import inside, padded, repeating, slopes
from adcompile.backend.native.products import between_loops, is_loop
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Function, Statement, Var
from adcompile.ir.program import Program
from adcompile.ir.types import BOOL, INT, NONE, UNKNOWN, Array, Known, Scalar, SliceT, TupleT, Type
from adcompile.ir.walk import Rewriter, readers_of
from adcompile.optimise.dce import live_block
from adcompile.optimise.direct import called
from adcompile.optimise.typing import hashable, type_of
from adcompile.rules.numpy.index import is_int

INDICES = (rt.diagonal_index, rt.interior)
DISPLAYS = (ops.build_list, ops.build_tuple, ops.build_set, set, range)
ASKING = (operator.contains, operator.getitem, len, set)
"""What reads a list, and changes nothing."""
FEW = 16
NUMBERS = (np.dtype(np.float64), np.dtype(np.int64))
FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def spelled(program: Program) -> Program:
    """The program with these calls in loops as others."""
    types = dict(program.types)
    rewriter = Spelling(types)
    functions = {ref: _function(rewriter, f) for ref, f in program.functions.items()}
    return replace(program, functions=functions, types=types) if rewriter.found else program


def _function(rewriter: Spelling, function: Function) -> Function:
    rewriter.readers, rewriter.lies_open = readers_of(function.body), tells_order(function.body)
    body = rewriter.block(function.body)
    return function if body is function.body else replace(function, body=live_block(body, (), rewriter.types))


class Spelling(Rewriter):
    """Within loops and between them, calls become the statements that a function of `SPELLED` makes, if it does."""

    def __init__(self, types: dict[Var, Type]) -> None:
        self.types, self.depth, self.found = types, 0, False
        self.between: frozenset[Var] = frozenset()
        self.made: list[Statement] = []
        self.lists: dict[Atom, Call] = {}
        self.displays: dict[Atom, Call] = {}
        self.indices: dict[Atom, Call] = {}
        self.readers: dict[Var, list[Statement | None]] = {}
        self.lies_open = False  # whether the function may tell in which order axes lie in memory

    def block(self, block: Block) -> Block:
        around, self.between = self.between, between_loops(block.statements)
        try:
            return super().block(block)
        finally:
            self.between = around

    def statement(self, s: Statement) -> tuple[Statement, ...]:
        loop = is_loop(s)
        self.depth += loop
        try:
            return super().statement(s)
        finally:
            self.depth -= loop

    def call(self, call: Call) -> tuple[Statement, ...]:
        fn = call.fn.value if isinstance(call.fn, Const) else None
        inside = self.depth or call.result in self.between
        spell = SPELLED.get(fn) if inside and hashable(fn) else None
        if fn is ops.build_list:
            self.lists[call.result] = call
        if fn in INDICES:
            self.indices[call.result] = call
        if fn in DISPLAYS:
            self.displays[call.result] = call
        self.made = []
        if spell is None or not spell(self, call):
            return (call,)
        self.found = True
        return tuple(self.made)

    # -- statements

    def new(self, like: Call, fn: Any, args: tuple[Atom, ...], t: Type, **kwargs: Atom) -> Var:
        result = Var("t", like.place)
        self.types[result] = t
        self.made.append(Call(result, Const(fn), args, tuple(kwargs.items()), like.place, like.role))
        return result

    def last(self, call: Call, fn: Any, *args: Atom) -> bool:
        """What the call gives is what `fn` gives."""
        self.made.append(replace(call, fn=Const(fn), args=args, kwargs=()))
        return True

    def known(self, atom: Atom) -> Any:
        """A number, or tuples and lists of some that are written out; None for others."""
        made = self.displays.get(atom)
        if made is not None and called(made) in (ops.build_tuple, ops.build_list):
            return tuple(map(self.known, made.args))
        return atom.value if isinstance(atom, Const) else None

    def index_of(self, index: Atom, fn: Any) -> Call | None:
        """The call of this function that makes an index."""
        made = self.indices.get(index)
        return made if made is not None and called(made) is fn else None

    def ending(self, call: Call, fn: Any, args: tuple[Atom, ...], **kwargs: Atom) -> bool:
        """The same, with arguments by name."""
        self.made.append(replace(call, fn=Const(fn), args=args, kwargs=tuple(kwargs.items())))
        return True

    def array(self, atom: Atom) -> Array | None:
        t = type_of(atom, self.types)
        return t if isinstance(t, Array) and t.dims and t.dtype in FLOATS else None

    def vector(self, atom: Atom) -> Array | None:
        t = self.array(atom)
        return t if t is not None and len(t.dims or ()) == 1 else None


def _number(t: Array) -> Scalar:
    return Scalar(frozenset({t.dtype.type}))


def _mean(s: Spelling, call: Call) -> bool:
    given = dict(zip(("a", "axis"), call.args)) | dict(call.kwargs)
    axis = given.pop("axis", Const(None))
    a, result = given.pop("a", Const(None)), s.types[call.result]
    t = s.array(a)
    if t is None or given or not isinstance(axis, Const) or len(call.args) > 2:
        return False
    if axis.value is None:
        total = s.new(call, np.sum, (a,), _number(t))
        return s.last(call, operator.truediv, total, s.new(call, np.size, (a,), INT))
    rank = len(t.dims or ())
    if type(axis.value) is not int or not -rank <= axis.value < rank or rank == 1:
        return False
    sums = s.new(call, np.sum, (a,), result, axis=axis)
    shape = s.new(call, np.shape, (a,), TupleT((INT,) * rank))
    return s.last(call, operator.truediv, sums, s.new(call, operator.getitem, (shape, Const(axis.value % rank)), INT))


def _variance(s: Spelling, call: Call, root: bool) -> bool:
    t = s.array(call.args[0]) if len(call.args) == 1 else None
    ddof = dict(call.kwargs).get("ddof", Const(0))
    if t is None or any(name != "ddof" for name, _ in call.kwargs) or not isinstance(ddof, Const):
        return False
    if type(ddof.value) is not int or t.dtype != FLOATS[0]:
        return False
    a, number = call.args[0], _number(t)
    total = s.new(call, np.sum, (a,), number)
    n = s.new(call, np.size, (a,), INT)
    apart = s.new(call, operator.sub, (a, s.new(call, operator.truediv, (total, n), number)), t)
    squares = s.new(call, np.sum, (s.new(call, operator.mul, (apart, apart), t),), number)
    if ddof.value:
        n = s.new(call, max, (s.new(call, operator.sub, (n, ddof), INT), Const(0)), INT)
    if not root:
        return s.last(call, operator.truediv, squares, n)
    return s.last(call, np.sqrt, s.new(call, operator.truediv, (squares, n), number))


def _norm(s: Spelling, call: Call) -> bool:
    t, given = s.array(call.args[0]) if len(call.args) == 1 else None, dict(call.kwargs)
    axis = given.get("axis", Const(None))
    if t is None or t.dtype != FLOATS[0] or set(given) - {"axis", "keepdims"} or not isinstance(axis, Const):
        return False
    if given and type(axis.value) is not int:  # of two axes it is another norm
        return False
    squares = s.new(call, operator.mul, (call.args[0], call.args[0]), t)
    result = s.types[call.result] if given else _number(t)
    return s.last(call, np.sqrt, s.new(call, np.sum, (squares,), result, **given))


def _clip(s: Spelling, call: Call) -> bool:
    if len(call.args) != 3 or call.kwargs:
        return False
    a, low, high = call.args
    if s.array(a) is None and not _are_whole(s, a, low, high) and not isinstance(type_of(a, s.types), Scalar):
        return False
    t = s.types[call.result]
    # arrays as bounds may not fit, and NumPy says so of all three at once
    if t != type_of(a, s.types) or not (_is_number(low, s.types) and _is_number(high, s.types)):
        return False
    return s.last(call, np.minimum, s.new(call, np.maximum, (a, low), t), high)


def _are_whole(s: Spelling, a: Atom, *bounds: Atom) -> bool:
    """An array of integers, such as places, and integers."""
    t = type_of(a, s.types)
    places = isinstance(t, Array) and bool(t.dims) and t.dtype == NUMBERS[1]
    return places and all(is_int(type_of(b, s.types)) for b in bounds)


def _is_number(atom: Atom, types: Mapping[Var, Type]) -> bool:
    t = type_of(atom, types)
    return isinstance(t, Scalar) or isinstance(t, Known) and isinstance(t.value, (int, float))


def _diff(s: Spelling, call: Call) -> bool:
    t = s.vector(call.args[0]) if len(call.args) == 1 and not call.kwargs else None
    if t is None:
        return False
    parts = [
        s.new(call, operator.getitem, (call.args[0], Const(part)), Array(t.dtype, ("any",)))
        for part in (slice(1, None, None), slice(None, -1, None))
    ]
    return s.last(call, operator.sub, *parts)


def _arrays(s: Spelling, atom: Atom) -> tuple[tuple[Atom, ...], set[int]] | None:
    """The arrays that a list or tuple holds, and how many axes they have."""
    t, listed = type_of(atom, s.types), s.lists.get(atom)
    if isinstance(t, TupleT) and isinstance(atom, Var):
        items, types = (atom,), t.items
    elif listed is not None and listed.args:
        items, types = listed.args, tuple(type_of(a, s.types) for a in listed.args)
    else:
        return None
    found = [t for t in types if isinstance(t, Array) and t.dims]
    return (items, {len(t.dims or ()) for t in found}) if len(found) == len(types) else None


def _joined(s: Spelling, call: Call) -> bool:
    """A tuple in place of a list, and `concatenate` or `stack` for what is one of them on vectors."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    found = _arrays(s, call.args[0]) if len(call.args) == 1 else None
    if found is None or call.kwargs and fn not in (np.concatenate, np.stack):
        return False
    (items, ranks), kwargs = found, call.kwargs
    if fn in (np.hstack, np.vstack, np.column_stack):
        if ranks != {1}:
            return False
        kwargs = () if fn is np.hstack else (("axis", Const(int(fn is np.column_stack))),)
        fn = np.concatenate if fn is np.hstack else np.stack
    elif call.args[0] in items:
        return False
    whole = items[0]
    if call.args[0] not in items:
        whole = s.new(call, ops.build_tuple, items, TupleT(tuple(type_of(a, s.types) for a in items)))
    s.made.append(replace(call, fn=Const(fn), args=(whole,), kwargs=kwargs))
    return True


def _displayed(s: Spelling, call: Call) -> bool:
    """An array of numbers that stand in a list, or in lists of one length."""
    t, rows = s.types[call.result], [s.lists.get(a) for a in call.args]
    if len(rows) != 1 or rows[0] is None or call.kwargs or not isinstance(t, Array) or t.dtype not in NUMBERS:
        return False
    shape: tuple[int, ...] = (len(rows[0].args),)
    if len(t.dims or ()) == 2:
        rows = [s.lists.get(a) for a in rows[0].args]
        shape = (len(rows), len(rows[0].args) if rows and rows[0] is not None else 0)
    if len(t.dims or ()) != len(shape) or any(r is None or len(r.args) != shape[-1] for r in rows):
        return False
    numbers = [a for r in rows if r is not None for a in r.args]
    if not numbers or not all(_is_number(a, s.types) for a in numbers):
        return False
    s.made.append(replace(call, fn=Const(np.empty), args=(Const(shape), Const(t.dtype)), kwargs=()))
    for k, number in enumerate(numbers):
        place = divmod(k, shape[1]) if len(shape) == 2 else k
        s.new(call, operator.setitem, (call.result, Const(place), number), NONE)
    return True


def _named(fn: Any) -> Callable[[Spelling, Call], bool]:
    """A method as the function of its name."""

    def spell(s: Spelling, call: Call) -> bool:
        if not call.args or s.array(call.args[0]) is None:
            return False
        s.made.append(replace(call, fn=Const(fn)))
        return True

    return spell


def _copied(s: Spelling, call: Call) -> bool:
    """A conversion that converts nothing, or the flat copy of a vector."""
    same = call.args[:1] and s.array(call.args[0]) == s.types[call.result]
    flat = len(call.args) == 1 and called(call) is np.ndarray.flatten and s.vector(call.args[0]) is not None
    whole = len(call.args) == 2 and called(call) is np.ndarray.astype
    return bool(same and not call.kwargs and (flat or whole)) and s.last(call, np.copy, call.args[0])


def _on_diagonal(s: Spelling, call: Call) -> bool:
    """What is zero but on the diagonal of a matrix: zeros, into whose diagonal it is added."""
    x, index, value = call.args
    made, t = s.index_of(index, rt.diagonal_index), s.array(x)
    if made is None or t is None or len(t.dims or ()) != 2 or t != s.types[call.result] or s.vector(value) is None:
        return False
    _, offset, *axes = made.args
    if [a.value if isinstance(a, Const) else a for a in axes] != [0, 1] or t.dtype != FLOATS[0]:
        return False
    s.last(call, np.zeros_like, x)
    shown = s.new(call, rt.diagonal_of, (call.result, offset), Array(t.dtype, ("any",)))
    s.new(call, rt.add_at, (shown, Const(Ellipsis), value), NONE)
    return True


def _trapezoid(s: Spelling, call: Call) -> bool:
    given = dict(zip(("y", "x", "dx"), call.args)) | dict(call.kwargs)
    y, x, dx = given.pop("y", Const(None)), given.pop("x", Const(None)), given.pop("dx", Const(1.0))
    t, evenly = s.vector(y), isinstance(x, Const) and x.value is None
    steps_fit = _is_number(dx, s.types) if evenly else s.vector(x) == t
    if t is None or given or not steps_fit or t.dtype != FLOATS[0] or s.types[call.result] != _number(t):
        return False
    part = Array(t.dtype, ("any",))

    def parts(fn: Any, a: Atom) -> Var:
        ends = (slice(1, None, None), slice(None, -1, None))
        return s.new(call, fn, tuple(s.new(call, operator.getitem, (a, Const(end)), part) for end in ends), part)

    twice = s.new(call, operator.mul, (dx if evenly else parts(operator.sub, x), parts(operator.add, y)), part)
    return s.last(call, np.sum, s.new(call, operator.truediv, (twice, Const(2.0)), part))


def _appended(s: Spelling, call: Call) -> bool:
    """A vector, and another one or a number behind it."""
    (a, more), result = call.args if len(call.args) == 2 else (Const(None),) * 2, s.types[call.result]
    t, behind = s.vector(a), s.vector(more)
    if call.kwargs or t is None or not isinstance(result, Array) or result.dtype != t.dtype:
        return False
    if behind is None and (t.dtype != FLOATS[0] or not _is_number(more, s.types)) or behind and behind.dtype != t.dtype:
        return False
    if behind is None:
        number, more = more, s.new(call, np.empty, (Const((1,)), Const(FLOATS[0])), Array(FLOATS[0], ("one",)))
        s.new(call, operator.setitem, (more, Const(0), number), NONE)
    pair = s.new(call, ops.build_tuple, (a, more), TupleT((type_of(a, s.types), type_of(more, s.types))))
    return s.last(call, np.concatenate, pair)


def _repeated(s: Spelling, call: Call) -> bool:
    """A vector of which each element comes a known number of times."""
    a, times = call.args if len(call.args) == 2 and not call.kwargs else (Const(None), Const(None))
    t, known = s.vector(a), s.known(times)
    if t is None or type(known) is not int or known < 0:
        return False
    n = s.new(call, np.size, (a,), INT)
    shape = s.new(call, ops.build_tuple, (n, times), TupleT((INT, INT)))
    whole = s.new(call, np.empty, (shape, Const(t.dtype)), Array(t.dtype, ("any", "any")))
    spread = s.new(call, np.expand_dims, (a, Const(1)), Array(t.dtype, ("any", "one")))
    s.new(call, operator.setitem, (whole, Const(Ellipsis), spread), NONE)
    return s.last(call, np.reshape, whole, s.new(call, operator.mul, (n, times), INT))


def _beside_slice(s: Spelling, call: Call) -> bool:
    """`x[places, a:b]` are rows of what the slice shows; `x[a:b, places]` those of its transpose."""
    fn, args = called(call), call.args
    first = args[:1] if fn is np.ufunc.at else ()
    x, index, *values = args[len(first) :]
    made, t = s.displays.get(index), s.array(x)
    if made is None or called(made) is not ops.build_tuple or t is None or len(t.dims or ()) != 2 or call.kwargs:
        return False
    ranks = [len(i.dims or ()) if isinstance(i := type_of(a, s.types), Array) else i for a in made.args]
    across = ranks[1:] == [1]
    if len(ranks) != 2 or 1 not in ranks or not _is_slice(made.args[not across], s.types):
        return False
    places, cut = made.args[across], made.args[not across]
    whole = Array(t.dtype, ("any", "any"))
    where = cut if across else s.new(call, ops.build_tuple, (Const(slice(None)), cut), TupleT((UNKNOWN, UNKNOWN)))
    shown = s.new(call, operator.getitem, (x, where), whole)
    if not across:
        return s.last(call, fn, *first, shown, places, *values)
    if any(isinstance(v := type_of(a, s.types), Array) and len(v.dims or ()) != 2 for a in values):
        return False
    turned = [s.new(call, np.ndarray.T, (a,), type_of(a, s.types)) if s.array(a) is not None else a for a in values]
    shown = s.new(call, np.ndarray.T, (shown,), whole)
    result = s.types[call.result]
    if not isinstance(result, Array):
        return s.last(call, fn, *first, shown, places, *turned)
    rows = s.new(call, fn, (*first, shown, places, *turned), Array(result.dtype, ("any", "any")))
    return s.last(call, np.ndarray.T, rows)


def _is_slice(atom: Atom, types: Mapping[Var, Type]) -> bool:
    t = type_of(atom, types)
    return isinstance(t, SliceT) or isinstance(t, Known) and isinstance(t.value, slice)


def _power(s: Spelling, call: Call) -> bool:
    given = dict(zip(("base", "exp"), call.args)) | dict(call.kwargs)
    two = len(given) == len(call.args) + len(call.kwargs) == 2
    return two and "base" in given and "exp" in given and s.last(call, operator.pow, given["base"], given["exp"])


def _member(s: Spelling, call: Call) -> bool:
    """Whether a number is one of a few. Python takes an object for equal to itself, even where it is no number."""
    items, k = _items(s, call.args[0]), call.args[1]
    if items is not None and _are_told_by_value(s, items, k):
        found: Atom = Const(False)
        for a in items:
            same = s.new(call, operator.eq, (a, k), BOOL)
            found = same if isinstance(found, Const) else s.new(call, operator.or_, (found, same), BOOL)
        return s.last(call, ops.identity, found)
    bounds = _bounds(s, call.args[0])
    t = type_of(k, s.types)
    if bounds is None or not isinstance(t, Scalar) or not t.kinds <= {int, np.int64}:
        return False
    above = s.new(call, operator.le, (bounds[0], k), BOOL)
    return s.last(call, operator.and_, above, s.new(call, operator.lt, (k, bounds[1]), BOOL))


def _are_told_by_value(s: Spelling, items: tuple[Atom, ...], k: Atom) -> bool:
    numbers = all(_is_number(a, s.types) for a in (*items, k))
    return numbers and (_is_never_nan(k, s.types) or all(_is_never_nan(a, s.types) for a in items))


def _asked_alone(s: Spelling, call: Call) -> bool:
    """A set of which nothing is asked but whether numbers are in it is not made."""
    items = _items(s, call.result)
    asked = [r for r in s.readers.get(call.result, []) if isinstance(r, Call) and called(r) is operator.contains]
    alone = items is not None and len(asked) == len(s.readers.get(call.result, [None]))
    return alone and all(r.args[1] is not call.result and _are_told_by_value(s, items or (), r.args[1]) for r in asked)


def _items(s: Spelling, container: Atom) -> tuple[Atom, ...] | None:
    """The items of a display that nobody changes."""
    if isinstance(container, Const):
        known = type(container.value) in (tuple, list, set, frozenset) and len(container.value) <= FEW
        return tuple(map(Const, container.value)) if known else None
    made = s.displays.get(container)
    if made is not None and called(made) is set and len(made.args) == 1:
        return _items(s, made.args[0])
    if made is None or called(made) in (set, range) or made.kwargs or not 0 < len(made.args) <= FEW:
        return None
    reads = s.readers.get(container, [])
    fixed = called(made) is ops.build_tuple or all(isinstance(r, Call) and called(r) in ASKING for r in reads)
    return made.args if fixed else None


def _bounds(s: Spelling, steps: Atom) -> tuple[Atom, Atom] | None:
    """Where a range of whole numbers, one after the other, begins and ends."""
    if isinstance(steps, Const) and isinstance(steps.value, range) and steps.value.step == 1:
        return Const(steps.value.start), Const(steps.value.stop)
    made = s.displays.get(steps)
    match made.args if made is not None and called(made) is range and not made.kwargs else ():
        case (stop,):
            return Const(0), stop
        case (start, stop):
            return start, stop
        case _:
            return None


def _is_never_nan(atom: Atom, types: Mapping[Var, Type]) -> bool:
    t = type_of(atom, types)
    if isinstance(t, Known):
        return t.value == t.value
    return isinstance(t, Scalar) and all(issubclass(kind, (int, np.integer, np.bool_)) for kind in t.kinds)


SPELLED: dict[Any, Callable[[Spelling, Call], bool]] = {
    np.mean: _mean, np.ndarray.mean: _mean, np.clip: _clip, np.ndarray.clip: _clip, np.diff: _diff,
    np.var: lambda s, call: _variance(s, call, False), np.ndarray.var: lambda s, call: _variance(s, call, False),
    np.std: lambda s, call: _variance(s, call, True), np.ndarray.std: lambda s, call: _variance(s, call, True),
    np.ndarray.sum: _named(np.sum), np.ndarray.max: _named(np.max), np.ndarray.min: _named(np.min),
    np.ndarray.prod: _named(np.prod), np.ndarray.cumsum: _named(np.cumsum),
    np.ndarray.astype: _copied, np.ndarray.flatten: _copied,
    np.linalg.norm: _norm, np.array: _displayed, np.concatenate: _joined, np.stack: _joined,
    np.hstack: _joined, np.vstack: _joined, np.column_stack: _joined,
    **dict.fromkeys((operator.setitem, rt.add_at, rt.last_writes, np.ufunc.at), _beside_slice),
    operator.getitem: lambda s, call: _beside_slice(s, call) or inside(s, call),
    np.repeat: _repeated, np.pad: padded, rt.padded_index: repeating, np.gradient: slopes,
    np.einsum: einsum, np.tensordot: tensordot, np.append: _appended,
    **{getattr(np, name): _trapezoid for name in ("trapezoid", "trapz") if name in vars(np)},
    operator.contains: _member, set: _asked_alone, pow: _power, rt.scatter: _on_diagonal,
}  # fmt: skip
