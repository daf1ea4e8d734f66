"""Programs checked in processes of their own, with a limit of time for each.

A compiler that loops forever, or takes the interpreter down, must not end the run: the worker is
ended and another goes on with the next program.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from tests.fuzz.checker import Verdict, check
from tests.fuzz.program import Program, generate

Outcome = tuple[Program, Verdict, float]


def second_order(index: int) -> str:
    """Which programs are checked to second order: an eighth in both ways, an eighth forward."""
    return ("both", "", "", "", "forward", "", "", "")[index % 8]


def judge(seed: int, index: int, names: frozenset[str]) -> Outcome:
    program = generate(seed, index, names)
    start = time.perf_counter()
    verdict = check(program, second_order(index))
    return program, verdict, time.perf_counter() - start


def _work(send: Connection, job: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> None:
    for task in tasks:
        send.send(job(*task))
    send.close()


def run(
    job: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], limit: float, late: Callable[..., Any]
) -> Iterator[Any]:
    """`job(*task)` for each task, in a worker; `late(*task)` where that takes longer or dies."""
    done = 0
    while done < len(tasks):
        receive, send = multiprocessing.Pipe(duplex=False)
        worker = multiprocessing.get_context("fork").Process(target=_work, args=(send, job, tasks[done:]), daemon=True)
        worker.start()
        send.close()
        try:
            while done < len(tasks):
                if not receive.poll(limit):
                    break
                result = receive.recv()
                done += 1
                yield result
            else:
                worker.join(limit)
        except EOFError:
            pass  # it died over this program
        finally:
            if worker.is_alive():
                worker.kill()
            worker.join()
            receive.close()
        if done < len(tasks):
            yield late(*tasks[done])
            done += 1


def programs(seed: int, indices: Sequence[int], names: frozenset[str], limit: float) -> Iterator[Outcome]:
    def late(seed: int, index: int, names: frozenset[str]) -> Outcome:
        return generate(seed, index, names), Verdict("slow", reason="no verdict in time, or the process died"), limit

    yield from run(judge, [(seed, i, names) for i in indices], limit, late)
