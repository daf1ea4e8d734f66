"""Programs checked in processes of their own, with a limit of time for each.

A compiler that loops forever, or takes the interpreter down, must not end the run: the worker is
ended and another goes on with the next program. The limit counts what the worker computes, however
busy the machine is; one that waits for something is ended after a multiple of it.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from tests.fuzz import natively
from tests.fuzz.checker import Verdict, check
from tests.fuzz.program import Program, generate

Outcome = tuple[Program, Verdict, float]


def second_order(seed: int, index: int) -> str:
    """Which programs are checked to second order, at random: an eighth forward over reverse, and
    half of these reverse over reverse as well. One costs as much as two programs to first order."""
    return {0: "both", 1: "forward"}.get(random.Random(f"second order {seed} {index}").randrange(16), "")


@contextlib.contextmanager
def verified(seed: int, index: int) -> Generator[None, None, None]:
    """Every stage and pass is verified of a quarter of the programs; of all where the environment says so."""
    ours = "ADCOMPILE_CHECK" not in os.environ and random.Random(f"verified {seed} {index}").randrange(4) == 0
    if ours:
        os.environ["ADCOMPILE_CHECK"] = "1"
    try:
        yield
    finally:
        if ours:
            del os.environ["ADCOMPILE_CHECK"]


def left_out(seed: int, index: int) -> str:
    """Where the stages are shared out among the programs: at random, forward mode or the gradient in one
    body, each of which is compared with reverse mode; no stage of what is checked to second order."""
    stage = random.Random(f"left out {seed} {index}").choice(("forward", "gradient"))
    return "" if second_order(seed, index) else stage


def judge(seed: int, index: int, names: frozenset[str], shared: bool = False) -> Outcome:
    """What is to be said of a program; `shared` leaves out a stage (`left_out`)."""
    program = generate(seed, index, names)
    start = time.perf_counter()
    with verified(seed, index):
        verdict = check(program, second_order(seed, index), without=left_out(seed, index) if shared else "")
    return program, verdict, time.perf_counter() - start


def _work(send: Connection, job: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], limit: float) -> None:
    gc.freeze()  # what was loaded before is no garbage
    for task in tasks:
        signal.setitimer(signal.ITIMER_PROF, limit)  # ends the process
        send.send(job(*task))
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    send.close()


BATCH = 300
"""Tasks of one process at most: what it has compiled stays in its memory."""
WAITING = 15
"""How many times the limit a task may take where other work has the machine."""


@dataclass
class Worker:
    """A process, and the tasks that are left to it."""

    tasks: list[tuple[Any, ...]]
    process: BaseProcess
    receive: Connection
    until: float

    @staticmethod
    def start(job: Callable[..., Any], tasks: list[tuple[Any, ...]], limit: float) -> Worker:
        receive, send = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=_work, args=(send, job, tasks, limit), daemon=True)
        process.start()
        send.close()
        return Worker(tasks, process, receive, time.monotonic() + WAITING * limit)

    def end(self, limit: float) -> None:
        self.process.join(limit)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.receive.close()


def run(
    job: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    limit: float,
    late: Callable[..., Any],
    jobs: int = 1,
) -> Iterator[Any]:
    """`job(*task)` for each task, in so many workers, as they come; `late(*task)` where that takes
    longer than the limit or the worker dies."""
    size = max(1, min(BATCH, -(-len(tasks) // jobs)))
    waiting = [list(tasks[k : k + size]) for k in range(0, len(tasks), size)]
    workers: list[Worker] = []
    try:
        while workers or waiting:
            while waiting and len(workers) < jobs:
                workers.append(Worker.start(job, waiting.pop(0), limit))
            first = min(workers, key=lambda w: w.until)
            ready = wait([w.receive for w in workers], max(0.0, first.until - time.monotonic()))
            worker = next((w for w in workers if w.receive in ready), first)
            task, *rest = worker.tasks
            try:
                if not ready:
                    raise EOFError
                result, lost = worker.receive.recv(), False
            except EOFError:  # no answer in time, or it died over this task
                result, lost = late(*task), True
            worker.tasks, worker.until = rest, time.monotonic() + WAITING * limit
            if lost or not rest:
                worker.end(0.0 if lost else limit)
                workers.remove(worker)
            if lost and rest:
                waiting.insert(0, rest)
            yield result
    finally:
        for worker in workers:
            worker.end(0.0)


def judge_loops(seed: int, index: int, names: frozenset[str]) -> Outcome:
    return _timed(natively.check_loops, seed, index, names)


def judge_kernels(seed: int, index: int, names: frozenset[str]) -> Outcome:
    return _timed(natively.check_kernels, seed, index, names)


def _timed(judged: Callable[[Program], Verdict], seed: int, index: int, names: frozenset[str]) -> Outcome:
    start = time.perf_counter()
    program = generate(seed, index, names)
    return program, judged(program), time.perf_counter() - start


BACKENDS: dict[str, Callable[..., Outcome]] = {"numpy": judge, "loops": judge_loops, "numba": judge_kernels}
"""What derivatives are made of: the generated code, checked by all means; or other code, compared with it."""


def programs(
    seed: int, indices: Sequence[int], names: frozenset[str], limit: float, jobs: int = 1, backend: str = "numpy"
) -> Iterator[Outcome]:
    def late(seed: int, index: int, names: frozenset[str]) -> Outcome:
        return generate(seed, index, names), Verdict("slow", reason="no verdict in time, or the process died"), limit

    yield from run(BACKENDS[backend], [(seed, i, names) for i in indices], limit, late, jobs)
