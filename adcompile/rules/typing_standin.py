"""Types by experiment: run a pure callable on stand-in arguments, believe what agrees.

The stand-ins of one call differ in size (a dimension that is not one has 4, then 6), in content
(ordinary, all zero; the numbers of a container all the same, then all different) and, where the
types leave it open, in rank, in the value of ints and bools, in how many ints a container has and
in whether an unknown dimension is one. A dimension of the result is believed to be *not one* only
if it is the same constant in all runs or a multiple of a power of the size, so that `x[1:]`,
`np.diff`, masks and `unique` give *any*.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, cast

import numpy as np

from adcompile.frozen import frozen
from adcompile.ir.types import (
    NEVER,
    UNKNOWN,
    Array,
    DictT,
    Dim,
    Instance,
    IterT,
    Known,
    ListT,
    RangeT,
    Scalar,
    Seq,
    SliceT,
    TupleT,
    Type,
    Unknown,
    is_scalar_class,
    join,
    scalar,
)

COMBINATIONS = 64
SIZES = (4, 6)
INTEGERS = (2, 3, 1, 0, -1)
RANKS = (1, 2, 3, 0)
LENGTHS = (0, 2, 3)  # of ints in a container: where they are axes, or a shape, a rank depends on how many there are


class NoStandin(Exception):
    """No value can stand for this type."""


@frozen
class Setting:
    """One run. `group` numbers the choices under which sizes alone vary."""

    group: int
    size: int
    fill: str = "ordinary"  # or zeros
    distinct: bool = False  # every array argument has another size
    varied: bool = False  # every number in a container is another
    one_for_any: bool = False
    rank: int = 1
    integer: int = 2
    flag: bool = True
    slope: int = 0  # by how much more an int is than that in the argument before
    ranks: tuple[int, ...] = ()  # of arrays whose rank is not known, one after the other
    unsure: bool = False  # with all dimensions that may be one equal to one, this run fails: it tells less of them
    whole: bool = False  # numbers that are no ints are one: an order of a norm, a share of a quantile
    length: int | None = None  # how many ints there are in a container of any length


@frozen
class Sample:
    setting: Setting
    value: Any


@lru_cache(maxsize=8192)
def standin_type(
    fn: Any, args: tuple[Type, ...], kwargs: tuple[tuple[str, Type], ...] = (), by_value: bool = False
) -> Type:
    """The type of `fn(*args, **kwargs)`. `by_value`: a result that is the same number, bool or
    string in all runs is that value."""
    types = [*args, *(t for _, t in kwargs)]
    alternatives = [list(itertools.islice(single_kinds(t), COMBINATIONS + 1)) for t in types]
    if np.prod([len(a) for a in alternatives], dtype=float) > COMBINATIONS:
        return UNKNOWN
    names = [name for name, _ in kwargs]
    out: Type = NEVER
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for combination in itertools.product(*alternatives):
            samples = _run(fn, combination, len(args), names)
            out = join(out, merge(samples, by_value) if samples else UNKNOWN)
            if isinstance(out, Unknown):
                break
    return out


def single_kinds(t: Type) -> Iterator[Type]:
    """The types that `t` is a union of."""
    match t:
        case Scalar(kinds) if len(kinds) > 1:
            for kind in sorted(kinds, key=lambda k: k.__name__):
                yield scalar(kind)
        case TupleT(items, cls):
            for choice in itertools.product(*map(single_kinds, items)):
                yield TupleT(choice, cls)
        case ListT(items):
            for choice in itertools.product(*map(single_kinds, items)):
                yield ListT(choice)
        case DictT(keys, values):
            for choice in itertools.product(*map(single_kinds, values)):
                yield DictT(keys, choice)
        case Seq(item, cls):
            for choice in single_kinds(item):
                yield Seq(choice, cls)
        case _:
            yield t


def _by_name(fn: Any) -> Callable[..., Any]:
    """What the text does with a descriptor: the value is asked for the attribute, which its own class may have another
    of, as that of one number of several classes has."""
    if isinstance(fn, (GetSetDescriptorType, MemberDescriptorType)):
        return lambda owner: getattr(owner, fn.__name__)
    if isinstance(fn, (MethodDescriptorType, WrapperDescriptorType)):
        return lambda owner, *args, **kwargs: getattr(owner, fn.__name__)(*args, **kwargs)
    return fn if callable(fn) else fn.__get__


def _run(fn: Any, types: tuple[Type, ...], positional: int, names: list[str]) -> list[Sample]:
    samples: list[Sample] = []
    call = _by_name(fn)
    apart = sum(_contains(t, lambda part: isinstance(part, (Array, Seq))) for t in types) > 1
    several = any(_contains(t, _holds_numbers) for t in types)
    open_dims = any(_contains(t, _is_open) for t in types)

    def attempt(setting: Setting) -> bool:
        values = [standin(t, setting, number) for number, t in enumerate(types)]
        try:
            value = call(*values[:positional], **dict(zip(names, values[positional:])))
        except Exception:  # whatever the primal raises on these values says nothing about others
            return False
        samples.append(Sample(setting, value))
        return True

    for setting in _settings(types):
        larger = replace(setting, size=SIZES[1])
        try:
            ordinary = attempt(setting) and attempt(larger)
            if attempt(replace(setting, fill="zeros")) and not ordinary:
                attempt(replace(larger, fill="zeros"))
            if apart:
                attempt(replace(setting, distinct=True))
            if several:
                attempt(replace(setting, varied=True))
        except NoStandin:
            return []
    for setting in _others(types):
        attempt(setting)
    return _told_apart(_doubted(samples) if open_dims else samples)


def _doubted(samples: list[Sample]) -> list[Sample]:
    """With a mark on those whose run fails where the dimensions that may be one are one: one of them alone may be."""
    same = {"group": 0, "size": 0, "fill": "", "one_for_any": False, "distinct": False, "varied": False}
    tried = [replace(s.setting, **same) for s in samples]
    sure = {key for s, key in zip(samples, tried) if s.setting.one_for_any}
    return [s if key in sure else replace(s, setting=replace(s.setting, unsure=True)) for s, key in zip(samples, tried)]


def _others(types: tuple[Type, ...]) -> Iterator[Setting]:
    """The runs with other ints and ranks than the same everywhere, in groups of their own: containers of other lengths,
    ints that grow or fall from argument to argument, and ranks of their own."""
    groups = itertools.count(-1, -1)
    firsts = list(_settings(types))
    if any(_contains(t, _is_open_integers) for t in types):
        whole = (False, True) if any(_contains(t, _is_no_integer) for t in types) else (False,)
        for first, length, varied, one in itertools.product(firsts, LENGTHS, (False, True), whole):
            yield replace(first, group=next(groups), length=length, varied=varied, whole=one)
    if sum(map(_is_integer, types)) > 1:
        for first, slope in itertools.product(firsts, (1, -1)):
            yield replace(first, group=next(groups), slope=slope)
    if sum(_contains(t, _is_rankless) for t in types) > 1 or _holds_rankless(types):
        for first, ranks in itertools.product(firsts, itertools.product(RANKS, repeat=2)):
            if first.rank == RANKS[0]:
                yield replace(first, group=next(groups), ranks=ranks)


def _told_apart(samples: list[Sample]) -> list[Sample]:
    """Without those runs in which too few ints change the dtype alone: `np.array([])` holds floats."""
    usual = [s for s in samples if s.setting.length is None]
    kinds = {_kind(s.value) for s in usual}
    return [s for s in samples if s.setting.length is None or not usual or _kind(s.value) in {None, *kinds}]


def _kind(value: Any) -> Any:
    """The class of a number, or of those in an array."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    return type(value) if is_scalar_class(type(value)) else None


def _settings(types: tuple[Type, ...]) -> Iterator[Setting]:
    """The first run of each group."""
    open_dims = any(_contains(t, _is_open) for t in types)
    rankless = sum(_contains(t, _is_rankless) for t in types)
    known = sum(len(t.dims) for t in types if isinstance(t, Array) and t.dims is not None)
    ranks = (*RANKS, 4) if rankless == 1 and known <= 3 else RANKS if rankless else (1,)
    integers = INTEGERS if any(_contains(t, _is_integer) for t in types) else (2,)
    flags = (True, False) if any(_contains(t, _is_flag) for t in types) else (True,)
    choices = itertools.product((False, True) if open_dims else (False,), ranks, integers, flags)
    for group, (one, rank, integer, flag) in enumerate(choices):
        yield Setting(group, SIZES[0], one_for_any=one, rank=rank, integer=integer, flag=flag)


def _contains(t: Type, test: Callable[[Type], bool]) -> bool:
    if test(t):
        return True
    match t:
        case TupleT(items) | ListT(items) | IterT(_, items):
            return any(_contains(item, test) for item in items)
        case DictT(_, values):
            return any(_contains(value, test) for value in values)
        case Seq(item):
            return _contains(item, test)
        case SliceT(parts):
            return any(_contains(part, test) for part in parts)
        case _:
            return False


def _is_open(t: Type) -> bool:
    return isinstance(t, (Seq, RangeT)) or (isinstance(t, Array) and t.dims is not None and "any" in t.dims)


def _is_rankless(t: Type) -> bool:
    return isinstance(t, Array) and t.dims is None


def _holds_numbers(t: Type) -> bool:
    held = t.items if isinstance(t, (TupleT, ListT)) else (t.item,) * 2 if isinstance(t, Seq) else ()
    return sum(isinstance(item, Scalar) for item in held) > 1


def _is_integer(t: Type) -> bool:
    return isinstance(t, Scalar) and any(issubclass(k, (int, np.integer)) and k is not bool for k in t.kinds)


def _is_no_integer(t: Type) -> bool:
    return isinstance(t, Scalar) and not _is_integer(t) and not _is_flag(t)


def _holds_rankless(types: tuple[Type, ...]) -> bool:
    return any(isinstance(t, (TupleT, ListT)) and sum(map(_is_rankless, t.items)) > 1 for t in types)


def _is_flag(t: Type) -> bool:
    return isinstance(t, Scalar) and any(issubclass(k, (bool, np.bool_)) for k in t.kinds)


def _is_open_integers(t: Type) -> bool:
    return isinstance(t, Seq) and (_is_integer(t.item) or isinstance(t.item, Known) and isinstance(t.item.value, int))


def standin(t: Type, setting: Setting, number: int = 0, place: int = 0) -> Any:
    """A value of type `t`, at this place of a container; raises NoStandin where there is none to be had."""
    match t:
        case Known(value):
            return value
        case Scalar(kinds):
            return _scalar(next(iter(kinds)), setting, place if setting.varied else number * setting.slope)
        case Array(dtype, dims):
            made = _array(dtype, _shape(dims, setting, number, place), setting.fill)
            return made[()] if dims is None else made  # of no axes, a number: as an item of an array is
        case TupleT(items, cls):
            values = [standin(item, setting, number, k) for k, item in enumerate(items)]
            return tuple(values) if cls is tuple else cls(*values)
        case ListT(items):
            return [standin(item, setting, number, k) for k, item in enumerate(items)]
        case DictT(keys, values):
            return {key: standin(value, setting, number) for key, value in zip(keys, values)}
        case Seq(item, cls):
            count = 1 if setting.one_for_any else setting.size
            if setting.length is not None and _is_open_integers(t):
                count = setting.length
            return cls(standin(item, setting, number, k) for k in range(count))
        case RangeT():
            return range(1 if setting.one_for_any else setting.size)
        case SliceT((start, stop, step)):
            return slice(*(standin(part, setting, number) for part in (start, stop, step)))
        case _:
            raise NoStandin


def _scalar(kind: type, setting: Setting, place: int) -> Any:
    cls = cast(Any, kind)
    if issubclass(kind, (bool, np.bool_)):
        return cls(setting.flag and setting.fill != "zeros" and place % 2 == 0)
    if issubclass(kind, (int, np.integer)):
        value = setting.integer + place
        return cls(abs(value) if issubclass(kind, np.unsignedinteger) else value)
    if setting.whole:
        return cls(1.0)
    return cls(0.0 if setting.fill == "zeros" else (2.3 if setting.distinct else 0.7) + 0.1 * place)


def _shape(dims: tuple[Dim, ...] | None, setting: Setting, number: int, place: int) -> tuple[int, ...]:
    size = setting.size + (number if setting.distinct else 0)
    if dims is None:
        ranks = setting.ranks or (setting.rank,)
        return (size,) * ranks[(number + place) % len(ranks)]
    return tuple(1 if d == "one" or (d == "any" and setting.one_for_any) else size for d in dims)


@lru_cache(maxsize=1024)
def _content(dtype: np.dtype[Any], shape: tuple[int, ...], fill: str) -> np.ndarray[Any, Any]:
    if dtype.kind not in "biufc":
        raise NoStandin
    if fill != "ordinary":
        return np.zeros(shape, dtype)
    count = int(np.prod(shape))
    if dtype.kind in "biu":
        return (np.arange(count) % (2 if dtype.kind == "b" else 4)).astype(dtype).reshape(shape)
    values: np.ndarray[Any, Any] = 0.3 + 0.5 * (np.arange(count) * 0.618033988749895 % 1.0)  # all different
    values = values.astype(dtype).reshape(shape)
    if dtype.kind == "c":
        values = values * dtype.type(1 + 0.25j)
    if len(shape) >= 2 and shape[-1] == shape[-2]:
        values = values + (4 * shape[-1] * np.eye(shape[-1])).astype(dtype)  # so that it can be inverted
    return values


def _array(dtype: np.dtype[Any], shape: tuple[int, ...], fill: str) -> np.ndarray[Any, Any]:
    return _content(dtype, shape, fill).copy()


def merge(samples: list[Sample], by_value: bool = False) -> Type:
    """The type of all these results."""
    values = [s.value for s in samples]
    first = values[0]
    cls = type(first)
    if any(type(v) is not cls for v in values):
        return _merge_classes(samples, by_value)
    if cls is np.ndarray:
        return _merge_arrays(samples)
    if is_scalar_class(cls):
        same = by_value and all(Known(v) == Known(first) for v in values)
        return Known(first) if same else scalar(cls)
    if isinstance(first, (tuple, list)):
        return _merge_sequences(samples, cls, by_value)
    if cls is dict:
        return _merge_dicts(samples, by_value)
    if cls is slice:
        parts = [merge([replace(s, value=getattr(s.value, n)) for s in samples], by_value) for n in _SLICE]
        return SliceT((parts[0], parts[1], parts[2]))
    if cls is range:
        return RangeT()
    if first is None or isinstance(first, _IDENTITIES):
        return Known(first) if all(Known(v) == Known(first) for v in values) else UNKNOWN
    if isinstance(first, (str, bytes)):
        return Known(first) if by_value and all(v == first for v in values) else Instance(cls)
    if isinstance(first, np.ndarray) or hasattr(cls, "__next__"):
        return UNKNOWN  # array subclasses; iterators, whose contents a class does not tell
    return Instance(cls)


_SLICE = ("start", "stop", "step")
_IDENTITIES = (np.dtype, type, ModuleType, FunctionType, BuiltinFunctionType, np.ufunc)


def _merge_classes(samples: list[Sample], by_value: bool) -> Type:
    values = [s.value for s in samples]
    if any(type(v) is np.ndarray for v in values) and all(isinstance(v, (np.ndarray, np.generic)) for v in values):
        dtypes = {v.dtype for v in values}  # an array that may be a number
        return Array(values[0].dtype, None) if len(dtypes) == 1 and values[0].dtype.kind != "O" else UNKNOWN
    out: Type = NEVER
    for cls in dict.fromkeys(type(s.value) for s in samples):
        out = join(out, merge([s for s in samples if type(s.value) is cls], by_value))
    return out


def _merge_sequences(samples: list[Sample], cls: type, by_value: bool) -> Type:
    length = len(samples[0].value)
    if all(len(s.value) == length for s in samples):
        items = tuple(merge([replace(s, value=s.value[i]) for s in samples], by_value) for i in range(length))
        return ListT(items) if cls is list else TupleT(items, cls)
    if cls not in (list, tuple):
        return UNKNOWN
    every = [replace(s, value=item) for s in samples for item in s.value]
    return Seq(merge(every), cls) if every else UNKNOWN


def _merge_dicts(samples: list[Sample], by_value: bool) -> Type:
    keys = tuple(samples[0].value)
    if any(tuple(s.value) != keys for s in samples):
        return Instance(dict)
    return DictT(keys, tuple(merge([replace(s, value=s.value[k]) for s in samples], by_value) for k in keys))


def _merge_arrays(samples: list[Sample]) -> Type:
    dtype = samples[0].value.dtype
    if dtype.kind == "O" or any(s.value.dtype != dtype for s in samples):
        return UNKNOWN
    ranks = {s.value.ndim for s in samples}
    if len(ranks) > 1:
        return Array(dtype, None)
    return Array(dtype, tuple(_dim(samples, axis) for axis in range(ranks.pop())))


def _dim(samples: list[Sample], axis: int) -> Dim:
    groups = {s.setting.group: None for s in samples}
    laws = {_law([s for s in samples if s.setting.group == g], axis) for g in groups}
    if laws == {1}:
        return "one"
    # a constant that differs between groups depends on values
    constants = {law for law in laws if isinstance(law, int)}
    return "any" if None in laws or 1 in constants or len(constants) > 1 else "many"


def _law(samples: list[Sample], axis: int) -> int | str | None:
    """How a dimension depends on the size: a constant, "grows" in proportion, or None."""
    pairs = [(s.setting.size, s.value.shape[axis]) for s in samples if not s.setting.distinct]
    apart = [s.value.shape[axis] for s in samples if s.setting.distinct]
    if not pairs:
        return None
    outcomes = {out for _, out in pairs}
    both_sizes = len({size for size, _ in pairs}) > 1
    if len(outcomes) == 1 and (both_sizes or outcomes == {0}):
        constant = outcomes.pop()
        return constant if all(out == constant for out in apart) else None
    for power in (1, 2, 3, 4):
        factors = {out / size**power for size, out in pairs}
        if both_sizes and len(factors) == 1 and (factor := factors.pop()) >= 1 and factor == int(factor):
            return None if 1 in apart or any(s.setting.unsure for s in samples) else "grows"
    return None
