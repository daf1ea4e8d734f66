"""Every workload at a tiny size: the adjoints written by hand are right, and so are ours."""

import numpy as np
import pytest

import adcompile as ad
from benchmarks import peers
from benchmarks.harness import compare, leaves
from benchmarks.rows import ROWS

WORKLOADS = {name: row.workload(row.small) for name, row in ROWS.items()}


def by_hand(workload):
    return {name: run for name, run in (("hand", workload.hand), ("loops", workload.loops)) if run is not None}


def same(left, right):
    return all(np.array_equal(a, b) for a, b in zip(leaves(list(left)), leaves(list(right)), strict=True))


@pytest.mark.parametrize("name", WORKLOADS)
def test_gradient_is_that_by_hand(name):
    workload = WORKLOADS[name]
    compare(name, peers.adcompile()(workload)(), workload.reference(*workload.fresh()), 1e-10)


@pytest.mark.parametrize("name", WORKLOADS)
def test_arguments_are_as_before(name):
    workload = WORKLOADS[name]
    own = workload.fresh()
    if workload.rows:
        _, pullback = ad.vjp(workload.function, *own)
        pullback(peers.row_seeds(workload)[0])
    else:
        ad.grad(workload.function, argnums=workload.argnums)(*own)
    assert same(own, workload.args)


@pytest.mark.parametrize("name", WORKLOADS)
def test_adjoints_by_hand_fit_the_function(name):
    """Along a random direction, by differences."""
    workload = WORKLOADS[name]
    rng, step = np.random.default_rng(0), 1e-6
    directions = {i: rng.standard_normal(np.shape(workload.args[i])) for i in peers.positions(workload)}
    seeds = peers.row_seeds(workload) if workload.rows else [np.ones(())]

    def moved(t):
        args = [a + t * directions[i] if i in directions else a for i, a in enumerate(workload.fresh())]
        return workload.function(*args)

    slope = (moved(step) - moved(-step)) / (2.0 * step)
    for way, run in by_hand(workload).items():
        gradients = run(*workload.fresh())
        for seed, row in zip(seeds, gradients if workload.rows else [gradients], strict=True):
            along = sum(np.sum(g * d) for g, d in zip(leaves(row), directions.values(), strict=True))
            assert along == pytest.approx(np.sum(seed * slope), rel=1e-6), way


@pytest.mark.parametrize("name", WORKLOADS)
def test_adjoints_by_hand_leave_the_arguments(name):
    workload = WORKLOADS[name]
    for run in by_hand(workload).values():
        own = workload.fresh()
        run(*own)
        assert same(own, workload.args)


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_is_written_is_said(name):
    workload = WORKLOADS[name]
    own = workload.fresh()
    workload.function(*own)
    assert workload.written == tuple(i for i, (a, b) in enumerate(zip(own, workload.args)) if not same([a], [b]))
