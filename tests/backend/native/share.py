"""`python -m tests.backend.native.share`: how much of tests/programs is native, and what is in the way of the rest."""

import collections
import importlib
import pkgutil
import warnings

import tests.programs as programs
from adcompile import pipeline
from adcompile.backend.native.regions import native_parts
from adcompile.errors import AdcompileError
from adcompile.ir.nodes import For, While
from adcompile.ir.types import (
    Array,
    Boxed,
    Cell,
    DictT,
    Filled,
    Instance,
    Kept,
    Known,
    ListT,
    Maybe,
    ObjectT,
    Record,
    Scalar,
    Seq,
    TupleT,
    Unknown,
)
from adcompile.ir.walk import statements_of
from tests.kernels import active


def samples():
    for module in sorted(pkgutil.iter_modules(programs.__path__), key=lambda m: m.name):
        loaded = importlib.import_module(f"tests.programs.{module.name}")
        for name, points in loaded.SAMPLES.items():
            yield name, getattr(loaded, name), points


def without_objects(types):
    """Whether arguments are numbers, arrays and tuples of these."""
    return all(
        isinstance(t, (Scalar, Array, Known)) or isinstance(t, TupleT) and without_objects(t.items) for t in types
    )


def is_object(t):
    """Whether a value is one of Python's that is no number, array, tuple or list, or not known to be none."""
    match t:
        case TupleT(items, cls):
            return cls is not tuple or any(map(is_object, items))
        case ListT(items):
            return any(map(is_object, items))
        case Seq(item, cls):
            return cls not in (list, tuple) or is_object(item)
        case Maybe(inner):
            return is_object(inner)
        case Instance(cls):
            return cls not in (str, bytes)
    return isinstance(t, (DictT, ObjectT, Record, Filled, Unknown, Boxed, Cell, Kept))


def main():
    counts, alone, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    for _, function, points in samples():
        wrt, types = active(points[0])
        try:
            program = pipeline.derive(function, pipeline.Request("joint", wrt, backend="numpy"), types).program
        except AdcompileError:
            continue
        loops = any(isinstance(s, (For, While)) for f in program.functions.values() for s in statements_of(f.body))
        if not loops or not without_objects(types):
            continue
        parts = native_parts(program, "numba", exact=False)
        share = "all" if parts.kernels and not parts.notes else "in part" if parts.kernels else "not"
        counts[share] += 1
        reasons.update({n.why for n in parts.notes})
        if not any(map(is_object, program.types.values())):
            alone[share] += 1
    for what, found in (("of numbers and arrays", counts), ("and without Python's objects in between", alone)):
        total = sum(found.values())
        print(f"gradients with loops, {what}: {total}")
        for share, count in found.most_common():
            print(f"  {share:8} native: {count:4} ({100 * count / total:.0f} %)")
    print("in the way:")
    for why, count in reasons.most_common(20):
        print(f"  {count:4}  {why}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
