"""A reference interpreter of untyped IR: what each node means, as plain as can be."""

from __future__ import annotations

import builtins
import functools
import inspect
import types

from adcompile.frontend.lower import lower_function
from adcompile.ir import ops
from adcompile.ir.nodes import (
    Attempt,
    Break,
    Call,
    Const,
    Continue,
    For,
    Function,
    If,
    OpaqueCode,
    Raise,
    Return,
    Unreachable,
    While,
    Yield,
)
from adcompile.ir.stack import large_stack


class Interpreted:
    """A nested function, called by the interpreter."""

    def __init__(self, function: Function, defaults, kwdefaults, cells):
        self.function, self.defaults, self.kwdefaults, self.cells = function, defaults, kwdefaults, cells
        self.__name__ = function.name

    def __call__(self, *args, **kwargs):
        values = bind(self.function, self.defaults, self.kwdefaults, args, kwargs)
        cells = [
            self if v.name == self.function.name and c is ops.UNDEFINED else c
            for v, c in zip(self.function.captured, self.cells)
        ]
        return run(self.function, values, cells)

    def __get__(self, owner, cls=None):
        return self if owner is None else types.MethodType(self, owner)


def bind(function, defaults, kwdefaults, args, kwargs):
    """The values of the parameters, or TypeError."""
    s = function.signature
    parameters, kind = [], inspect.Parameter
    first_default = len(s.positional) - len(defaults)
    for i, name in enumerate(s.positional):
        default = defaults[i - first_default] if i >= first_default else kind.empty
        how = kind.POSITIONAL_ONLY if i < s.positional_only else kind.POSITIONAL_OR_KEYWORD
        parameters.append(kind(name, how, default=default))
    if s.vararg:
        parameters.append(kind(s.vararg, kind.VAR_POSITIONAL))
    for name in s.keyword_only:
        parameters.append(kind(name, kind.KEYWORD_ONLY, default=kwdefaults.get(name, kind.empty)))
    if s.kwarg:
        parameters.append(kind(s.kwarg, kind.VAR_KEYWORD))
    bound = inspect.Signature(parameters).bind(*args, **kwargs)
    bound.apply_defaults()
    return [bound.arguments[p.name] for p in parameters]


def run(function, values, cells):
    env = dict(zip(function.params, values)) | dict(zip(function.captured, cells))
    end = block(function.body, env)
    assert isinstance(end, Return), end
    return checked(end.value, env)


def value(atom, env):
    return atom.value if isinstance(atom, Const) else env[atom]


def checked(atom, env):
    out = value(atom, env)
    if out is ops.UNDEFINED:
        raise UnboundLocalError(getattr(atom, "name", "?"))
    return out


def block(b, env):
    """Runs a block; gives its end, whose atoms the caller reads in `env`."""
    for s in b.statements:
        end = statement(s, env)
        if end is not None:
            return end
    if isinstance(b.end, Raise):
        raise_(b.end, env)
    assert not isinstance(b.end, Unreachable), "reached what cannot be reached"
    return b.end


def raise_(end, env):
    if end.exception is None:
        raise  # noqa: PLE0704
    if end.cause is None:
        raise checked(end.exception, env)
    raise checked(end.exception, env) from checked(end.cause, env)


def statement(s, env):
    """Runs a statement; gives an end if that is where the block around ends too."""
    match s:
        case Call():
            env[s.result] = call(s, env)
        case If():
            end = block(s.then if checked(s.test, env) else s.orelse, env)
            if not isinstance(end, Yield):
                return end
            assign(s.results, end.values, env)
        case For():
            return for_loop(s, env)
        case While():
            carried = [value(a, env) for a in s.init]
            while True:
                env.update(zip(s.body.params, carried))
                end = block(s.body, env)
                carried = [value(a, env) for a in end.values]
                if isinstance(end, Break):
                    break
            env.update(zip(s.results, carried))
        case Attempt():
            env.update(zip(s.results, call(s.opaque, env), strict=True))
    return None


def assign(results, atoms, env):
    env.update(zip(results, [value(a, env) for a in atoms], strict=True))


def for_loop(s, env):
    carried = [value(a, env) for a in s.init]
    for element in checked(s.iterable, env):
        env.update(zip(s.body.params, [element, *carried], strict=True))
        end = block(s.body, env)
        assert isinstance(end, (Break, Continue))
        carried = [value(a, env) for a in end.values]
        if isinstance(end, Break):
            break
    env.update(zip(s.results, carried, strict=True))


def call(s, env):
    fn = checked(s.fn, env)
    if fn is ops.make_function:
        function, defaults, kwdefaults, *cells = (value(a, env) for a in s.args)
        return python_function(Interpreted(function, defaults, kwdefaults, cells))
    if fn is ops.load_global:
        ref = s.args[0].value
        if ref.name not in ref.namespace and not hasattr(builtins, ref.name):
            raise NameError(f"name {ref.name!r} is not defined")
    if fn is ops.read:
        read_name(*(value(a, env) for a in s.args))
        return None
    may_be_unbound = isinstance(fn, OpaqueCode) or fn in (ops.make_variable, ops.bound_of, ops.present)
    args = [value(a, env) if may_be_unbound else checked(a, env) for a in s.args]
    kwargs = {name: checked(a, env) for name, a in s.kwargs}
    return fn(*args, **kwargs)


def read_name(found, name, free, bound=True):
    if found is ops.UNDEFINED or not bound:
        raise (NameError if free else UnboundLocalError)(name)


def python_function(interpreted):
    """A real function, so that the code under test can look at it and bind it as a method."""

    def function(*args, **kwargs):
        return interpreted(*args, **kwargs)

    function.__name__ = interpreted.function.name
    function.__defaults__, function.__kwdefaults__ = None, None
    return functools.wraps(interpreted, assigned=("__name__",), updated=())(function)


def interpret(fn, *args, **kwargs):
    """What `fn(*args, **kwargs)` is by its IR."""
    function = lower_function(fn)
    if inspect.ismethod(fn):
        args, fn = (fn.__self__, *args), fn.__func__
    values = bind(function, fn.__defaults__ or (), fn.__kwdefaults__ or {}, args, kwargs)
    cells = []
    for cell in fn.__closure__ or ():
        try:
            cells.append(cell.cell_contents)
        except ValueError:
            cells.append(ops.UNDEFINED)
    return large_stack(run, function, values, cells)
