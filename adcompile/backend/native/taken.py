"""Lists that a region takes from the code in front of it, and reads as what loops have kept: arrays of their items.

The arrays are made where the kernel is called, of lists of numbers, tuples, arrays, ranges, or of lists of these, and
read as those that the kernel itself would have filled. Where a branch was not taken there may be None in place of an
item, or of the list: nobody reads it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from adcompile.backend.native.given import may_be_int
from adcompile.backend.native.handed import Layout
from adcompile.backend.native.ranges import counts_from_zero
from adcompile.backend.native.returned import Returning, codes_of, leaf_of
from adcompile.backend.native.values import DTYPES, ArrayOf, Code, ListOf, Number, native_of
from adcompile.ir.nodes import Var
from adcompile.ir.types import Seq, Type


class Column(NamedTuple):
    """An array that is made for a kernel: its name there, and an expression of the arguments of the function."""

    name: str
    code: Code
    text: str


class Taking(Returning):
    """Prints lists that come as arrays."""

    columns: list[Column]
    passed: list[Var]
    """The lists that come so."""

    def may_copy(self, items: Var, native: ListOf) -> bool:
        """Whether a list may come as a copy: in a region, what is in it may be known to others."""
        return not self.returns or not isinstance(native.item, ArrayOf) or items in self.steady

    def take_list(self, items: Var, text: str) -> None:
        """Have a list, an argument of this name, as storage that is full."""
        layout = layout_of(self.types.get(items))
        assert layout is not None
        self.starts[items] = "0"
        self.outside.add(items)
        self.passed.append(items)
        self._fill(self.lists.find(items), items, layout, f"({text} or ())")

    def _fill(self, root: Var, sample: Var, layout: Layout, text: str) -> None:
        """`text`: all items, list behind list."""
        store = self._store_of(root, sample.name)
        if store.given:
            raise self.unkept(sample, f"{sample.name}, one of several lists for which there is one name")
        store.given, store.codes, store.native, store.step = True, layout.codes, layout.native, layout.step
        texts = [t.format(text) for t in _texts(layout)]
        store.columns = [self._column(store.name, code, t) for code, t in zip(layout.codes, texts)]
        if len(layout.codes) == 1:
            store.name = store.columns[0]
        if isinstance(layout.native, ArrayOf):
            store.sample = sample
            empty = f"np.empty(0, {DTYPES[layout.native.code]})"
            data = f"np.concatenate([flat(v) for v in {text} if v is not None] + [{empty}])"
            store.data = self._column(f"{store.name}_data", layout.native.code, data)
        if layout.inner is not None:
            within = f"[w for v in {text} if v is not None for w in v]"
            self._fill(self.lists.find(self.lists.item_of(root)), sample, layout.inner, within)

    def _column(self, hint: str, code: Code, text: str) -> str:
        name = self.fresh(f"{hint}_items")
        self.columns.append(Column(name, code, f"array({text}, {DTYPES[code]}, 1)"))
        return name


def _texts(layout: Layout) -> list[str]:
    """The items of each column of a list `{0}`."""
    if layout.inner is not None:
        return ["np.cumsum([0] + [0 if v is None else len(v) for v in {0}])[:-1]"]
    if layout.step:
        return [f"[getattr(v, '{end}', 0) for v in {{0}}]" for end in ("start", "stop")]
    if isinstance(layout.native, ArrayOf):
        begins = "np.cumsum([0] + [0 if v is None else v.size for v in {0}])[:-1]"
        return [begins, *(f"[0 if v is None else v.shape[{k}] for v in {{0}}]" for k in range(layout.native.rank))]
    if isinstance(layout.native, Number):
        return ["[v or 0 for v in {0}]" if layout.native.code in ("i8", "c16") else "[*{0}]"]
    return [f"[v[{k}] if v else 0 for v in {{0}}]" for k in range(len(layout.codes))]


def layout_of(t: Type | None) -> Layout | None:
    """How a list of this type is held."""
    if not isinstance(t, Seq) or t.cls is not list:
        return None
    if isinstance(t.item, Seq):
        inner = layout_of(t.item)
        return None if inner is None else Layout(("i8",), None, inner=inner)
    if counts_from_zero(t.item):
        return Layout(("i8", "i8"), None, step=1)
    native = native_of(t.item)
    if native is None or may_be_int(t.item, native):
        return None
    if isinstance(native, Number):
        return Layout((native.code,), native)
    if isinstance(native, ArrayOf):
        return Layout(("i8",) * (native.rank + 1), native)
    codes = codes_of(native)
    return Layout(codes, native) if codes else None


def depths(variables: Iterable[Var], types: Mapping[Var, Type], steady: Container[Var]) -> dict[Var, int]:
    """Of how many kinds of lists those are that can be taken. What comes are copies: of arrays only where these do."""
    found = {v: layout_of(types.get(v)) for v in variables}
    held = {v: layout for v, layout in found.items() if layout is not None}
    return {v: x.depth for v, x in held.items() if not isinstance(leaf_of(x), ArrayOf) or v in steady}
