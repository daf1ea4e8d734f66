"""The errors for active calls that have no derivative: what is in the way, and the way around."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.builder import Builder
from adcompile.analysis.library import MADE_OUTSIDE, is_of_user
from adcompile.analysis.mutation import AUGMENTED, FUNCTIONS, ITEM_WRITES, METHODS
from adcompile.analysis.terminated import Terminated
from adcompile.analysis.unfollowed import REMEDY, name_of
from adcompile.errors import NotDifferentiable, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Call, Const, OpaqueCode, Place, Raise, Var
from adcompile.ir.types import Instance, is_array_subclass
from adcompile.rules.registry import remedies
from adcompile.runtime.structure import defines_operators

IN_PLACE: set[Any] = {*ITEM_WRITES, *AUGMENTED, *METHODS, *FUNCTIONS, ops.list_set, np.ufunc.at}


def is_in_place(fn: Any) -> bool:
    """Whether a callable writes into its first argument."""
    try:
        return fn in IN_PLACE
    except TypeError:
        return False


ITERATORS = [fn for fn in (zip, enumerate, reversed, map, filter, *vars(itertools).values()) if isinstance(fn, type)]
WRITTEN: dict[Any, tuple[str, str]] = {
    **dict.fromkeys(
        (ops.unpack, ops.unpack_star),
        ("this takes apart a value of no known structure, which carries derivatives",
         "make it a tuple, a list or an array, or read its parts by their positions: items[i]"),
    ),
    ops.apply: (
        "a call with * or ** of a value of no known structure, which carries derivatives",
        "write the arguments out, or splat a tuple, list or dict of known length",
    ),
    **dict.fromkeys(
        (ops.build_set, set, frozenset, operator.or_, operator.and_, operator.xor),
        ("a set of values that carry derivatives", "make it a list or a tuple"),
    ),
    **dict.fromkeys(
        (ops.build_dict, ops.dict_merge, ops.kwargs_merge, dict),
        ("a dict whose keys are not known when the derivative is made, of values that carry derivatives",
         "use a list or an array, indexed by numbers, or keys that are written out"),
    ),
    **dict.fromkeys(
        (ops.list_concat, ops.tuple_concat, ops.push, ops.pop, list, tuple),
        ("a list or tuple made of a value of no known structure, which carries derivatives",
         "go through arrays, lists, tuples and ranges"),
    ),
    **dict.fromkeys(
        (iter, next, sum, sorted, *ITERATORS),
        ("an iterable of no known structure, which carries derivatives", "go through arrays, lists, tuples and ranges"),
    ),
}  # fmt: skip
"""What the user wrote where a callable of no derivative stands for syntax, or for a builtin's general case."""


REGISTER = "register one with adcompile.rules.vjp or adcompile.rules.frule, or adcompile.rules.non_differentiable"
TOLD = "what a solver tells beside its solution; compute it of the solution in NumPy"
DYNAMIC = (rt.dots_of, rt.pull_jvp, rt.pull_vjp, rt.pull_split, rt.held_bar)
"""Second derivatives that are looked up when the code runs."""
CALLED = (rt.called, rt.pulled, rt.pushed, rt.pushed_along)
"""Steps of rules whose bodies are called."""


def hashable(fn: Any) -> bool:
    try:
        hash(fn)
    except TypeError:
        return False
    return True


def refuse(call: Call) -> NotDifferentiable | Unsupported:
    """The error for an active call that has no derivative."""
    if not isinstance(call.fn, Const):
        return NotDifferentiable(
            "the function called here is not known when the derivative is made",
            call.place,
            "call a function that is bound to one name, or pass it as an argument",
        )
    fn = call.fn.value
    if isinstance(fn, OpaqueCode):
        return Unsupported(f"{fn.feature} around values that carry derivatives", fn.place, fn.remedy)
    if is_in_place(fn):
        return Unsupported(
            "a write in place of values that carry derivatives is not supported yet",
            call.place,
            REMEDY,
        )
    if fn in (getattr, operator.getitem):
        return NotDifferentiable(
            "what this reads from is of no known type when the derivative is made, and carries derivatives",
            call.place,
            "pass the parts as arguments: floats, arrays, or tuples, lists and dicts of these",
        )
    if fn in DYNAMIC:
        return NotDifferentiable(
            "a third derivative through a call that is decided when the code runs",
            call.place,
            "choose between the functions with if and else, so that they are known, or nest jvp alone",
        )
    if fn in CALLED:
        body = call.args[0].value if isinstance(call.args[0], Const) else None
        name = rt.name_of(body) if body is not None else "which gave this pullback"
        return NotDifferentiable(
            f"no derivative of the rule {name}: its source cannot be read, so that it is called, not followed",
            call.place,
            "define it in a file, or register a rule for the rule: adcompile.rules.vjp(the_rule, …)",
        )
    if fn is rt.beside:
        told = call.args[2].value if len(call.args) > 2 and isinstance(call.args[2], Const) else TOLD
        what, _, remedy = str(told).partition("; ")
        return NotDifferentiable(f"no derivative of {what}", call.place, remedy)
    home = str(getattr(fn, "__module__", None) or "").partition(".")[0]
    if getattr(fn, "__module__", None) in MADE_OUTSIDE:
        return NotDifferentiable(
            "a pullback or linear map that was made outside of the function that is differentiated",
            call.place,
            "call vjp or linearize within the function: their derivatives are followed there",
        )
    written = WRITTEN.get(fn) if hashable(fn) else None
    if written is not None or home == "adcompile":
        message, remedy = written or ("no derivative is known of what is done here", "write it in another way")
        return NotDifferentiable(message, call.place, remedy)
    module, name = getattr(fn, "__module__", None), name_of(fn) or repr(fn)
    if getattr(fn, "__objclass__", None) is np.ufunc and call.args and isinstance(call.args[0], Const):
        module, name = "numpy", f"{call.args[0].value.__name__}.{fn.__name__}"
    if home == "scipy" and module:
        module = ".".join(part for part in module.split(".") if part[0] != "_")  # where users import it from
    return NotDifferentiable(
        f"no derivative rule for {module + '.' if module and module != 'builtins' else ''}{name}",
        call.place,
        (remedies.get(fn, "") if hashable(fn) else "") or REGISTER,
    )


def refuse_argument(call: Call, which: int | str) -> None:
    """Raise for an active argument that a rule has no cotangent for. Of the arguments of our own
    helpers those count by their shape alone."""
    assert isinstance(call.fn, Const)
    fn = call.fn.value
    if getattr(fn, "__module__", "").startswith("adcompile.runtime"):
        return
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", "this function")
    argument = f"the argument {which!r}" if isinstance(which, str) else f"argument {which + 1}"
    raise NotDifferentiable(
        f"no derivative of {name} with respect to {argument}",
        call.place,
        "pass a value there that carries no derivative, or register a rule with adcompile.rules.vjp",
    )


def refuse_subclass(b: Builder, call: Call) -> None:
    """Raises Unsupported where arrays of a class of their own take part, matrices and masked arrays, and
    where NumPy or a number of its own meets an object whose class says what arithmetic does."""
    for atom in (*call.args, *(value for _, value in call.kwargs), call.result):
        t = b.type(atom)
        if not isinstance(t, Instance):
            continue
        if is_array_subclass(t):
            message = f"an array of class {t.cls.__name__} in what carries derivatives"
            raise Unsupported(message, call.place, "make it a plain array before: np.asarray(a)")
        if is_of_user(t.cls) and (defines_operators(t.cls, False) or hasattr(t.cls, "__array__")):
            message = f"a {t.cls.__name__} in what carries derivatives, whose class says what arithmetic does"
            raise Unsupported(message, call.place, "make it a number or an array before: float(a), np.asarray(a)")


def given_up(stopped: Terminated, definition: Mapping[Var, Call], place: Place | None) -> NotDifferentiable | None:
    """The error for a rule whose body says, by raising NotImplementedError("the derivative of …; remedy"), that it
    does not cover these arguments."""
    error = stopped.end.exception if isinstance(stopped.end, Raise) else None
    made = definition.get(error) if isinstance(error, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not NotImplementedError:
        return None
    message = made.args[0].value if made.args and isinstance(made.args[0], Const) else "this call"
    what, _, remedy = str(message).partition("; ")
    remedy = remedy or "pass a value there that carries no derivative, or register a rule with adcompile.rules.vjp"
    return NotDifferentiable(f"no derivative of {what.removeprefix('the derivative of ')}", place, remedy)
