"""What `vjp` and `linearize` inside a function hold for later: what they were called with, as it was then.

The pullback runs the function again. By then somebody may have written into the arrays, lists and
objects that the function reads: the function itself, for one. So arrays are copied when `vjp` is
called, those of modules too, and what lists, dicts and objects hold is taken down; `optimise/cse`
drops the copies of what nobody writes into.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from adcompile import runtime as rt
from adcompile.analysis.alias import Memory
from adcompile.analysis.builder import Builder, is_structured
from adcompile.analysis.heap import bound_again, owner_of, reached, read, settle
from adcompile.analysis.mutation import Node, has_memory
from adcompile.autodiff.repeatable import check_same
from adcompile.autodiff.roots import read_again, root_of
from adcompile.autodiff.state import State, detached
from adcompile.errors import Place, Unsupported
from adcompile.frozen import frozen
from adcompile.ir.nodes import Atom, Block, Call, Const, Statement, Var, Yield
from adcompile.ir.ops import identity
from adcompile.ir.types import Array, Cell, Method, Seq, TupleT, Unknown
from adcompile.ir.walk import Rewriter, free_vars

Root = Hashable
"""An array that code reads from a module or an object (`mirror.root_of`), or a value that stands outside."""


@frozen
class Held:
    """What stands in the tuple that goes with a pullback: the function and its `arguments`, the contents
    of `cells`, copies of the arrays that it reaches by itself (`roots`), then the arrays that it writes
    into (`written`, so many) and their copies. `changed` are the cells that it writes into."""

    arguments: int
    cells: tuple[Cell, ...]
    roots: tuple[Root, ...]
    changed: frozenset[Cell]
    written: int


@frozen
class Taken:
    """The same as it is at the call of a pullback."""

    fun: Atom
    primals: Sequence[Atom]
    contents: Sequence[Atom]
    instead: Mapping[Root, Atom]
    arrays: Sequence[Atom]
    copies: Sequence[Atom]


def hold(
    b: Builder, fun: Atom, primals: Sequence[Atom], place: Place | None, restore: bool
) -> tuple[Atom, Atom, Held]:
    """Call a function: its result, what to keep for running it again, and what that is. The result has
    no memory that is put back later (`restore`)."""
    tells = [told for *_, told in b.context.assigned.values() if told is not None]
    cells = list(dict.fromkeys((*reached(b, [fun, *primals]), *b.context.slots.values(), *tells)))
    values = [fun, *primals, *(read(b, c) for c in cells)]
    start, mark = len(b.statements), b.context.store.mark()
    result = b.dispatch(fun, primals, [])
    statements = b.statements[start:]
    del b.statements[start:]
    changed = frozenset(b.context.store.changed(mark)).intersection(cells)
    given: dict[Root, tuple[Atom, Atom]] = {leaf: (leaf, leaf) for v in values for leaf in memory_in(b, v)}
    roots = roots_of(b, statements, given)
    role, b.role = b.role, "adjoint"
    state = written(b, statements, {**given, **roots}, place)
    results = [result, *(b.context.store.states[c].content for c in reached(b, [result]))]
    what = "vjp or linearize, inside a function, runs what it is given again"
    check_same(b, statements, results, what, state.known_as)
    arrays = [a for a, _ in state.saved]
    *held, kept = copied(b, [*values, *(a for a, _ in roots.values()), b.build_tuple(*arrays)], bool(arrays))
    packed = b.build_tuple(*held, *arrays, *b.items(kept))
    b.statements.extend(statements)
    if restore and arrays:
        (result,) = detached(b, [settle(b, result)], state)
    b.role = role
    return result, packed, Held(len(primals), tuple(cells), tuple(roots), changed, len(arrays))


def roots_of(b: Builder, statements: Sequence[Statement], given: Container[Root]) -> dict[Root, tuple[Atom, Atom]]:
    """The arrays that statements read and that are not `given`, by what tells them: of modules, of cells
    of functions, of objects that are not followed. Each as it is known before them and among them."""
    memory = Memory(b, statements)
    found: dict[Root, tuple[Atom, Atom]] = {}
    for call in memory.definition.values():
        key = root_of(call, memory)
        if key is not None and key not in found and is_memory(b, call.result):
            found[key] = read_again(b, call, memory), call.result
    for v in free_vars(Block((), tuple(statements), Yield())):
        if v not in given and is_memory(b, v):
            found[v] = v, v
    return found


def substituted(b: Builder, start: int, instead: Mapping[Root, Atom]) -> None:
    """What was emitted since `start` reads these copies instead of the arrays themselves."""
    if instead:
        statements = b.statements[start:]
        del b.statements[start:]
        rewriter = Instead(Memory(b, statements), instead)
        b.statements.extend(rewriter.block(Block((), tuple(statements), Yield())).statements)


@dataclass
class Instead(Rewriter):
    memory: Memory
    instead: Mapping[Root, Atom]

    def atom(self, atom: Atom) -> Atom:
        return self.instead.get(atom, atom) if isinstance(atom, Var) else atom

    def call(self, call: Call) -> tuple[Statement, ...]:
        key = root_of(call, self.memory)
        if key in self.instead:
            call = replace(call, fn=Const(identity), args=(self.instead[key],), kwargs=())
        self.memory.b.context.definition[call.result] = call
        return (call,)


def written(
    b: Builder, statements: Sequence[Statement], arrays: Mapping[Root, tuple[Atom, Atom]], place: Place | None
) -> State:
    """The memory of a call, and as `saved` those of the arrays that it writes into."""
    memory = Memory(b, statements, [a for a, _ in arrays.values()])
    state = State([], memory=memory)
    targets = {memory.find(n) for w in memory.written for n in memory.nodes(w.target)}
    ours: set[Node] = set()
    for a, inner in arrays.values():
        nodes = memory.nodes(inner)
        if memory.entered.intersection(nodes) or a is not inner and any(memory.find(n) in targets for n in nodes):
            state.known_as.append(inner)
            state.saved.append((a, a))
            ours.update(nodes)
    strange = any(holds_memory(b, memory.outside[n]) for n in memory.entered - ours)
    if strange or not all(isinstance(b.type(a), Array) for a in state.known_as):
        raise Unsupported(
            "vjp or linearize, inside a function, of one that writes into arrays it is not given one by one",
            place,
            "pass it the arrays",
        )
    return state


def memory_in(b: Builder, value: Atom) -> list[Atom]:
    """The memory in a value, also in what a function has captured or is bound to."""
    t = b.type(value)
    if is_structured(t):
        return [leaf for item in b.items(value) for leaf in memory_in(b, item)]
    if isinstance(t, Method):
        return memory_in(b, owner_of(b, value))
    return [value] if holds_memory(b, value) else []


def is_memory(b: Builder, value: Atom) -> bool:
    """Whether a value is an array, or a long list of arrays."""
    t = b.type(value)
    return isinstance(t, Array) or isinstance(t, Seq) and has_memory(t.item)


def holds_memory(b: Builder, value: Atom) -> bool:
    return is_memory(b, value) or isinstance(b.type(value), Unknown)


def again(b: Builder, held: Held, taken: Taken) -> Taken:
    """What is held, for a run that leaves it as it is."""
    values = [taken.fun, *taken.primals, *taken.contents, *taken.instead.values()]
    items = iter(copied(b, values, held.written > 0))
    (fun,), primals, contents, roots = (
        list(islice(items, k)) for k in (1, len(taken.primals), len(taken.contents), len(taken.instead))
    )
    return replace(taken, fun=fun, primals=primals, contents=contents, instead=dict(zip(taken.instead, roots)))


def copied(b: Builder, values: Sequence[Atom], together: bool) -> list[Atom]:
    """Values with copies in the place of their memory, which overlap as their originals do (`together`)."""
    leaves = list(dict.fromkeys(leaf for v in values for leaf in memory_in(b, v)))
    arrays = [a for a in leaves if isinstance(b.type(a), Array)]
    copies: dict[Atom, Atom] = {}
    if together and len(arrays) > 1:
        types = TupleT(tuple(map(b.type, arrays)))
        mirrors = b.emit(rt.shadows, arrays, types)
        for k, (a, t) in enumerate(zip(arrays, types.items)):
            copies[a] = b.emit(operator.getitem, (mirrors, Const(k)), t, (), getattr(a, "name", ""))
            b.call(operator.setitem, copies[a], Const(Ellipsis), a)
    for a in leaves:
        if a not in copies:
            copies[a] = b.emit(rt.replica, (a,), b.type(a), (), getattr(a, "name", ""))
    return [with_copies(b, v, copies) for v in values]


def with_copies(b: Builder, value: Atom, copies: dict[Atom, Atom]) -> Atom:
    t = b.type(value)
    if not memory_in(b, value):
        return value
    if is_structured(t):
        return b.build(t, [with_copies(b, item, copies) for item in b.items(value)])
    if not isinstance(t, Method):
        return copies[value]
    assert isinstance(value, Var)
    return bound_again(b, value, t, with_copies(b, owner_of(b, value), copies))


def unpack(b: Builder, packed: Atom, held: Held) -> Taken:
    items = iter(b.items(packed))
    sizes = (1, held.arguments, len(held.cells), len(held.roots), held.written, held.written)
    (fun,), primals, contents, roots, arrays, copies = (list(islice(items, k)) for k in sizes)
    return Taken(fun, primals, contents, dict(zip(held.roots, roots)), arrays, copies)


@contextmanager
def as_then(b: Builder, held: Held, contents: Sequence[Atom], restore: bool) -> Generator[None, None, None]:
    """Lists, dicts and objects hold what they held when the function was called; afterwards what they
    hold now, but for those that it wrote into, if they are to be put back."""
    states = b.context.store.states
    now = {c: states[c] for c in held.cells}
    for c, content in zip(held.cells, contents):
        b.context.store.put(c, replace(now[c], content=content))
    yield
    for c, content in zip(held.cells, contents):
        put_back = restore and c in held.changed
        b.context.store.put(c, replace(now[c], content=content) if put_back else now[c])


__all__ = ["Held", "Taken", "again", "as_then", "hold", "substituted", "unpack"]
