"""Specialisation: an untyped Function and argument types to typed IR.

An abstract interpreter that rebuilds what it interprets: branches on known tests fold, user
functions are inlined (recursive ones get a function of their own), known containers are split
into their leaves at joins, and loops are repeated until the types of what they carry are stable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from adcompile.analysis import iteration
from adcompile.analysis.builder import Builder, Lifted, is_structured, parts, same_form
from adcompile.analysis.leaves import (
    deep_widen,
    is_undefined,
    leaf_names,
    leaf_types,
    part_name,
    rebuild_carried,
    value_leaves,
)
from adcompile.errors import Place, Unsupported
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Atom,
    Attempt,
    Block,
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
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import (
    NEVER,
    Choice,
    Closure,
    DictT,
    Instance,
    Known,
    ListT,
    Scalar,
    Seq,
    TupleT,
    Type,
    Unknown,
    join,
    widen,
)

Environment = dict[Var, Atom]
ROUNDS = 24  # a loop whose types still grow after this many joins carries a growing structure


class Terminated(Exception):
    """What follows in the block being built cannot be reached."""

    def __init__(self, end: End) -> None:
        super().__init__()
        self.end = end


@dataclass
class Frame:
    """The loop whose body is being run: what its carried values were assumed to be, and are."""

    assumed: list[Type]
    joined: list[Type] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)  # positions that vary


def resolve(env: Environment, atom: Atom) -> Atom:
    return atom if isinstance(atom, Const) else env[atom]


def run_block(b: Builder, block: Block, env: Environment, frame: Frame | None) -> End:
    """Interpret `block` into `b`; the end is mapped, with carried values split into leaves."""
    try:
        for statement in block.statements:
            end = run_statement(b, statement, env, frame)
            if end is not None:
                return end
        return run_end(b, block.end, env, frame)
    except Terminated as stop:
        return stop.end


def run_statement(b: Builder, statement: Statement, env: Environment, frame: Frame | None) -> End | None:
    """Interpret one statement; an end if nothing after it can be reached."""
    if isinstance(statement, Call):
        fn = resolve(env, statement.fn)
        args = [resolve(env, a) for a in statement.args]
        kwargs = [(k, resolve(env, a)) for k, a in statement.kwargs]
        env[statement.result] = b.dispatch(fn, args, kwargs, statement.result.name, statement.place)
        return None
    if isinstance(statement, If):
        return run_if(b, statement, env, frame)
    if isinstance(statement, For):
        run_for(b, statement, env)
        return None
    if isinstance(statement, While):
        run_loop(b, statement, env, None)
        return None
    return run_attempt(b, statement, env)


def demand(atom: Atom, place: Place | None = None) -> Atom:
    """What a statement reads; a name that no path has bound raises what Python raises."""
    if is_undefined(atom):
        error = UnboundLocalError("cannot access local variable where it is not associated with a value")
        raise Terminated(Raise(Const(error), None, place))
    return atom


def run_end(b: Builder, end: End, env: Environment, frame: Frame | None) -> End:
    if isinstance(end, Yield):
        return Yield(tuple(resolve(env, v) for v in end.values))
    if isinstance(end, Return):
        return Return(demand(resolve(env, end.value)))
    if isinstance(end, (Continue, Break)):
        assert frame is not None
        values = [resolve(env, v) for v in end.values]
        return type(end)(tuple(leaf for k in frame.kept for leaf in carried_leaves(b, values[k], frame, k)))
    if isinstance(end, Raise):
        exception = None if end.exception is None else resolve(env, end.exception)
        return Raise(exception, None if end.cause is None else resolve(env, end.cause), end.place)
    return end


# -- branches -----------------------------------------------------------------------------------


@dataclass
class Tree:
    """A joined value: one atom, or parts to be rebuilt after the statement that joins them."""

    atom: Atom | None = None
    form: Type | None = None
    parts: list[Tree] = field(default_factory=list)

    def rebuild(self, b: Builder, name: str) -> Atom:
        if self.atom is not None:
            return self.atom
        assert self.form is not None
        return b.build(self.form, [p.rebuild(b, "") for p in self.parts], name=name)


def run_if(b: Builder, s: If, env: Environment, frame: Frame | None) -> End | None:
    test = demand(resolve(env, s.test), s.place)
    truth = known_truth(b, test)
    if truth is not None:
        end = run_block(b, s.then if truth else s.orelse, env, frame)
        if not isinstance(end, Yield):
            return end
        env.update(zip(s.results, end.values))
        return None
    then, orelse = b.child(), b.child()
    ends = [run_block(then, s.then, env, frame), run_block(orelse, s.orelse, env, frame)]
    yielding = [(c, e) for c, e in zip((then, orelse), ends) if isinstance(e, Yield)]
    results: list[Var] = []
    columns: list[list[Atom]] = [[] for _ in yielding]
    trees = []
    for i, result in enumerate(s.results):
        alternatives = [(c, e.values[i]) for c, e in yielding]
        trees.append(phi(b, result.name, result, alternatives, results, columns))
    final = iter(columns)
    blocks = [
        c.block((), Yield(tuple(next(final))) if isinstance(e, Yield) else e) for c, e in zip((then, orelse), ends)
    ]
    b.append(If(tuple(results), test, blocks[0], blocks[1], s.place, b.role))
    if not yielding:
        return Unreachable()
    for result, tree in zip(s.results, trees):
        env[result] = tree.rebuild(b, result.name)
    return None


def choose(b: Builder, test: Atom, x: Atom, y: Atom, name: str = "t") -> Atom:
    """`x if test else y`."""
    t, u, v, result = Var("test"), Var(name), Var(name), Var(name)
    env: Environment = {t: test, u: x, v: y}
    run_if(b, If((result,), t, Block((), (), Yield((u,))), Block((), (), Yield((v,)))), env, None)
    return env[result]


def branch_on(
    b: Builder, test: Atom, then: Callable[[Builder], Atom], orelse: Callable[[Builder], Atom], name: str = "t"
) -> Atom:
    """`then() if test else orelse()`, each emitted into its own branch."""
    t, u, v, result = Var("test"), Var(name or "t"), Var(name or "t"), Var(name or "t")
    blocks = [Block((), (Call(x, Const(Lifted(run))),), Yield((x,))) for x, run in ((u, then), (v, orelse))]
    env: Environment = {t: test}
    end = run_if(b, If((result,), t, blocks[0], blocks[1], b.place), env, None)
    if end is not None:
        raise Terminated(end)
    return env[result]


def known_truth(b: Builder, test: Atom) -> bool | None:
    """The truth value of a test, where the type tells it."""
    t = b.type(test)
    if isinstance(t, Known):
        try:
            return bool(t.value)
        except (TypeError, ValueError):
            return None
    if isinstance(t, (TupleT, ListT, DictT)):
        return bool(parts(t))
    if isinstance(t, Closure):
        return True
    return None


def phi(
    b: Builder,
    name: str,
    origin: Var,
    alternatives: list[tuple[Builder, Atom]],
    results: list[Var],
    columns: list[list[Atom]],
) -> Tree:
    """Join one value over the branches that yield; leaves are added to `results`/`columns`."""
    defined = [(c, a) for c, a in alternatives if not is_undefined(a)]
    if not defined:
        return Tree(Const(ops.UNDEFINED))
    first = defined[0][1]
    if len(defined) == len(alternatives) and all(same_atom(first, a) and not local(c, a) for c, a in defined):
        return Tree(first)
    types = [c.type(a) for c, a in defined]
    if is_structured(types[0]) and all(same_form(types[0], t) for t in types):
        rows = [c.items(a) for c, a in defined]
        form = types[0]
        children: list[Tree] = []
        for k in range(len(rows[0])):
            cells = iter(rows)
            part = [(c, Const(ops.UNDEFINED) if is_undefined(a) else next(cells)[k]) for c, a in alternatives]
            children.append(phi(b, part_name(name, form, k), origin, part, results, columns))
        return Tree(None, form, children)
    joined: Type = NEVER
    for t in types:
        joined = join(joined, t)
    if len(defined) != len(alternatives) and isinstance(widen(joined), (Scalar, Instance)):
        joined = widen(joined)  # a number or text that may be unbound is no constant
    if isinstance(joined, Known):
        return Tree(Const(joined.value))
    options = choice(types)
    if options is not None and len(defined) == len(alternatives):
        result = b.new(name, options, origin.place)
        results.append(result)
        for column, (c, a) in zip(columns, alternatives):
            t = c.type(a)
            column.append(a if not isinstance(t, Known) else Const(options.options.index(t)))
        return Tree(result)
    result = b.new(name, joined, origin.place)
    if any(is_undefined(a) or a in b.context.loose for _, a in alternatives):
        b.context.loose.add(result)
    results.append(result)
    for column, (_, a) in zip(columns, alternatives):
        column.append(a)
    return Tree(result)


def choice(types: list[Type]) -> Choice | None:
    """The type of a function that depends on the path, if all it can be are known callables."""
    options: list[Known] = []
    for t in types:
        for known in t.options if isinstance(t, Choice) else (t,):
            if not isinstance(known, Known) or not callable(known.value):
                return None
            if known not in options:
                options.append(known)
    if any(isinstance(t, Choice) and t.options != tuple(options[: len(t.options)]) for t in types):
        return None
    return Choice(tuple(options))


def same_atom(a: Atom, b: Atom) -> bool:
    if isinstance(a, Const) and isinstance(b, Const):
        return a.value is b.value or Known(a.value) == Known(b.value)
    return a is b


def local(b: Builder, atom: Atom) -> bool:
    return isinstance(atom, Var) and atom in b.local


# -- loops --------------------------------------------------------------------------------------


def run_for(b: Builder, s: For, env: Environment) -> None:
    iterable = demand(resolve(env, s.iterable), s.place)
    items = iteration.known_items(b, iterable)
    if items is not None:
        branch = iteration.as_branch(s.body)
        if branch is not None and len(items) <= iteration.UNROLL:
            unroll(b, s, branch, items, env)
            return
    start, outer = len(b.statements), dict(env)
    run_loop(b, s, env, iteration.plan(b, iterable, s.place))
    if any(holds_structure(b.type(env[r])) for r in s.results):
        # a list of tuples or functions has no leaf to carry: run the iterations one by one
        numbers = iteration.known_range(b, iterable)
        branch = iteration.as_branch(s.body)
        if numbers is not None and branch is not None and len(numbers) <= iteration.UNROLL:
            del b.statements[start:]
            env.clear()
            env.update(outer)
            unroll(b, s, branch, [Const(k) for k in numbers], env)


def holds_structure(t: Type) -> bool:
    """Whether a sequence's items are containers or functions."""
    return isinstance(t, Seq) and (is_structured(t.item) or isinstance(t.item, Unknown))


def unroll(b: Builder, s: For, body: Block, items: list[Atom], env: Environment) -> None:
    carried = [resolve(env, a) for a in s.init]
    element, *params = s.body.params
    for item in items:
        env[element] = item
        env.update(zip(params, carried))
        end = run_block(b, body, env, None)
        if not isinstance(end, Yield):
            raise Terminated(end)
        carried = list(end.values)
    env.update(zip(s.results, carried))


def run_loop(b: Builder, s: For | While, env: Environment, plan: iteration.Plan | None) -> None:
    params = s.body.params[1:] if plan else s.body.params
    init = [resolve(env, a) for a in s.init]
    varying = iteration.varying(s.body, params)
    for k, value in enumerate(init):
        if k not in varying:
            env[params[k]] = env[s.results[k]] = value
    assumed = [NEVER if is_undefined(a) else deep_widen(b.type(a)) for a in init]
    for _ in range(ROUNDS):
        frame = Frame(assumed, list(assumed), varying)
        node, leaves = run_body(b, s, params, init, env, frame, plan)
        if frame.joined == assumed:
            break
        assumed = frame.joined
    else:
        raise Unsupported(
            "a value carried by this loop changes its structure in every iteration",
            s.place,
            "collect into a list with append, or write into an array",
        )
    b.append(node)
    rest = iter(node.results)
    for k in varying:
        env[s.results[k]] = rebuild_carried(b, s.results[k].name, assumed[k], [next(rest) for _ in range(leaves[k])])


def run_body(
    b: Builder,
    s: For | While,
    params: tuple[Var, ...],
    init: list[Atom],
    env: Environment,
    frame: Frame,
    plan: iteration.Plan | None,
) -> tuple[For | While, dict[int, int]]:
    """Build the loop under the assumed types; also the number of leaves of each carried value."""
    child = b.child()
    body_params: list[Var] = []
    if plan is not None:
        element = child.new(plan.name or s.body.params[0].name, plan.type, s.body.params[0].place)
        body_params.append(element)
        env[s.body.params[0]] = plan.bind(child, element)
    leaves: dict[int, int] = {}
    outer: list[Atom] = []
    results: list[Var] = []
    for k in frame.kept:
        types = leaf_types(frame.assumed[k])
        leaves[k] = len(types)
        names = leaf_names(params[k].name, frame.assumed[k])
        fresh = [child.new(n, t, params[k].place) for n, t in zip(names, types)]
        body_params.extend(fresh)
        env[params[k]] = rebuild_carried(child, params[k].name, frame.assumed[k], fresh)
        outside = carried_leaves(b, init[k], frame, k)
        inside = [b.new(n, t, s.results[k].place) for n, t in zip(names, types)]
        for atom, param, result in zip(outside, fresh, inside):
            if is_undefined(atom) or atom in b.context.loose:
                b.context.loose |= {param, result}
        outer.extend(outside)
        results.extend(inside)
    end = run_block(child, s.body, env, frame)
    body = child.block(body_params, end)
    if plan is not None:
        return For(tuple(results), plan.iterable, tuple(outer), body, s.place, b.role), leaves
    return While(tuple(results), tuple(outer), body, s.place, b.role), leaves


def carried_leaves(b: Builder, value: Atom, frame: Frame, k: int) -> list[Atom]:
    """The leaves of a carried value in the form assumed of position k; notes what does not fit."""
    assumed = frame.assumed[k]
    if is_undefined(value):
        return [Const(ops.UNDEFINED)] * len(leaf_types(assumed))
    t = deep_widen(b.type(value))
    joined = join(assumed, t)
    if joined != assumed:
        frame.joined[k] = join(frame.joined[k], joined)
        return [Const(ops.UNDEFINED)] * len(leaf_types(assumed))  # this round is thrown away
    return value_leaves(b, value, assumed)


# -- try ----------------------------------------------------------------------------------------


def run_attempt(b: Builder, s: Attempt, env: Environment) -> End | None:
    """The body alone, if interpreting it leaves nothing to run; else the statement as written."""
    scratch = b.child()
    inner = dict(env)
    try:
        end = run_block(scratch, s.body, inner, None)
    except Unsupported:
        end = Unreachable()
    if isinstance(end, Yield) and all(settled(st) for st in scratch.statements):
        b.statements.extend(scratch.statements)
        b.local |= scratch.local
        env.update(zip(s.results, end.values))
        return None
    fn, args = resolve(env, s.opaque.fn), [resolve(env, a) for a in s.opaque.args]
    outcome = b.dispatch(fn, args, [], s.opaque.result.name, s.place)
    env.update(zip(s.results, b.items(outcome)))
    return None


def settled(statement: Statement) -> bool:
    """Whether a statement only arranges values: it cannot raise and has no effect."""
    return (
        isinstance(statement, Call)
        and isinstance(statement.fn, Const)
        and statement.fn.value in (ops.build_tuple, ops.build_list, ops.build_dict, ops.make_function)
    )


# -- functions ----------------------------------------------------------------------------------


def run_function(b: Builder, function: Function, params: list[Atom], cells: list[Atom]) -> Atom:
    """Inline `function` on these values; the value it returns."""
    env: Environment = dict(zip(function.params, params))
    env.update(zip(function.captured, cells))
    end = run_block(b, function.body, env, None)
    if isinstance(end, Return):
        return end.value
    raise Terminated(end)
