"""What a call means: fold it, hand it to a handler, give it its rule's type, or follow its source.

`dispatch` is the one place that decides. Handlers (analysis/structure, analysis/builtins …) give
meaning to callables that work on structure the types hold; everything else either has a rule, or
is a Python function whose source is followed, or is emitted as it stands with type Unknown, to be
refused later if active values pass through it.
"""

from __future__ import annotations

import functools
import types as python_types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adcompile.analysis.arraylike import Kwargs, Lists, array_objects, as_arrays, by_position, with_stored
from adcompile.analysis.binding import bind, in_place_of_names, least_arguments, read_cell, read_held, there
from adcompile.analysis.builder import Builder, Context, Lifted, Restart
from adcompile.analysis.cached import CACHE, asked_too, cached_call, check_clear
from adcompile.analysis.callbacks import calls_back
from adcompile.analysis.choices import of_choice
from adcompile.analysis.demotion import (
    by_operator,
    call_unseen,
    check_renamed,
    demote,
    handed_over,
    is_container_write,
    loosened,
    may_write_into,
    puts_back,
    stirs,
)
from adcompile.analysis.filling import call_filled
from adcompile.analysis.guards import guard_class
from adcompile.analysis.heap import (
    cell_of,
    check_alias,
    give,
    is_opaque,
    look,
    note_write,
    outdate,
    owner_of,
    settle,
)
from adcompile.analysis.intrusive import arguments_written
from adcompile.analysis.leaves import is_undefined
from adcompile.analysis.lengths import SAME_SHAPE, note_shape
from adcompile.analysis.library import (
    MADE_OUTSIDE,
    MASKED,
    by_name,
    has_operators,
    is_of_library,
    may_carry,
    python_function,
    writes_text,
)
from adcompile.analysis.lifetimes import check_put
from adcompile.analysis.live import note_code, note_given, note_put
from adcompile.analysis.made import BORROWERS, READERS, is_reader
from adcompile.analysis.memoised import asking, note_asked
from adcompile.analysis.mutation import is_unknown
from adcompile.analysis.narrow import TWINS, complex_form, is_own_conjugate, twin
from adcompile.analysis.owned import taken_apart
from adcompile.analysis.real import hand, opened
from adcompile.analysis.recursion import endless, enter
from adcompile.analysis.slots import beware_of_given, beware_of_names, note_stored
from adcompile.analysis.spectra import may_be_real, note_spectrum
from adcompile.analysis.terminated import Terminated, run_primal
from adcompile.analysis.writing import changes_itself
from adcompile.analysis.yielding import is_generator, of_generators
from adcompile.errors import AdcompileError, Place, SourceError, Unsupported, unknown_function
from adcompile.frontend.lower import lower_function
from adcompile.frontend.opaque import Runner
from adcompile.ir import ops
from adcompile.ir.nodes import Atom, Const, Function, OpaqueCode, Raise, Signature, Var, Way
from adcompile.ir.program import FunctionRef
from adcompile.ir.types import (
    UNKNOWN,
    Array,
    Choice,
    Closure,
    Instance,
    Known,
    Method,
    Never,
    ObjectT,
    Ref,
    Scalar,
    TupleT,
    Type,
    Unknown,
    holds_ref,
    is_array_subclass,
    is_scalar_class,
    scalar,
)
from adcompile.rules.registry import Rule, lookup
from adcompile.rules.typing import result_type
from adcompile.rules.typing_fold import fold
from adcompile.rules.writing import by_place, stores_outcome
from adcompile.tangents import is_namedtuple_class

Handler = Callable[..., Any]
"""handler(b, args, kwargs, place, name) → Atom, or None to decline."""

handlers: dict[Any, Handler] = {}
class_handlers: dict[type, Handler] = {}
"""For callables by their class: handler(b, value, args, kwargs, place, name)."""


without_no_out: Any = None  # the arguments without `out=None`
call_out: Any = None  # what `f(…, out=o)` means, given by analysis/stored
makers: list[Callable[..., Any]] = []
"""What is asked of a call of a class first (analysis/objects)."""
cell_handlers: dict[Any, Handler] = {}
"""For calls with a reference to a cell among their arguments, asked first."""
looks: dict[Any, tuple[int, ...]] = {}
"""Which arguments a handler gets as what they refer to, in place of the reference."""


def handles(*fns: Any, look: tuple[int, ...] = (0,)) -> Callable[[Handler], Handler]:
    """Register a handler. It sees what cells hold of the arguments in `look`; others may be kept, or returned."""

    def decorate(handler: Handler) -> Handler:
        for fn in fns:
            handlers[fn] = handler
            looks[fn] = look
        return handler

    return decorate


def handles_cells(*fns: Any) -> Callable[[Handler], Handler]:
    def decorate(handler: Handler) -> Handler:
        for fn in fns:
            cell_handlers[fn] = handler
        return handler

    return decorate


def handler_of(value: Any) -> Handler | None:
    try:
        return handlers.get(value)
    except TypeError:
        return None


def dispatch(
    b: Builder, fn: Atom, args: list[Atom], kwargs: list[tuple[str, Atom]], name: str, place: Place | None
) -> Atom:
    check_defined(b, fn, args, kwargs, place)
    t = b.type(fn)
    if isinstance(t, Closure):
        return call_closure(b, fn, t, args, kwargs, place)
    if isinstance(t, Method):
        return dispatch(b, Const(t.function), [owner_of(b, fn, place), *args], kwargs, name, place)
    if isinstance(t, Choice):
        return call_choice(b, fn, t, args, kwargs, name, place)
    if isinstance(t, (Instance, Ref, ObjectT)):
        return call_instance(b, fn, t, args, kwargs, name, place)
    if not isinstance(t, Known):
        return call_unseen(b, fn, None, args, kwargs, name, place)
    return call_known(b, t.value, *in_place_of_names(t.value, args, kwargs), name, place)


def call_choice(
    b: Builder, fn: Atom, t: Choice, args: list[Atom], kwargs: list[tuple[str, Atom]], name: str, place: Place | None
) -> Atom:
    """Call the function meant."""
    return of_choice(b, fn, t, name, lambda c, value: dispatch(c, Const(value), args, kwargs, name, place))


TAKE_UNBOUND = (ops.make_function, ops.make_variable, ops.write_variable, ops.read, ops.bound_of, ops.present,
                ops.first)  # fmt: skip


def check_defined(
    b: Builder, fn: Atom, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]], place: Place | None
) -> None:
    """A read of a name that no path has bound raises what Python raises; code that uses the
    result of a recursion not yet inferred is not reached in this round."""
    if isinstance(fn, Const) and (isinstance(fn.value, (OpaqueCode, Runner)) or fn.value in TAKE_UNBOUND):
        return
    if isinstance(fn, Const) and fn.value is ops.build_tuple and place is None:
        return
    for atom in (fn, *args, *(a for _, a in kwargs)):
        if is_undefined(atom):
            error = UnboundLocalError("cannot access local variable where it is not associated with a value")
            raise Terminated(Raise(Const(error), None, place))
        if isinstance(b.type(atom), Never):
            raise Terminated(endless(place))


def call_known(
    b: Builder, value: Any, args: list[Atom], kwargs: list[tuple[str, Atom]], name: str, place: Place | None
) -> Atom:
    if isinstance(value, Lifted):
        return value.run(b, *args)
    value = by_operator(b, value, args)
    if b.context.views and (over := of_generators(b, value, args, kwargs)) is not None:
        return dispatch(b, Const(over[0]), list(over[1]), list(over[2]), name, place)
    if len(args) < 3 and len(args) + len(kwargs) < least_arguments(value):  # it raises what it raises
        raised = b.emit(value, [settle(b, a) for a in args], UNKNOWN, [(k, settle(b, v)) for k, v in kwargs], "", place)
        raise Terminated(Raise(raised, None, place))
    filled = call_filled(b, value, args, kwargs, name, place) if b.context.contents is not None else None
    if filled is not None:
        return filled
    if any(isinstance(b.type(a), (Ref, ObjectT)) or has_operators(b, a) for a in args):
        if (result := call_with_cells(b, value, args, kwargs, name, place)) is not None:
            return result
    args, kwargs = array_objects(b, value, args, kwargs, place)
    if args and (is_container_write(value) or value is setattr or value is delattr):
        if puts_back(b, value, args):
            return Const(None)
        check_put(b, value, args, place)
        check_alias(b, args[0], place)
        check_renamed(b, value, args[0], place)
    if may_write_into(value, args, kwargs):
        note_write(b)
    if is_container_write(value) and args:
        beware_of_names(b, args[0])
        demote(b, value, args[0], place)
        note_put(b, value, args)
    if (handler := handler_of(value)) is not None:
        seen = [look(b, a, place) if k in looks[value] else a for k, a in enumerate(args)]
        result = handler(b, seen, kwargs, place, name)
        if result is not None:
            return result
    rule = lookup(value)
    if rule is not None:
        return apply_rule(b, value, rule, args, kwargs, name, place)
    for_class = class_handlers.get(type(value))
    if for_class is not None and (result := for_class(b, value, args, kwargs, place, name)) is not None:
        return result
    if isinstance(value, python_types.MethodType):
        return dispatch(b, Const(value.__func__), [there(b, value.__self__, "self", place), *args], kwargs, name, place)
    if isinstance(value, (python_types.BuiltinMethodType, python_types.MethodWrapperType)):
        method = getattr(type(value.__self__), value.__name__, None)
        if method is not None and not isinstance(value.__self__, (python_types.ModuleType, type)):
            owner = there(b, value.__self__, "self", place)
            check_clear(method, place)
            if all(b.known(a) for a in (*args, *(v for _, v in kwargs))) and isinstance(value.__self__, (str, bytes)):
                named = {k: b.value(v) for k, v in kwargs}
                return Const(run_primal(lambda: value(*map(b.value, args), **named), place))
            rule = lookup(method)
            if rule is not None:
                return apply_rule(b, method, rule, [owner, *args], kwargs, name, place)
            return emit_unknown(b, method, [owner, *args], kwargs, name, place)
    if isinstance(value, OpaqueCode) and not isinstance(value, Way):
        note_code(b, value.run.compiled(), value.namespace)
        note_stored(b, value)
        note_given(b, args)
        args, kwargs = handed_over(b, value, args, kwargs, place)
        count = len(value.outputs) + (2 if value.returns else 0)
        return b.emit(value, args, TupleT((UNKNOWN,) * count), kwargs, name, place)
    if isinstance(value, FunctionRef):
        return b.emit(value, args, UNKNOWN, kwargs, name, place)
    if isinstance(value, CACHE):
        found = cached_call(b, value, args, kwargs, name, place)
        if found is not None:
            return found
    function = python_function(value)
    if function is not None:
        run = functools.partial(follow, b, value, function, args, kwargs, name, place)
        return asked_too(b, value, args, kwargs, run, name, place) if isinstance(value, CACHE) else run()
    if isinstance(value, type):
        return construct(b, value, args, kwargs, name, place)
    method = getattr(type(value), "__call__", None)  # noqa: B004  the function is wanted
    if isinstance(method, python_types.FunctionType):
        guard_class(b, type(value), "__call__", Known(method))
        return dispatch(b, Const(method), [there(b, value, "self", place), *args], kwargs, name, place)
    return emit_unknown(b, value, args, kwargs, name, place)


def emit_unknown(b: Builder, fn: Any, args: list[Atom], kwargs: Kwargs, name: str, place: Place | None) -> Atom:
    """A call of what nothing is known of: it may write into the lists and dicts it is given."""
    args, kwargs = with_stored(b, fn, args, kwargs, place)
    if is_unknown(fn) and not is_reader(fn):
        note_write(b)
        args, kwargs = loosened(b, fn, args, kwargs, place)
    return b.emit(fn, args, UNKNOWN, kwargs, name, place)


def call_with_cells(
    b: Builder, value: Any, args: list[Atom], kwargs: list[tuple[str, Atom]], name: str, place: Place | None
) -> Atom | None:
    """A call that gets a reference: what it means for the cell, or None for what it means for
    the value in it. What a cell holds that is there when the code runs is written into there."""
    cell = cell_of(args[0])
    held = None if cell is None else look(b, args[0], place)
    if cell is not None and held is not None and is_opaque(b.type(held)) and cell.cls is not ops.Variable:
        if value is setattr or value is delattr or is_container_write(value):
            outdate(b, cell, place)
            rest = [give(b, a) for a in args[1:]]
            return dispatch(b, Const(value), [held, *rest], [(k, give(b, v)) for k, v in kwargs], name, place)
        return None
    try:
        handler = cell_handlers.get(value)
    except TypeError:
        return None
    return None if handler is None else handler(b, args, kwargs, place, name)


def apply_rule(
    b: Builder, fn: Any, rule: Rule, args: list[Atom], kwargs: list[tuple[str, Atom]], name: str, place: Place | None
) -> Atom:
    args, kwargs = without_no_out(b, fn, *by_position(fn, rule, args, kwargs))
    given = [a for a in (*args, *(v for _, v in kwargs)) if holds_ref(b.type(a))]
    fn, args, kwargs, lists = as_arrays(b, fn, rule, args, kwargs, place)
    stored = call_out(b, fn, args, kwargs, name, place)
    return stored if stored is not None else call_rule(b, fn, rule, args, kwargs, name, place, lists, given)


def call_rule(
    b: Builder,
    fn: Any,
    rule: Rule,
    args: list[Atom],
    kwargs: list[tuple[str, Atom]],
    name: str,
    place: Place | None,
    lists: Lists | None = None,
    given: Sequence[Atom] = (),
) -> Atom:
    """A callable with a rule: folded if all is known, or emitted with its type. `given`: lists, dicts and objects."""
    if stores_outcome(rule):
        with b.pinned_at(place):
            return dispatch(b, Const(rule.body), *by_place(rule, args, kwargs), "", place)
    if rule.kind == "overlay" or (
        rule.kind == "composite" and calls_back(b.type(look(b, a)) for a in (*args, *dict(kwargs).values()))
    ):
        return dispatch(b, Const(rule.body), args, kwargs, name, place)
    beware_of_given(b, [*args, *(v for _, v in kwargs)])
    if arguments_written(fn, args, kwargs) or stirs(b, fn, args):
        args, kwargs = loosened(b, fn, args, kwargs, place)
    if any(holds_ref(b.type(a)) for a in (*args, *(v for _, v in kwargs))):
        args, kwargs = opened(b, fn, args, kwargs, place)
        args, kwargs = [settle(b, a) for a in args], [(k, settle(b, v)) for k, v in kwargs]
    types = [b.type(a) for a in args]
    kwtypes = {k: b.type(a) for k, a in kwargs}
    fn, rule = complex_form(fn, rule, types, kwtypes)
    note_spectrum(b, fn, types)
    if b.role != "primal" and not kwargs and fn in TWINS:
        fn = twin(fn, types, b.context.lenient)
        rule = lookup(fn) or rule
    if fn is np.conjugate and b.role != "primal" and b.pinned and len(args) == 1 and is_own_conjugate(*types):
        return args[0]  # in a rule: in the user's code it may be a copy that is written
    if all(isinstance(t, Known) for t in (*types, *kwtypes.values())):
        known = fold(fn, [b.value(a) for a in args], {k: b.value(a) for k, a in kwargs})
        if known is not None:
            return Const(known.value)
    try:
        t = result_type(fn, rule, types, kwtypes) if lists is None else lists.type(fn, rule, types, kwtypes)
    except AdcompileError as error:
        raise error.at(place) from None
    plain = fn in (np.asarray, np.array, np.ascontiguousarray, np.ndarray.tolist) and "subok" not in kwtypes
    if isinstance(t, Unknown) and not plain:
        t = next((k for k in (*types, *kwtypes.values()) if is_array_subclass(k)), t)
    if given and not is_reader(fn, READERS + BORROWERS) and keeps_objects(t):
        for a in given:  # the result may hold what it was made of
            give(b, a)
    if isinstance(t, Known) and rule.by_value and may_be_real(b, types):
        t = scalar(type(t.value)) if is_scalar_class(type(t.value)) else UNKNOWN
    if isinstance(t, Known) and (b.role != "primal" or rule.by_value or rule.kind == "constant" and rule.total):
        return Const(t.value)
    var = b.emit(fn, args, t, kwargs, name, place)
    if rule.kind == "elementwise" or fn in SAME_SHAPE:
        note_shape(b, var, args, kwargs)
    return args[0] if changes_itself(fn, types) else var


def keeps_objects(t: Type) -> bool:
    """Whether a result of this type may hold the lists, dicts and objects that it was made of."""
    return t.dtype.hasobject if isinstance(t, Array) else not isinstance(t, (Scalar, Known))


# -- Python functions ---------------------------------------------------------------------------


def follow(
    b: Builder,
    value: Any,
    fn: python_types.FunctionType,
    args: list[Atom],
    kwargs: list[tuple[str, Atom]],
    name: str,
    place: Place | None,
) -> Atom:
    """Inline the source of a Python function, or emit the call if there is none."""
    carries = any(may_carry(b.type(a)) for a in (*args, *(v for _, v in kwargs)))
    if writes_text(fn) and (fn.__module__ == "logging" or not carries):
        return by_name(b, fn, args, kwargs, name, place) or emit_unknown(b, value, args, kwargs, name, place)
    if fn.__module__ in MADE_OUTSIDE or fn.__module__ in MASKED:
        return emit_unknown(b, value, args, kwargs, name, place)
    if fn in (ops.dict_merge, ops.kwargs_merge):  # of dicts that are not known
        return b.emit(fn, args, Instance(dict), kwargs, name, place)
    try:
        function = lower_function(fn)
    except SourceError:
        if not b.context.followed:  # the function itself that is to be differentiated
            raise
        return emit_unknown(b, value, args, kwargs, name, place)
    b.context.followed.setdefault(fn, []).append(place)
    defaults = [read_held(b, fn, "__defaults__", i, d, place) for i, d in enumerate(fn.__defaults__ or ())]
    kwdefaults = {k: read_held(b, fn, "__kwdefaults__", k, d, place) for k, d in (fn.__kwdefaults__ or {}).items()}
    cells = [read_cell(b, fn, i, place) for i in range(len(fn.__closure__ or ()))]
    bound = bind(b, function.name, function.signature, args, kwargs, defaults, kwdefaults, place)
    followed = any(may_carry(b.type(a)) or is_generator(b, a) for a in (*bound, *cells))
    if followed or not b.context.inlining or not is_of_library(fn):
        return enter(b, function, bound, cells, place)
    start = len(b.statements)
    try:
        return enter(b, function, bound, cells, place)
    except (Unsupported, Restart):  # what carries no derivatives need not be followed
        del b.statements[start:]
        return emit_unknown(b, value, args, kwargs, name, place)


def call_python(b: Builder, fn: Any, args: list[Atom], kwargs: list[tuple[str, Atom]]) -> Atom:
    """Inline a Python function of ours (a rule body)."""
    return settle(b, follow(b, fn, fn, args, kwargs, fn.__name__, b.place))


def call_closure(
    b: Builder, fn: Atom, t: Closure, args: list[Atom], kwargs: list[tuple[str, Atom]], place: Place | None
) -> Atom:
    made = b.context.definition.get(fn) if isinstance(fn, Var) else None
    if made is None or not isinstance(made.fn, Const) or made.fn.value is not ops.make_function:
        raise unknown_function(place)
    function: Function = t.function
    b.context.followed.setdefault(function, []).append(place)
    items = b.items(fn)
    n, k = len(t.defaults), len(t.kwdefaults)
    kwdefaults = {key: item for (key, _), item in zip(t.kwdefaults, items[n : n + k])}
    cells = [
        fn if cell.name == function.name and is_undefined(items[n + k + i]) else items[n + k + i]
        for i, cell in enumerate(function.captured)
    ]
    bound = bind(b, function.name, function.signature, args, kwargs, items[:n], kwdefaults, place)
    before = asking(b, function)
    result = enter(b, function, bound, cells, place)
    if before is not None:
        note_asked(b, fn, function, result, before, place)
    return result


# -- other callables ----------------------------------------------------------------------------


def call_instance(
    b: Builder,
    fn: Atom,
    t: Instance | Ref | ObjectT,
    args: list[Atom],
    kwargs: list[tuple[str, Atom]],
    name: str,
    place: Place | None,
) -> Atom:
    """Call an object: its class's __call__ with the object first."""
    bound = taken_apart(b, fn, place)
    if bound is not None:
        function, first, named = bound
        rest = [(k, v) for k, v in named if k not in dict(kwargs)]
        return dispatch(b, function, [*first, *args], [*rest, *kwargs], name, place)
    cls = t.cell.cls if isinstance(t, Ref) else t.cls
    method = getattr(cls, "__call__", None)  # noqa: B004  the function is wanted
    if isinstance(method, python_types.FunctionType):
        guard_class(b, cls, "__call__", Known(method))
        return dispatch(b, Const(method), [fn, *args], kwargs, name, place)
    return call_unseen(b, fn, cls, args, kwargs, name, place)


def construct(
    b: Builder, cls: type, args: list[Atom], kwargs: list[tuple[str, Atom]], name: str, place: Place | None
) -> Atom:
    """Calling a class: a namedtuple is structure; other objects are inert or refused later."""
    for maker in makers:
        made = maker(b, cls, args, kwargs, name, place)
        if made is not None:
            return made
    if is_namedtuple_class(cls):
        fields: tuple[str, ...] = cls._fields  # type: ignore[attr-defined]
        defaults = getattr(cls, "_field_defaults", {})
        signature = Signature(fields)
        values = [Const(defaults[f]) for f in fields if f in defaults]
        items = bind(b, cls.__name__, signature, args, kwargs, values, {}, place)
        return b.build(TupleT((), cls), items, name, place)
    if not is_reader(cls):
        args, kwargs = handed_over(b, cls, args, kwargs, place)
    return b.emit(cls, args, Instance(cls), kwargs, name, place)


def new_context() -> Context:
    return Context(dispatch, settle=settle, hand=hand)
