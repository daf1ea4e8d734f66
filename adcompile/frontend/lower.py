"""Python functions to untyped IR: control flow, and the way in."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Sequence
from types import CodeType
from typing import Any

import gast

from adcompile.errors import Unsupported
from adcompile.frontend.builder import FALSE, TRUE, UNBOUND, Unit, flag_of
from adcompile.frontend.captures import Captures
from adcompile.frontend.definite import bound_first, bound_surely, deleted_inside
from adcompile.frontend.generators import made_functions
from adcompile.frontend.items import (
    NEVER,
    RESULT,
    RETURN,
    Asked,
    Branch,
    Foreign,
    Item,
    Leave,
    Loop,
    Managed,
    Plain,
    Refused,
    Seq,
    SetFlag,
    SetResult,
    Target,
    Throw,
    display_name,
    identifier,
    is_flag,
    leaves,
)
from adcompile.frontend.normalise import REMEDIES, Normaliser
from adcompile.frontend.opaque import make_opaque
from adcompile.frontend.scopes import (
    FUNCTIONS,
    Scopes,
    assigned_by_functions,
    assigned_inside,
    generators_kept,
    nested_functions,
    parameters,
)
from adcompile.frontend.source import Source, source_of
from adcompile.frontend.statements import Statements
from adcompile.frontend.ways import asking, touches
from adcompile.frontend.yielding import CUT, SILENT, YIELD, made_plain
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Attempt,
    Block,
    Bound,
    Break,
    Call,
    Const,
    Continue,
    End,
    For,
    Function,
    If,
    Raise,
    Return,
    Signature,
    Unreachable,
    Var,
    Way,
    Ways,
    While,
    Yield,
)
from adcompile.ir.stack import large_stack
from adcompile.ir.verify import checking, verify

_ELEMENT = "%element%"


class FunctionLowerer(Statements):
    """Lowers one function's control flow to SSA: a name's value is carried out of a branch or
    around a loop only if the branch or loop binds it and somebody reads it later."""

    def share(self, captured: frozenset[str], node: Any) -> None:
        """Put names that several functions share, and one rebinds, into variables of their own."""
        own = {n for n in assigned_inside(self.unit.scopes, node) if n in self.scope.bound}
        for inner in self.captures.functions():
            if self.late.get(getattr(inner, "name", "")) is not inner:
                free = [n for n in self.captures.free_of(inner, self.late) if n in self.scope.bound]
                own |= {n for n in free if self.captures.rebound(inner, n)}
            if any(self.unit.scopes.of(f).yields for f in gast.walk(inner) if isinstance(f, FUNCTIONS)):
                free = self.captures.free_of(inner, self.late)
                own |= {n for n in free if self.captures.varies(inner, n, n in self.scope.params)}
        own &= self.scope.bound
        sure, gone = bound_first(own, node, self.unit.scopes), deleted_inside(node)
        for name in sorted(own):
            self.env[name] = self.call(ops.make_variable, self.value_of(name), node=node, hint=name)
            if name not in sure or name in gone:
                hint = f"{name}_bound"
                bound = TRUE if name in self.scope.params else FALSE
                self.env[flag_of(name)] = self.call(ops.make_variable, bound, node=node, hint=hint)
        self.shared = frozenset(own) | captured

    def body(self, seq: Seq) -> Block:
        end = self.sequence(seq, frozenset({RESULT}), ())
        return Block((), tuple(self.statements), Return(self.value_of(RESULT)) if end is None else end)

    def sequence(self, seq: Seq, live: frozenset[str], carried: tuple[str, ...]) -> End | None:
        """Emits the items. `live`: the names read after them; `carried`: those of the loop around.
        Gives how the block ends if it does not fall through."""
        after = _live_after(seq, live)
        for item, results in zip(seq.items, after):
            end = self.item(item, results, carried)
            if end is not None:
                return end
        return None

    def item(self, item: Item, live: frozenset[str], carried: tuple[str, ...]) -> End | None:
        match item:
            case Plain():
                self.simple(item.node)
            case Target():
                self.unpack(item.target, self.env[_ELEMENT])
            case SetFlag():
                self.bind(item.name, Const(item.value))
            case SetResult():
                self.bind(RESULT, Const(None) if item.value is None else self.expr(item.value, "result"))
            case Branch():
                return self._branch(item, live, carried)
            case Loop():
                self._loop(item, live)
            case Leave():
                values = self._values(carried)
                return Break(values) if item.breaks else Continue(values)
            case Throw():
                return self._throw(item)
            case Managed():
                self._managed(item, live)
            case Asked():
                self._asked(item)
            case Foreign():
                self._foreign(item, live)
            case Refused():
                self._refused(item)
        return None

    def _refused(self, item: Refused) -> None:
        stop = self.refuse(item.node, item.message, item.remedy)
        for name in item.facts.binds:
            self.assign(name, stop, item.node)

    def _throw(self, item: Throw) -> End:
        node, place = item.node, self.place(item.node)
        if node is NEVER:
            return Unreachable()
        if isinstance(node, gast.Assert):
            args = () if node.msg is None else (self.expr(node.msg),)
            return Raise(self.call(AssertionError, *args, node=node, hint="error"), None, place)
        exception = None if node.exc is None else self.expr(node.exc, "error")
        cause = None if node.cause is None else self.expr(node.cause, "cause")
        return Raise(exception, cause, place)

    # If

    def _branch(self, item: Branch, live: frozenset[str], carried: tuple[str, ...]) -> End | None:
        test = self.value_of(item.test) if isinstance(item.test, str) else self.test(item.test)
        place = self.place(item.node)
        if item.then.leaves or item.orelse.leaves:
            then, orelse = self._leaf_block(item.then, carried), self._leaf_block(item.orelse, carried)
            self.statements.append(If((), test, then, orelse, place))
            return Unreachable()
        bound = dict.fromkeys(item.then.facts.binds + item.orelse.facts.binds)
        names = tuple(name for name in bound if name in live and name not in self.outside)
        before = self._values(names)
        arms = [self._arm(seq, names) for seq in (item.then, item.orelse)]
        if arms[0][1] is not None and arms[1][1] is not None:
            self.statements.append(If((), test, self._block(arms[0]), self._block(arms[1]), place))
            return Unreachable()
        going_on = [values for _, end, values in arms if end is None]
        if len(going_on) == 1:
            going_on.append(before)
        kept = [i for i in range(len(names)) if going_on[0][i] is not going_on[1][i]]
        results = tuple(Var(display_name(names[i]), place) for i in kept)
        self.loosen(results, *([values[i] for i in kept] for values in going_on))
        then, orelse = (self._block(arm, kept) for arm in arms)
        self.statements.append(If(results, test, then, orelse, place))
        for i, var in zip(kept, results):
            self.bind(names[i], var)
        for i, name in enumerate(names):
            if i not in kept:  # both sides bind it to one value, which stands before them
                self.bind(name, going_on[0][i])
        return None

    def _arm(self, seq: Seq, names: tuple[str, ...]) -> tuple[Any, End | None, tuple[Atom, ...]]:
        """A branch's statements, how it ends if not by going on, and the values of `names`."""

        def lower() -> tuple[End | None, tuple[Atom, ...]]:
            end = self.sequence(seq, frozenset(names), ())
            return end, self._values(names)

        statements, (end, values) = self.scoped(lower)
        return statements, end, values

    def _block(self, arm: tuple[Any, End | None, tuple[Atom, ...]], kept: Sequence[int] = ()) -> Block:
        statements, end, values = arm
        return Block((), statements, Yield(tuple(values[i] for i in kept)) if end is None else end)

    def _leaf_block(self, seq: Seq, carried: tuple[str, ...]) -> Block:
        """A block in the tree at the end of a loop body."""

        def lower() -> End:
            end = self.sequence(seq, frozenset(carried), carried)
            return Continue(self._values(carried)) if end is None else end

        statements, end = self.scoped(lower)
        return Block((), statements, end)

    # Loops

    def _loop(self, item: Loop, live: frozenset[str]) -> None:
        iterable = None if item.iterable is None else self.gone_through(item.iterable, "items")
        self._rounds(item, iterable, () if iterable is None else (self._element(item.node.target),), live)

    def _managed(self, item: Managed, live: frozenset[str]) -> None:
        """A loop over what `ops.managed` gives: one value."""
        made = item.manager
        if isinstance(made, gast.Call) and not made.args and all(k.arg for k in made.keywords):
            fn, given = self.expr(made.func), ()
            settings = tuple((k.arg, self.expr(k.value)) for k in made.keywords)
        else:
            fn, given, settings = Const(ops.identity), (self.expr(made, "manager"),), ()
        value = self.call(ops.managed, fn, *given, kwargs=settings, node=made, hint="managed")
        self._rounds(item, value, (Var("entered", self.place(made)),), live)

    def _rounds(self, item: Loop | Managed, over: Atom | None, element: Sequence[Var], live: frozenset[str]) -> None:
        place, facts = self.place(item.node), item.body.facts
        names = [name for name in facts.binds if name not in self.outside]
        carried = tuple(name for name in names if name in live or name in facts.reads)
        init = self._values(carried)
        params = tuple(Var(display_name(name), place) for name in carried)
        gone = deleted_inside(item.node)
        self.loosen(params, init, [UNBOUND if name in gone else TRUE for name in carried])

        def lower() -> Block:
            if element:
                self.bind(_ELEMENT, element[0])
            for name, param in zip(carried, params):
                self.bind(name, param)
            return self._leaf_block(item.body, carried)

        _, body = self.scoped(lower)
        body = Block((*element, *params), body.statements, body.end)
        results = tuple(Var(p.name, place) for p in params)
        self.loosen(results, params)
        if over is None:
            self.statements.append(While(results, init, body, place))
        else:
            self.statements.append(For(results, over, init, body, place))
        for name, result in zip(carried, results):
            self.bind(name, result)

    # Code that is not followed

    def _foreign(self, item: Foreign, live: frozenset[str]) -> None:
        # the flag and value of a return lead, as OpaqueCode has it
        flags = (item.flags[RETURN], RESULT) if RETURN in item.flags else ()
        others = tuple(flag for kind, flag in item.flags.items() if kind != RETURN)
        sure, gone = bound_surely([item.node], self.unit.scopes), deleted_inside(item.node)
        sure = {n for n in item.facts.binds if n in sure or n not in gone and self.value_of(n) not in self.loose}
        names = others + tuple(
            name for name in item.facts.binds if name in live and name not in flags and name not in others
        )
        declared = self.scope.globals | self.scope.nonlocals
        if declared & set(item.facts.binds):
            for name in sorted(declared & set(item.facts.binds)):
                self.refuse_assigned(name, item.node)
            return
        place = self.place(item.node)
        shared = self.shared & {*item.facts.binds, *assigned_by_functions(self.unit.scopes, [item.node])}
        names = tuple(n for n in names if n not in shared)  # the body writes their variables itself
        body = None if item.body is None else self._arm(item.body, (*flags, *names))
        seen = self.seen_later(item.node)
        if shared or seen:  # run as written, it would have names of its own
            found = f"{item.feature} that assigns to {min(shared)!r}, which a function captures" if shared else (
                f"{item.feature} in which a function is made that captures {min(seen)!r}, which is assigned again"
            )
            stop = Const(Unsupported(found, place, "Assign to another name inside, and to this one behind it."))
            opaque = Call(Var(item.feature, place), Const(ops.unsupported), (stop,), (), place)
            if body is None:
                self.statements.append(opaque)
        else:
            opaque = self._opaque_call(item, names, item.body is None)
        if body is None:
            parts = [self.call(operator.getitem, opaque.result, Const(i), node=item.node, hint=display_name(name))
                     for i, name in enumerate((*flags, *names))]  # fmt: skip
            for part in [p for n, p in zip((*flags, *names), parts) if n not in sure and not is_flag(n)]:
                self.call(ops.present, part, node=item.node, hint=f"{part.name}_bound")
        else:
            parts = [Var(display_name(name), place) for name in (*flags, *names)]
            ways = None if shared or seen else self._ways(item, (*flags, *names), live)
            self.statements.append(Attempt(tuple(parts), self._block(body, range(len(parts))), opaque, place, ways))
        for name, part in zip((*flags, *names), parts):
            self.bind(name, part)
            if name not in sure and not is_flag(name):
                self.loose.add(part)

    def _ways(self, item: Foreign, names: tuple[str, ...], live: frozenset[str]) -> Ways | None:
        """A try as branches on the way that it goes, where its body says what it says when it runs as written."""
        if item.ways is None or item.tried is None or item.unsure & live:
            return None
        if touches(item.node.finalbody, {*self.local, *self.env}):
            return None
        own = self.unit.scopes.names(item.node.body)
        read = [n for n in own.reads if n in self.local and n not in own.binds]
        if any(self.value_of(n) in self.loose for n in read):  # of which Python says that they are local
            return None
        branches = self._block(self._arm(item.ways, names), range(len(names)))
        return Ways(branches, self._block(self._arm(item.tried, ())))

    def seen_later(self, node: Any) -> set[str]:
        """The variables that functions made in a statement capture, and find changed when they are called; and those
        that generators may."""
        scopes = self.unit.scopes
        made = [(f, scopes.of(f).free) for f in nested_functions([node])]
        lazy = scopes.names(generators_kept(node)).reads
        found = {n for f, free in made for n in free if n in self.shared and self.captures.rebound(f, n)}
        return found | {n for n in lazy if n in self.scope.bound and self.captures.changes(n, n in self.scope.params)}

    def raw(self, name: str, node: Any) -> Atom:
        """The value of a name for code that may find it unbound."""
        if name in self.shared:
            return self.call(ops.read_variable, self.env[name], node=node, hint=name)
        return self.value_of(name)

    def flag_value(self, name: str, value: Atom, node: Any) -> Atom | None:
        """Whether a name is bound now; None if it is for certain."""
        hint = f"{name}_bound"
        if name in self.shared:
            flag = self.env.get(flag_of(name))
            return None if flag is None else self.call(ops.read_variable, flag, node=node, hint=hint)
        return self.call(ops.bound_of, value, node=node, hint=hint) if value in self.loose else None

    def _asked(self, item: Asked) -> None:
        """The number of the way that a try goes."""
        inputs, values, flags, late, unbound = self._given(item)
        name, binds = identifier(item.name), self.unit.scopes.names(item.node.body).binds
        nodes = [*late, *asking(item.node, name, inputs, binds)]
        place, remedy = self.place(item.node), REMEDIES["try"]
        space, unsure = self.unit.namespace, list(flags)
        way = make_opaque(nodes, inputs, [name], {}, False, space, "try", remedy, place, unsure, unbound, Way)
        way.run.code = way
        gone = self.call(Const(way), *values, *flags.values(), node=item.node, hint="way")
        self.bind(item.name, self.call(operator.getitem, gone, Const(0), node=item.node, hint="way"))

    def _given(self, item: Asked | Foreign) -> tuple[list[str], list[Atom], dict[str, Atom], list[Any], list[str]]:
        """What code that runs as written gets: names, values, what tells if some are bound, functions, which are made
        in there; and the names that are not bound."""
        bound = (*item.facts.reads, *item.facts.binds)
        used = sorted({n for n in bound if (n in self.local or n in self.env) and not is_flag(n)})
        inputs = [n for n in used if self.value_of(n) is not UNBOUND]
        values = [self.raw(n, item.node) for n in inputs]
        flags = {n: flag for n, v in zip(inputs, values) if (flag := self.flag_value(n, v, item.node)) is not None}
        late = self.late_among(n for n in bound if n in self.late and n not in self.env)
        return inputs, values, flags, late, [n for n in used if n not in inputs]

    def _opaque_call(self, item: Foreign, outputs: tuple[str, ...], emit: bool) -> Call:
        inputs, values, flags_in, late, unbound = self._given(item)
        place = self.place(item.node)
        exits = {kind: identifier(flag) for kind, flag in item.flags.items() if kind != RETURN}
        code = make_opaque(
            [*late, item.node], inputs, [identifier(name) for name in outputs],
            exits,
            RETURN in item.flags,
            self.unit.namespace,
            item.feature,
            item.remedy,
            place,
            list(flags_in), unbound,
        )  # fmt: skip
        call = Call(Var(item.feature, place), Const(code), (*values, *flags_in.values()), (), place)
        if emit:
            self.statements.append(call)
        return call


def _live_after(seq: Seq, live: frozenset[str]) -> list[frozenset[str]]:
    """For each item the names it binds that are read after it (empty for simple items)."""
    now = set(live)
    out: list[frozenset[str]] = []
    for item in reversed(seq.items):
        facts = item.facts
        simple = isinstance(item, (Plain, Target, SetFlag, SetResult, Leave, Throw, Asked))
        out.append(frozenset() if simple else frozenset(n for n in facts.binds if n in now))
        if leaves(item):  # on the paths that leave, what is carried is read
            now |= facts.reads | live
        elif facts.kills is None:
            now = set(facts.reads)
        else:
            now -= facts.kills
            now |= facts.reads
    out.reverse()
    return out


def lower_node(
    unit: Unit,
    node: Any,
    name: str,
    captured: Sequence[str],
    around: dict[str, Any],
    variables: frozenset[str] = frozenset(),
    loose: frozenset[str] = frozenset(),
) -> Function:
    """A FunctionDef or Lambda, whose free variables are `captured`, as a Function; `around`: the
    late functions of the functions around it; `variables`: those of the captured names whose value
    is in a variable that several functions share; `loose`: those that some path leaves unbound."""
    scope = unit.scopes.of(node)
    statements = (
        [gast.copy_location(gast.Return(value=node.body), node.body)] if isinstance(node, gast.Lambda) else node.body
    )
    written = statements
    if scope.yields:
        names = unit.scopes.names(statements)
        statements = made_plain(statements, (*scope.bound, *names.reads, *names.binds))
    elsewhere = scope.bound | set(captured) | around.keys()
    captures = Captures(statements, unit.scopes, lambda n: None if n in elsewhere else unit.namespace.get(n))
    late = {n: f for n, f in around.items() if n not in scope.bound and n not in captured}
    late |= captures.late_functions()
    lowerer = FunctionLowerer(unit, scope, captured, captures, late, lower_node)
    params = tuple(Var(p.id, lowerer.place(p)) for p in parameters(node.args))
    cells = tuple(Var(n.replace("%", "_"), None) for n in captured)
    flags = tuple(Bound(f"{n}_bound", None, cell, True) for n, cell in zip(captured, cells) if n in loose)
    lowerer.env.update(zip(captured, cells))
    lowerer.loose.update(cell for cell in cells if cell.name in loose)
    lowerer.env.update((p.name, p) for p in params)
    lowerer.share(variables, node)
    endless = False
    if isinstance(node, gast.AsyncFunctionDef):
        remedy = "Write it as an ordinary function: def, no await."
        stop = lowerer.refuse(node, "a coroutine is not followed", remedy)
        body = Block((), tuple(lowerer.statements), Return(stop))
    else:
        normaliser = Normaliser(unit.scopes, {n: captures.free_of(f, late) for n, f in late.items()})
        if scope.yields:
            params = (*params, Var("each", None))
            lowerer.env |= {YIELD: params[-1], CUT: Const(ops.cut_short), SILENT: Const(ops.silent)}
            endless = not normaliser.exits_of(written)
        body = lowerer.body(normaliser.function(statements, node))
    about = (_signature(node.args), lowerer.place(node), scope.yields, endless)
    return Function(name, params, (*cells, *flags), body, *about)


def _signature(args: Any) -> Signature:
    return Signature(
        tuple(p.id for p in (*args.posonlyargs, *args.args)),
        len(args.posonlyargs),
        None if args.vararg is None else args.vararg.id,
        tuple(p.id for p in args.kwonlyargs),
        None if args.kwarg is None else args.kwarg.id,
    )


_known: dict[int, tuple[weakref.ref[CodeType], dict[int, Function]]] = {}


def lower_function(fn: Any) -> Function:
    """The untyped IR of a Python function; the same Function for the same code and namespace.

    Raises SourceError if the source cannot be had or is not what runs. Constructs that are not
    followed do not raise: they lower to what raises Unsupported when it is reached.
    """
    fn = getattr(fn, "__func__", fn)
    code = getattr(fn, "__code__", None)
    if code is not None:
        entry = _known.get(id(code))
        if entry is not None and entry[0]() is code and id(fn.__globals__) in entry[1]:
            return entry[1][id(fn.__globals__)]
    source = source_of(fn)
    function = large_stack(lower_source, source)
    if checking():
        verify(function)
    key = id(source.code)
    entry = _known.get(key)
    if entry is None or entry[0]() is not source.code:
        entry = (weakref.ref(source.code, lambda _: _known.pop(key, None)), {})
        _known[key] = entry
    return entry[1].setdefault(id(source.namespace), function)


def lower_source(source: Source) -> Function:
    """The untyped IR of a function whose source is known; call it with a large stack."""
    unit = Unit(source.file, source.namespace, Scopes(), source.code)
    name = source.code.co_name
    return lower_node(unit, made_functions(source.node), name, source.freevars, {})
