"""Distances of mixed records: tables of categories and of differences, and joint errors.

A record holds, in this order, its categories ``c`` (n_categories), coordinates ``t`` (n_tables) and
values ``z`` (n_joint), of which some are missing (NaN), the numbers of its patterns of missing
values, of all of them and of ``z``, and factors of ``z`` that only bounds look at (n_joint)::

    d(a, b) = - sum_k G_k[c_k, c'_k] - sum_k g_k(|t_k - t'_k|) - w [h_o - |W_o' (z - z')_o|^2 / 2]

``g_k`` are tables as in `tabulated`, and 0 where either side is missing. ``o`` are the values of
``z`` that both records have; every ``o`` has its own constant ``h_o`` and matrix ``W_o``. Missing
is a category with a number of its own. The last number of ``G_k`` is that of all categories that
the tables do not know: two such ones are equal or not, so their own numbers are beyond it.

*The bound of a box.*

Categories: a node knows the set of categories in it, one bit for each of 64 *classes* of numbers.
The entries that a query's category has with the classes, in descending order, are *steps*: a value,
and the bits of the classes that have it. The first step with a bit in the set is the largest entry
that a point of the node can have. A class of several numbers has the largest entry of them.

Tables: as in `tabulated`, where no value is missing in the box; 0 where all are, which is so in a
box whose points have one pattern; else the larger of the two.

Joint errors: ``W_o W_o'`` is the inverse of the covariance ``C_oo``, or of it with small variances
raised by ``e_o``. For ``M = C + e I`` with ``e >= e_o`` and any part ``p`` of ``o``::

    |W_o' d_o|^2 >= d_o' M_oo^-1 d_o >= d_p' M_pp^-1 d_p >= sum over p of d_k^2 / M_kk / l

``l`` is the largest eigenvalue of the correlations of ``M``. The second form, for the first
variables ``p``, is the squared length of the first *factors* ``L^-1 d`` for ``M = L L'``, as ``L``
is triangular. Boxes of factors bound it up to the first missing value; if there is one, the last
form may bound more.
"""

from typing import Any, NamedTuple

import numpy as np

from sklearn_reclink.search.priced.tabulated import Tabulated
from sklearn_reclink.search.priced.walk import use

N_CLASSES = 64


class MixedTables(NamedTuple):
    """Tables of categories and of differences, and joint errors."""

    # categories
    entries: np.ndarray  # (n_categories tables, each n_numbers x n_numbers, one after the other)
    entry_starts: np.ndarray  # (n_categories,)
    n_numbers: np.ndarray  # (n_categories,)
    same: np.ndarray  # (n_categories,): entry of two equal categories that tables do not know
    step_rows: np.ndarray  # (n_categories,): the first row of `step_starts`
    step_starts: np.ndarray  # (sum of n_numbers + 1,)
    step_bits: np.ndarray  # (n_steps,)
    step_values: np.ndarray  # (n_steps,), descending within a row
    sets: np.ndarray  # (n_nodes, n_categories): bits of the classes in every node
    # differences
    logs: np.ndarray
    ceilings: np.ndarray
    starts: np.ndarray
    per_step: np.ndarray
    rest: np.ndarray
    slack: float
    # joint errors
    weight: float
    observed: np.ndarray  # (n_patterns, n_patterns): which set of values two patterns share
    known: np.ndarray  # (n_sets, n_joint): its values, the first `n_known`
    n_known: np.ndarray  # (n_sets,)
    constants: np.ndarray  # (n_sets,)
    whitenings: np.ndarray  # (n_sets, n_joint, n_joint)
    most_constant: np.ndarray  # (n_patterns,): the largest constant with any pattern
    spreads: np.ndarray  # (n_joint,): 1 / M_kk / l


def mixed_tables(
    tables: list[np.ndarray],
    same: np.ndarray,
    differences: Tabulated,
    joint: dict[str, Any],
    slack: float,
) -> MixedTables:
    """Tables as compiled code takes them, before there is a tree.

    Parameters
    ----------
    tables : list of ndarray of shape (n_numbers, n_numbers)
        Entries by the number of the query's category and the point's.
    same : ndarray of shape (n_categories,)
    differences : Tabulated
    joint : dict
        The last fields.
    slack : float
        More than rounding can move the bound of joint errors.
    """
    sizes = np.array([len(table) for table in tables], dtype=np.int64)
    steps = [
        step for table, equal in zip(tables, same, strict=True) for step in _steps(table, equal)
    ]
    # a missing value is 0
    highest = [max(float(part.max()), 0.0) for part in np.split(*differences[0:3:2])[1:-1]]
    return MixedTables(
        np.concatenate([np.zeros(0), *(table.ravel() for table in tables)]),
        np.cumsum(sizes**2) - sizes**2,
        sizes,
        np.asarray(same, dtype=float),
        np.cumsum(sizes) - sizes,
        np.append(0, np.cumsum([len(bits) for bits, _ in steps])).astype(np.int64),
        np.concatenate([np.zeros(0, np.uint64), *(bits for bits, _ in steps)]),
        np.concatenate([np.zeros(0), *(values for _, values in steps)]),
        np.zeros((0, len(tables)), np.uint64),
        *differences[:4],
        np.append(np.cumsum(highest[::-1])[::-1], 0.0),
        differences.slack + sum(1e-10 * float(np.abs(table).max()) for table in tables) + slack,
        **joint,
    )


def classes_of(numbers: np.ndarray, n_numbers: np.ndarray) -> np.ndarray:
    """Classes of numbers of categories (..., n_categories); the last two numbers are alone."""
    last = n_numbers - 1
    shared = numbers % (N_CLASSES - 2)
    return np.where(
        numbers >= last, N_CLASSES - 1, np.where(numbers == last - 1, N_CLASSES - 2, shared)
    ).astype(np.uint64)


def _steps(table: np.ndarray, same: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Bits and values of the steps of every row."""
    n_numbers = len(table)
    classes = classes_of(np.arange(n_numbers), np.array(n_numbers)).astype(np.int64)
    of_classes = np.full((n_numbers, N_CLASSES), -np.inf)
    for number, place in enumerate(classes):
        np.maximum(of_classes[:, place], table[:, number], out=of_classes[:, place])
    of_classes[-1, -1] = max(of_classes[-1, -1], same)
    bits = np.uint64(1) << np.arange(N_CLASSES, dtype=np.uint64)
    found = []
    for row in of_classes:
        held = np.flatnonzero(row > -np.inf)
        values, step = np.unique(-row[held], return_inverse=True)
        of_steps = np.zeros(len(values), np.uint64)
        np.bitwise_or.at(of_steps, step, bits[held])
        found.append((of_steps, -values))
    return found


def _bound_of_box(
    model: Any, queries: Any, i: int, low: Any, high: Any, node: int, c: Any, order: Any
) -> Any:
    value = -model.slack
    n_categories = model.same.shape[0]
    for k in range(n_categories):
        number = min(int(queries[i, k]), model.n_numbers[k] - 1)
        step = model.step_starts[model.step_rows[k] + number]
        last = model.step_starts[model.step_rows[k] + number + 1] - 1
        held = model.sets[node, k]
        while step < last and held & model.step_bits[step] == 0:
            step += 1
        value -= model.step_values[step]
    n_tables, n_joint = model.per_step.shape[0], model.spreads.shape[0]
    at = n_categories + n_tables + n_joint  # the numbers of the patterns
    alike = low[node, at] == high[node, at]
    for m in range(n_tables):
        k = n_categories + m
        here, least = queries[i, k], low[node, k]
        start, last = model.starts[m], model.starts[m + 1] - 1
        if here == here:
            if least == least:
                outside = max(least - here, here - high[node, k], 0.0) * model.per_step[m]
                value -= model.ceilings[last if outside >= last - start else start + int(outside)]
            elif not alike:
                value -= max(model.ceilings[start], 0.0)
    if n_joint == 0:
        return value
    pattern = int(queries[i, at + 1])
    constant = model.most_constant[pattern]
    if low[node, at + 1] == high[node, at + 1]:
        constant = model.constants[model.observed[pattern, int(low[node, at + 1])]]
    square, m = 0.0, 0
    while m < n_joint:
        k = at + 2 + m
        here, least = queries[i, k], low[node, k]
        if here != here or least != least:
            break
        outside = max(least - here, here - high[node, k], 0.0)
        square += outside * outside
        m += 1
    if m < n_joint:
        other = 0.0
        for m in range(n_joint):
            k = at - n_joint + m
            here, least = queries[i, k], low[node, k]
            if here == here and least == least:
                outside = max(least - here, here - high[node, k], 0.0)
                other += model.spreads[m] * (outside * outside)
        square = max(square, other)
    return value - model.weight * (constant - 0.499999 * square)


def _value_of_point(
    model: Any, exact: Any, i: int, points: Any, p: int, cut: float, c: Any, order: Any
) -> Any:
    n_categories = model.same.shape[0]
    n_tables, n_joint = model.per_step.shape[0], model.spreads.shape[0]
    total = 0.0
    for k in range(n_categories):
        a, b, last = exact[i, k], points[p, k], model.n_numbers[k] - 1
        if a > last and a == b:
            total += model.same[k]
        else:
            row, column = min(int(a), last), min(int(b), last)
            total += model.entries[model.entry_starts[k] + row * (last + 1) + column]
    at = n_categories + n_tables + n_joint
    most = 0.0
    if n_joint > 0:
        shared = model.observed[int(exact[i, at + 1]), int(points[p, at + 1])]
        most = max(model.weight * model.constants[shared], 0.0)
    if -(total + model.rest[0] + most) > cut + model.slack:
        return np.inf, np.inf
    for m in range(n_tables):
        k = n_categories + m
        place = abs(exact[i, k] - points[p, k]) * model.per_step[m]
        start, last = model.starts[m], model.starts[m + 1] - 1
        if place >= last - start:
            total += model.logs[last]
        elif place == place:
            below = int(place)
            entry = model.logs[start + below]
            total += entry + (place - below) * (model.logs[start + below + 1] - entry)
        if -(total + model.rest[m + 1] + most) > cut + model.slack:
            return np.inf, np.inf
    if n_joint > 0:
        n_known = model.n_known[shared]
        first = at - n_joint
        if order[0] != i or order[1] != shared:  # the whitened query is kept in c
            order[0], order[1] = i, shared
            for column in range(n_known):
                white = 0.0
                for m in range(n_known):
                    here = exact[i, first + model.known[shared, m]]
                    white += here * model.whitenings[shared, m, column]
                c[column] = white
        square = 0.0
        for column in range(n_known):
            white = 0.0
            for m in range(n_known):
                here = points[p, first + model.known[shared, m]]
                white += here * model.whitenings[shared, m, column]
            difference = c[column] - white
            square += difference * difference
        total += model.weight * (model.constants[shared] - 0.5 * square)
    return -total, abs(total)


use(MixedTables, _bound_of_box, _value_of_point, forceinline=True)
