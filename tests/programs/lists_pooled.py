"""Lists of lists, dicts of lists and the like that are filled with what carries derivatives, as the code runs."""

from collections import defaultdict

import numpy as np

import adcompile as ad


def table_of_run_time_size(x, n):
    T = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            T[i][j] = x[0] * (T[i - 1][j] if i else 1.0) + x[1] * (T[i][j - 1] if j else x[2])
    T[0], T[n - 1] = T[n - 1], T[0]
    return T[0][n - 1] * T[1][0]


def warping(a, b):
    costs = [[np.inf] * (len(b) + 1) for _ in range(len(a) + 1)]
    costs[0][0] = 0.0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            costs[i][j] = (a[i - 1] - b[j - 1]) ** 2 + min(costs[i - 1][j], costs[i][j - 1], costs[i - 1][j - 1])
    return costs[len(a)][len(b)]


def one_row_under_many_names(x, n):
    row = [0.0] * n
    T = [row for _ in range(n)] + [row[:]]
    for i in range(n):
        T[i][(2 * i) % n] += x[i] ** 2
    first, *rest = T
    rest[0][1:] = [x[0], first[0]]
    T[n][0] *= 2.0
    return T[0][0] * T[1][2] + row[1] * T[n][0] + sum(T[2])


def elimination(x, n):
    A = [[x[i] * x[j] + (3.0 if i == j else 0.0) for j in range(n)] + [x[i]] for i in range(n)]
    for k in range(n):
        p = k
        for r in range(k + 1, n):
            if abs(A[r][k]) > abs(A[p][k]):
                p = r
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n + 1):
                A[i][j] -= f * A[k][j]
    y = [0.0] * n
    for i in range(n - 1, -1, -1):
        y[i] = (A[i][n] - sum(A[i][j] * y[j] for j in range(i + 1, n))) / A[i][i]
    return sum(v * v for v in y)


def groups_by_a_key(x):
    groups = defaultdict(list)
    for i, v in enumerate(x):
        groups[int(v > 1.0)].append((i, v * v))
    total = 0.0
    for key in sorted(groups):
        for i, v in groups[key]:
            total += v * (i + 1) * (key + 1)
    means = {key: sum(v for _, v in rows) / len(rows) for key, rows in groups.items()}
    return total * means[0] + means[1]


def shortest_ways(w, edges):
    links = [[] for _ in range(len(w))]
    for k, (a, b) in enumerate(edges):
        links[a].append((b, w[k % len(w)]))
        links[b].append((a, w[k % len(w)]))
    ways = [np.inf] * len(w)
    ways[0] = 0.0
    for _ in range(len(w)):
        for u in range(len(w)):
            for v, length in links[u]:
                ways[v] = min(ways[v], ways[u] + length)
    return sum(ways)


def rows_beside_arrays(x, n):
    rows = [[v for v in x] for _ in range(n)]
    row = rows[1]
    total = 0.0
    for k, v in enumerate(row):
        if k + 1 < len(row):
            row[k + 1] = row[k + 1] * v
        total += v
    for v, u in zip(row, x):
        row[2] = u * 3.0  # the loop meets it
        total += v * u
    return total + np.sum(np.array(rows) ** 2) + np.dot(rows[0], x)


def arrays_in_a_table(x, n):
    T = [[np.zeros(4) for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            T[i][j] += x * (i + 1)
            T[i][j][i] *= x[j]
            if i:
                T[i][j] -= T[i - 1][j] ** 2
    T[0][0] = T[1][1]
    T[1][1][0] *= x[1]
    return np.sum(T[n - 1][n - 1] * T[0][0])


def orders_of_rows(x, n):
    T = [[x[i] * (j + 1.0) for j in range(n)] for i in range(n)]
    T[1][0] = 9.0 * x[0]
    U = sorted(T, key=lambda r: -r[0])
    U[0][0] = x[1] ** 2
    T[2].sort(reverse=True)
    T[0].insert(1, x[3])
    while len(T[0]) > 2:
        T[0].pop()
    return T[1][0] * T[2][0] + U[1][0] + sum(T[0]) * (1.0 if x[0] * 2.0 in T[0] else x[2])


def written_over_from_the_end(x, n):
    D = [[0.0] for _ in range(n)]
    for i in range(n):
        D[i][0] = x[i] * D[i - 1][0] + x[i] ** 3
    return D[0][0] * D[-1][0]


def derivatives_of_one_within_another(x, n):
    def inside(y):
        return written_over_from_the_end(y, n) * D[0][0]

    D = [[0.0] for _ in range(n)]
    for i in range(n):
        D[i][0] = x[i] ** 2
    D[0][0] = x[1]
    g = ad.grad(inside)(x * D[0][0])
    D[1][0] *= np.sum(g**2)
    return D[1][0] * D[0][0] + D[2][0]


X = np.array([1.3, 0.7, 2.1, 0.4])
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
SAMPLES = {
    "table_of_run_time_size": [(X, 3)],
    "warping": [(np.array([0.3, 0.9, 0.2]), np.array([0.5, 1.1, 0.1, 0.7]))],
    "one_row_under_many_names": [(X, 3)],
    "elimination": [(X, 3)],
    "groups_by_a_key": [(X,)],
    "shortest_ways": [(X, EDGES)],
    "rows_beside_arrays": [(X, 2)],
    "arrays_in_a_table": [(X, 2)],
    "orders_of_rows": [(X, 3)],
    "written_over_from_the_end": [(X, 3)],
    "derivatives_of_one_within_another": [(X, 3)],
}
