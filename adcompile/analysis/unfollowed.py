"""The errors for writes that are not followed: what is written into, and what to write instead."""

from __future__ import annotations

import collections
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.detached import is_in
from adcompile.analysis.intrusive import written_unsaid
from adcompile.errors import Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Call, Const, OpaqueCode, Var
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import Array, DictT, Instance, ListT, Seq, Type, Unknown
from adcompile.ir.walk import atoms_of

REMEDY = "build a new array instead, e.g. with np.where, np.concatenate or np.stack, or y = y + … for y += …"
FOLLOWED = "that carry derivatives"
PERMUTED = "take the permutation as an index: x[:] = x[rng.permutation(len(x))]"
INSTEAD: dict[type, str] = {
    collections.deque: "use a list: q.append(v), q.pop(0), q.insert(0, v)",
    collections.Counter: "use a dict whose keys are written out, or an array indexed by numbers",
    collections.OrderedDict: "use a dict, which keeps the order of its keys",
    collections.defaultdict: "use a dict whose keys are written out, or a list or an array indexed by numbers",
    collections.ChainMap: "use one dict: {**defaults, **others}",
    list: "put the positions of the values into it, and the values into one list or array: "
    "sum(x[i] for i in group[k]); or keep the lists under names of their own",
}
CALLS: dict[Any, str] = {
    np.random.shuffle: PERMUTED,
    np.random.Generator.shuffle: PERMUTED,
    np.random.RandomState.shuffle: PERMUTED,
    np.ndarray.byteswap: "work on numbers in the byte order of the machine",
}
AUGMENTED: dict[Any, str] = {
    getattr(operator, name): sign
    for name, sign in zip(
        "iadd isub imul itruediv ifloordiv imod ipow imatmul".split(), ("+", "-", "*", "/", "//", "%", "**", "@")
    )
}
IN_LISTS = "keep the values in arrays or lists of numbers, or loop over a range of at most 16 known numbers"


def refuse_store(
    call: Call, target: Atom, types: Mapping[Var, Type], definition: Mapping[Var, Call] | None = None
) -> Unsupported:
    """The error for a write of, or into, values with derivatives that no rule describes."""
    t = types[target] if isinstance(target, Var) else None
    message, remedy = reason(call, t)
    first = first_unknown(call, types, definition or {}) if isinstance(t, Unknown) else None
    if first is not None and first.place is not None:
        remedy += f" (the first of no known type is {called(first)}, in line {first.place.line})"
    return Unsupported(message, call.place, remedy)


def first_unknown(call: Call, types: Mapping[Var, Type], definition: Mapping[Var, Call]) -> Call | None:
    """The call that the values of no known type come of which another one is given: all that it is given itself
    is known."""
    todo, seen, found = list(atoms_of(call)), set[Atom](), None
    while todo:
        atom = todo.pop(0)
        if atom in seen or not isinstance(atom, Var) or not isinstance(types[atom], Unknown):
            continue
        seen.add(atom)
        made = definition.get(atom)
        if made is None:
            continue  # what a branch or a loop hands on
        given = [a for a in atoms_of(made) if isinstance(a, Var) and isinstance(types[a], Unknown)]
        if not given and called(made) is not None:
            found = found or made
        todo += given
    return found


def called(call: Call) -> str | None:
    """What the user sees of a call; None of an operator, which gives what it is given."""
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if fn is operator.getitem:
        return "an item that is read"
    if fn is getattr and len(call.args) > 1 and isinstance(call.args[1], Const):
        return f"the attribute {call.args[1].value!r} of an object that is not known"
    name = name_of(fn)
    return None if name is None or getattr(operator, name, None) is fn else f"what {name}() gives"


def reason(call: Call, t: Type | None) -> tuple[str, str]:
    fn = call.fn.value if isinstance(call.fn, Const) else None
    if isinstance(fn, OpaqueCode):
        return f"{fn.feature} around values {FOLLOWED}", fn.remedy
    if isinstance(fn, FunctionRef):
        return (
            f"a recursive function that writes into a list, a dict or an object, of values {FOLLOWED}",
            "return what it finds, and put it together where it is called; or write into an array",
        )
    if fn is None:
        return (
            f"a call of a function that is known only when the code runs, and may write into values {FOLLOWED}",
            "choose with if and else, and call each function there by its name",
        )
    unsaid = written_unsaid(fn)
    if unsaid:
        return (
            f"{name_of(fn)}() has a rule, and writes into its argument {unsaid[0]!r}, values {FOLLOWED}",
            f"say so in the rule: writes={unsaid[0]!r}, or use adcompile.rules.overlay (see docs/adding_a_rule.md)",
        )
    if is_dict(t):
        return (
            f"a write into a dict under a key that is met when the code runs, of values {FOLLOWED}",
            "use a list or an array, indexed by numbers, or keys that are written out or run over a short known range",
        )
    if fn is ops.set_attribute:
        return (
            f"an attribute of a class, function, module or live object is set to values {FOLLOWED}, and code that "
            "is not followed may read or set it too",
            "hand the value on as an argument or a result",
        )
    if fn in (setattr, delattr) and isinstance(t, Instance):
        named = f"a {t.cls.__name__} that is met when the code runs"
        return f"an attribute is set of {named}, to values {FOLLOWED}", IN_LISTS
    if fn is np.nan_to_num:
        return f"np.nan_to_num with copy=False, of values {FOLLOWED}", "write x[...] = np.nan_to_num(x)"
    if isinstance(t, Instance):
        remedy = next((r for cls, r in INSTEAD.items() if issubclass(t.cls, cls)), "use lists, dicts and arrays")
        met = " that is chosen when the code runs" if t.cls in (list, dict) else ""
        return f"a write into a {t.cls.__name__}{met}, of values {FOLLOWED}", remedy
    if isinstance(t, Unknown) and fn is operator.setitem:
        return (
            f"a write into something of no known type, of or into values {FOLLOWED}",
            "write into an array by its own name: a[i] = v in a loop over numbers or np.ndindex(a.shape)",
        )
    if isinstance(t, (Seq, ListT)) and fn in (operator.setitem, ops.list_set, setattr):
        return f"a write into a list that is an item of a list of unknown length, of values {FOLLOWED}", IN_LISTS
    if isinstance(t, Unknown) and is_in(fn, AUGMENTED):
        sign = AUGMENTED[fn]
        return (
            f"{sign}= on something of no known type, which may be an array or a list, of values {FOLLOWED}",
            f"write y = y {sign} … where numbers are meant; of arrays, objects and lists: {IN_LISTS}",
        )
    if fn is rt.solve:
        return (
            f"a function that a solver of SciPy is given, and that may write into values {FOLLOWED}",
            "let it return what it computes, and write into nothing that outlives it",
        )
    name = name_of(fn)
    if name is None or fn in (operator.setitem, setattr) or getattr(operator, name.strip("_"), None) is fn:
        return f"a write in place of, or into, values {FOLLOWED} is not supported yet", REMEDY
    if isinstance(t, Array) and is_in(fn, CALLS):
        return f"{name}() writes into an array of values {FOLLOWED}, and has no rule", CALLS[fn]
    return (
        f"{name}() may write into what it is given, values {FOLLOWED}",
        "write what it does with lists and arrays, or register a rule: adcompile.rules.frule, adcompile.rules.vjp",
    )


def is_dict(t: Type | None) -> bool:
    return isinstance(t, DictT) or isinstance(t, Instance) and t.cls is dict


def name_of(fn: Any) -> str | None:
    """What an error calls a callable: methods of ufuncs by both names."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{fn.__name__}"
    return getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None)
