"""How many patients can be found again? ``python -m sklearn_reclink.demo``

The 442 patients that scikit-learn ships are masked with increasing strength, each masked file is
attacked with three distances, and a table shows how many patients each attack finds. No value of
any record is printed or written.

The variables are those that somebody else may know about a patient (an employer, an insurer, a
gym): age, body mass index, blood pressure and two common blood tests.
"""

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.auditing.formatting import aligned, bulleted, listed, percent, wrapped
from sklearn_reclink.auditing.writing import check_outputs, write_files
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

HEADER = ["masking", "Euclidean", "Mahalanobis", "learned weighted mean", "proven bound"]
HEADER += ["ceiling", "most revealing variables"]


@dataclass(frozen=True)
class Masking:
    """Microaggregation of blocks of variables, at least ``k`` patients per mean."""

    blocks: tuple[tuple[int, ...], ...]
    k: int

    @property
    def where(self) -> str:
        return f"{len(self.blocks)} block{'s' * (len(self.blocks) != 1)}"

    @property
    def label(self) -> str:
        return f"{self.where}, k = {self.k}"

    @property
    def description(self) -> str:
        return f"averages over {self.k} patients in {self.where}"

    def apply(self, X: np.ndarray) -> np.ndarray:
        groups = [list(block) for block in self.blocks]
        return Microaggregation(groups=groups, k=self.k, standardize=True).fit_transform(X)


# from the weakest to the strongest
MASKINGS = (
    Masking(((0, 1), (2, 3), (4,)), 3),
    *(Masking(((0, 1, 2), (3, 4)), k) for k in (3, 5, 10, 20)),
    Masking(((0, 1, 2, 3, 4),), 3),
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


def cells(found: Result) -> list[str]:
    """One row of the table, under `HEADER`."""
    learned = f"{found.learned} = {percent(found.learned / found.n_records)}"
    if not found.proven:
        learned = f"{found.learned} (at most {found.bound})"
    counts = (found.euclidean, found.mahalanobis, learned, found.bound, found.ceiling)
    return [found.masking.label, *map(str, counts), most_revealing(found)]


def most_revealing(found: Result) -> str:
    """The two variables of largest weight, with their share of all weights."""
    if not found.learned:
        return "none"
    largest = np.argsort([-weight for weight in found.weights], kind="stable")[:2]
    shares = [(NAMES[k], found.weights[k]) for k in largest if found.weights[k] > 0]
    return ", ".join(f"{name} {percent(share)}" for name, share in shares)


def headline(results: Sequence[Result]) -> str:
    """The weakest masking, the strongest in which somebody is found, and a safe one."""
    total = results[0].n_records
    leaking = sorted((found for found in results if found.found), key=lambda found: -found.found)
    safe = [found for found in results if not found.found]
    clauses = [
        f"{found.found} ({percent(found.found / total)}) in {found.masking.description}"
        for found in dict.fromkeys([*leaking[:1], *leaking[-1:]])
    ]
    clauses += [f"nobody in {found.masking.description}" for found in safe[:1]]
    return f"Of {total} patients, the best of three attacks finds {'; '.join(clauses)}."


def reading(results: Sequence[Result]) -> list[str]:
    """How to read the table."""
    lines = [
        "The intruder has the original file. A patient is found if the right masked record is "
        f"strictly nearer than each of the {results[0].n_records - 1} others. With a tie nobody "
        "is found: in 1 block, at least k patients share each released record, and the "
        "intruder can only guess among them.",
        "Euclidean and Mahalanobis are fixed distances. The learned weighted mean uses the weights "
        "that find the most patients. No weights find more than the proven bound, and no weighted "
        "mean, OWA or Choquet distance finds more than the ceiling. Mahalanobis is not one of "
        "these and may find a few more.",
        "The most revealing variables are those with the largest learned weights; all weights add "
        "up to 100 %. Other weights may find as many patients.",
    ]
    if not all(found.proven for found in results):
        lines.append(
            '"At most": the proof was stopped by the time limit; the true optimum lies between the '
            "two numbers."
        )
    return lines


def table(results: Sequence[Result]) -> str:
    """The counts in Markdown, columns aligned to be read as they are."""
    return aligned(HEADER, [cells(found) for found in results], markdown=True)


def report(results: Sequence[Result]) -> str:
    """All that the demonstration says, in Markdown."""
    meanings = [meaning for _, meaning in VARIABLES.values()]
    blocks = {found.masking.where: found.masking.blocks for found in results}
    known = f"{len(NAMES)} variables that others may know: {listed(meanings)}."
    paragraphs = [
        f"**{headline(results)}**",
        f"{results[0].n_records} patients, {known}",
        "Masking: patients are put into groups of at least k similar ones, and each value is "
        "replaced by the average of its group. Each block of variables has its own groups:",
    ]
    together = [
        f"{where}: " + r" \| ".join(" + ".join(NAMES[k] for k in block) for block in parts)
        for where, parts in blocks.items()
    ]
    parts = [
        "# How many patients can be found again?",
        *(wrapped(text, width=WIDTH) for text in paragraphs),
        bulleted(together, "- ", WIDTH),
        table(results),
        "## How to read it",
        bulleted(reading(results), "- ", WIDTH),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; 0 if its report was written, 2 if not."""
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_reclink.demo",
        description="Mask 442 patients with increasing strength and count who can be found again.",
    )
    what = "where to write the report in Markdown (default: %(default)s)"
    parser.add_argument("--output", type=Path, default=DEFAULT_OUTPUT, metavar="PATH", help=what)
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
    given = parser.parse_args(arguments)
    try:
        run(given.output, force=given.force or given.output == DEFAULT_OUTPUT)
    except OSError as error:
        print(f"The report could not be written: {error}", file=sys.stderr)
        return 2
    return 0


def run(output: Path, *, force: bool) -> None:
    """Print the report and write it; its own default file is overwritten, others by force only."""
    output.parent.mkdir(parents=True, exist_ok=True)
    check_outputs({"--output": output}, [], force=force)
    print("The first run compiles for about half a minute.", file=sys.stderr, flush=True)
    X, results = load_patients(), []
    for number, masking in enumerate(MASKINGS, start=1):
        print(f"masking {number} of {len(MASKINGS)}: {masking.label}", file=sys.stderr, flush=True)
        results.append(attack(X, masking))
    text = report(results)
    print(text)
    write_files({output: text}, overwrite=force)
    print(f"The same as a report: {output}")


if __name__ == "__main__":
    sys.exit(main())
