"""What must hold of the derivatives of a program.

The value is the function's, bit for bit; the state after forward mode is the primal's, after a
pullback what it was before; a pullback may be called again, also after the arguments were written
over; forward and reverse mode agree to rounding, and both with differences; nothing handed out
shares memory with anything handed in. Then the same of the gradient: second order both ways.
"""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

import adcompile as ad
from adcompile import api, transforms
from tests.fuzz import trees
from tests.fuzz.differences import Slope, kinked, seen_by, settled, slope
from tests.fuzz.program import LARGEST, NOT_RUNNING, Program, loaded
from tests.fuzz.results import WEIGHTS

LOADED = (api, transforms)
"""What the lazy names of adcompile need; loaded before a worker is forked."""

STAGES = ("forward", "reverse", "gradient", "forward over reverse", "reverse over reverse", "jacobians")


NEEDED = {
    "gradient": ("reverse",),
    "forward over reverse": ("reverse",),
    "reverse over reverse": ("reverse", "forward over reverse"),
}
"""What is checked before a stage, where that alone is asked for."""


@dataclass(frozen=True)
class Verdict:
    """`kind`: right, refused, wrong, crash, slow. `stage` and `reason` say where and what, without
    the numbers of this program; `compared` counts slopes that differences confirmed, `kinks` those
    that they could not tell."""

    kind: str
    stage: str = ""
    reason: str = ""
    detail: str = ""
    compared: int = 0
    kinks: int = 0

    @property
    def failed(self) -> bool:
        return self.kind in ("wrong", "crash", "slow")

    def like(self, other: Verdict) -> bool:
        """Whether it is the same failure, for the shrinker."""
        mine, theirs = (SLOPES.get(v.reason, v.reason) for v in (self, other))
        return (self.kind, self.stage, mine) == (other.kind, other.stage, theirs)


STEPS = (1e-4, 1e-6, 1e-8, 1e-10, 1e-11)
"""Of differences where a function oscillates within the usual ones."""

# one stage alone compares with differences what it else compares with the stage before
SLOPES = {"forward and reverse mode disagree": "cotangent against differences"}


class Wrong(Exception):
    """What must hold does not."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def require(holds: Any, reason: str, detail: str = "") -> None:
    if not holds:
        raise Wrong(reason, detail)


def general(message: str) -> str:
    """An error's message without names and numbers of the program."""
    return re.sub(r"\d+", "#", re.sub(r"'[^']*'", "'…'", message.splitlines()[0]))


def has_place(error: ad.AdcompileError) -> bool:
    """Whether a refusal says where. What is met when the code runs is said by generated code, which knows the
    line and not the folder."""
    return error.place is not None or re.search(r"program_\d+_\d+\.py:\d+:\d+", error.message) is not None


class Check:
    """The checks of one program, as a module; `second` asks for second order, "" | "forward" | "both",
    `without` names a stage that is left out."""

    def __init__(self, program: Program, module: ModuleType, second: str = "", without: str = "") -> None:
        self.program, self.module, self.second, self.without = program, module, second, without
        self.eps = 1.2e-7 if program.coarse else 2.3e-16
        self.compared = self.kinks = 0
        self.refused: Verdict | None = None
        self.size: dict[str, int] = {}
        self.bars: Any = None
        self.tangent: Any = None
        self.second_tangent: Any = None

    # -- points -----------------------------------------------------------------------------

    def run(self, only: str = "") -> Verdict:
        for point in ({"seed": 0}, {"seed": 1000}, {"seed": 2000, "n": 5, "m": 4}):
            self.point = point
            if point["seed"] and not self.defined():
                continue
            self.bars = self.tangent = self.second_tangent = None
            for stage in STAGES if not point["seed"] else STAGES[:3]:
                if stage == self.without or (only and stage not in (only, *NEEDED.get(only, ()))):
                    continue
                if stage in STAGES[3:] and not self.second or (stage == STAGES[4] and self.second != "both"):
                    continue
                verdict = self.stage(stage)
                if verdict is not None:
                    return verdict
        if self.refused is not None:
            return self.refused
        return Verdict("right", compared=self.compared, kinks=self.kinks)

    def defined(self) -> bool:
        """Whether the function has finite values here, also on the way: other sizes may not do."""
        try:
            with np.errstate(over="raise"):
                value = self.module.main(*self.args())
        except NOT_RUNNING:
            return False
        return all(np.all(np.abs(x) < LARGEST) for _, x in trees.leaves(value))

    def stage(self, stage: str) -> Verdict | None:
        try:
            getattr(self, stage.replace(" ", "_"))()
        except Wrong as wrong:
            return Verdict("wrong", stage, wrong.reason, f"{self.point}: {wrong.detail}")
        except ad.AdcompileError as error:
            if not has_place(error):
                return Verdict("crash", stage, f"refusal without a place: {general(error.message)}", str(error))
            if self.refused is None:
                self.refused = Verdict("refused", stage, general(error.message), str(error))
        except (RecursionError, Exception) as error:
            trace = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} in {trace.name}"
            return Verdict("crash", stage, place, "".join(traceback.format_exception(error))[-3000:])
        return None

    # -- what is known of the function --------------------------------------------------------

    def args(self) -> tuple[Any, ...]:
        return self.module.arguments(**self.point)

    def state(self, args: Any) -> Any:
        return trees.bits((args, self.module.state()))

    def expected(self, name: str = "main") -> tuple[Any, Any, Any]:
        """Value of the function, the state before and the state after."""
        args = self.args()
        before = self.state(args)
        value = getattr(self.module, name)(*args)
        return trees.bits(value), before, self.state(args)

    # -- first order ------------------------------------------------------------------------

    def forward(self) -> None:
        value, _, after = self.expected()
        args = self.args()
        along = trees.direction(args, 7)
        given = trees.bits(along)
        got, tangent = ad.jvp(self.module.main, args, along)
        require(trees.bits(got) == value, "value of jvp", f"{got}")
        require(self.state(args) == after, "state after jvp")
        require(trees.bits(along) == given, "jvp writes into tangents")
        self.fits(tangent, got, "tangent")
        require(not trees.shares(tangent, (args, along, got)), "a tangent shares memory")
        self.tangent = tangent
        ct = cotangent(got)
        self.compare("tangent", trees.inner(ct, tangent), lambda c, h: c.at(ct, h))

    def reverse(self) -> None:
        value, before, after = self.expected()
        args = self.args()
        got, pullback = ad.vjp(self.module.main, *args)
        require(trees.bits(got) == value, "value of vjp", f"{got}")
        require(self.state(args) == after, "state after the forward sweep")
        ct = cotangent(got)
        given = trees.bits(ct)
        bars = pullback(ct)
        require(self.state(args) == before, "state after the pullback")
        require(trees.bits(ct) == given, "the pullback writes into the cotangent")
        require(trees.bits(got) == value, "the pullback writes into the value")
        for bar, arg in zip(bars, args):
            self.fits(bar, arg, "cotangent")
        require(not trees.shares(bars, (args, ct, got)), "a cotangent shares memory")
        parts = trees.arrays(bars)
        require(not any(trees.shares(a, parts[i + 1 :]) for i, a in enumerate(parts)), "cotangents share memory")
        first = trees.bits(bars)
        require(trees.bits(pullback(ct)) == first, "the pullback called again")
        require(self.state(args) == before, "state after the pullback called again")
        self.written_over(ct, first)
        self.bars = bars
        along = trees.direction(args, 7)
        pairing = self.pairing(args, bars, along, "main")
        if self.tangent is not None:
            self.dual("forward and reverse mode disagree", pairing, trees.inner(ct, self.tangent))
        else:
            self.compare("cotangent", pairing, lambda c, h: c.at(ct, h))

    def written_over(self, ct: Any, first: Any) -> None:
        args = self.args()
        _, pullback = ad.vjp(self.module.main, *args)
        for x in trees.arrays(args):
            x[...] = 0.25
        require(trees.bits(pullback(ct)) == first, "the pullback after the arguments were written over")

    def gradient(self) -> None:
        value, before, _ = self.expected("total")
        args = self.args()
        wrt = self.wrt(args)
        got, grads = ad.value_and_grad(self.module.total, wrt)(*args)
        require(trees.bits(got) == value, "value of value_and_grad", f"{got}")
        require(self.state(args) == before, "state after value_and_grad")
        for i, grad in zip(wrt, grads):
            self.fits(grad, args[i], "gradient")
        require(not trees.shares(grads, args), "a gradient shares memory")
        main, pullback = ad.vjp(self.module.main, *self.args())
        bars = pullback(weights(main))
        for i, grad in zip(wrt, grads):
            self.same("gradient and pullback disagree", grad, bars[i])

    # -- second order -----------------------------------------------------------------------

    def forward_over_reverse(self) -> None:
        wrt = self.wrt(self.args())
        _, before, _ = self.expected("total")
        args = self.args()
        along, up = trees.direction(args, 7), trees.direction(args, 11)
        first, second = ad.jvp(ad.grad(self.module.total, wrt), args, along)
        require(self.state(args) == before, "state after jvp of grad")
        both = ad.value_and_grad(self.module.total, wrt)  # compiled already, for first order

        def gradient(*args: Any) -> Any:
            return both(*args)[1]

        self.same("gradient within jvp", first, gradient(*self.args()))
        self.fits(second, first, "tangent of the gradient")
        self.second_tangent = second
        up = tuple(up[i] for i in wrt)
        self.compare("tangent of the gradient", trees.inner(up, second), lambda c, h: c.gradient_at(wrt, up, h))

    def gradient_at(self, wrt: tuple[int, ...], up: Any, h: float) -> float:
        args = trees.moved(self.args(), trees.direction(self.args(), 7), h)
        return trees.inner(up, ad.value_and_grad(self.module.total, wrt)(*args)[1])[0]

    def reverse_over_reverse(self) -> None:
        wrt = self.wrt(self.args())
        _, before, _ = self.expected("total")
        args = self.args()
        gradient = ad.grad(self.module.total, wrt)
        up = trees.direction(args, 11)
        _, pullback = ad.vjp(gradient, *args)
        bars = pullback(tuple(up[i] for i in wrt))
        require(self.state(args) == before, "state after vjp of grad")
        along = trees.direction(args, 7)
        pairing = self.pairing(args, bars, along, "total")
        seed = tuple(up[i] for i in wrt)
        if self.second_tangent is not None:
            other = trees.inner(seed, self.second_tangent)
            self.dual("second order: forward and reverse mode disagree", pairing, other)
        else:  # forward over reverse is refused
            self.compare("cotangent of the gradient", pairing, lambda c, h: c.gradient_at(wrt, seed, h))

    # -- several directions at once ----------------------------------------------------------

    def jacobians(self) -> None:
        """Of a number they are its gradient, taken for batches of tangents and by a pullback that runs anew."""
        wrt = self.wrt(self.args())
        _, before, _ = self.expected("total")
        grads = ad.value_and_grad(self.module.total, wrt)(*self.args())[1]
        for name, jacobian in (("jacrev", ad.jacrev), ("jacfwd", ad.jacfwd)):
            args = self.args()
            try:
                found = jacobian(self.module.total, wrt)(*args)
            except ad.Unsupported as error:  # what is taken one direction at a time is checked already
                require(has_place(error), f"refusal of {name} without a place", str(error))
                continue
            require(self.state(args) == before, f"state after {name}")
            for got, grad in zip(found, grads):
                self.same(f"{name} and gradient disagree", got, grad)

    # -- comparisons ------------------------------------------------------------------------

    def wrt(self, args: tuple[Any, ...]) -> tuple[int, ...]:
        return tuple(i for i, a in enumerate(args) if trees.has_leaf(a))

    def at(self, ct: Any, h: float) -> float:
        args = self.args()
        value = self.module.main(*trees.moved(args, trees.direction(self.args(), 7), h))
        return trees.inner(ct, value)[0]

    def fits(self, got: Any, like: Any, what: str) -> None:
        """One leaf for each leaf, of its type, shape and dtype."""
        mine, theirs = dict(trees.leaves(got)), dict(trees.leaves(like))
        require(list(mine) == list(theirs), f"structure of a {what}", f"{got!r} for {like!r}")
        for path, x in theirs.items():
            g = mine[path]
            same = type(g) is type(x) and np.shape(g) == np.shape(x) and np.asarray(g).dtype == np.asarray(x).dtype
            require(same, f"type of a {what}", f"{g!r} for {x!r}")

    def compare(
        self,
        what: str,
        pairing: tuple[float, float] | list[tuple[float, float]],
        evaluate: Callable[[Check, float], float],
    ) -> None:
        """With differences, where these can be had."""

        def phi(h: float) -> float:
            return evaluate(self, h)

        options = pairing if isinstance(pairing, list) else [pairing]
        size = max(size for _, size in options)
        try:
            coarse = self.eps > 1e-10
            found = slope(phi, 0.1 if coarse else 0.01)
            steep = size * self.eps > 1e-3  # the least step that there is moves the result too far
            kink = steep or not found.usable(size + 1e-3) or kinked(phi, size, 1e-2 if coarse else 1e-4)
        except NOT_RUNNING:
            kink = True  # the structure of the result changes nearby
        if kink:
            self.kinks += 1
            return
        near = self.near(found, options, size) or self.in_double(evaluate, options, size)
        near = near or self.oscillates(phi, found, options, size)
        require(near is not False, f"{what} against differences", f"{options} against {found}")
        if near is None:
            self.kinks += 1
        else:
            self.compared += 1

    def near(self, found: Slope, options: list[tuple[float, float]], size: float) -> bool:
        relative, least = (2e-2, 1e-2) if self.eps > 1e-10 else (1e-6, 1e-7)
        limit = 10 * found.error + relative * (abs(found.value) + 0.1 * size) + least
        return any(abs(got - found.value) <= limit for got, _ in options)

    def in_double(
        self, evaluate: Callable[[Check, float], float], options: list[tuple[float, float]], size: float
    ) -> bool:
        """Whether smaller steps agree that the same program takes on doubles: those that single precision
        needs may reach beyond a kink."""
        if not self.program.coarse:
            return False
        source = self.program.source.replace("float32", "float64")
        program = replace(self.program, index=self.program.index + 10**6, source=source)
        with loaded(program) as module:
            twin = Check(program, module)
            twin.point = self.point
            found = slope(lambda h: evaluate(twin, h), 1e-3)
            return found.usable(size + 1e-3) and self.near(found, options, size)

    def oscillates(
        self, phi: Callable[[float], float], found: Slope, options: list[tuple[float, float]], size: float
    ) -> bool | None:
        """Whether smaller steps agree: where a function oscillates within the usual ones, as the sine of
        a long product may, these see another slope. None where it does so within the least there are."""
        finer = {start: slope(phi, start) for start in STEPS}
        if any(s.error <= 1e-3 * abs(s.value) and self.near(s, options, size) for s in finer.values()):
            return True
        noise = self.eps * abs(phi(0.0)) / (size + abs(found.value) + 1e-300)
        seen = [s for start, s in finer.items() if noise < 1e-3 * start]
        if any(seen_by(s, got, size) for s in seen[-2:] for got, _ in options):
            return None  # as near as the rounding of what lies within lets these be
        return False if settled([found, *seen], size, STEPS[-1]) else None

    def dual(self, what: str, options: list[tuple[float, float]], other: tuple[float, float]) -> None:
        relative = max(1e-10, 2e4 * self.eps if self.eps > 1e-10 else 0.0)
        for got, size in options:
            if abs(got - other[0]) <= relative * (size + other[1] + 1e-3):
                return
        raise Wrong(what, f"{options} against {other}")

    def same(self, what: str, got: Any, expected: Any) -> None:
        other = dict(trees.leaves(expected))
        relative = max(1e-10, 1e4 * self.eps if self.eps > 1e-10 else 0.0)
        for path, x in trees.leaves(got):
            near = np.allclose(x, other[path], rtol=relative, atol=relative, equal_nan=True)
            require(near, what, f"{path}: {x} against {other[path]}")

    def pairing(self, args: Any, bars: Any, along: Any, name: str) -> list[tuple[float, float]]:
        """⟨bars, along⟩, each value that it may have: arguments that share memory have cotangents
        of their own, or each the whole one, which then counts once; the latter where they are written."""
        options = [trees.inner(bars, along)]
        groups = trees.groups(args)
        if not groups:
            return options
        changed = self.args()
        getattr(self.module, name)(*changed)
        cotangents, tangents, arrays, after = (dict(trees.leaves(t)) for t in (bars, along, args, changed))
        for paths in groups:
            base = max(paths, key=lambda p: arrays[p].size)
            repeated = sum(float(np.sum(cotangents[p] * tangents[p])) for p in paths if p != base)
            whole = [(got - repeated, size) for got, size in options]
            written = any(trees.bits(arrays[p]) != trees.bits(after[p]) for p in paths)
            options = whole if written else options + whole
        return options


def cotangent(value: Any) -> Any:
    rng = np.random.default_rng(5)

    def draw(path: Any, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return rng.standard_normal(x.shape).astype(x.dtype)
        return type(x)(rng.standard_normal())

    return trees.rebuilt(value, draw)


def weights(value: Any) -> Any:
    """The gradient of `total` by the result of main."""
    factors = iter(WEIGHTS)

    def factor(path: Any, x: Any) -> Any:
        w = next(factors)
        return np.full(x.shape, w, x.dtype) if isinstance(x, np.ndarray) else type(x)(w)

    return trees.rebuilt(value, factor)


def check(program: Program, second: str = "", only: str = "", without: str = "") -> Verdict:
    """What is to be said of a program."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with loaded(program) as module:
            return Check(program, module, second, without).run(only)
