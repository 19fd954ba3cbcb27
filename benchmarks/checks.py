"""Checks of a table of fits: proofs, laws, goals, and whether a rival came near."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from papers import PapersSeconds, papers_seconds
from rivals import RivalResult

# optimum(narrow) <= optimum(wide): the parameters of the first are among those of the second
INCLUSIONS = (
    ("d2WM", "d2CI"),
    ("d2WM", "psd"),
    ("psd", "d2SB"),
    ("d2SB", "d2SB_NC"),
    ("d2CI_m", "d2CI"),
    ("d2WM_m", "d2WM"),
    ("d2WM", "d2WM_m"),
)

# Seconds a fit and a seed's whole table should stay within.
GOAL = 10.0
GOAL_OF_FILE = {"M5-38": 30.0, "M7-999": 30.0}
GOAL_OF_CELL = {("M5-38", "psd"): 60.0, ("M5-38", "d2SB"): 60.0}
GOAL_OF_TABLE = 240.0

RIVAL_FACTOR = 10.0


@dataclass(frozen=True)
class Cell:
    """One variant fitted to one file; ``scored`` is the count by `score`."""

    seed: int
    file: str
    variant: str
    n_linked: int
    scored: float
    bound: int
    status: str
    seconds: float
    rivals: dict[str, RivalResult] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.variant} on {self.file}, seed {self.seed}"

    @property
    def proven(self) -> bool:
        return self.status == "optimal"

    @property
    def papers(self) -> PapersSeconds:
        return papers_seconds(self.variant, self.file)

    @property
    def goal(self) -> float:
        own = GOAL_OF_CELL.get((self.file, self.variant))
        return GOAL_OF_FILE.get(self.file, GOAL) if own is None else own


def broken_laws(cells: Sequence[Cell]) -> list[str]:
    """One sentence for every law that a result contradicts."""
    broken = []
    for cell in cells:
        if cell.scored != cell.n_linked:
            broken.append(f"{cell.name}: score gives {cell.scored}, n_linked_ is {cell.n_linked}")
        if cell.proven != (cell.n_linked == cell.bound) or cell.n_linked > cell.bound:
            broken.append(f"{cell.name}: {cell.n_linked} of at most {cell.bound}, {cell.status}")
    for _, group in groupby(cells, key=lambda cell: (cell.seed, cell.file)):
        of_variant = {cell.variant: cell for cell in group}
        for narrow, wide in INCLUSIONS:
            if narrow in of_variant and wide in of_variant:
                less, more = of_variant[narrow], of_variant[wide]
                if less.n_linked > more.bound:
                    broken.append(f"{less.name} links {less.n_linked}, {wide} at most {more.bound}")
    return broken


def rivals_ahead(cells: Iterable[Cell]) -> list[str]:
    """The rivals that link more records than we do."""
    return [
        f"{rival} links {result.recounted} > {cell.n_linked} by {cell.name}"
        for cell in cells
        for rival, result in cell.rivals.items()
        if result.recounted is not None and result.recounted > cell.n_linked
    ]


def rivals_close(cells: Iterable[Cell]) -> list[str]:
    """The rivals that end in less than ten times our seconds."""
    return [
        f"{rival} {result.seconds:.2f} s, ours {cell.seconds:.2f} s by {cell.name}: it claims "
        f"{result.claimed} and links {result.recounted} records, ours {cell.n_linked}"
        for cell in cells
        for rival, result in cell.rivals.items()
        if result.within(RIVAL_FACTOR, cell.seconds)
    ]


def rivals_open(cells: Iterable[Cell]) -> list[str]:
    """The rivals that were stopped before ten times our seconds: they may have come near."""
    return [
        f"{rival} stopped at {result.limit:.1f} s, ours {cell.seconds:.2f} s by {cell.name}"
        for cell in cells
        for rival, result in cell.rivals.items()
        if not result.optimal and result.limit < RIVAL_FACTOR * cell.seconds
    ]


def geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values)))) if values else float("nan")


def speed_ups(
    cells: Iterable[Cell], seconds: Callable[[PapersSeconds], float | None]
) -> list[float]:
    """The papers' seconds over ours, where they give any."""
    return [their / cell.seconds for cell in cells if (their := seconds(cell.papers)) is not None]


def footer(cells: Sequence[Cell]) -> list[str]:
    """What the whole table says."""
    given = speed_ups(cells, lambda papers: papers.given)
    fastest = speed_ups(cells, lambda papers: papers.fastest)
    slowest = max(cells, key=lambda cell: cell.seconds)
    lines = [
        f"Geometric mean of the ratios: {geometric_mean(given):.0f} over {len(given)} cells "
        f"({geometric_mean(fastest):.0f} against the faster of the papers' two times).",
        f"Slowest: {slowest.seconds:.2f} s, {slowest.name}.",
    ]
    for seed, group in groupby(cells, key=lambda cell: cell.seed):
        total = sum(cell.seconds for cell in group)
        over = "" if total <= GOAL_OF_TABLE else f", over the goal of {GOAL_OF_TABLE:.0f} s"
        lines.append(f"Seed {seed}: {total:.1f} s for the whole table{over}.")
    over_goal = [
        f"{cell.name} ({cell.seconds:.1f} s, goal {cell.goal:.0f} s)"
        for cell in cells
        if cell.seconds > cell.goal
    ]
    lines.append(f"Over their goal of seconds: {'; '.join(over_goal) or 'none'}.")
    return lines


def verdict(cells: Sequence[Cell]) -> tuple[list[str], int]:
    """The final lines, and the exit code."""
    unproven = [cell.name for cell in cells if not cell.proven]
    broken, ahead, close = broken_laws(cells), rivals_ahead(cells), rivals_close(cells)
    lines = [f"LAW BROKEN: {sentence}" for sentence in broken]
    lines += [f"RIVAL AHEAD: {sentence}" for sentence in ahead]
    lines += [f"Rival within ten times: {sentence}" for sentence in close]
    proofs = (
        f"NOT proven: {'; '.join(unproven)}." if unproven else f"All {len(cells)} cells proven."
    )
    laws = f"{len(broken)} laws broken." if broken else "All laws hold."
    undecided = rivals_open(cells)
    lines += [f"Rival stopped before ten times: {sentence}" for sentence in undecided]
    n_runs = sum(len(cell.rivals) for cell in cells)
    others = "No rivals were run."
    if n_runs:
        others = (
            f"Of {n_runs} runs of rivals, {len(ahead) or 'none'} linked more records and "
            f"{len(close) or 'none'} came within ten times"
            + (f"; {len(undecided)} stopped before that." if undecided else ".")
        )
    lines.append(f"{proofs} {laws} {others}")
    return lines, int(bool(unproven or broken or ahead))
