"""Specialisation: an untyped Function and argument types to typed IR.

An abstract interpreter that rebuilds what it interprets: branches on known tests fold, user
functions are inlined (recursive ones get a function of their own), known containers are split
into their leaves at joins, and loops are repeated until the types of what they carry are stable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from adcompile.analysis import iteration, laziness, yielding
from adcompile.analysis.begin import Begin
from adcompile.analysis.bound import TRUE, flags_of, present, with_bound
from adcompile.analysis.builder import Builder, Lifted, Tentative
from adcompile.analysis.carried import Carried, Frame, Misfit, augmented_in, never_turned, varying
from adcompile.analysis.heap import look
from adcompile.analysis.joins import Join, Side, Tree, asked_once, tells, tells_alone
from adcompile.analysis.leaves import deep_widen, holds_structure, is_undefined, leaf_names, leaf_types
from adcompile.analysis.leaving import raised
from adcompile.analysis.made import explained, is_managed, may_run_twice, only_arranges, wrapped
from adcompile.analysis.optional import (
    Environment,
    known_truth,
    learn,
    learn_used,
    narrowed,
    note_results,
    resolve,
    tell,
)
from adcompile.analysis.terminated import Terminated, demand, going_on, run_primal
from adcompile.analysis.unrolled import as_branch, of_those_that_pass, one_in_the_other
from adcompile.errors import Place, Unsupported
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
    Statement,
    Unreachable,
    Var,
    While,
    Yield,
)
from adcompile.ir.types import NEVER, Cell, Instance, ObjectT, Seq, TupleT, Type, holds_ref

ROUNDS = 24  # a loop whose types still grow after this many joins carries a growing structure


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
        fn = resolve(b, env, statement.fn)
        args = learn_used(b, fn, [resolve(b, env, a) for a in statement.args])
        kwargs = [(k, resolve(b, env, a)) for k, a in statement.kwargs]
        laziness.note_call(b, fn, args, statement.place)
        b.context.calls.append(statement)
        value = b.dispatch(fn, args, kwargs, statement.result.name, statement.place)
        b.context.calls.pop()
        env[statement.result] = wrapped(b, fn, args, value, statement.result.name, statement.place)
        return None
    if b.pinned:  # code of ours is where the user's call is
        statement = replace(statement, place=b.place)
    if isinstance(statement, If):
        return run_if(b, statement, env, frame)
    if isinstance(statement, Attempt):
        return run_attempt(b, statement, env)
    run_for(b, statement, env) if isinstance(statement, For) else run_loop(b, statement, env, None)
    return None


def run_end(b: Builder, end: End, env: Environment, frame: Frame | None) -> End:
    if isinstance(end, Yield):
        return Yield(tuple(resolve(b, env, v) for v in end.values))
    if isinstance(end, Return):
        return Return(demand(resolve(b, env, end.value)))
    if isinstance(end, (Continue, Break)):
        assert frame is not None
        return type(end)(tuple(frame.leaves(b, [resolve(b, env, v) for v in end.values])))
    if isinstance(end, Raise):
        exception = None if end.exception is None else resolve(b, env, end.exception)
        raised(b)
        return Raise(exception, None if end.cause is None else resolve(b, env, end.cause), end.place)
    return end


# -- branches -----------------------------------------------------------------------------------


def run_if(b: Builder, s: If, env: Environment, frame: Frame | None) -> End | None:
    test = demand(resolve(b, env, s.test), s.place)
    truth = known_truth(b, test)
    if truth is None and holds_ref(b.type(test)):
        test = look(b, b.call(bool, test) if not isinstance(b.type(look(b, test)), (Seq, Instance)) else test)
        truth = known_truth(b, test)
    if truth is not None:
        end = run_block(b, s.then if truth else s.orelse, env, frame)
        if not isinstance(end, Yield):
            return end
        env.update(zip(s.results, end.values))
        return None
    asked, test, store = test, asked_once(b, test), b.context.store
    then, orelse = b.child(), b.child()
    ends: list[End] = []
    sides: list[Side] = []
    for child, block in ((then, s.then), (orelse, s.orelse)):
        mark = store.mark()
        with narrowed(child, tell(b, asked, child is then)):
            ends.append(run_block(child, block, env, frame))
        states = store.undo(mark)
        if isinstance(ends[-1], Yield):
            sides.append(Side(child, states))
    join = Join(b, sides, s.place or b.place)
    yielded = [e.values for e in ends if isinstance(e, Yield)]
    trees: list[Tree] = []
    for i, r in enumerate(s.results):
        told = isinstance(r, Bound) and not r.alone and trees[s.results.index(r.of)].tells(b)  # type: ignore[arg-type]
        alternatives = [(side, values[i]) for side, values in zip(sides, yielded)]
        trees.append(Tree(TRUE) if told else join.value(r.name, r, alternatives))
    join.cells()
    final = iter(join.columns)
    blocks = [
        c.block((), Yield(tuple(next(final))) if isinstance(e, Yield) else e) for c, e in zip((then, orelse), ends)
    ]
    b.append(If(tuple(join.results), test, blocks[0], blocks[1], s.place, b.role))
    if not sides:
        return Unreachable()
    join.commit()
    for result, tree in zip(s.results, trees):
        env[result] = tree.rebuild(b, result.name)
    note_results(b, asked, test, then, join)
    if len(sides) == 1:
        learn(b, tell(b, asked, sides[0].b is then))
    return None


Emitted = Callable[[Builder], Atom]


def branch_on(
    b: Builder, test: Atom, then: Emitted, orelse: Emitted, name: str = "t", place: Place | None = None
) -> Atom:
    """`then() if test else orelse()`, each emitted into its own branch."""
    t, u, v, result = Var("test"), Var(name or "t"), Var(name or "t"), Var(name or "t")
    blocks = [Block((), (Call(x, Const(Lifted(run))),), Yield((x,))) for x, run in ((u, then), (v, orelse))]
    env: Environment = {t: test}
    end = run_if(b, If((result,), t, blocks[0], blocks[1], place or b.place), env, None)
    if end is not None:
        raise Terminated(end)
    return env[result]


# -- loops --------------------------------------------------------------------------------------


def run_for(b: Builder, s: For, env: Environment) -> None:
    iterable = demand(resolve(b, env, s.iterable), s.place)
    if holds_ref(b.type(iterable)) and isinstance(b.type(look(b, iterable)), ObjectT):
        iterable = b.call(iter, iterable, place=s.place)
    laziness.go_through(b, iterable, s.place)
    begin, view = Begin(b, env), laziness.guarded(b, iterable)
    if view is not None:
        run_guarded(b, s, env, view)
        return
    run = yielding.run_of(b, iterable)
    if run is not None:
        run_generated(b, s, env, run)
        return
    run_items(b, s, env, iterable)
    laziness.check_steady(b, iterable, begin, s.place)


def run_guarded(b: Builder, s: For, env: Environment, view: laziness.View) -> None:
    """`for x in filter(test, xs): …` as `for x in xs: if test(x): …`."""
    assert view.over is not None and view.guard is not None
    source = Var("items")
    env[source] = view.over
    run_for(b, of_those_that_pass(s, source, view.guard), env)


def run_generated(b: Builder, s: For, env: Environment, run: yielding.Run) -> None:
    def body(c: Builder, block: Block, given: Sequence[Atom]) -> list[Atom]:
        env.update(zip(s.body.params, given))
        return going_on(run_block(c, block, env, None))

    env.update(zip(s.results, yielding.run_over(b, s, run, [resolve(b, env, a) for a in s.init], body)))


def run_items(b: Builder, s: For, env: Environment, iterable: Atom) -> None:
    branch = as_branch(s.body)
    rows = None if branch is None else iteration.named_rows(b, iterable)
    items = iteration.known_items(b, iterable) if rows is None else None
    if branch is not None and rows is not None and len(rows) <= iteration.UNROLL_NAMES:
        over = laziness.run_over(b, iterable)
        b.context.iterated += over
        unroll(b, s, branch, iterable, lambda: rows, env)
        del b.context.iterated[len(b.context.iterated) - len(over) :]
        return
    if branch is not None and items is not None and iteration.is_short(b, items):
        unroll(b, s, branch, iterable, lambda: iteration.known_items(b, iterable), env)
        return
    if branch is None and items and iteration.is_short(b, items) and iteration.is_mixed(b, iterable, items):
        unroll_left(b, s, iterable, len(items), env)
        return
    numbers = iteration.known_range(b, iterable)
    small = numbers is not None and branch is not None and len(numbers) <= iteration.UNROLL
    begin = Begin(b, env)
    b.context.tentative += small
    try:
        held = run_as_loop(b, s, env, iterable)
        followed = not any(map(holds_structure, held))  # a list of tuples or functions has no leaf to carry
    except Tentative:
        followed = not small
        if followed:
            raise
    finally:
        b.context.tentative -= small
    if followed or not small or numbers is None or branch is None:
        return
    begin.again(b, env)
    unroll(b, s, branch, iterable, lambda: [Const(k) for k in numbers], env)


def run_as_loop(b: Builder, s: For, env: Environment, iterable: Atom) -> list[Type]:
    """Run a loop that stays one; the types of what it carries."""
    over = laziness.run_over(b, iterable)
    begin = Begin(b, env)
    b.context.iterated += over
    carried: Carried | None = None
    for live in (False, True):
        plan = iteration.plan(b, iterable, s.place, live)
        try:
            carried = run_loop(b, s, env, plan, iteration.bounds(b, s.body, plan) is not None)
        except Misfit as misfit:  # the first iteration makes what the others find: run that one by itself
            begin.again(b, env)
            b.context.iterated += over
            carried = peel(b, s, env, iteration.plan(b, iterable, s.place, True), misfit.turned)
            break
        if live or not set(over) & set(carried.slots()):
            break
        begin.again(b, env)  # it writes into what it runs over: read that as it is by then
        b.context.iterated += over
    assert carried is not None
    states = b.context.store.states
    cells = [slot for slot in carried.slots() if isinstance(slot, Cell) and slot in states]
    del b.context.iterated[len(b.context.iterated) - len(over) :]
    return [b.type(states[c].content) for c in cells] + [b.type(env[r]) for r in s.results]


def peel(b: Builder, s: For, env: Environment, plan: iteration.Plan, turned: bool) -> Carried:
    """The first iteration, if there is any, then a loop over the others; `turned`: it makes an array of a number."""
    found = iteration.first_and_rest(b, s.body, plan)
    assert found is not None
    first, rest, test = found
    branch = as_branch(s.body)
    assert branch is not None
    element, *params = s.body.params
    init = [resolve(b, env, a) for a in s.init]
    done: list[Carried] = []

    def entered(c: Builder) -> Atom:
        env[element] = plan.bind(c, first)
        env.update(zip(params, init))
        c.context.calls.append("first")
        end = run_block(c, branch, env, None)
        c.context.calls.pop()
        names = [Var(p.name, p.place) for p in params]
        env.update(zip(names, going_on(end)))
        others = For(s.results, Const(None), tuple(names), s.body, s.place, s.role)
        done.append(run_loop(c, others, env, iteration.Plan(rest, plan.type, plan.bind, plan.name)))
        return c.build(TupleT(()), [env[r] for r in s.results])

    def missed(c: Builder) -> Atom:
        return run_primal(partial(never_turned, s.place), s.place) if turned else c.build(TupleT(()), init)
    if b.known(test):
        whole = entered(b) if b.value(test) else b.build(TupleT(()), init)
    else:
        whole = branch_on(b, test, entered, missed, place=s.place)
    env.update(zip(s.results, b.items(whole)))
    return done[0] if done else Carried({}, [], 0)


Item = Atom | Emitted


def unroll(
    b: Builder, s: For, body: Block, iterable: Atom, items: Callable[[], Sequence[Item] | None], env: Environment
) -> None:
    """Run the iterations one by one; each sees what its item is by then. A function reads its item."""
    carried = [resolve(b, env, a) for a in s.init]
    element, *params = s.body.params
    now, live, k = items(), holds_ref(b.type(iterable)), 0
    while now is None or k < len(now):
        if now is None:
            raise iteration.changes(s.place)
        if k > 4 * iteration.UNROLL_NAMES:
            raise Unsupported("this loop adds to the list that it runs over", s.place, "collect into another list")
        item = now[k]
        env[element] = item if isinstance(item, (Var, Const)) else item(b)
        env.update(zip(params, carried))
        b.context.calls.append(k)
        end = run_block(b, body, env, None)
        b.context.calls.pop()
        carried = going_on(end)
        k += 1
        if live:
            now = items()
    env.update(zip(s.results, carried))


def unroll_left(b: Builder, s: For, iterable: Atom, count: int, env: Environment) -> None:
    """Run the iterations of a loop that may be left, one in the other."""
    depth = len(b.context.calls)
    items = [partial(iteration.item_now, s.place, iterable, count, k) for k in range(count)]
    end = run_block(b, one_in_the_other(s, items), env, None)
    del b.context.calls[depth:]
    going_on(end)


def run_loop(
    b: Builder, s: For | While, env: Environment, plan: iteration.Plan | None, peelable: bool = False
) -> Carried:
    """Run a loop that stays one; what it carries."""
    store = b.context.store
    params = s.body.params[1:] if plan else s.body.params
    init = [resolve(b, env, a) for a in s.init]
    changed = varying(s.body, params)
    env.update((v, value) for k, value in enumerate(init) if k not in changed for v in (params[k], s.results[k]))
    mark = store.mark()
    assumed: dict[object, Type] = {k: NEVER if is_undefined(init[k]) else deep_widen(b.type(init[k])) for k in changed}
    told = flags_of(params, s.results, lambda flag, of: (tells if init[flag] == TRUE else tells_alone)(b, init[of]))
    turned = partial(augmented_in, s.body, params)  # few loops ask
    carried = Carried(assumed, changed, mark, peelable=peelable, flags_of=told, augmented=turned)
    for _ in range(ROUNDS):
        carried.stable = True
        frame = Frame(carried)
        node, leaves = run_body(b, s, params, init, env, frame, plan)
        frame.check_edges(b)
        store.undo(mark)
        if carried.stable:
            same = carried.released(node, leaves)
            if not same:
                break
            env.update((v, init[k]) for k in same for v in (params[k], s.results[k]))
    else:
        raise Unsupported(
            "a value carried by this loop changes its structure in every iteration",
            s.place,
            "collect into a list with append, or write into an array",
        )
    b.append(node)
    rest = iter(node.results)
    frame = Frame(carried)
    for slot in carried.slots():
        name = (slot if isinstance(slot, Cell) else s.results[slot]).name
        value = frame.rebuild(b, name, slot, [next(rest) for _ in range(leaves[slot])])
        if isinstance(slot, Cell):
            store.put(slot, replace(store.states[slot], content=value))
        else:
            env[s.results[slot]] = value
    frame.apply_flags(b)
    return carried


def run_body(
    b: Builder,
    s: For | While,
    params: tuple[Var, ...],
    init: list[Atom],
    env: Environment,
    frame: Frame,
    plan: iteration.Plan | None,
) -> tuple[For | While, dict[object, int]]:
    """Build the loop under what it is assumed to carry; also the number of leaves of each slot."""
    child, store, carried = b.child(), b.context.store, frame.carried
    child.loops += 1
    frame.start = store.mark()
    outer = frame.leaves(b, init)
    slots, assumed = carried.slots(), dict(carried.assumed)
    body_params: list[Var] = []
    element: Var | None = None
    if plan is not None:
        element = child.new(plan.name or s.body.params[0].name, plan.type, s.body.params[0].place)
        body_params.append(element)
    leaves: dict[object, int] = {}
    results: list[Var] = []
    for slot in slots:
        types = leaf_types(assumed[slot])
        leaves[slot] = len(types)
        inner, out = (slot, slot) if isinstance(slot, Cell) else (params[slot], s.results[slot])
        names = leaf_names(inner.name or "t", assumed[slot])
        fresh = [child.new(n, t, inner.place) for n, t in zip(names, types)]
        body_params.extend(fresh)
        value = frame.rebuild(child, inner.name, slot, fresh)
        if isinstance(slot, Cell):
            store.put(slot, replace(store.states[slot], content=value))
        else:
            env[params[slot]] = value
        names = leaf_names(out.name or "t", assumed[slot])
        after = [b.new(n, t, out.place) for n, t in zip(names, types)]
        for atom, param, result in zip(outer[len(results) :], fresh, after):
            if is_undefined(atom) or atom in b.context.loose:
                b.context.loose |= {param, result}
                b.context.untold |= set() if tells(b, atom) else {param, result}
        results.extend(after)
    frame.apply_flags(b)
    if plan is not None and element is not None:
        env[s.body.params[0]] = plan.bind(child, element)
    with narrowed(child, {}):
        end = run_block(child, s.body, env, frame)
    body = child.block(body_params, end)
    if plan is not None:
        return For(tuple(results), plan.iterable, tuple(outer), body, s.place, b.role), leaves
    return While(tuple(results), tuple(outer), body, s.place, b.role), leaves


# -- try ----------------------------------------------------------------------------------------


def run_attempt(b: Builder, s: Attempt, env: Environment) -> End | None:
    """The body alone, of a `with` that is followed or if interpreting it leaves nothing to run; else as written."""
    scratch = b.child()
    inner, gone, depth, why = dict(env), set(b.context.gone), len(b.context.calls), None
    mark = b.context.store.mark()
    try:
        with narrowed(scratch, {}):
            end = run_block(scratch, s.body, inner, None)
    except Unsupported as error:
        end, why = Unreachable(), error if is_managed(s.body) else None
    if isinstance(end, Yield) and (is_managed(s.body) or all(only_arranges(b, st) for st in scratch.statements)):
        b.statements.extend(scratch.statements)
        b.local |= scratch.local
        env.update(zip(s.results, end.values))
        return None
    b.context.store.undo(mark)
    b.context.gone = gone
    del b.context.calls[depth:]
    if s.ways is not None and may_try_again(b, s.ways.tried, env):
        end = run_block(b, s.ways.branches, env, None)
        env.update(zip(s.results, end.values if isinstance(end, Yield) else ()))
        return None if isinstance(end, Yield) else end
    fn, args = explained(resolve(b, env, s.opaque.fn), why), [resolve(b, env, a) for a in s.opaque.args]
    env.update(zip(s.results, b.items(b.dispatch(fn, args, [], s.opaque.result.name, s.place))))
    for r in s.results:
        if isinstance(r, Bound) and r.of is not None:
            env[r] = present(b, env[r.of], r.name, s.place)
    return None


def may_try_again(b: Builder, tried: Block, env: Environment) -> bool:
    """Whether the body of a try may run once more, seen by nobody."""
    scratch, gone = b.child(), set(b.context.gone)
    try:
        with b.context.store.on_trial() as put, narrowed(scratch, {}):
            end = run_block(scratch, tried, dict(env), None)
            quiet = isinstance(end, (Yield, Raise, Return)) and may_run_twice(b, scratch.statements)
    except Unsupported:
        return False
    finally:
        b.context.gone = gone
    return quiet and not put


# -- functions ----------------------------------------------------------------------------------


def run_function(b: Builder, function: Function, params: list[Atom], cells: list[Atom]) -> Atom:
    """Inline `function` on these values; the value it returns."""
    function = with_bound(function)
    env: Environment = dict(zip(function.params, params))
    env.update(zip(function.captured, cells))
    end = run_block(b, function.body, env, None)
    if isinstance(end, Return):
        return end.value
    raise Terminated(end)
