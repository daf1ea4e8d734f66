"""Callables of the IR that Python's operator module and numpy do not name.

Each has the primal's meaning as plain Python, so that IR can be interpreted; the emitter prints
them as the syntax they stand for. `push` and `pop` are functional: they use their list once, and
only the emitter turns them into `append` and `pop`.
"""

from __future__ import annotations

import builtins
import importlib
from collections.abc import Callable, Iterator
from typing import Any

from adcompile.errors import Unsupported
from adcompile.runtime.objects import build_object as build_object


class _Undefined:
    """The value of a name that no path has bound."""

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED = _Undefined()


def build_tuple(*items: Any) -> tuple[Any, ...]:
    return items


def build_list(*items: Any) -> list[Any]:
    return list(items)


def build_set(*items: Any) -> set[Any]:
    return set(items)


def build_dict(*keys_and_values: Any) -> dict[Any, Any]:
    """`build_dict(k1, v1, k2, v2)`."""
    return dict(zip(keys_and_values[::2], keys_and_values[1::2]))


def dict_merge(*dicts: Any) -> dict[Any, Any]:
    """`{**a, **b}`."""
    out: dict[Any, Any] = {}
    for d in dicts:
        out.update(d)
    return out


def kwargs_merge(*dicts: Any) -> dict[str, Any]:
    """The keyword arguments of `f(**a, **b)`, which may not repeat a name."""
    out: dict[str, Any] = {}
    for d in dicts:
        for name in d:
            if name in out:
                raise TypeError(f"got multiple values for keyword argument {name!r}")
        out.update(d)
    return out


def list_concat(*lists: Any) -> list[Any]:
    """`[*a, *b]`: every operand is any iterable."""
    return [item for items in lists for item in items]


def tuple_concat(*iterables: Any) -> tuple[Any, ...]:
    """`(*a, *b)`."""
    return tuple(item for items in iterables for item in items)


def arguments(*iterables: Any) -> tuple[Any, ...]:
    """The positional arguments of `f(*a, *b)`."""
    return tuple_concat(*iterables)


def build_string(*parts: Any) -> str:
    """An f-string: the parts are strings already (see `format_value`)."""
    return "".join(parts)


def format_value(value: Any, conversion: str, spec: str) -> str:
    """`f"{value!r:spec}"`; conversion is "", "r", "s" or "a"."""
    if conversion:
        value = {"r": repr, "s": str, "a": ascii}[conversion](value)
    return format(value, spec)


def unpack(value: Any, count: int) -> tuple[Any, ...]:
    """`a, b = value`, raising what Python raises."""
    items = tuple(value)
    if len(items) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return items


def unpack_star(value: Any, before: int, after: int) -> tuple[Any, ...]:
    """`a, *b, c = value` with one name before the star and one after: (a, [..], c)."""
    items = list(value)
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    middle = items[before : len(items) - after]
    return (*items[:before], middle, *items[len(items) - after :])


def expect_length(value: Any, count: int, call: str = "", more: str = "") -> Any:
    """`value` itself, if `a, b = value` could unpack it; raises what Python raises. `call` names what
    takes `count` arguments, `call(*value)`; `more` refuses less than `count` items, but not more."""
    if more:
        if len(value) < count:
            raise Unsupported(f"{more} ({len(value)} items for {count})", None, "give it as many items")
        return value
    if call and len(value) != count:
        raise TypeError(f"{call} takes {count} arguments here, but {len(value)} were given")
    if value is None:
        raise TypeError("cannot unpack non-iterable NoneType object")
    if len(value) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(value) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(value)})")
    return value


def apply(fn: Any, args: Any, kwargs: Any) -> Any:
    """`fn(*args, **kwargs)`: calls with splats."""
    return fn(*args, **kwargs)


def load_global(ref: Any) -> Any:
    """The argument is always a Const holding a GlobalRef."""
    return ref.namespace[ref.name] if ref.name in ref.namespace else getattr(builtins, ref.name)


def make_function(function: Any, defaults: Any, kwdefaults: Any, *cells: Any) -> Any:
    """A nested function or lambda: `function` is a Const holding a Function, `defaults` the
    tuple of positional defaults, `kwdefaults` the dict of the others, `cells` the captured
    values. The specialiser gives it meaning."""
    raise NotImplementedError("make_function is given its meaning by the specialiser")


def push(items: list[Any], item: Any) -> list[Any]:
    """The list with `item` at its end; `items` may not be used again."""
    items.append(item)
    return items


def pop(items: list[Any]) -> tuple[list[Any], Any]:
    """(the list without its last item, that item); `items` may not be used again."""
    item = items.pop()
    return items, item


def start_list() -> list[Any]:
    """The list in which a comprehension collects."""
    return []


def collected(items: list[Any]) -> list[Any]:
    """The list that a comprehension has collected, which is nobody else's."""
    return items


class Variable:
    """A variable that several functions share and one of them assigns to."""

    def __init__(self, value: Any) -> None:
        self.value = value


def make_variable(value: Any) -> Variable:
    return Variable(value)


def read_variable(variable: Variable) -> Any:
    return variable.value


def write_variable(variable: Variable, value: Any) -> None:
    variable.value = value


def put_item(items: Any, index: Any, item: Any) -> Any:
    """The list with `item` at `index`; `items` may not be used again."""
    items[index] = item
    return items


def index_add(buffer: Any, index: Any, value: Any) -> Any:
    """The buffer with `value` added at `index`; the buffer may not be used again."""
    buffer[index] += value
    return buffer


def list_set(items: Any, index: Any, item: Any) -> Any:
    """`items[index] = item` as a new list or dict; used for local containers that nothing
    else names."""
    new = items.copy()
    new[index] = item
    return new


def read(value: Any, name: str = "", free: bool = False, bound: bool = True) -> None:
    """A read, for its own sake, of a name that some paths leave unbound; `free`: of a function around, `bound`: whether
    it is bound, where the value itself does not tell."""


def deleted() -> Any:
    """What a name is behind `del name`."""
    return UNDEFINED


def present(value: Any) -> bool:
    """Whether code that is not followed has left a value under a name."""
    return value is not UNDEFINED


def bound_of(value: Any, bound: bool = True) -> bool:
    """Whether a name is bound; the specialiser gives it meaning."""
    return bound and value is not UNDEFINED


class generator:
    """A generator that is followed where its items are asked for; who is not followed gets none of them."""

    def __init__(self, name: str, at: str) -> None:
        self.name, self.at = name, at

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        where = f", {self.at}" if self.at else ""
        raise Unsupported(
            f"a generator ({self.name}(){where}) that code gets which is not followed", None, "give it a list"
        )

    def send(self, value: Any) -> Any:
        return next(self)

    def throw(self, *error: Any) -> Any:
        return next(self)

    def close(self) -> None:
        next(self)


def first(found: bool, item: Any) -> Any:
    """`next(…)` of a generator that has been gone through as far as its first item, if that was found."""
    if not found:
        raise StopIteration
    return item


def truth(value: Any) -> bool:
    """Whether a value counts as true, where nobody asks for the answer itself: a bool is its own."""
    return bool(value)


def set_attribute(owner: Any, name: str, value: Any) -> None:
    """`owner.name = value` of a class, function or module, where code may read it that is not followed:
    no values with derivatives may go in."""
    setattr(owner, name, value)


def assign_global(module: Any, name: str, value: Any) -> None:
    """A name of a module that is declared `global`, and assigned. The specialiser gives it meaning."""
    setattr(module, name, value)


def unsupported(error: Exception) -> Any:
    """Stands where a construct we do not follow was: reaching it raises `error`."""
    raise error


def identity(value: Any) -> Any:
    """Another name for a value; copy propagation removes it."""
    return value


def make_class(name: str, bases: tuple[type, ...], attributes: dict[str, Any], **settings: Any) -> type:
    """`type(name, bases, attributes)`: a class that holds what it is given."""
    return type(name, bases, attributes, **settings)


def enter(manager: type, **settings: Any) -> Any:
    """`with manager(**settings):` begins; what it gives goes to `leave`, which stands in the same block."""
    made = manager(**settings)
    made.__enter__()
    return made


def leave(entered: Any) -> None:
    """The `with` ends that has begun last, on the way on; raised exceptions the emitted `with` sees itself."""
    entered.__exit__(None, None, None)


MANAGING = (enter, leave)


def managed(maker: Callable[..., Any], *args: Any, **settings: Any) -> Iterator[Any]:
    """`with maker(*args, **settings) as value:` goes once through what this gives. The specialiser gives it meaning."""
    with maker(*args, **settings) as value:
        yield value


def cut_short() -> None:
    """Stands where a generator is left inside of `with` or `try`. The specialiser refuses it."""


def silent(at_end: Callable[[], Any]) -> None:
    """Says that `at_end` is done if what follows raises. The specialiser asks whether anybody sees it."""


def sort_order(items: Any, reverse: bool = False) -> list[int]:
    """The positions of `items` in the order in which `sorted` returns them (stable)."""
    return sorted(range(len(items)), key=items.__getitem__, reverse=reverse)


def import_from(module: Any, name: str) -> Any:
    """`from module import name`: an attribute, or a module of that name inside it."""
    try:
        return getattr(module, name)
    except AttributeError:
        try:
            return importlib.import_module(f"{module.__name__}.{name}")
        except ImportError:
            where = getattr(module, "__file__", None)
            message = f"cannot import name {name!r} from {module.__name__!r} ({where or 'unknown location'})"
            raise ImportError(message, name=module.__name__, path=where) from None
