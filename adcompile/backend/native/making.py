"""Arrays that kernels make: filled, as long as others, matrices of a kind, parts one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adcompile.backend.native.bounds import Linear
from adcompile.backend.native.scalars import Scalars
from adcompile.backend.native.values import DTYPES, ArrayOf, Number
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.runtime import memory


class Making(Scalars):
    """Prints calls that make arrays."""

    def rank(self, atom: Atom) -> int:
        found = self.native_type(atom)
        return found.rank if isinstance(found, ArrayOf) else 0

    def is_array(self, atom: Atom) -> bool:
        return isinstance(atom, Var) and isinstance(self.native.get(atom), ArrayOf)

    def callee(self, call: Call) -> Any:
        return call.fn.value if isinstance(call.fn, Const) else None

    def _alike(self, call: Call) -> bool:
        """`np.zeros_like(x)` and the like."""
        fn = self.callee(call)
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]):
            return False
        if call.result in self.names:  # the caller has made it
            self.own.add(call.result)
            self._as_long(call.result, call.args[0])
            return True
        native, like = self.native_type(call.args[0]), self.atom(call.args[0])
        if fn is np.empty_like and isinstance(native, ArrayOf):
            self.make_empty(call.result, native, [f"{like}.shape[{k}]" for k in range(native.rank)])
        else:
            self.make(call.result, native, f"np.{fn.__name__ if fn is np.ones_like else 'zeros_like'}({like})")
        self._as_long(call.result, call.args[0])
        return True

    def _as_long(self, var: Var, other: Atom) -> None:
        """An array has the shape of another one."""
        assert isinstance(other, Var)
        self.lengths[var] = self.lengths_of(other, self.rank(other))

    def _filled(self, call: Call) -> bool:
        """`np.zeros(n)` and the like; the dtype comes from the type."""
        fn, result = self.callee(call), self.result_type(call)
        if not isinstance(result, ArrayOf) or any(name not in ("dtype", "shape") for name, _ in call.kwargs):
            return False
        shape = call.args[0] if call.args else dict(call.kwargs).get("shape")
        if shape is None or len(call.args) > 2:
            return False
        if call.result in self.names:  # the caller has made it
            self.own.add(call.result)
            self.lengths[call.result] = self._forms(shape, result.rank)
            return True
        sizes = self._lengths(shape)
        if fn is np.empty:
            self.make_empty(call.result, result, sizes)
        else:
            self.faults = True  # negative lengths
            self.make(call.result, result, f"np.{fn.__name__}(({', '.join((*sizes, ''))}), {DTYPES[result.code]})")
        self.lengths[call.result] = self._forms(shape, result.rank)
        return True

    def _forms(self, shape: Atom, rank: int) -> tuple[Linear, ...]:
        """The lengths of a shape as linear forms."""
        value = self.known(shape)
        if type(value) is tuple:
            return tuple(Linear(int(v)) for v in value)
        if isinstance(shape, Var) and shape in self.made:
            call = self.made[shape]
            if self.callee(call) is ops.build_tuple:
                return tuple(map(self.form, call.args))
            array = call.args[0]
            assert isinstance(array, Var)
            return self.lengths_of(array, rank)
        return (self.form(shape),)

    def _lengths(self, shape: Atom) -> list[str]:
        value = self.known(shape)
        if type(value) is tuple:
            return [self.constant(v) for v in value]
        if isinstance(shape, Var) and shape in self.made:
            call = self.made[shape]
            if self.callee(call) is ops.build_tuple:
                return [self.cast(a, "i8") for a in call.args]
            name = self.atom(call.args[0])
            return [f"{name}.shape[{k}]" for k in range(self.rank(call.args[0]))]
        return [self.cast(shape, "i8")]

    def _triangle(self, call: Call) -> bool:
        if not call.args or call.kwargs or self.rank(call.args[0]) != 2:
            return False
        k = self.known(call.args[1]) if len(call.args) == 2 else 0
        if type(k) is not int:
            return False
        name = self.callee(call).__name__
        self.make(call.result, self.result_type(call), f"np.{name}({self.atom(call.args[0])}, {k})")
        return True

    def _rolled(self, call: Call) -> bool:
        """`np.roll(a, shift, axis)`, along one axis or through all elements."""
        given = dict(zip(("a", "shift", "axis"), call.args)) | dict(call.kwargs)
        array, shift, axis = given.pop("a", None), given.pop("shift", None), given.pop("axis", Const(None))
        if given or array is None or shift is None or not self.is_array(array):
            return False
        rank, along = self.rank(array), self.known(axis)
        if self.native_type(shift) != Number("i8") or isinstance(axis, Var) or isinstance(along, bool):
            return False
        if along is not None and not (isinstance(along, int) and -rank <= along < rank):
            return False
        place = -1 if along is None else along % rank
        text = f"nt.rolled({self.atom(array)}, {self.cast(shift, 'i8')}, {place})"
        self.make(call.result, self.result_type(call), text)
        self._as_long(call.result, array)
        return True

    def _asked(self, call: Call) -> bool:
        """`np.any` and `np.all`, `np.argmax` and `np.argmin` of a vector."""
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]):
            return False
        place = self.callee(call) in (np.argmax, np.argmin)
        rank, text = self.rank(call.args[0]), self.atom(call.args[0])
        wanted = [ArrayOf("f8", 1)] if place else [ArrayOf("b1", rank), ArrayOf("f8", rank)]
        result = Number("i8" if place else "b1")
        if self.result_type(call) != result or self.native_type(call.args[0]) not in wanted:
            return False
        if not place and self.native_type(call.args[0]) == wanted[1]:  # nan counts as true
            text = f"{text} != 0.0"
        self.faults = self.faults or place  # of nothing
        self.define(call.result, result, f"np.{self.callee(call).__name__}({text})")
        return True

    def _cumulated(self, call: Call) -> bool:
        """`np.cumsum(x)` and `np.cumprod(x)` of a vector: each is the one before and one element more, as NumPy has
        it."""
        axis = dict(call.kwargs).get("axis", Const(None))
        if len(call.args) != 1 or any(name != "axis" for name, _ in call.kwargs) or self.rank(call.args[0]) != 1:
            return False
        if not isinstance(axis, Const) or type(axis.value) is bool or axis.value not in (None, 0, -1):
            return False
        result = self.result_type(call)
        if result != self.native_type(call.args[0]) or result not in (ArrayOf("f8", 1), ArrayOf("f4", 1)):
            return False
        self.make(call.result, result, f"np.{self.callee(call).__name__}({self.atom(call.args[0])})")
        self._as_long(call.result, call.args[0])
        return True

    def _outer(self, call: Call) -> bool:
        result = self.result_type(call)
        if len(call.args) != 2 or call.kwargs or not isinstance(result, ArrayOf):
            return False
        if any(self.native_type(a) != ArrayOf(result.code, 1) for a in call.args) or result.code not in ("f8", "f4"):
            return False
        self.make(call.result, result, f"np.outer({self.atom(call.args[0])}, {self.atom(call.args[1])})")
        return True

    def _identity_matrix(self, call: Call) -> bool:
        """`np.eye(n)`, `np.eye(n, m)`."""
        result, given = self.result_type(call), dict(zip(("N", "M", "k"), call.args))
        if len(call.args) > 3 or any(name != "dtype" for name, _ in call.kwargs) or result != ArrayOf("f8", 2):
            return False
        if any(self.native_type(a) != Number("i8") for a in given.values()):
            return False
        if "k" in given and self.known(given["k"]) != 0:
            return False
        self.faults = True  # a negative length
        sizes = [self.cast(given[name], "i8") for name in ("N", "M") if name in given]
        self.make(call.result, result, f"np.eye({', '.join(sizes)})")
        return True

    def _full(self, call: Call) -> bool:
        """`np.full(shape, number)`."""
        result = self.result_type(call)
        if len(call.args) != 2 or any(name != "dtype" for name, _ in call.kwargs) or not isinstance(result, ArrayOf):
            return False
        have = self.native_type(call.args[1])
        if not isinstance(have, Number) or have.code != result.code and (have.code, result.code) != ("i8", "f8"):
            return False
        sizes = self._lengths(call.args[0])
        self.faults = True  # negative lengths
        text = f"np.full(({', '.join((*sizes, ''))}), {self.cast(call.args[1], result.code)}, {DTYPES[result.code]})"
        self.make(call.result, result, text)
        self.lengths[call.result] = self._forms(call.args[0], result.rank)
        return True

    def _steps(self, call: Call) -> bool:
        """`np.arange` of integers."""
        result = self.result_type(call)
        if not 1 <= len(call.args) <= 3 or any(name != "dtype" for name, _ in call.kwargs):
            return False
        if result != ArrayOf("i8", 1):
            return False
        if any(self.native_type(a) != Number("i8") for a in call.args):
            return False
        self.faults = True  # a step of zero
        self.make(call.result, result, f"np.arange({', '.join(self.cast(a, 'i8') for a in call.args)})")
        return True

    def _span(self, call: Call) -> bool:
        """`np.linspace(start, stop, num)` of numbers."""
        given = dict(zip(("start", "stop", "num"), call.args)) | dict(call.kwargs)
        bounds, num = [given.pop(name, None) for name in ("start", "stop")], given.pop("num", Const(50))
        if given or self.result_type(call) != ArrayOf("f8", 1) or self.native_type(num) != Number("i8"):
            return False
        if any(b is None or self.native_type(b) not in (Number("f8"), Number("i8")) for b in bounds):
            return False
        self.faults = True  # a negative length
        texts = [self.cast(b, "f8") for b in bounds if b is not None]
        self.make(call.result, ArrayOf("f8", 1), f"nt.span({', '.join(texts)}, {self.cast(num, 'i8')})")
        return True

    def _product_of_all(self, call: Call) -> bool:
        """`np.prod(x)`."""
        result = self.result_type(call)
        if len(call.args) != 1 or call.kwargs or not self.is_array(call.args[0]) or result != Number("f8"):
            return False
        if self.native_type(call.args[0]) != ArrayOf("f8", self.rank(call.args[0])):
            return False
        self.define(call.result, result, f"np.prod({self.atom(call.args[0])})")
        return True

    def _trace(self, call: Call) -> bool:
        """`np.trace(a)` of a matrix."""
        given = [self.known(a) for a in call.args[1:]]
        if not call.args or call.kwargs or given not in ([], [0], [0, 0, 1]):
            return False
        if self.native_type(call.args[0]) != ArrayOf("f8", 2) or self.result_type(call) != Number("f8"):
            return False
        self.define(call.result, Number("f8"), f"np.trace({self.atom(call.args[0])})")
        return True

    def _diagonal(self, call: Call) -> bool:
        """The diagonal of a matrix, which is a view; of a vector the matrix with it on the diagonal."""
        x, result = call.args[0] if call.args else None, self.result_type(call)
        more = [*call.args[1:], *(a for _, a in call.kwargs)]
        if not isinstance(x, Var) or not isinstance(result, ArrayOf) or not self.is_array(x):
            return False
        if len(more) > 1 or {name for name, _ in call.kwargs} - {"k", "offset"}:
            return False
        if more and self.native_type(more[0]) != Number("i8"):
            return False
        if result.rank == 1 and self.rank(x) == 2:
            if more and self.known(more[0]) is None:  # NumPy takes no more than a C int holds
                self.fault_if(f"abs({self.atom(more[0])}) > 2147483647")
            elif more and abs(self.known(more[0])) > 2147483647:
                return False
            name = "diagonal_of" if self.callee(call) is memory.diagonal_of else "diagonal"
            self.define(call.result, result, f"nt.{name}({self.atom(x)}, {self.atom(more[0]) if more else '0'})")
            self.shares(call.result, x)
            return True
        if (result.rank, self.rank(x)) != (2, 1) or more:
            return False
        self.make(call.result, result, f"np.diag({self.atom(x)})")
        return True

    def _in_order(self, call: Call) -> bool:
        """A view whose axes come in another order."""
        x, *more = call.args
        rank, result = self.rank(x) if self.is_array(x) else 0, self.result_type(call)
        order = _order(self.callee(call), list(map(self._axes_known, more)), rank)
        if call.kwargs or order is None or not isinstance(x, Var) or result != self.native_type(x):
            return False
        self.define(call.result, result, f"np.transpose({self.atom(x)}, {order})" if rank > 1 else self.atom(x))
        self.shares(call.result, x)
        return True

    def _axes_known(self, atom: Atom) -> Any:
        """A number, or a tuple of some that is written out."""
        made = self.made.get(atom) if isinstance(atom, Var) else None
        if made is not None and self.callee(made) is ops.build_tuple:
            return tuple(map(self.known, made.args))
        return atom.value if isinstance(atom, Const) else self.known(atom)

    def _checked_slopes(self, call: Call) -> bool:
        if not self.is_array(call.args[0]):
            return False
        self.fault_if(f"{self.atom(call.args[0])}.shape[0] < 2")
        return True

    def _converted(self, call: Call) -> bool:
        """`x.astype(int)`; NumPy warns of what is too large for an integer, or not a number."""
        x, result = call.args[0], self.result_type(call)
        given = self.native_type(x)
        if len(call.args) != 2 or call.kwargs or not isinstance(given, ArrayOf) or not isinstance(result, ArrayOf):
            return False
        if given.code not in ("f8", "f4", "i8", "b1") or result != ArrayOf("i8", given.rank):
            return False
        whole = given.code in ("i8", "b1")
        self.faults |= not whole
        text = f"{self.atom(x)}.astype(np.int64)" if whole else f"nt.truncated({self.atom(x)})"
        self.make(call.result, result, text)
        assert isinstance(x, Var)
        self.lengths[call.result] = self.lengths_of(x, given.rank)
        return True

    def _concatenated(self, call: Call) -> bool:
        result, axis = self.result_type(call), dict(call.kwargs).get("axis", Const(0))
        parts = self.made.get(call.args[0]) if isinstance(call.args[0], Var) else None
        if len(call.args) != 1 or len(call.kwargs) > ("axis" in dict(call.kwargs)) or parts is None:
            return False
        along = self.known(axis)
        if self.callee(parts) is not ops.build_tuple or not isinstance(result, ArrayOf):
            return False
        if type(along) is not int or not -result.rank <= along < result.rank:
            return False
        if not parts.args or any(self.native_type(a) != result or not self.is_array(a) for a in parts.args):
            return False
        if result.rank == 1:
            self._behind_each_other(call.result, result, [self.atom(a) for a in parts.args])
            return True
        self.faults = True  # lengths may differ
        texts = "".join(f"{self.atom(a)}, " for a in parts.args)
        self.make(call.result, result, f"np.concatenate(({texts}), {along % result.rank})")
        return True

    def _behind_each_other(self, var: Var, native: ArrayOf, parts: Sequence[str]) -> None:
        """Vectors, one behind the other; NumPy's way, for any number of axes, takes longer than short ones need."""
        size, k = self.fresh("n"), self.fresh("k")
        self.line(f"{size} = {' + '.join(f'{part}.shape[0]' for part in parts)}")
        self.natural.add(size)
        self.make_empty(var, native, [size])
        begin = ""
        for part in parts:
            self.line(f"for {k} in range({part}.shape[0]):")
            self.line(f"    {self.names[var]}[{begin}{k}] = {part}[{k}]")
            begin += f"{part}.shape[0] + "

    def _reshaped(self, call: Call) -> bool:
        """`np.reshape(x, shape)`, which may show memory of `x`."""
        (x, *shape), result = call.args, self.result_type(call)
        if call.kwargs or not self.is_array(x) or not isinstance(x, Var) or not isinstance(result, ArrayOf):
            return False
        sizes = self._lengths(shape[0]) if len(shape) == 1 else [self.cast(a, "i8") for a in shape]
        if len(sizes) != result.rank or not sizes:
            return False
        self.faults = True  # another number of elements
        text = f"nt.in_rows({self.atom(x)}).reshape(({''.join(f'{n}, ' for n in sizes)}))"
        if result.rank == 1 and self.rank(x) == 2:
            text = f"nt.flattened({self.atom(x)}, {sizes[0]})"
        self.define(call.result, result, text)
        self.shares(call.result, x)
        return True

    def _outline(self, call: Call) -> bool:
        """What is wanted of an array is its shape alone: it may as well be there."""
        if not self.is_array(call.args[0]):
            return False
        assert isinstance(call.args[0], Var)
        self.alias(call.result, call.args[0])
        self.outlines.add(call.result)
        return True

    def make_outline(self, var: Var, native: ArrayOf, sizes: Sequence[str]) -> None:
        """Some memory of this shape."""
        self.make(var, native, f"np.empty(({''.join(f'{s}, ' for s in sizes)}), {DTYPES[native.code]})")

    def _outlined(self, call: Call) -> bool:
        """The same of an array that need not be there: some memory of that shape."""
        result = self.result_type(call)
        if not isinstance(result, ArrayOf):
            return False
        self.make_outline(call.result, result, self._lengths(call.args[0]))
        self.lengths[call.result] = self._forms(call.args[0], result.rank)
        return True


def _order(fn: Any, given: list[Any], rank: int) -> tuple[int, ...] | None:
    """In which order a function that turns an array takes its axes; None if that is not known."""
    if fn in (np.transpose, np.ndarray.transpose):
        given = list(given[0]) if len(given) == 1 and isinstance(given[0], tuple) else given or list(range(rank)[::-1])
    if not all(type(k) is int and -rank <= k < rank for k in given):
        return None
    axes = [k % rank for k in given]
    if fn in (np.transpose, np.ndarray.transpose):
        return tuple(axes) if sorted(axes) == list(range(rank)) else None
    if len(axes) != 2:
        return None
    order = list(range(rank))
    if fn is np.moveaxis:
        order.remove(axes[0])
        order.insert(axes[1], axes[0])
    else:
        order[axes[0]], order[axes[1]] = axes[1], axes[0]
    return tuple(order)
