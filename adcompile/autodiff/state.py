"""In-place state around a derivative: shadows at entry, what the caller sees put back at the end."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from adcompile import runtime as rt
from adcompile.analysis.activity import Activity
from adcompile.analysis.alias import Memory, puts
from adcompile.analysis.builder import CONSTRUCTORS, Builder, Context, is_structured
from adcompile.analysis.heap import reached as cells_reached
from adcompile.analysis.heap import settle
from adcompile.analysis.mutation import AUGMENTED, has_memory, writes_into
from adcompile.analysis.views import OVERLAPPING, fn_of, may_view
from adcompile.autodiff.cotangents import shadow_type
from adcompile.autodiff.mirror import Mirror
from adcompile.autodiff.optional import where_there, where_writable
from adcompile.autodiff.roots import read_again, root_of
from adcompile.errors import Unsupported
from adcompile.frozen import frozen
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Block, Call, Const, Role, Statement, Var, Yield
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import UNKNOWN, Array, Instance, Known, Maybe, Scalar, Seq, TupleT, Type, Unknown
from adcompile.ir.walk import statements_of
from adcompile.runtime.state import CONTAINERS


@dataclass
class State:
    """What entering found: the statements with their shadows, and what is to be put back."""

    statements: list[Statement]
    shadow: dict[Var, Atom] = field(default_factory=dict)
    saved: list[tuple[Atom, Atom]] = field(default_factory=list)  # (array, its copy at entry), lists of both
    taken: list[Atom] = field(default_factory=list)  # what containers held at entry
    outlive: list[Atom] = field(default_factory=list)  # those of modules, for who runs the statements again
    known_as: list[Atom] = field(default_factory=list)  # the same as `memory` knows it
    memory: Memory | None = None
    mirror: Mirror | None = None
    alone: set[Atom] = field(default_factory=set)  # shadows that share memory with no other one's

    def add_tangents(self, b: Builder, dots: dict[Var, Atom]) -> None:
        """Fill the shadows of what comes from outside with the tangents given for it."""
        role, b.role = b.role, "tangent"
        given = [(shadow, dots[var]) for var, shadow in self.shadow.items() if var in dots]
        for shadow, dot in given:
            put_back(b, shadow, dot)
        several = len(given) > 1 or any(is_list(b.type(shadow)) for shadow, _ in given)
        for shadow, dot in given if several else ():  # the arrays may overlap
            b.emit(rt.check_tangent, (shadow, dot), Known(None))
        b.role = role
        dots.update(self.shadow)

    def restore(self, b: Builder) -> None:
        """Put the arrays that the caller sees back to what they held at entry."""
        for array, copy in self.saved:
            t = b.type(array)
            if is_list(t):
                b.dispatch(Const(put_each_back), [array, copy], [])
            elif isinstance(t, Array) and self.is_surely_written(array):
                put_back(b, array, copy)
            elif isinstance(t, Array):
                where_writable(b, array, partial(put_back, copy=copy))
            elif isinstance(t, Maybe):
                where_there(b, array, partial(put_back, copy=b.emit(ops.identity, (copy,), t.type)))
            else:
                b.emit(rt.put_each, (array, copy), Known(None), (), "")
        for content in self.taken:
            b.emit(rt.put_back, (content,), Known(None), (), "")

    def is_surely_written(self, array: Atom) -> bool:
        """Whether each call writes into an array, or has raised by then."""
        calls = (s for s in self.statements if isinstance(s, Call) and s.args and s.args[0] is array)
        return any(fn_of(s) is operator.setitem or fn_of(s) in AUGMENTED for s in calls)

    def begin_again(self, b: Builder) -> None:
        """Before the statements run again: let what outlives them be what it was. What they do to it is done once."""
        for content in self.outlive:
            b.emit(rt.put_back, (content,), Known(None), (), "")

    def overlaps(self, atoms: Sequence[Atom]) -> bool:
        """Whether any of these may show an element at several places."""
        if self.memory is None:
            return False
        strange = self.memory.overlapping()
        return any(self.memory.find(n) in strange for a in atoms for n in self.memory.nodes(a))

    def shares(self, atom: Atom) -> bool:
        """Whether a value may share memory with what is put back."""
        if self.memory is None or not self.known_as:
            return False
        roots = {self.memory.find(n) for a in self.known_as for n in self.memory.nodes(a)}
        return any(self.memory.find(n) in roots for n in self.memory.nodes(atom))


def enter(
    b: Builder,
    statements: Sequence[Statement],
    activity: Activity,
    memory: Memory,
    inputs: Sequence[Var],
    role: Role,
    restore: bool = True,
) -> State:
    """Emit what stands before the statements: copies of arrays that the caller sees and that are
    written (reverse mode, where they are to be put back), and the shadows of mirrored memory from
    outside."""
    if not memory.written and not memory.making:
        return State(list(statements))
    outer, b.role = b.role, role
    b.context.inplace |= {given(b, n) for n in memory.entered if isinstance(n, Var)}
    state = State([], memory=memory)
    if role == "adjoint" and restore:
        save(b, memory, state)
    mirror = Mirror(b, memory, activity.mirrored, role)
    if activity.mirrored:
        values = [v for v in inputs if v in activity.active and v not in activity.mirrored]
        b.context.boundary.entered(mirror, mirror_roots(b, mirror, inputs), values)
    b.role = outer
    state.mirror = mirror
    state.statements = list(statements)
    if role == "adjoint":
        state.statements = mirror.block(statements)
    if role == "adjoint" and activity.mirrored:
        state.statements = b.context.boundary.mirrored(mirror, state.statements, activity)
    state.shadow, state.alone = mirror.shadow, mirror.alone
    b.context.shadows |= mirror.made
    return state


def given(b: Builder, var: Var) -> Var:
    """What the caller gave, of which `var` is another name."""
    made = b.context.definition.get(var)
    while made is not None and fn_of(made) is ops.identity and isinstance(made.args[0], Var):
        var = made.args[0]
        made = b.context.definition.get(var)
    return var


def enter_called(
    b: Builder,
    statements: Sequence[Statement],
    activity: Activity,
    memory: Memory,
    given: Mapping[Var, Var],
    role: Role,
) -> State:
    """The same for the body of a function called by reference: the caller gives the shadows of its
    parameters and puts back what is written."""
    state = State([], dict(given), memory=memory)
    mirror = Mirror(b, memory, activity.mirrored, role, state.shadow, set(given.values()))
    strange = next((key for key, _ in mirror.enter(()) if key not in given), None)
    if strange is not None:
        raise Unsupported(
            "a recursive function that writes into arrays of a module or an object",
            memory.place_of(strange) if isinstance(strange, Var) else b.place,
            "pass it the arrays",
        )
    if activity.mirrored:
        b.context.boundary.entered(mirror, (), ())
    state.mirror = mirror
    state.statements = mirror.block(statements) if role == "adjoint" else list(statements)
    b.context.shadows |= mirror.made
    return state


def save(b: Builder, memory: Memory, state: State) -> None:
    """Copy what is written of the memory from outside."""
    seen: set[object] = set()
    entered = {memory.find(n) for n in memory.entered}
    for n in memory.outside:
        if n in memory.entered:
            known = n if isinstance(n, Var) else memory.outside[n]
            keep_copy(b, state, b.real(n) if isinstance(n, Var) else known, known)
    for call in memory.definition.values():
        key = root_of(call, memory)
        if key is None or key in seen or not isinstance(b.type(call.result), (Array, Seq)):
            continue
        if any(memory.find(n) in entered for n in memory.nodes(call.result)):
            seen.add(key)
            keep_copy(b, state, read_again(b, call, memory), call.result)
    state.taken += take_down(b, memory, state, ("held",))
    state.taken += take_down_arrays(b, memory, state)


MODULES = ("global", None)
"""Where the ways begin to what outlives a function: at names of modules, and at objects that are there."""


def take_down(b: Builder, memory: Memory, state: State, begins: Container[object]) -> list[Atom]:
    """Note what sets, deques and other containers hold that the code writes into as it runs: those of the caller that
    it is given, or reads from there by written-out names (`begins` with "held"), or those of MODULES."""
    changes = [w.target for w in memory.written if may_change(w.call, memory)] + memory.making
    return noted(b, state, rt.take_down, containers_among(b, memory, changes, begins))


def take_down_arrays(b: Builder, memory: Memory, state: State) -> list[Atom]:
    """Note what the arrays hold that stand in such containers, where arrays from there may be written into: by then
    the ways to them, as `root_of` gives them, may lead elsewhere."""
    elements = {
        memory.find(n)
        for w in memory.written
        if not puts(w.call, w.target, memory.types)
        for n in memory.nodes(w.target)
    }
    changes = [
        w.target for w in memory.written if may_change(w.call, memory) and not isinstance(b.type(w.target), Array)
    ]
    written = [a for a in changes if not elements.isdisjoint(map(memory.find, memory.nodes(a)))]
    return noted(b, state, rt.take_down_arrays, containers_among(b, memory, written, ("held", *MODULES)))


def containers_among(
    b: Builder, memory: Memory, changes: Sequence[Atom], begins: Container[object]
) -> list[tuple[Atom, Atom]]:
    """The containers from outside that `changes` write into may be, read before the statements run; and each as the
    memory of the statements knows it."""
    touched = {memory.find(n) for a in changes for n in memory.nodes(a)}
    found: dict[object, tuple[Atom, Atom]] = {}
    for n, atom in memory.outside.items() if touched else ():
        begin = "held" if isinstance(n, Var) else None
        if memory.find(n) in touched and is_container(b.type(atom)) and begin in begins:
            found[n] = (b.real(n), n) if isinstance(n, Var) else (atom, atom)
    for call in memory.definition.values() if touched else ():
        if not is_container(b.type(call.result)) or touched.isdisjoint(map(memory.find, memory.nodes(call.result))):
            continue
        key = root_of(call, memory)
        if key is not None and key not in found and steps_begin(key) in begins:
            found[key] = (read_again(b, call, memory), call.result)
    return list(found.values())


def noted(b: Builder, state: State, take: Callable[..., rt.Taken], found: Sequence[tuple[Atom, Atom]]) -> list[Atom]:
    state.known_as += [known for _, known in found]
    return [b.emit(take, (owner,), Instance(rt.Taken), (), f"{name_of(known)}_0") for owner, known in found]


def is_container(t: Type) -> bool:
    if isinstance(t, Seq):
        return t.cls is list and is_container(t.item)
    return isinstance(t, Instance) and issubclass(t.cls, CONTAINERS)


def steps_begin(key: object) -> object:
    """Where the way begins that `root_of` gives."""
    while isinstance(key, tuple) and key[0] == "item":
        key = key[2]
    return key[0] if isinstance(key, tuple) else None


READING = frozenset(
    "get keys values items copy index count most_common elements total issubset issuperset isdisjoint union "
    "intersection difference symmetric_difference find decode hex".split()
)
"""Methods that leave a container as it is."""


def may_change(call: Call, memory: Memory) -> bool:
    """Whether a call that may write into a container changes it."""
    method = memory.definition.get(call.fn) if isinstance(call.fn, Var) else None
    named = method.args[1] if method is not None and fn_of(method) is getattr else None
    return not (isinstance(named, Const) and named.value in READING)


HELD = Seq(UNKNOWN, list)


def keep_copy(b: Builder, state: State, atom: Atom, known: Atom) -> None:
    """Copy an array, or those in a list, which the memory of the statements knows as `known`."""
    t = b.type(atom)
    if isinstance(t, Array):
        state.known_as.append(known)
        state.saved.append((atom, b.emit(rt.snapshot, (atom,), t, (), f"{name_of(atom)}_0")))
    elif isinstance(t, Maybe) and isinstance(t.type, Array):
        state.known_as.append(known)
        state.saved.append((atom, where_there(b, atom, lambda c, array: c.emit(rt.snapshot, (array,), c.type(array)))))
    elif is_list(t):  # the list itself may be another one by the time
        state.known_as.append(known)
        arrays = b.emit(list, (atom,), Seq(t.item, list), (), f"{name_of(atom)}_arrays")  # type: ignore[union-attr]
        state.saved.append((arrays, b.emit(rt.snapshot, (arrays,), b.type(arrays), (), f"{name_of(atom)}_0")))
    elif isinstance(t, Seq) and has_memory(t.item):
        state.known_as.append(known)
        arrays = b.emit(rt.arrays_in, (atom,), HELD, (), f"{name_of(atom)}_arrays")
        state.saved.append((arrays, b.emit(rt.snapshot, (arrays,), HELD, (), f"{name_of(atom)}_0")))


def put_back(b: Builder, array: Atom, copy: Atom) -> None:
    """Let an array, or each of a list, hold what another one holds."""
    if is_list(b.type(array)):
        b.dispatch(Const(put_each), [array, copy], [])
    else:
        b.call(operator.setitem, array, Const(Ellipsis), copy)


def put_each(arrays, copies):
    """Followed, so that derivatives come of it."""
    for k in range(len(arrays)):
        arrays[k][...] = copies[k]


def put_each_back(arrays, copies):
    """The same of the caller's arrays, of which nobody has written into those that are read-only."""
    for k in range(len(arrays)):
        if rt.is_writable(arrays[k]):
            arrays[k][...] = copies[k]


def is_list(t: Type) -> bool:
    """Whether values are lists of arrays of any length."""
    return isinstance(t, Seq) and isinstance(t.item, Array)


def name_of(atom: Atom) -> str:
    return atom.name if isinstance(atom, Var) else "saved"


def mirror_roots(b: Builder, mirror: Mirror, inputs: Sequence[Var]) -> list[tuple[Atom, Atom]]:
    """The shadows of what comes from outside, made together if there are several: (array, shadow)."""
    found = mirror.enter(inputs)
    arrays: list[Atom] = []
    for key, atom in found:
        arrays.append(reached(b, mirror, key, atom))
        if isinstance(b.type(arrays[-1]), Seq) and not is_list(b.type(arrays[-1])):
            raise Unsupported(
                "a long list of lists of arrays that is passed in, and whose arrays are written in place",
                b.place,
                "write into copies: arrays = [a.copy() for a in arrays]",
            )
    if not arrays:
        return []
    types = b.context.types
    by_address = (may_view(s, types) or fn_of(s) in OVERLAPPING for s in mirror.memory.definition.values())
    simple = len(arrays) == 1 and isinstance(b.type(arrays[0]), Array) and not any(by_address)
    if simple:
        shadows: list[Atom] = [b.emit(rt.shadow, arrays, b.type(arrays[0]), (), shadow_name(mirror, arrays[0]))]
    else:
        types = TupleT(tuple(shadow_type(b.type(a)) for a in arrays))
        written = tuple(k for k, (key, _) in enumerate(found) if mirror.memory.is_written(key))
        apart = (("written", Const(written)),) if len(written) < len(found) else ()
        together = b.emit(rt.shadows, arrays, types, apart)
        shadows = [
            b.emit(operator.getitem, (together, Const(k)), t, (), shadow_name(mirror, a))
            for k, (a, t) in enumerate(zip(arrays, types.items))
        ]
    for (key, atom), array, made in zip(found, arrays, shadows):
        assert isinstance(made, Var)
        mirror.made.add(made)
        mirror.alone |= {made} if simple else set()
        mirror.roots[key] = made
        for v in (atom, array, key):
            if isinstance(v, Var):
                mirror.shadow[v] = made
                b.context.shape[made] = b.context.shape.get(v, v)
    return list(zip(arrays, shadows))


def reached(b: Builder, mirror: Mirror, key: object, atom: Atom) -> Atom:
    """The array itself, before the statements run."""
    if isinstance(key, Var):
        return b.real(key)
    if isinstance(atom, Const):
        return atom
    return read_again(b, mirror.memory.definition[atom], mirror.memory)


def shadow_name(mirror: Mirror, atom: Atom) -> str:
    return f"{name_of(atom)}_{'dot' if mirror.role == 'tangent' else 'bar'}"


@frozen
class Results:
    """What a function hands out: `value`, in which the caller's lists, dicts and objects are themselves, and
    where these are put back afterwards the same `apart`, made of what they hold at the end of the function."""

    value: Atom
    apart: Atom | None = None
    refilled: bool = False
    has_aux: bool = False

    def __call__(self, b: Builder, state: State) -> list[Atom]:
        shown = self.apart is not None and (self.refilled or bool(shown_leaves(b, self.apart, state)))
        found = self.apart if shown and self.apart is not None else self.value
        return b.items(found)[:2] if self.has_aux else [found]


def handed_out(b: Builder, result: Atom, value: Atom, has_aux: bool, restore: bool) -> Results:
    """The results of a function at the end of which `result` is what it returns, and `value` that without
    references; to be asked before what it has written into is put back (if it is: `restore`)."""
    if restore:
        refuse_assigned(b, value)
    theirs = [c for c in cells_reached(b, [result]) if c.real is not None]
    refilled = any(c in b.context.written for c in theirs)
    if not restore or not theirs or not (refilled or writes_arrays(b)):
        return Results(value, has_aux=has_aux)
    return Results(value, settle(b, result), refilled, has_aux)


def refuse_assigned(b: Builder, value: Atom) -> None:
    """Refuse to hand out an object that is there, and gets back the attributes that the function has set."""
    context = b.context
    owners = {id(context.assigned[c][0]) for c in context.written if c in context.assigned}
    todo = [value] if owners else []
    while todo:
        atom = todo.pop()
        held = atom.value if isinstance(atom, Const) else context.example.get(atom)
        if id(held) in owners:
            raise Unsupported(
                f"a result that is or holds a {type(held).__name__} whose attributes are put back afterwards",
                b.place,
                "return what it holds, or a copy of it; or pass restore=False",
            )
        todo += b.items(atom) if isinstance(atom, Var) and is_structured(b.type(atom)) else []


def writes_arrays(b: Builder) -> bool:
    """Whether statements so far may write into arrays."""
    context = b.context
    for s in statements_of(Block((), tuple(b.statements), Yield())):
        if isinstance(s, Call) and isinstance(s.fn, Const) and isinstance(s.fn.value, FunctionRef):
            return True
        targets = writes_into(s, context.types, context.definition) if isinstance(s, Call) else ()
        if any(isinstance(b.type(a), Array) for a in targets):
            return True
    return False


def detached(b: Builder, values: Sequence[Atom], state: State) -> list[Atom]:
    """Results as they are now: what shares memory with something that is put back later, in memory of
    its own, in which they overlap as before."""
    if not state.known_as:
        return list(values)
    found = list(dict.fromkeys(leaf for v in values for leaf in shown_leaves(b, v, state)))
    types = TupleT(tuple(map(b.type, found)))
    if len(found) == 1 and isinstance(types.items[0], Array):
        copies: dict[Atom, Atom] = {found[0]: b.emit(rt.snapshot, found, types.items[0])}
    elif found and all(isinstance(t, Array) for t in types.items) and not state.overlaps(found):
        copies = copied_together(b, found)
    else:
        together = b.emit(rt.detached, (b.build_tuple(*found),), types) if found else Const(())
        copies = {leaf: b.item(together, k) for k, leaf in enumerate(found)}
    return [replaced(b, v, copies) for v in values]


def copied_together(b: Builder, arrays: Sequence[Atom]) -> dict[Atom, Atom]:
    """Copies by statements that an outer derivative follows, so that they may be written."""
    types = TupleT(tuple(map(b.type, arrays)))
    together = b.emit(rt.shadows, arrays, types)
    copies: dict[Atom, Atom] = {}
    for k, (array, t) in enumerate(zip(arrays, types.items)):
        copies[array] = b.emit(operator.getitem, (together, Const(k)), t, (), name_of(array))
        b.call(operator.setitem, copies[array], Const(Ellipsis), array)
    return copies


def copying(context: Context, var: Var, into: Var, role: Role) -> list[Call]:
    """`into` as a copy of `var`: of a tuple of arrays, by statements that an outer derivative follows."""
    t = context.types[var]
    if isinstance(t, TupleT) and all(isinstance(item, (Array, Scalar)) for item in t.items):
        b = Builder(context, role, place=var.place)
        b.build(t, [b.emit(rt.snapshot, (a,), b.type(a)) for a in b.items(var)])
        *calls, last = [s for s in b.statements if isinstance(s, Call)]
        return [*calls, replace(last, result=into)]
    copy = rt.detached if is_structured(t) else rt.snapshot
    return [Call(into, Const(copy), (var,), (), var.place, role)]


def shown_leaves(b: Builder, value: Atom, state: State) -> list[Atom]:
    """The arrays, long lists of arrays, and objects and containers that were there before, in a result that
    may share memory with what is put back."""
    t = b.type(value)
    if is_structured(t):
        if not isinstance(value, Var) or is_built(b, value):
            return [leaf for item in b.items(value) for leaf in shown_leaves(b, item, state)]
        return [value] if any(shown_leaves(b, part, state) for part in b.context_items(value)) else []
    memory = isinstance(t, (Array, Instance, Unknown)) or isinstance(t, Seq) and has_memory(t.item)
    return [value] if memory and state.shares(value) else []


def is_built(b: Builder, value: Var) -> bool:
    """Whether a container was made in sight."""
    made = b.context.definition.get(value)
    return made is not None and fn_of(made) in (*CONSTRUCTORS, getattr(b.type(value), "cls", None))


def replaced(b: Builder, value: Atom, copies: dict[Atom, Atom]) -> Atom:
    """A result with copies in the place of its leaves. What stands in it twice stays one."""
    t = b.type(value)
    if value not in copies and is_structured(t) and (not isinstance(value, Var) or is_built(b, value)):
        copies[value] = b.build(t, [replaced(b, item, copies) for item in b.items(value)])
    return copies.get(value, value)


__all__ = ["Results", "State", "copying", "detached", "enter", "enter_called", "handed_out", "save"]
