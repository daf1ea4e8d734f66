"""The fuzzer: a fixed set of programs is right in every mode, and the fuzzer itself does what it says.

A program costs less than half a second, nearly all of it for the derivatives that are compiled of
it: here two to first order, reverse mode and another (`runner.left_out`); of every eighth program all
three and one more, of every sixteenth two, for second order (`runner.second_order`). The longer runs
take all three of each program:

    python -m tests.fuzz --programs 2000 --seed 1 --details --jobs 2
    python -m tests.fuzz --faults
"""

import math

import pytest

from adcompile.errors import NotDifferentiable
from tests.fuzz import faults
from tests.fuzz.checker import STAGES, Check, Verdict, Wrong, check
from tests.fuzz.constructs import GROUPS, TABLE, blocks, enabled, pairs, wanted
from tests.fuzz.counts import Counts
from tests.fuzz.differences import Slope, seen_by, settled
from tests.fuzz.program import Program, generate, runs
from tests.fuzz.runner import judge, judge_loops, left_out, programs, run, second_order
from tests.fuzz.shrink import shrink

SEED, PROGRAMS, CHUNK = 20260, 16, 8
EVERYTHING = enabled()

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_programs_are_right_or_refused(first, monkeypatch):
    monkeypatch.delenv("ADCOMPILE_CHECK", raising=False)  # a quarter is verified, as in the longer runs
    failed = []
    for index in range(first, first + CHUNK):
        program, verdict, _ = judge(SEED, index, EVERYTHING, shared=True)
        if verdict.failed:
            failed.append(f"{verdict.kind} {verdict.stage}: {verdict.reason}\n{verdict.detail}\n{program.source}")
    again = f"python -m tests.fuzz --seed {SEED} --first {first} --programs {CHUNK}"
    assert not failed, "\n\n".join([f"{len(failed)} of {CHUNK} programs fail; shrink them with {again}", *failed])


@pytest.mark.parametrize("first", (0, 5))
def test_loop_nests_give_what_numpy_gives(first):
    for index in range(first, first + 5):
        program, verdict, _ = judge_loops(SEED, index, EVERYTHING)
        assert not verdict.failed, f"{verdict.reason}\n{verdict.detail}\n{program.source}"


# -- what is generated --------------------------------------------------------------------------


def test_a_program_is_determined_by_seed_and_number():
    assert generate(3, 5, EVERYTHING) == generate(3, 5, EVERYTHING)
    assert generate(3, 5, EVERYTHING).source != generate(4, 5, EVERYTHING).source


def test_every_pair_of_constructs_comes_in_a_block():
    made = blocks(EVERYTHING, 1)
    met = {tuple(sorted((a, b))) for block in made for a in block for b in block if a < b}
    assert met == set(pairs(EVERYTHING))
    assert len(made) < 2000  # so that 2 000 programs hold all of them


def test_programs_hold_what_they_must():
    missing = [p.missing for i in range(60) if (p := generate(8, i, EVERYTHING)).missing]
    assert len(missing) <= 3, missing
    for i in range(5):
        assert set(wanted(EVERYTHING, 8, i)) <= {*generate(8, i, EVERYTHING).used, *generate(8, i, EVERYTHING).missing}


@pytest.mark.parametrize("group", sorted(set(GROUPS) - {"basic", "arguments", "results"}))
def test_groups_can_be_left_out(group):
    names = enabled(without=[group])
    assert not any(TABLE[n].group == group for n in names)
    for i in range(3):
        program = generate(2, i, names)
        assert runs(program)
        assert not {TABLE[n].group for n in program.used} & {group}


def test_unknown_constructs_are_errors():
    with pytest.raises(ValueError, match="no construct and no group: nothing"):
        enabled(only=["nothing"])


# -- what is checked ----------------------------------------------------------------------------

SOURCE = """
import numpy as np


def main(a, s):
    a[1:] = a[:-1] * s
    if s > 5.0:
        s = s * 2.0
    for i in range(2):
        s = s + a[0] * 0.5
    return np.sum(a * a) + s * 1.5


def total(a, s):
    return 0.5 * main(a, s)


def arguments(n=3, m=2, seed=0):
    a = np.linspace(0.1, 0.9, n) + 0.01 * (seed % 7)
    return (a, 0.3)


def state():
    return []
"""
PROGRAM = Program(0, 0, SOURCE)


def test_differences_confirm_what_is_right():
    verdict = check(PROGRAM, "both")
    assert verdict.kind == "right", verdict
    assert verdict.compared >= 3  # at three points; reverse mode is compared with forward mode


def test_a_steep_function_is_compared_at_finer_steps():
    check = Check(PROGRAM, None)
    check.compare("slope", (1e7, 1e7), lambda _, h: math.sin(1e7 * h))
    assert check.compared == 1
    with pytest.raises(Wrong):
        check.compare("slope", (2e7, 2e7), lambda _, h: math.sin(1e7 * h))


def test_no_step_sees_the_slope_of_what_oscillates_within_the_least():
    check = Check(PROGRAM, None)
    check.compare("slope", (3e12, 3e12), lambda _, h: math.sin(3e12 * h))
    assert (check.compared, check.kinks) == (0, 1)
    with pytest.raises(Wrong):
        check.compare("slope", (3e12, 3e12), lambda _, h: math.sin(3.0 * h))
    with pytest.raises(Wrong):
        check.compare("slope", (0.0, 0.0), lambda _, h: 1.0 + math.sin(3.0 * h))


WITH_A_KINK = """
import numpy as np


def sample(seed, *shape):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, shape)


def main(f0):
    c1 = 0.5 - f0
    c1[-1] = 0.4
    for _ in c1:
        c1[1] += f0[1]
    return np.sum(c1 * c1) + max(f0, key=lambda e: e)


def total(f0):
    return 0.5 * main(f0)


def arguments(n=2, m=1, seed=0):
    return (sample(1, n).astype(np.float32),)


def state():
    return []
"""


def test_a_kink_within_the_steps_of_single_precision_is_no_fault(monkeypatch):
    program = Program(0, 0, WITH_A_KINK)
    assert check(program).kind == "right"
    monkeypatch.setattr(Check, "in_double", lambda *_: False)
    assert check(program).kind == "wrong"


def test_steps_that_agree_by_chance_are_no_evidence():
    oscillating = [Slope(value, 0.0) for value in (1.8e4, -3e5, 2e7, 5e9, 6e9)]
    assert not settled(oscillating, 2.3e11, 1e-11)
    assert settled(oscillating[:1] * 5, 2.3e11, 1e-11)


def test_a_slope_that_the_finest_steps_see_is_not_called_wrong():
    """Within a steep function the rounding of what lies within is larger than that of the result."""
    assert seen_by(Slope(-1.1297e8, 4e5), -1.12979e8, 1.13e8)
    assert not seen_by(Slope(-395.6, 108.2), -1.12979e8, 1.13e8)


def broken(name):
    """What a fault does to the verdict on the program."""
    return next(run(under_fault, [(name, PROGRAM)], 60.0, lambda *_: None))


def under_fault(name, program):
    faults.FAULTS[name]()
    return check(program)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("arguments_not_restored", "state after the pullback"),
        ("overwritten_cotangent_stays", "forward and reverse mode disagree"),
        ("forward_carries_zeros", "tangent against differences"),
        ("no_copy_of_what_is_written_later", "the pullback called again"),
    ],
)
def test_a_fault_has_the_verdict_that_names_it(name, reason):
    verdict = broken(name)
    assert verdict is not None and (verdict.kind, verdict.reason) == ("wrong", reason)


@pytest.mark.parametrize("name", sorted(faults.FAULTS))
def test_faults_can_be_planted(name):
    """The functions they change are still there."""
    assert next(run(faults.plants, [(name,)], 60.0, lambda *_: False))


def test_there_are_twenty_faults():
    assert len(faults.FAULTS) >= 20


def test_a_worker_that_hangs_is_ended():
    def hangs(k):
        while k == 1:
            pass
        return k

    assert list(run(hangs, [(0,), (1,), (2,)], 1.0, lambda k: f"late {k}")) == [0, "late 1", 2]
    several = run(hangs, [(k,) for k in range(7)], 1.0, lambda k: f"late {k}", jobs=2)
    assert sorted(several, key=str) == [0, 2, 3, 4, 5, 6, "late 1"]


def test_shares_are_checked_to_second_order_and_verified():
    nested = [second_order(4, i) for i in range(1600)]
    assert 60 < nested.count("both") < 140 and 60 < nested.count("forward") < 140
    assert nested != [second_order(5, i) for i in range(1600)]
    without = [left_out(4, i) for i in range(1600)]
    assert min(without.count("forward"), without.count("gradient")) > 600
    assert all(not stage for stage, order in zip(without, nested) if order)


@pytest.mark.parametrize("stage", STAGES[:3])
def test_a_stage_that_is_left_out_is_not_run(stage):
    verdict = check(PROGRAM, without=stage)
    assert verdict.kind == "right" and verdict.compared >= 3  # with differences where there is no tangent
    run = []
    for name in STAGES[:3]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Check, name, lambda self, name=name: run.append(name))
            check(PROGRAM, without=stage)
    assert stage not in run and set(run) == set(STAGES[:3]) - {stage}


# -- what is reported ---------------------------------------------------------------------------


def test_shrinking_keeps_what_matters():
    def fails(program):
        return "a[1:] =" in program.source

    small = shrink(PROGRAM, fails, seconds=20.0)
    body = small.source[small.source.index("def main") : small.source.index("def total")]
    assert "a[1:] =" in body
    assert "for" not in body and "if" not in body
    assert len(body.split("\n")) < 8


def test_counts_name_what_never_came():
    counts = Counts(EVERYTHING)
    for program, verdict, seconds in programs(1, range(2), EVERYTHING, 60.0):
        counts.add(program, verdict, seconds)
    single, double = counts.never()
    assert counts.programs == 2 and single and double
    assert "2 programs" in counts.report(details=True)


def test_a_refusal_must_have_a_place():
    check = Check(PROGRAM, None)
    check.point = {"seed": 0}

    def refuses():
        raise NotDifferentiable("no place")

    check.forward = refuses
    verdict = check.stage("forward")
    assert isinstance(verdict, Verdict) and verdict.kind == "crash" and "without a place" in verdict.reason
