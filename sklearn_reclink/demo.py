"""How many patients can be found again? ``python -m sklearn_reclink.demo``

The 442 patients that scikit-learn ships are masked with increasing strength, each masked file is
attacked with three distances, and a table shows how many patients each attack finds. No value of
any record is printed or written.

The variables are those that somebody else may know about a patient (an employer, an insurer, a
gym): age, body mass index, blood pressure and two common blood tests.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.linkers import EuclideanLinker, MahalanobisLinker, WeightedMeanLinker
from sklearn_reclink.masking import Microaggregation

DEFAULT_OUTPUT = Path("build") / "demo-report.md"
TIME_LIMIT = 20.0  # seconds per masking, most of which the proofs do not need
WIDTH = 100

# column of the file: short name, and what it is
VARIABLES = {
    "age": ("age", "age"),
    "bmi": ("body mass", "body mass index"),
    "bp": ("pressure", "mean blood pressure"),
    "s5": ("blood fat", "blood fat (logarithm of triglycerides)"),
    "s6": ("sugar", "blood sugar"),
}
NAMES = [short for short, _ in VARIABLES.values()]

HEADER = (
    "masking",
    "Euclidean",
    "Mahalanobis",
    "learned weighted mean",
    "proven bound",
    "ceiling",
    "most revealing variables",
)


@dataclass(frozen=True)
class Masking:
    """Microaggregation of blocks of variables, at least ``k`` patients per mean."""

    blocks: tuple[tuple[int, ...], ...]
    k: int

    @property
    def label(self) -> str:
        return f"{_blocks(len(self.blocks))}, k = {self.k}"

    @property
    def description(self) -> str:
        return f"averages over {self.k} patients in {_blocks(len(self.blocks))}"

    def apply(self, X: np.ndarray) -> np.ndarray:
        groups = [list(block) for block in self.blocks]
        return Microaggregation(groups=groups, k=self.k, standardize=True).fit_transform(X)


THREE_BLOCKS = ((0, 1), (2, 3), (4,))
TWO_BLOCKS = ((0, 1, 2), (3, 4))
ONE_BLOCK = ((0, 1, 2, 3, 4),)

# from the weakest to the strongest
MASKINGS = (
    Masking(THREE_BLOCKS, 3),
    Masking(TWO_BLOCKS, 3),
    Masking(TWO_BLOCKS, 5),
    Masking(TWO_BLOCKS, 10),
    Masking(TWO_BLOCKS, 20),
    Masking(ONE_BLOCK, 3),
)


@dataclass(frozen=True)
class Result:
    """What three attackers find in one masked file.

    ``weights`` are those of the learned weighted mean, one per variable.
    """

    masking: Masking
    n_records: int
    euclidean: int
    mahalanobis: int
    learned: int
    bound: int
    ceiling: int
    weights: tuple[float, ...]

    @property
    def found(self) -> int:
        """Patients that the best of the three attacks finds."""
        return max(self.euclidean, self.mahalanobis, self.learned)

    @property
    def proven(self) -> bool:
        return self.learned == self.bound


def load_patients(n_records: int | None = None) -> np.ndarray:
    """The patients' variables of `VARIABLES`, all 442 or the first few, (n_records, 5)."""
    patients = load_diabetes_microdata()
    columns = [patients.feature_names.index(name) for name in VARIABLES]
    return np.asarray(patients.data[:n_records, columns])


def attack(X: np.ndarray, masking: Masking, time_limit: float = TIME_LIMIT) -> Result:
    """Mask a file and attack it; an open proof shows as ``learned < bound``."""
    Y = masking.apply(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learned = WeightedMeanLinker(time_limit=time_limit, random_state=0).fit(X, Y)
    return Result(
        masking=masking,
        n_records=len(X),
        euclidean=EuclideanLinker().fit(X, Y).n_linked_,
        mahalanobis=MahalanobisLinker().fit(X, Y).n_linked_,
        learned=learned.n_linked_,
        bound=learned.bound_,
        ceiling=learned.ceiling_,
        weights=tuple(learned.weights_.tolist()),
    )


def cells(found: Result) -> tuple[str, ...]:
    """One row of the table, under `HEADER`."""
    learned = f"{found.learned} = {_percent(found.learned / found.n_records)}"
    if not found.proven:
        learned = f"{found.learned} (at most {found.bound})"
    counts = (found.euclidean, found.mahalanobis, learned, found.bound, found.ceiling)
    return (found.masking.label, *map(str, counts), most_revealing(found))


def most_revealing(found: Result, how_many: int = 2) -> str:
    """The variables of largest weight, with their share of all weights."""
    if not found.learned:
        return "none"
    largest = np.argsort([-weight for weight in found.weights], kind="stable")[:how_many]
    shares = [(NAMES[k], found.weights[k]) for k in largest if found.weights[k] > 0]
    return ", ".join(f"{name} {_percent(share)}" for name, share in shares)


def headline(results: Sequence[Result]) -> str:
    """The weakest masking, the strongest in which somebody is found, and a safe one."""
    total = results[0].n_records
    leaking = sorted((found for found in results if found.found), key=lambda found: -found.found)
    safe = [found for found in results if not found.found]
    clauses = [
        f"{found.found} ({_percent(found.found / total)}) in {found.masking.description}"
        for found in dict.fromkeys([*leaking[:1], *leaking[-1:]])
    ]
    clauses += [f"nobody in {found.masking.description}" for found in safe[:1]]
    return f"Of {total} patients, the best of the three attacks finds {'; '.join(clauses)}."


def introduction(results: Sequence[Result]) -> list[str]:
    """What was masked, and how."""
    meanings = [meaning for _, meaning in VARIABLES.values()]
    return [
        f"{results[0].n_records} patients, {len(NAMES)} variables that others may know: "
        f"{', '.join(meanings[:-1])} and {meanings[-1]}.",
        "Masking: patients are put into groups of at least k similar ones, and each value is "
        "replaced by the average of its group. Each block of variables has its own groups:",
    ]


def block_lines(results: Sequence[Result]) -> list[str]:
    """Which variables are masked together."""
    blocks = {len(found.masking.blocks): found.masking.blocks for found in results}
    return [
        f"{_blocks(number)}: " + " | ".join(" + ".join(NAMES[k] for k in block) for block in parts)
        for number, parts in sorted(blocks.items(), reverse=True)
    ]


def reading(results: Sequence[Result]) -> list[str]:
    """How to read the table."""
    lines = [
        "A patient is found if the right masked record is strictly nearer than each of the "
        f"{results[0].n_records - 1} others, for an intruder who has the original file. A tie "
        "finds nobody: in 1 block, at least k patients share each released record, and the "
        "intruder can only guess among them.",
        "Euclidean and Mahalanobis are fixed distances. The learned weighted mean uses the weights "
        "that find the most patients. No weights find more than the proven bound, and no weighted "
        "mean, OWA or Choquet distance finds more than the ceiling. Mahalanobis is none of these "
        "and may find a few more.",
        "The most revealing variables are those with the largest learned weights; all weights add "
        "up to 100 %. If several sets of weights find as many patients, these are one of them.",
    ]
    if not all(found.proven for found in results):
        lines.append(
            '"At most": the proof was stopped by the time limit; the true optimum lies between the '
            "two numbers."
        )
    return lines


def table(results: Sequence[Result]) -> str:
    """The counts in Markdown, columns aligned to be read as they are."""
    rows = [HEADER, *map(cells, results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * width for width in widths]
    rule[1:-1] = [line[:-1] + ":" for line in rule[1:-1]]
    lines = [
        [
            cell.rjust(width) if 0 < k < len(HEADER) - 1 else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in rows
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in [lines[0], rule, *lines[1:]])


def report(results: Sequence[Result]) -> str:
    """All that the demonstration says, in Markdown."""
    parts = [
        "# How many patients can be found again?",
        f"**{headline(results)}**",
        *introduction(results),
        _bulleted(line.replace("|", r"\|") for line in block_lines(results)),
        table(results),
        "## How to read it",
        _bulleted(reading(results)),
    ]
    return "\n\n".join(part if "\n" in part else _wrapped(part) for part in parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; 0 if its report was written."""
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_reclink.demo",
        description="Mask 442 patients with increasing strength and count who can be found again.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=DEFAULT_OUTPUT,
        metavar="PATH",
        help="where to write the report in Markdown (default: %(default)s)",
    )
    output = parser.parse_args(arguments).output
    print("The first run compiles for about half a minute.", file=sys.stderr, flush=True)
    X, results = load_patients(), []
    for number, masking in enumerate(MASKINGS, start=1):
        print(f"masking {number} of {len(MASKINGS)}: {masking.label}", file=sys.stderr, flush=True)
        results.append(attack(X, masking))
    print(report(results))
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(report(results), encoding="utf-8")
    except OSError as error:
        print(f"\nThe report could not be written to {output}: {error}", file=sys.stderr)
        return 1
    print(f"The same as a report: {output}")
    return 0


def _wrapped(text: str, indent: str = "") -> str:
    kept = textwrap.fill(text.replace(" %", "\u00a0%"), WIDTH, subsequent_indent=indent)
    return kept.replace("\u00a0", " ")


def _bulleted(lines: Iterable[str]) -> str:
    return "\n".join(_wrapped(f"- {line}", "  ") for line in lines)


def _blocks(number: int) -> str:
    return f"{number} block{'s' * (number != 1)}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


if __name__ == "__main__":
    sys.exit(main())
