"""Calls on containers that are filled as the code runs: each form against finite differences."""

import numpy as np
import pytest

import adcompile as ad

X = np.array([0.6, 0.75, 1.2, 0.5])


def rows_of(x):
    rows = [[] for _ in range(len(x))]
    for i in range(len(x)):
        for j in range(i + 1):
            rows[i].append(j)
    return rows


def summed(x, items):
    total = 0.0
    for j in items:
        total += x[j] ** 2 * (j + 1)
    return total


FORMS = {
    "min, max and sum": lambda x, rows: x[min(rows[2])] * x[max(rows[1])] * sum(rows[2]),
    "index": lambda x, rows: x[rows[2].index(1)] * x[rows[len(x) - 1][-1]],
    "slices": lambda x, rows: summed(x, rows[2][1:]) * summed(x, rows[1] + rows[2]),
    "copies": lambda x, rows: summed(x, list(rows[2])) + summed(x, tuple(rows[1])) + summed(x, rows[0].copy()),
    "sets": lambda x, rows: summed(x, sorted(set(rows[2]) - set(rows[0]))) + summed(x, sorted(set(rows[1]) | {3})),
    "zip": lambda x, rows: sum(x[i] * x[j] for i, j in zip(rows[2], rows[1])),
    "indices": lambda x, rows: np.sum(x[rows[2]]) * np.sum(x[np.array(rows[1], int)]),
    "in": lambda x, rows: x[0] if 3 in rows[2] else x[1] if 2 in rows[2] else x[2],
    "truth": lambda x, rows: x[0] ** 2 if rows[0] and not rows[0][1:] else x[1],
}


@pytest.mark.parametrize("form", FORMS)
def test_reads(form):
    def f(x):
        rows = rows_of(x)
        total = 0.0
        for i in range(1, 3):
            for j in rows[i]:
                total += x[i] * x[j]
        return total * FORMS[form](x, rows)

    ad.check_grads(f, (X,), order=1)


def counted(x):
    table = {}
    for i in range(len(x)):
        table[int(x[i] * 4)] = table.get(int(x[i] * 4), 0) + 1
    table.update({40: 2})
    total = 0.0
    for key, count in table.items():
        total += x[0] * count * key
    for key in list(table.keys()):
        total += x[table.pop(key)] ** 2
    return total * (1 + len(table))


def test_a_dict_of_numbers():
    ad.check_grads(counted, (X,), order=1)


SETS = {
    "of a list": lambda x: sum(set([x[0], x[1]])),
    "of a list, united": lambda x: sum(set([x[0]]) | set([x[1]])),
    "of pairs": lambda x: max(set([(x[0], 1), (x[1], 2)]))[0],
    "of a list that is filled": lambda x: sorted(list(set([v * v for v in x])))[1],
    "of what a generator gives": lambda x: sum(set(v for v in [x[0], x[1]])),
    "of tuples, united": lambda x: sum(set((x[0],)) | set((x[1],))),
    "of tuples, in common": lambda x: sum({x[0], x[1]} & {x[1]}),
    "of tuples, in one of them": lambda x: max(frozenset([x[0]]) ^ frozenset((x[1],))),
    "taken out of": lambda x: set([x[0]]).pop() * x[0],
}


@pytest.mark.parametrize("form", SETS)
def test_sets_of_what_carries_derivatives_are_refused(form):
    for derive in (ad.grad(SETS[form]), lambda x: ad.jvp(SETS[form], (x,), (x,))):
        with pytest.raises((ad.Unsupported, ad.NotDifferentiable)):
            derive(X)


def test_how_many_such_a_set_holds():
    def f(x):
        return len(set([x[0], x[1], x[0]])) * x[0] * (len({x[0]} | {x[1]}) + 1.0)

    ad.check_grads(f, (X,), order=1)
