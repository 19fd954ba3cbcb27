"""Branching: which record to fix as lost or kept, and the nodes below."""

from dataclasses import dataclass, field

import numpy as np

from sklearn_reclink.solvers.covering.master import Cover, CoveringMaster

VIOLATED = 1e-6  # by how much ``x`` violates a row, or differs from 0 and 1
_CANDIDATES = 8  # those of ``x`` nearest 1/2


@dataclass(order=True)
class Node:
    """Records fixed as lost or kept (positions), and the losses proven for them."""

    bound: int
    serial: int
    lost: tuple[int, ...] = field(default=(), compare=False)
    kept: tuple[int, ...] = field(default=(), compare=False)
    gain: float = field(default=0.0, compare=False)  # of the relaxation over its parent's


def branch(master: CoveringMaster, node: Node, cover: Cover, goal: int) -> list[Node]:
    """Lose or keep the record that raises the relaxation of both children the most."""
    distance = np.abs(cover.lost - 0.5)
    candidates = np.argsort(distance, kind="stable")[:_CANDIDATES]
    candidates = candidates[distance[candidates] <= 0.5 - VIOLATED]
    if not len(candidates):
        return []
    both = (_children(master, node, cover, goal, int(k)) for k in candidates)
    return list(max(both, key=lambda two: np.prod([max(one.gain, VIOLATED) for one in two])))


def _children(
    master: CoveringMaster, node: Node, cover: Cover, goal: int, record: int
) -> tuple[Node, Node]:
    children = (
        Node(node.bound, 0, (*node.lost, record), node.kept),
        Node(node.bound, 0, node.lost, (*node.kept, record)),
    )
    for child in children:
        relaxed = master.solve_held(np.array(child.lost, int), np.array(child.kept, int))
        child.gain = goal if relaxed is None else relaxed.value - cover.value
        proven = goal if relaxed is None else min(relaxed.bound, goal)
        child.bound = max(child.bound, proven)
    return children
