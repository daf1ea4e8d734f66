"""What may be run again on the way back: calls that give the same and leave nothing behind.

What is read of modules and live objects may be another thing by then; it is read once, before.
"""

from __future__ import annotations

import _random
import functools
import operator
import random
from collections.abc import Container, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory, effect_of
from adcompile.analysis.builder import Builder, Context
from adcompile.analysis.intrusive import OURS, written_unsaid
from adcompile.analysis.mutation import Classes, Node, is_unknown_call, reference_of
from adcompile.analysis.views import fn_of
from adcompile.autodiff.writes import as_write
from adcompile.errors import Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Attempt, Block, Call, Const, For, If, OpaqueCode, Raise, Statement, Var, Way, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    Array,
    Closure,
    DictT,
    Instance,
    Known,
    ListT,
    ObjectT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
)
from adcompile.ir.walk import Rewriter, all_blocks, atoms_of, defined, end_atoms, is_border, statements_of
from adcompile.rules.registry import lookup

if TYPE_CHECKING:
    from adcompile.autodiff.reverse import Sweep

READS: tuple[Any, ...] = (ops.load_global, ops.import_from)


def hoisted(context: Context, block: Block) -> tuple[Sequence[Statement], Block]:
    """What a block reads of modules and of live objects, to stand before it; and the block without that."""
    inside = defined(block)
    found: list[Call] = []
    for call in statements_of(block):
        if isinstance(call, Call) and is_read(context, call) and not any(a in inside for a in (call.fn, *call.args)):
            found.append(call)
            inside.discard(call.result)
    return (found, _Without(found).block(block)) if found else ([], block)


def is_read(context: Context, call: Call) -> bool:
    """Whether a call reads a name of a module, or an attribute or element of a live object."""
    fn = fn_of(call)
    if fn in READS:
        return True
    if fn not in (getattr, operator.getitem) or call.kwargs:
        return False
    owner = call.args[0]
    return isinstance(owner, Const) or isinstance(context.types[owner], (Instance, Unknown))


class _Without(Rewriter):
    def __init__(self, calls: list[Call]) -> None:
        self.results = {c.result for c in calls}

    def call(self, call: Call) -> tuple[Statement, ...]:
        return () if call.result in self.results else (call,)


def check_repeatable(sweep: Sweep, block: Block) -> None:
    """Raise Unsupported for calls in a block that may give something else, or show, when they run again."""
    context = sweep.context
    for st in passed_again(block):
        if isinstance(st, Attempt):
            raise refuse(st)
        if isinstance(st, Call) and st.role == "primal":  # what we add is known to be
            check_call(sweep, st, set())
    for st in statements_of(block):
        check_constants(context, st)


def check_same(
    b: Builder, statements: Sequence[Statement], results: Sequence[Atom], what: str, restored: Sequence[Atom]
) -> None:
    """Raise Unsupported where statements that run again read what may be something else by then: a random number,
    the next item of an iterator, what code that is not followed gives, or a list, a dict or an object from outside
    that they themselves write into and that is none of those `restored` before."""
    found = varying(b.context, Block((), tuple(statements), Yield()), set())
    if found is not None:
        raise Unsupported(
            f"{what}, and this may give something else the next time",
            found.place or b.place,
            "do it before, and pass the function what it gives (draw random numbers outside)",
        )
    found = read_back(b, statements, results, restored)
    if found is not None:
        raise Unsupported(
            f"{what}, and this reads a list, a dict or an object that outlives it and that it writes into",
            found.place or b.place,
            "pass what it counts or keeps as an argument, or do not let the result depend on it",
        )


def read_back(
    b: Builder, statements: Sequence[Statement], results: Sequence[Atom], restored: Sequence[Atom]
) -> Call | None:
    """A call on whose result the `results` depend and that reads a list, a dict or an object from outside which the
    statements write into. Arrays, and what is `restored`, are put back between two runs."""
    memory = _Lists(b, statements)
    outside = {memory.find(n) for n in memory.entered} - {memory.find(n) for a in restored for n in memory.nodes(a)}
    held = [w for w in memory.written if isinstance(w.target, Const) or not isinstance(b.type(w.target), Array)]
    stores = {w.call: outside.intersection(map(memory.find, memory.nodes(w.target))) for w in held}
    kept = set[Any]().union(*stores.values())
    if not kept:
        return None
    sources = _Sources(statements)
    others = [a for w in memory.written if not stores.get(w.call) for a in atoms_of(w.call)]
    needed = sources.behind([*results, *others, *sources.tests])
    for call in memory.definition.values():
        seen = {memory.find(n) for a in atoms_of(call) for n in memory.nodes(a)}
        if call.result in needed and fn_of(call) not in READS and not kept.isdisjoint(seen):
            return call
    return None


class _Lists(Memory):
    """Lists, dicts and objects from outside may be one; arrays are none of them."""

    def may_overlap(self, n: Node) -> bool:
        loads = [c.result for c in self.definition.values() if fn_of(c) in READS and n in self.nodes(c.args[0])]
        return not any(isinstance(self.types[v], Array) for v in (loads if not isinstance(n, Var) else [n]))


class _Sources(Classes):
    """What values are computed of, and what loops and branches ask."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.of: dict[Atom, list[Atom]] = {}
        self.tests: list[Atom] = []
        for s in statements_of(Block((), tuple(statements), Yield())):
            self.statement(s)
            self.tests += [s.test] if isinstance(s, If) else [s.iterable] if isinstance(s, For) else []

    def join(self, a: Atom, b: Atom) -> None:
        self.of.setdefault(a, []).append(b)

    def call(self, s: Call) -> None:
        self.of.setdefault(s.result, []).extend(atoms_of(s))

    def behind(self, atoms: Sequence[Atom]) -> set[Atom]:
        """These, and all that they are computed of."""
        out, todo = set[Atom](), list(atoms)
        while todo:
            atom = todo.pop()
            if isinstance(atom, Var) and atom not in out:
                out.add(atom)
                todo += self.of.get(atom, ())
        return out


def varying(context: Context, block: Block, seen: set[FunctionRef]) -> Call | None:
    """A call whose result is read, or which writes, and that may give something else when it runs again."""
    used = {a for inner in all_blocks(block) for s in inner.statements for a in atoms_of(s)}
    used.update(a for inner in all_blocks(block) for a in end_atoms(inner.end))
    inside = defined(block)
    for s in passed_again(block):
        if not isinstance(s, Call) or s.role != "primal":
            continue
        ref = reference_of(s)
        function = None if ref is None else context.functions.get(ref)
        if function is not None and ref is not None and ref not in seen:
            seen.add(ref)
            found = varying(context, function.body, seen)
            if found is not None:
                return found
        if draws(context, s, inside) and (s.result in used or as_write(Builder(context), s) is not None):
            return s
    return None


def draws(context: Context, s: Call, inside: Container[Atom]) -> bool:
    """Whether a call may give something else the next time, from the same arguments and memory. A generator or
    iterator that is itself made `inside` begins anew."""
    fn = fn_of(s)
    if reference_of(s) is not None or fn in READS or is_border(s):
        return False
    if fn is None or isinstance(fn, OpaqueCode):
        return not isinstance(fn, Way)
    own = any(fn is f for f in OF_THEIR_OWN) and s.args[0] in inside and begins_anew(context, s.args[0])
    if own or begins_anew(context, s.result) or any(fn is f for f in AGAIN):
        return False
    rule = lookup(fn)
    return fn is next or (is_unknown_call(fn) and not isinstance(fn, type) if rule is None else not rule.pure)


def begins_anew(context: Context, atom: Atom) -> bool:
    """Whether a value is a generator made of a seed, or an iterator made of a container: of an iterator or
    generator, the same function gives itself."""
    made = context.definition.get(atom) if isinstance(atom, Var) else None
    if made is None or not made.args:
        return False
    t = Builder(context).type(made.args[0])
    if fn_of(made) is iter:
        return isinstance(t, (ListT, TupleT, DictT, Seq, Array))
    seed = isinstance(t, (Scalar, Array, ListT, TupleT)) or isinstance(t, Known) and t.value is not None
    return seed and any(fn_of(made) is f for f in SEEDED)


SEEDED = (np.random.default_rng, np.random.RandomState, random.Random)
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random, _random.Random)
OF_THEIR_OWN = [next, *(m for c in GENERATORS for m in vars(c).values())]
"""What these give depends on the object that they are given first, and on nothing else that changes."""

AGAIN = (rt.solve, rt.inside)
"""These give the same again: solvers, of functions that do."""


def passed_again(block: Block) -> list[Statement]:
    """The statements that may run again: none of a block that ends with an exception, which what runs again
    has not raised."""
    raising = [inner for inner in all_blocks(block) if isinstance(inner.end, Raise)]
    never = {st for inner in raising for st in statements_of(inner)}
    return [st for st in statements_of(block) if st not in never]


def check_call(sweep: Sweep, s: Call, seen: set[FunctionRef]) -> None:
    """Raise Unsupported unless a call does the same every time."""
    context = sweep.context
    if isinstance(s.fn, Const) and isinstance(s.fn.value, Way):
        return
    if not isinstance(s.fn, Const) or isinstance(s.fn.value, OpaqueCode):
        raise refuse(s)
    if isinstance(s.fn.value, FunctionRef):
        check_function(sweep, s, s.fn.value, seen)
        return
    fn = fn_of(s)
    if is_border(s):
        return
    if fn is None or fn in READS:
        raise refuse(s)
    rule = lookup(fn)
    again = any(fn is f for f in AGAIN)
    if rule is not None and not again and (not rule.pure or written_unsaid(fn)):
        raise refuse(s)
    if rule is None and is_unknown_call(fn) and not isinstance(fn, type):
        raise refuse(s)
    if as_write(Builder(context), s) is None and rule is None and has_effect(s):
        raise refuse(s)
    if not again and hands_over(context, s):
        raise refuse(s)


def hands_over(context: Context, s: Call) -> bool:
    """Whether a call gives a library what it may run."""
    fn, types = fn_of(s), [Builder(context).type(a) for a in (*s.args, *(a for _, a in s.kwargs))]
    ours = str(getattr(fn, "__module__", "")).partition(".")[0] == "adcompile" and not any(fn is f for f in ASKING)
    if ours or any(fn is f for f in LOOKING):
        return False
    if fn is operator.getitem and isinstance(types[0], (Seq, TupleT, ListT, DictT)):
        return False
    return any(map(runs_code, types))


def runs_code(t: Type) -> bool:
    """Whether a library that is given a value of this type may run code of the user's that nobody has followed."""
    match t:
        case Known(value):
            return is_unruled(value)
        case Instance(cls) | ObjectT(cls=cls):
            return is_unruled(cls)
        case TupleT(items) | ListT(items):
            return any(map(runs_code, items))
        case DictT(_, values):
            return any(map(runs_code, values))
        case Seq(item):
            return runs_code(item)
        case _:
            return isinstance(t, Closure)


def is_unruled(value: Any) -> bool:
    """Whether somebody has written a function, a class or the class of an object in Python, other than in the libraries
    that there are rules for."""
    if isinstance(value, (np.vectorize, functools.partial)):
        return True
    home = value if isinstance(value, (type, FunctionType)) else type(value)
    return str(home.__module__).partition(".")[0] not in OURS


LOOKING: tuple[Any, ...] = (isinstance, type, id, callable, operator.is_, operator.is_not, getattr)
"""These run no code of what they are given."""
ASKING: tuple[Any, ...] = (
    ops.format_value, ops.build_string, ops.truth, ops.unpack, ops.unpack_star, ops.arguments, ops.tuple_concat,
)  # fmt: skip
"""These do, of ours; others of ours are given functions that are followed."""


EFFECTS: tuple[Any, ...] = (setattr, delattr, next, print, input, open)


def has_effect(s: Call) -> bool:
    fn = fn_of(s)
    return any(fn is e for e in EFFECTS) or getattr(fn, "__objclass__", None) in (list, dict, set)


def check_function(sweep: Sweep, s: Call, ref: FunctionRef, seen: set[FunctionRef]) -> None:
    """The same of a function called by reference, and those that it calls."""
    if ref in seen:
        return
    seen.add(ref)
    called = effect_of(sweep.context, s)
    if called is None or called.reads or called.writes or sweep.derived.is_linked(s, sweep.mirrored):
        raise Unsupported(
            "a recursive function in a checkpointed loop or call that reads or writes arrays of the program",
            s.place,
            "let it take and return numbers or new arrays",
        )
    for st in passed_again(sweep.context.functions[ref].body):
        if isinstance(st, Call):
            check_call(sweep, st, seen)


def check_constants(context: Context, s: Statement) -> None:
    """Refuse arrays met at compile time, which are not handed over as values."""
    atoms: tuple[Atom, ...] = s.args if isinstance(s, Call) else ()
    if any(isinstance(a, Const) and isinstance(a.value, np.ndarray) for a in atoms):
        raise Unsupported(
            "a checkpointed loop or call that reads an array of an object or module by itself",
            s.place,
            "give the array a name before: table = self.table",
        )


def refuse(s: Call | Attempt) -> Unsupported:
    return Unsupported(
        "this may give something else, or be seen, when a checkpointed loop or call runs it again",
        s.place,
        "do it before or behind, or keep what is computed (loop over range; call the function itself)",
    )
