"""The state of a kernel that is being printed: names, native types, what is known of integers, memory."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from adcompile.backend.callables import BUILTINS, KEYWORDS, identifier
from adcompile.backend.native.elementary import NAMES
from adcompile.backend.native.values import DTYPES, ArrayOf, Code, Native, NotNative, Number, native_of
from adcompile.errors import Place
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.ir.types import Maybe, Scalar, Type
from adcompile.optimise.typing import kinds as scalar_kinds
from adcompile.optimise.typing import type_of

ARGUMENT_BITS = 40
"""Integers that come into a kernel are checked to be this small, so that sums and products of a few need no check."""
LENGTH_BITS = 48
"""No array has more elements."""
EXACT_BITS = 53
"""Integers up to this size are floats exactly."""
WORD_BITS = 62
"""Beyond, an operation on integers is checked as it runs."""
REAL = frozenset({float, np.float64})
COMPLEX = frozenset({complex, np.complex128})
RING = frozenset(
    {f for n in ("add", "sub", "mul", "truediv") for f in (getattr(operator, n), getattr(operator, f"i{n}"))}
)
"""Operators that give a complex number where they are given one."""
RESERVED = KEYWORDS | BUILTINS | {"np", "math", "nt", "njit", "implementation", *NAMES.values()}


@frozen(eq=False)
class Hints:
    """What is known of calls, by their results."""

    sure: frozenset[Var] = frozenset()  # reads and writes of elements that are there
    sums: frozenset[Var] = frozenset()  # steps of sums and extrema, whose order is free
    between: frozenset[Var] = frozenset()  # those that stand between two loops
    independent: frozenset[Var] = frozenset()  # elements of loops whose iterations share no memory that is written
    counted: frozenset[Var] = frozenset()  # integers that are never below 0


NO_HINTS = Hints()
LENGTH = re.compile(r"\w+\.shape\[\d+\]")


class Base:
    """What every part of the printer needs."""

    def __init__(self, types: Mapping[Var, Type], hints: Hints = NO_HINTS) -> None:
        self.types = types
        self.hints = hints
        self.native: dict[Var, Native] = {}
        self.names: dict[Var, str] = {}
        self.natural: set[str] = set()  # names of numbers that are never below 0
        self.taken: dict[str, int] = {}
        self.issued: set[str] = set()
        self.bits: dict[Var, int] = {}
        self.made: dict[Var, Call] = {}  # ranges, slices, tuples, shapes: printed where they are used
        self.lines: list[str] = []
        self.depth = 1
        self.faults = False  # whether the kernel may leave early
        self.memory: dict[Var, Var] = {}  # union-find: arrays that may share memory
        self.shown: dict[Var, set[Var]] = {}  # by array: what may show its memory, or be shown in turn
        self.written: set[Var] = set()
        self.own: set[Var] = set()  # arrays that the kernel has made
        self.outside: set[Var] = set()  # arrays that it has been given
        self.loose: frozenset[Var] = frozenset()  # views that need not be counted
        self.lasting: Mapping[Var, Var] = {}  # by array whose memory lasts: what has that memory
        self.held: list[str] = []  # what is to last until the kernel ends
        self.outlines: set[Var] = set()  # names of arrays that are wanted for their shape alone
        self.changing: frozenset[Var] = frozenset()  # all that is written, in whatever order: from the first printing
        self.place: Place | None = None
        self.elementary: set[tuple[str, Code]] = set()  # the functions that are called, with their machine types
        self.proved = False  # whether the element that is printed is known to be there

    # -- text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, hint: str) -> str:
        """A name that nothing else in the kernel has."""
        base = identifier(hint)
        if base in RESERVED:
            base += "_"
        while True:
            count = self.taken.get(base, 0)
            self.taken[base] = count + 1
            name = base if count == 0 else f"{base}_{count}"
            if name not in self.issued:
                self.issued.add(name)
                return name

    def refuse(self, what: str) -> NoReturn:
        raise self.refusal(what)

    def refusal(self, what: str) -> NotNative:
        return NotNative(what, self.place)

    def fault_if(self, condition: str) -> None:
        self.faults = True
        self.line(f"if {condition}:")
        self.line("    raise nt.Fault")

    def not_negative(self, size: str) -> None:
        """Leave where something would be shorter than nothing."""
        if not (size.isdigit() or size in self.natural or LENGTH.fullmatch(size)):
            self.fault_if(f"{size} < 0")

    # -- values

    def define(self, var: Var, native: Native | None, text: str, bits: int | None = None) -> None:
        """`var = text`."""
        if native is None:
            self.refuse("a value without a machine type")
        self.native[var] = native
        name = self.names[var] = self.fresh(var.name)
        if var in self.hints.counted:
            self.natural.add(name)
        if bits is not None:
            self.bits[var] = bits
        self.defined(var)
        self.line(f"{name} = {text}")

    def defined(self, var: Var) -> None:
        """Called for every value that gets a name."""

    def read(self, atom: Atom) -> None:
        """Called for what must be there where a helper looks at it."""

    def alias(self, var: Var, other: Var) -> None:
        """Another name for a value that stays what it is."""
        if other not in self.native:  # handed on as it is, for others
            self.refuse(f"{other.name}, which no kernel can take")
        self.names[var], self.native[var] = self.names[other], self.native[other]
        if other in self.bits:
            self.bits[var] = self.bits[other]
        if not isinstance(self.native[var], Number):  # lists and tuples may hold arrays
            self.shares(var, other)
            if other in self.own:
                self.own.add(var)

    def native_type(self, atom: Atom) -> Native | None:
        if isinstance(atom, Var) and atom in self.native:
            return self.native[atom]
        return native_of(type_of(atom, self.types))

    def result_type(self, call: Call) -> Native:
        t = type_of(call.result, self.types)
        if isinstance(t, Scalar) and t.kinds & COMPLEX and t.kinds & REAL:
            # real powers may be complex: where they are, the kernel is left
            complex_ = any(n == Number("c16") for n in map(self.native_type, call.args))
            if complex_ and not (isinstance(call.fn, Const) and call.fn.value in RING):
                self.refuse("a number that may be real or complex")
            t = Scalar(t.kinds & COMPLEX if complex_ else t.kinds - COMPLEX)
        found = native_of(t)
        if found is None:
            self.refuse(_named(type_of(call.result, self.types)))
        return found

    def number_type(self, call: Call) -> Number:
        """The native type of a result that is a number."""
        found = self.result_type(call)
        if not isinstance(found, Number):
            self.refuse("an array made of numbers")
        return found

    def code(self, atom: Atom) -> Code:
        """The machine type of a number."""
        found = self.native_type(atom)
        if not isinstance(found, Number):
            self.refuse(f"{getattr(atom, 'name', 'a constant')}, which is no number that a kernel can hold")
        return found.code

    def kinds(self, atom: Atom) -> frozenset[type]:
        """The classes that a number may have outside of the kernel, where it is there; empty where it is no number."""
        t = type_of(atom, self.types)
        return scalar_kinds(t.type if isinstance(t, Maybe) else t)

    def known(self, atom: Atom) -> Any:
        """The number that an atom is known to be, else None."""
        if isinstance(atom, Const):
            return atom.value
        t = self.types.get(atom)
        return getattr(t, "value", None) if atom not in self.names else None

    def atom(self, atom: Atom) -> str:
        """The text of a value as it is."""
        if isinstance(atom, Var) and atom in self.names:
            return self.names[atom]
        if isinstance(atom, Var) and atom in self.made:
            return self.display(self.made[atom])
        value = self.known(atom)
        if value is None:
            self.refuse(f"{getattr(atom, 'name', 'None')}, which is not there in a kernel")
        return self.constant(value)

    def display(self, call: Call) -> str:
        """A tuple that is printed where it is used."""
        if not isinstance(call.fn, Const) or call.fn.value not in (ops.build_tuple, np.ndarray.shape, np.shape):
            self.refuse(f"{call.result.name}, which is no value in a kernel")
        if call.fn.value is not ops.build_tuple:
            return f"{self.atom(call.args[0])}.shape"
        return "(" + "".join(f"{self.atom(a)}, " for a in call.args) + ")"

    def constant(self, value: Any) -> str:
        if type(value) in (bool, np.bool_):
            return str(bool(value))
        if type(value) in (int, np.int64):
            if not -(2**62) < value < 2**62:
                self.refuse(f"the integer {value}")
            return str(int(value))
        if type(value) is np.float32:
            return f"np.float32({_float(float(value))})"
        if isinstance(value, float):
            return _float(float(value))
        if isinstance(value, complex):
            return f"complex({_float(value.real)}, {_float(value.imag)})"
        if type(value) is tuple:
            return "(" + "".join(f"{self.constant(v)}, " for v in value) + ")"
        raise self.refusal(f"a constant of class {type(value).__name__}")

    def _check_number(self, value: Any) -> None:
        if not isinstance(value, (bool, int, float, complex, np.generic)):
            self.refuse("a number that is something else on other paths")

    def cast(self, atom: Atom, code: Code) -> str:
        """A number as one of another machine type, as NumPy and Python convert it."""
        value = self.known(atom)
        have = self.code(atom)
        if value is not None:
            self._check_number(value)
            return self._cast_constant(value, have, code)
        name = self.atom(atom)
        if have == code:
            return name
        if code == "f8" and have in ("f4", "b1"):  # Numba's float() takes no bools
            return f"np.float64({name})"
        if code == "f8":
            if have == "i8":
                self.need_exact(atom)
            return f"float({name})"
        if code == "f4":
            if have == "i8":
                self.need_exact(atom)
            return f"np.float32({name})"
        if code == "i8" and have == "b1":
            return f"np.int64({name})"
        if code == "c16":
            return f"complex({self.cast(atom, 'f8')}, 0.0)"
        if code == "b1":
            return f"({name} != 0)"
        raise self.refusal(f"a conversion from {have} to {code}")

    def _cast_constant(self, value: Any, have: Code, code: Code) -> str:
        if code == "f8" and have in ("f4", "i8", "b1"):
            return self.constant(float(value))
        if code == "f4" and have in ("f8", "i8", "b1"):
            return self.constant(np.float32(value))
        if code == "c16":
            return self.constant(complex(value))
        if code == "i8" and have == "b1":
            return str(int(value))
        if code == "b1":
            return str(bool(value))
        if have == code:
            return self.constant(value)
        raise self.refusal(f"a conversion of {value!r} to {code}")

    # -- integers

    def size(self, atom: Atom) -> int:
        """So many bits hold the magnitude of an integer; 63 where nothing is known."""
        value = self.known(atom)
        if value is ops.UNDEFINED:
            return 0
        if value is not None:
            self._check_number(value)
            return int(value).bit_length()
        if not isinstance(atom, Var):
            return 0  # what is not there
        return 1 if self.code(atom) == "b1" else self.bits.get(atom, 63)

    def need_exact(self, atom: Atom) -> None:
        """Leave the kernel unless an integer is a float exactly."""
        if self.size(atom) > EXACT_BITS:
            name = self.atom(atom)
            self.fault_if(f"{name} > {2**EXACT_BITS} or {name} < {-(2**EXACT_BITS)}")

    # -- memory

    def root(self, var: Var) -> Var:
        while var in self.memory:
            var = self.memory[var]
        return var

    def shares(self, a: Var, b: Var) -> None:
        """`a` may show memory of `b`, be they arrays, or tuples and lists of some."""
        self.shown.setdefault(b, set()).add(a)
        a, b = self.root(a), self.root(b)
        if a is not b:
            self.memory[a] = b

    def writes(self, atom: Atom) -> None:
        assert isinstance(atom, Var)
        self.written.add(atom)

    def make(self, var: Var, native: Native | None, text: str) -> None:
        """Define an array in memory of its own."""
        self.define(var, native, text)
        self.own.add(var)

    def make_empty(self, var: Var, native: ArrayOf, sizes: Sequence[str]) -> None:
        """Define an array of these lengths, of which nothing is known yet."""
        self.faults = True  # negative lengths
        self.make(var, native, f"np.empty(({''.join(f'{s}, ' for s in sizes)}), {DTYPES[native.code]})")

    def make_copy(self, var: Var, native: Native | None, name: str) -> None:
        """Define an array as the copy of another one."""
        self.make(var, native, f"{name}.copy()")

    def overlaps(self, a: Var, b: Var) -> bool:
        """Whether two arrays may have elements in common: also if both come from outside, where one may be
        a part of the other."""
        roots = {self.root(v) for v in self.outside}
        return self.root(a) is self.root(b) or self.root(a) in roots and self.root(b) in roots

    def is_written(self, var: Var) -> bool:
        """Whether anything writes into the memory of an array."""
        root = self.root(var)
        return any(self.root(v) is root for v in self.changing)

    def is_written_elsewhere(self, var: Var) -> bool:
        """Whether anything writes into the memory of what comes from elsewhere, not into that of others which is put
        into one list or tuple with it."""
        work, seen = [var], {var}
        while work:
            v = work.pop()
            if v in self.written or v in self.changing:
                return True
            work += (more := self.shown.get(v, set()) - seen)
            seen |= more
        return False

    def written_among(self, params: Iterable[Var]) -> list[Var]:
        """The arrays among parameters into whose memory the kernel may write."""
        roots = {self.root(v) for v in self.written}
        return [p for p in params if isinstance(self.native.get(p), ArrayOf) and self.root(p) in roots]


def _float(value: float) -> str:
    """A number as text that kernels and their callers know."""
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "np.inf" if value > 0 else "(-np.inf)"
    return repr(value) if math.copysign(1, value) > 0 else f"({value!r})"


def _named(t: Type) -> str:
    if isinstance(t, Scalar):
        return f"a number of class {' or '.join(sorted(k.__name__ for k in t.kinds))} as a result"
    text = repr(t)
    return f"a result of type {text if len(text) < 80 else type(t).__name__}"
