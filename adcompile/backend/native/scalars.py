"""Calls on numbers in kernels: the operators, `math` and NumPy's functions of numbers, with the primal's semantics."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.backend.native.base import WORD_BITS
from adcompile.backend.native.bounds import Bounds, Linear
from adcompile.backend.native.elementary import DTYPES, NAMES, gauss, vectorised
from adcompile.backend.native.values import Code, Number, TupleOf, is_mixed
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, Var
from adcompile.optimise.typing import INPLACE
from adcompile.runtime import arrays, plain, special, state

SYMBOLS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.power: "**",
    np.float_power: "**",
    special.quotient: "/",
    special.power: "**",
}
WHOLE = frozenset({int, bool, np.int64, np.int32, np.bool_})
NEVER_RAISE = frozenset({special.quotient, special.power})
BITS: dict[Any, str] = {operator.and_: "&", operator.or_: "|", operator.xor: "^"}
COMPARISONS: dict[Any, str] = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
    np.equal: "==",
    np.not_equal: "!=",
}

_MATH = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p log2 log10 sqrt erf erfc "
    "gamma lgamma fabs degrees radians"
)
_NUMPY = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "exp": "exp",
    "expm1": "expm1", "log": "log", "log1p": "log1p", "log2": "log2", "log10": "log10", "sqrt": "sqrt",
    "fabs": "fabs", "deg2rad": "radians", "rad2deg": "degrees", "degrees": "degrees", "radians": "radians",
}  # fmt: skip
FUNCTIONS: dict[Any, str] = {
    **{getattr(math, name): f"math.{name}" for name in _MATH.split()},
    **{getattr(np, name): f"math.{other}" for name, other in _NUMPY.items()},
}
"""The one table of elementary functions of one number: by callable, the text of the function that a kernel calls."""


class Scalars(Bounds):
    """Prints calls whose operands and results are numbers."""

    def number_call(self, call: Call, fn: Any) -> bool:
        """Print a call if it is one on numbers that kernels know."""
        fn = INPLACE.get(fn, fn)
        if fn in SYMBOLS and fn is not np.power and len(call.args) == 2:
            self._binary(call, fn)
        elif fn in COMPARISONS and len(call.args) == 2:
            self._comparison(call, COMPARISONS[fn])
        elif fn in BITS:
            self._bitwise(call, BITS[fn])
        elif fn is gauss or isinstance(fn, np.ufunc) and fn in vectorised() and len(call.args) == fn.nin:
            self._vectorised(call, vectorised()[fn])
        elif fn in FUNCTIONS and len(call.args) == 1:
            self._function(call, FUNCTIONS[fn], python=fn.__class__ is not np.ufunc)
        elif fn in PRINTED:
            PRINTED[fn](self, call)
        else:
            return False
        return True

    # -- arithmetic

    def _binary(self, call: Call, fn: Any) -> None:
        a, b = call.args
        symbol, result = SYMBOLS[fn], self.number_type(call)
        code = result.code
        if symbol == "**":
            self._power(call, code, checked=fn not in NEVER_RAISE)
            return
        if code == "i8":
            self._integer(call, symbol)
            return
        if code == "b1":
            self.refuse("arithmetic of booleans")
        if code == "c16" and symbol in ("//", "%"):
            self.refuse("a complex remainder")
        left, right = self.cast(a, code), self.cast(b, code)
        if call.result in self.hints.sums:
            self.define(call.result, result, f"nt.plus({left}, {right})")
            return
        if symbol in ("/", "//", "%") and fn not in NEVER_RAISE and (symbol != "/" or self.may_raise(call)):
            right = self.nonzero(b, right)
        text = f"{left} {symbol} {right}"
        self.define(call.result, result, text if symbol in "+-/" else self.unsigned(call, text))

    def may_raise(self, call: Call) -> bool:
        """Whether Python, not NumPy, may do the arithmetic: all operands may be numbers of its own."""
        own = frozenset({int, float, bool, complex})
        return (
            isinstance(call.fn, Const)
            and not isinstance(call.fn.value, np.ufunc)
            and all(self.kinds(a) & own for a in call.args)
        )

    def unsigned(self, call: Call, text: str) -> str:
        """A float that may stand for an integer: there is no negative zero among these."""
        found = self.kinds(call.result)
        if not found & WHOLE or found <= WHOLE:
            return text
        self.faults = True
        return f"nt.unsigned({text})"

    def nonzero(self, atom: Atom, text: str) -> str:
        """A divisor, checked unless it is known."""
        value = self.known(atom)
        if value is not None and value != 0:
            return text
        self.faults = True
        return f"nt.divisor({text})"

    def _integer(self, call: Call, symbol: str) -> None:
        a, b = call.args
        x, y = self.size(a), self.size(b)
        left, right = self.cast(a, "i8"), self.cast(b, "i8")
        if symbol in ("//", "%"):
            value, size = self.known(b), x if symbol == "//" else y
            if value is not None and value > 0:
                self.define(call.result, Number("i8"), f"{left} {symbol} {right}", min(size, 63))
                return
            self.faults = True
            name = "floordiv" if symbol == "//" else "mod"
            self.define(call.result, Number("i8"), f"nt.{name}({left}, {right})", min(size, 63))
            return
        size = x + y if symbol == "*" else max(x, y) + 1
        if size <= WORD_BITS:
            self.define(call.result, Number("i8"), f"{left} {symbol} {right}", size)
            self._follow(call, symbol)
            return
        self.faults = True
        name = {"+": "add", "-": "sub", "*": "mul"}[symbol]
        self.define(call.result, Number("i8"), f"nt.{name}({left}, {right})", 63)

    def _follow(self, call: Call, symbol: str) -> None:
        """The linear form of a sum, difference or multiple."""
        a, b = call.args
        left, right = self.known(a), self.known(b)
        if symbol in "+-":
            self.linear[call.result] = self.form(a).plus(self.form(b), 1 if symbol == "+" else -1)
        elif left is not None or right is not None:
            factor, other = (int(left), b) if left is not None else (int(right), a)
            self.linear[call.result] = Linear().plus(self.form(other), factor)

    def _power(self, call: Call, code: Code, checked: bool) -> None:
        a, b = call.args
        n = self.known(b)
        if code == "i8":
            self.faults = True
            self.define(call.result, Number("i8"), f"nt.power({self.cast(a, 'i8')}, {self.cast(b, 'i8')})", 63)
            return
        if code not in ("f8", "f4"):
            self.refuse("a complex power")
        base = self.cast(a, code)
        if n is not None and n == 2:
            text = f"{base} * {base}"
        elif n is not None and n == 3:
            text = f"{base} * {base} * {base}"
        else:
            text = f"{base} ** {self.cast(b, code)}"
        if checked and self.may_raise(call):
            self.faults = True
            text = f"nt.finite({text})"
        self.define(call.result, Number(code), text)

    # -- comparisons and logic

    def common(self, a: Atom, b: Atom) -> Code:
        """The machine type in which two numbers are compared."""
        have = {self.code(a), self.code(b)}
        if "c16" in have:
            return "c16"
        if have == {"f4", "f8"} or is_mixed(self.kinds(a)) or is_mixed(self.kinds(b)):
            pairs = [{p, q} for p in self.kinds(a) for q in self.kinds(b)]
            single = {np.float32 in pair and np.float64 not in pair for pair in pairs}
            if len(single) > 1:
                self.refuse("a comparison whose precision is decided at run time")
            return "f4" if True in single else "f8"
        for code in ("f8", "f4", "i8"):
            if code in have:
                return code
        return "b1"

    def _comparison(self, call: Call, symbol: str) -> None:
        a, b = call.args
        code = self.common(a, b)
        self.define(call.result, Number("b1"), f"{self.cast(a, code)} {symbol} {self.cast(b, code)}")

    def _bitwise(self, call: Call, symbol: str) -> None:
        a, b = call.args
        result = self.result_type(call)
        if result == Number("b1"):
            self.define(call.result, result, f"{self.cast(a, 'b1')} {symbol} {self.cast(b, 'b1')}")
            return
        size = max(self.size(a), self.size(b))
        self.define(call.result, Number("i8"), f"{self.cast(a, 'i8')} {symbol} {self.cast(b, 'i8')}", size)

    def truth(self, atom: Atom) -> str:
        """What `if atom:` decides."""
        value = self.known(atom)
        if value is not None:
            return str(bool(value))
        found = self.native_type(atom)
        if not isinstance(found, Number):
            self.refuse("a test of what is no number")
        name = self.atom(atom)
        return name if found.code == "b1" else f"{name} != 0"

    # -- functions

    def _function(self, call: Call, name: str, python: bool) -> None:
        result = self.number_type(call)
        if result.code == "c16" or self.code(call.args[0]) == "c16":
            self.refuse("a complex elementary function")
        code: Code = "f8" if python else result.code
        text = f"{name}({self.cast(call.args[0], code)})"
        if code == "f4":
            text = f"np.float32({text})"
        if python and name != "math.fabs":
            self.faults = True
            text = f"nt.finite({text})"
        self.define(call.result, result, text)

    def _vectorised(self, call: Call, name: str) -> None:
        """A function of NumPy or SciPy: one that becomes vector instructions in a loop."""
        result = self.number_type(call)
        if name == "pow" and (result.code == "i8" or result.code in DTYPES and self.known(call.args[1]) == 3):
            self._power(call, result.code, checked=False)
            return
        if result.code not in DTYPES:
            self.refuse("an elementary function of other than floats")
        self.elementary.add((name, result.code))
        args = ", ".join(self.cast(a, result.code) for a in call.args)
        self.define(call.result, result, f"{NAMES[name, result.code]}({args})")


Printed = Callable[[Scalars, Call], None]


def _negative(p: Scalars, call: Call) -> None:
    result = p.number_type(call)
    if result.code == "b1":
        p.refuse("the negative of a boolean")
    size = p.size(call.args[0]) if result.code == "i8" else None
    if size is not None and size > WORD_BITS:
        p.faults = True
        p.define(call.result, result, f"nt.sub(0, {p.cast(call.args[0], 'i8')})", 63)
        return
    p.define(call.result, result, p.unsigned(call, f"-{p.cast(call.args[0], result.code)}"), size)


def _positive(p: Scalars, call: Call) -> None:
    result = p.number_type(call)
    size = p.size(call.args[0]) if result.code == "i8" else None
    p.define(call.result, result, p.cast(call.args[0], result.code), size)


def _abs(p: Scalars, call: Call) -> None:
    result, value = p.number_type(call), p.cast(call.args[0], p.code(call.args[0]))
    size = p.size(call.args[0]) if result == Number("i8") else None
    if size is not None and size > WORD_BITS:
        p.refuse("the magnitude of an integer without bound")
    p.define(call.result, result, f"abs({value})", size)


def _convert(p: Scalars, call: Call) -> None:
    if len(call.args) != 1:
        p.refuse("a conversion with settings")
    result = p.number_type(call)
    have = p.code(call.args[0])
    if result.code == "i8" and have in ("f8", "f4"):
        p.faults = True
        p.define(call.result, result, f"nt.whole({p.cast(call.args[0], 'f8')})", 63)
        return
    size = p.size(call.args[0]) if result.code == "i8" else None
    p.define(call.result, result, p.cast(call.args[0], result.code), size)


def _pair(name: str) -> Printed:
    def printed(p: Scalars, call: Call) -> None:
        if len(call.args) < 2:
            p.refuse(f"{name} of a single thing")
        result = p.number_type(call)
        text, *others = (p.cast(x, result.code) for x in call.args)
        size = max(map(p.size, call.args)) if result.code == "i8" else None
        step = f"{name}_of_all" if call.result in p.hints.sums else name
        for other in others:  # in Python's order
            text = f"nt.{step}({text}, {other})"
        p.define(call.result, result, text, size)

    return printed


def _not(p: Scalars, call: Call) -> None:
    p.define(call.result, Number("b1"), f"not ({p.truth(call.args[0])})")


def _bool(p: Scalars, call: Call) -> None:
    p.define(call.result, Number("b1"), p.truth(call.args[0]))


def _identity(p: Scalars, call: Call) -> None:
    (value,) = call.args
    if isinstance(value, Var) and value in p.names:
        p.alias(call.result, value)
    elif isinstance(value, Var) and value in p.made:
        p.made[call.result] = p.made[value]
    else:
        p.define(call.result, p.native_type(value), p.atom(value))


def _two(name: str, python: bool) -> Printed:
    def printed(p: Scalars, call: Call) -> None:
        a, b = (p.cast(x, "f8") for x in call.args)
        result = p.result_type(call)
        if result != Number("f8"):
            p.refuse(f"{name} in single precision")
        p.faults |= python
        text = f"{name}({a}, {b})"
        p.define(call.result, result, f"nt.finite({text})" if python else text)

    return printed


def _square(p: Scalars, call: Call) -> None:
    result = p.result_type(call)
    if not isinstance(result, Number) or result.code not in ("f8", "f4"):
        p.refuse("the square of other than a float")
    x = p.cast(call.args[0], result.code)
    p.define(call.result, result, f"{x} * {x}")


def _conjugate(p: Scalars, call: Call) -> None:
    if p.code(call.args[0]) == "c16":
        p.define(call.result, Number("c16"), f"{p.atom(call.args[0])}.conjugate()")
        return
    _convert(p, call)


def _real(p: Scalars, call: Call) -> None:
    if p.code(call.args[0]) == "c16":
        p.define(call.result, Number("f8"), f"{p.atom(call.args[0])}.real")
        return
    _convert(p, call)


def _test(name: str) -> Printed:
    def printed(p: Scalars, call: Call) -> None:
        p.define(call.result, Number("b1"), f"math.{name}({p.cast(call.args[0], 'f8')})")

    return printed


def _sign(p: Scalars, call: Call) -> None:
    result = p.result_type(call)
    if not isinstance(result, Number) or result.code not in ("f8", "f4"):
        p.refuse("the sign of other than a float")
    p.define(call.result, result, f"np.sign({p.cast(call.args[0], result.code)})")


def _where(p: Scalars, call: Call) -> None:
    result = p.result_type(call)
    if len(call.args) != 3 or not isinstance(result, Number) or p.native_type(call.args[0]) != Number("b1"):
        p.refuse("a choice between other than numbers")
    test, (one, other) = p.atom(call.args[0]), (p.cast(a, result.code) for a in call.args[1:])
    p.define(call.result, result, f"({one} if {test} else {other})")


def _rounded(name: str) -> Printed:
    def printed(p: Scalars, call: Call) -> None:
        result = p.result_type(call)
        if result == Number("i8") and p.code(call.args[0]) == "f8":
            p.faults = True
            text = f"nt.whole(np.{name}({p.cast(call.args[0], 'f8')}))"
            p.define(call.result, result, text, 63)
        elif result == Number("f8"):
            p.define(call.result, result, f"np.{name}({p.cast(call.args[0], 'f8')})")
        else:
            p.refuse(f"{name} of other than a float")

    return printed


TWO: dict[Any, tuple[str, bool]] = {
    math.atan2: ("math.atan2", True),
    math.hypot: ("math.hypot", True),
    math.pow: ("math.pow", True),
    math.copysign: ("math.copysign", False),
    np.copysign: ("math.copysign", False),
}
"""Functions of two numbers, and whether Python's may raise."""


def _asked(p: Scalars, call: Call) -> None:
    """A question that a kernel has answered where it computed the value: a power that is complex is none of its own."""


def _zero(p: Scalars, call: Call) -> None:
    """`rt.zeros_like` of a number, also of one that is not there: nobody reads what has no value."""
    have = p.native_type(call.args[0])
    if isinstance(have, TupleOf) and all(n in (Number("f8"), Number("i8")) for n in have.items):
        zeros = TupleOf(tuple(Number("f8") for _ in have.items))  # those of integers are floats
        p.define(call.result, zeros, "(" + "0.0, " * len(have.items) + ")")
        return
    if not isinstance(have, Number) or have.code in ("i8", "b1"):
        p.refuse("the zero tangent of other than a float")
    p.define(call.result, have, p.constant(0.0) if have.code != "c16" else p.constant(0j))


def _integers(name: str, single: bool) -> Printed:
    """A function of `math` that is one of integers."""

    def printed(p: Scalars, call: Call) -> None:
        if len(call.args) != 1 + (not single) or any(p.code(a) not in ("i8", "b1") for a in call.args):
            p.refuse(f"{name} of other than {'an integer' if single else 'two integers'}")
        p.faults = True
        p.define(call.result, Number("i8"), f"nt.{name}({', '.join(p.cast(a, 'i8') for a in call.args)})", 63)

    return printed


def _one_length(p: Scalars, call: Call) -> None:
    """`rt.one_length(place, *lengths)`: all of them are one."""
    first, *others = (p.cast(a, "i8") for a in call.args[1:])
    for other in others:
        p.fault_if(f"{first} != {other}")
    p.define(call.result, Number("i8"), first, p.size(call.args[1]))


def _seed(p: Scalars, call: Call) -> None:
    """`rt.seed`, which asks whether a function has given a real number."""
    value = call.args[-1]
    if p.code(value) not in ("f8", "f4", "i8"):
        p.refuse("a cotangent of other than a real number")
    p.read(value)
    p.define(call.result, Number("f8"), "1.0")


PRINTED: dict[Any, Printed] = {
    **dict.fromkeys((operator.neg, np.negative), _negative),
    **dict.fromkeys((operator.pos, np.positive), _positive),
    **dict.fromkeys((operator.abs, builtins.abs, np.absolute), _abs),
    **dict.fromkeys((builtins.float, builtins.int, builtins.complex), _convert),
    **dict.fromkeys((np.float64, np.float32, np.int64, np.complex128, np.bool_), _convert),
    **dict.fromkeys((builtins.bool, operator.truth), _bool),
    **dict.fromkeys((operator.not_, np.logical_not), _not),
    builtins.min: _pair("lesser"),
    builtins.max: _pair("greater"),
    np.minimum: _pair("minimum"),
    np.maximum: _pair("maximum"),
    ops.identity: _identity,
    plain.check_real: _asked,
    plain.seed: _seed,
    state.one_length: _one_length,
    arrays.zeros_like: _zero,
    np.square: _square,
    np.conjugate: _conjugate,
    np.real: _real,
    np.sign: _sign,
    np.where: _where,
    **{fn: _two(*how) for fn, how in TWO.items()},
    **{getattr(math, name): _integers(name, name == "factorial") for name in ("comb", "factorial", "gcd", "perm")},
    **{getattr(m, name): _test(name) for m in (math, np) for name in ("isnan", "isinf", "isfinite")},
    **{getattr(m, name): _rounded(name) for m in (math, np) for name in ("floor", "ceil", "trunc")},
}
