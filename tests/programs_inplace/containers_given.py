"""Sets, deques, Counters, defaultdicts and bytearrays of the caller, with nothing in them that has a derivative, which
code fills and empties as it runs."""

import dataclasses
from collections import Counter, defaultdict, deque

import numpy as np


@dataclasses.dataclass
class _Memory:
    seen: set
    recent: deque
    counts: Counter
    table: defaultdict
    raw: bytearray
    steps: int = 1
    log: list = dataclasses.field(default_factory=lambda: [1])


def set_filled(x, s):
    s.add(5)
    return x[0] * len(s)


def set_filled_on_one_path(x, s):
    if x[0] > 0.0:
        s |= {9}
    t = s
    t.discard(1)
    return x[0] * len(s)


def _mark(s, k):
    s.add(k)


def set_filled_in_a_helper(x, s):
    for k in range(5):
        _mark(s, k)
    return x[0] * len(s)


def sets_of_a_list(x, visited):
    for i in range(len(x)):
        visited[i].add(i)
    return x[0] * sum(len(v) for v in visited)


def counter_of_a_dict(x, d):
    d["in"]["counts"].update("zz")
    d["in"]["counts"].subtract("a")
    return x[0] * d["in"]["counts"]["z"]


def memory_filled(x, memory):
    for k in range(3):
        memory.seen.add(k)
        memory.recent.append(k)
        memory.log.append(k)
        memory.steps += 1
    return x[0] * len(memory.seen) * memory.recent[0] * memory.steps


def memory_rearranged(x, memory):
    memory.recent.rotate(1)
    memory.raw.append(3)
    memory.table[7] += 2
    memory.counts["a"] += 1
    del memory.table[1]
    return x[0] * memory.recent[0] * len(memory.raw) * memory.table[7]


def memories_of_a_list(x, memories):
    for memory in memories:
        memory.seen.add(5)
    return x[0] * sum(len(memory.seen) for memory in memories)


def memory_beside_an_array(x, memory):
    memory.counts["steps"] += 1
    x[0] *= memory.counts["steps"] + 1
    return x[0] * x[1]


def _memory():
    return _Memory({1}, deque([1, 2], maxlen=2), Counter("ab"), defaultdict(int, {1: 2}), bytearray(b"ab"))


_X = np.array([1.3, 2.0])
SAMPLES = {
    "set_filled": [(_X, {1, 2})],
    "set_filled_on_one_path": [(_X, {1, 2})],
    "set_filled_in_a_helper": [(_X, {7})],
    "sets_of_a_list": [(_X, [{1}, {2, 3}])],
    "counter_of_a_dict": [(_X, {"in": {"counts": Counter("abc")}})],
    "memory_filled": [(_X, _memory())],
    "memory_rearranged": [(_X, _memory())],
    "memories_of_a_list": [(_X, [_memory(), _memory()])],
    "memory_beside_an_array": [(_X, _memory())],
}
