"""Programs: source text that becomes a module, and the way from a seed to one."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.fuzz import (
    arrays,
    containers,
    effects,
    expressions,
    flows,
    functions,
    inner,
    late,
    loops,
    objects,
    results,
    sides,
    statements,
    trees,
    writes,
)
from tests.fuzz.constructs import TABLE, Construct, wanted
from tests.fuzz.functions import close_frame, open_frame
from tests.fuzz.generator import Generator, Impossible
from tests.fuzz.kinds import Array, Kind, Number, Tuple
from tests.fuzz.results import Arguments, result_text, total_text

PRODUCTIONS = (
    *(arrays, containers, effects, expressions, flows, functions, inner, late),
    *(loops, objects, results, sides, statements, writes),
)
"""The modules that fill the table of constructs when they are imported."""

PRELUDE = """\
import collections
import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np

import adcompile as ad


def sample(seed, *shape):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape)
"""
GLOBALS = "TABLE = sample(901, 3)\nWORK = np.zeros(2)\nSCALE = 0.8\n"


@dataclass(frozen=True)
class Program:
    """`source` defines main, total (one number made of main's result), arguments(n, m, seed) and
    state(), the arrays of the module that main may write; `coarse` where single precision occurs."""

    seed: int
    index: int
    source: str
    used: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"program_{self.seed}_{self.index}"

    @property
    def coarse(self) -> bool:
        return "float32" in self.source


@contextmanager
def loaded(program: Program) -> Iterator[ModuleType]:
    """The program as a module whose source can be found; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder:
        path = Path(folder) / f"{program.name}.py"
        path.write_text(program.source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(program.name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[program.name] = module
        try:
            spec.loader.exec_module(module)
            yield module
        finally:
            sys.modules.pop(program.name, None)
            linecache.cache.pop(str(path), None)


def executed(source: str) -> dict[str, Any]:
    """The names of a program, without a file."""
    space: dict[str, Any] = {"__name__": "fuzzed"}
    sys.modules.setdefault("fuzzed", ModuleType("fuzzed"))  # where dataclasses look names up
    name = f"<fuzzed {zlib.crc32(source.encode()):x}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name  # for derivatives inside
    exec(compile(source, name, "exec", dont_inherit=True), space)
    return space


# -- from a seed to a program -------------------------------------------------------------------


def generate(seed: int, index: int, names: frozenset[str]) -> Program:
    """Program `index` of a seed: the first draw that holds what it must and runs."""
    must = wanted(names, seed, index)
    best: Program | None = None
    for attempt in range(40):
        found = _draw(seed, index * 1000 + attempt, names, must)
        if found is None or not runs(found):
            continue
        program = replace(found, index=index)
        if not program.missing:
            return program
        if best is None or len(program.missing) < len(best.missing):
            best = program
        if attempt > 12:
            break
    assert best is not None, f"no program {index} of seed {seed} runs"
    return best


def _draw(seed: int, index: int, names: frozenset[str], must: tuple[str, ...]) -> Program | None:
    g = Generator(seed, index, names)
    try:
        source = _write(g, [TABLE[n] for n in must])
        text = ast.unparse(ast.parse(source))
    except Impossible:
        return None
    return Program(seed, index, text + "\n", tuple(sorted(g.used)), tuple(n for n in must if not g.used[n]))


def _write(g: Generator, must: list[Construct]) -> str:
    g.sizes = {"n": g.rng.choice((2, 3, 3, 4)), "m": g.rng.choice((2, 2, 3))}
    args = _arguments(g, [c for c in must if c.role == "argument"])
    frame = open_frame(g, "main", args.params, None)
    kinds = [c for c in must if c.role == "result"] or [g.choose(g.constructs("result"))]
    frame.result = _result(g, kinds[0])
    g.pending = [c for c in must if c.role not in ("argument", "result")]
    g.rng.shuffle(g.pending)
    g.body(2, 4)
    while g.pending:
        g.force(g.pending.pop())
        if g.chance(0.15):
            g.statement()
    assert frame.result is not None
    text = _ending(g, frame.result, kinds[0])
    g.emit(f"return {text}")
    names = [p.name for p in args.params]
    close_frame(g, names)
    return _assembled(g, args, names, frame.result)


def _arguments(g: Generator, must: list[Construct]) -> Arguments:
    args = Arguments()
    table = g.constructs("argument")
    chosen = must + [g.choose(table) for _ in range(g.rng.choice((1, 2, 2, 3)) if len(must) < 3 else 1)]
    for c in chosen:
        c.make(g, args)
        g.mark(c.name)
    if not any(isinstance(p.kind, (Number, Array)) for p in args.params):
        results.number_argument(g, args)
        g.mark("number_argument")
    return args


def _result(g: Generator, c: Construct) -> Kind:
    kind = c.make(g)
    g.mark(c.name)
    shapes = [k for k in (kind.items if isinstance(kind, Tuple) else (kind,)) if isinstance(k, Array)]
    if not all(functions.known(g, k.shape) for k in shapes):
        raise Impossible
    return kind


def _ending(g: Generator, kind: Kind, c: Construct) -> str:
    if c.name != "returned_argument":
        return result_text(g, kind)
    assert isinstance(kind, Tuple)
    found = g.arrays(kind.items[1].shape)
    if not found:
        raise Impossible
    name = g.rng.choice(found).name
    return f"({result_text(g, kind.items[0])}, {g.rng.choice((name, name, f'{name}[...]'))})"


def _assembled(g: Generator, args: Arguments, names: list[str], result: Kind) -> str:
    functions_made = "\n\n\n".join(g.globals)
    classes = "\n\n\n".join(g.classes.values())
    shared = any(word in functions_made for word in ("TABLE", "WORK"))
    head = PRELUDE + ("\n\n" + GLOBALS if shared else "")
    made = ["WORK[:] = (0.1, -0.4)"] if shared else []
    made += args.lines + [f"return ({', '.join(args.values)},)"]
    n, m, given = g.sizes["n"], g.sizes["m"], ", ".join(names)
    parts = [
        head,
        classes,
        functions_made,
        f"def total({given}):\n    r = main({given})\n    return {' + '.join(total_text(result))}",
        f"def arguments(n={n}, m={m}, seed=0):\n    " + "\n    ".join(made),
        "def state():\n    return " + ("[WORK]" if shared else "[]"),
    ]
    return "\n\n\n".join(p for p in parts if p)


# -- whether a program can be judged ------------------------------------------------------------

LARGEST = 300.0
NOT_RUNNING = (Exception,)
"""What a program may raise that the shrinker made; the programs themselves raise nothing."""


def runs(program: Program) -> bool:
    """Whether main returns finite numbers of a reasonable size, the same ones each time.

    What overflows on the way and is not used in the end is not judged: its cotangent is zero, and
    zero times inf is nan, as in docs/maths.md."""
    try:
        with np.errstate(all="ignore", over="raise"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            space, outcomes = executed(program.source), []
            for seed in (0, 0, 1000):
                value = space["main"](*space["arguments"](seed=seed))
                outcomes.append(trees.bits(value))
                leaves = [np.asarray(x) for _, x in trees.leaves(value)]
                if not leaves or not all(np.all(np.abs(x) < LARGEST) for x in leaves):
                    return False
    except NOT_RUNNING:
        return False
    return outcomes[0] == outcomes[1]
