"""How many patients can be found again? ``python -m sklearn_reclink.demo``

The 442 patients that scikit-learn ships are masked in several strengths, each masked file is
attacked by three distances, and one table says how many patients each attack finds. No value of
any record is printed or written.

The variables are those that somebody else may already hold about a patient (an employer, an
insurer, a gym): age, body mass index, blood pressure and two common blood tests.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklearn_reclink.linkers import EuclideanLinker, MahalanobisLinker, WeightedMeanLinker
from sklearn_reclink.datasets import load_diabetes_microdata
from sklearn_reclink.masking import Microaggregation

DEFAULT_OUTPUT = Path("build") / "demo-report.md"
TIME_LIMIT = 5.0  # seconds a masking
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
    """Microaggregation of blocks of variables, ``k`` patients at least to a mean."""

    blocks: tuple[tuple[int, ...], ...]
    k: int

    @property
    def label(self) -> str:
        return f"{_plural(len(self.blocks), 'block')}, k = {self.k}"

    @property
    def words(self) -> str:
        return f"averages over {self.k} patients in {_plural(len(self.blocks), 'block')}"


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
class Attack:
    """What three intruders find in one masked file.

    ``weights`` are those of the learned weighted mean, one a variable.
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


def attack(X: np.ndarray, masking: Masking, time_limit: float = TIME_LIMIT) -> Attack:
    """Mask a file and attack it; an open proof shows as ``learned < bound``."""
    masker = Microaggregation(
        groups=[list(block) for block in masking.blocks], k=masking.k, standardize=True
    )
    Y = masker.fit_transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learned = WeightedMeanLinker(time_limit=time_limit, random_state=0).fit(X, Y)
    return Attack(
        masking=masking,
        n_records=len(X),
        euclidean=EuclideanLinker().fit(X, Y).n_linked_,
        mahalanobis=MahalanobisLinker().fit(X, Y).n_linked_,
        learned=learned.n_linked_,
        bound=learned.bound_,
        ceiling=learned.ceiling_,
        weights=tuple(learned.weights_.tolist()),
    )


def cells(found: Attack) -> tuple[str, ...]:
    """One row of the table, under `HEADER`."""
    learned = f"{found.learned} = {_percent(found.learned, found.n_records)}"
    if not found.proven:
        learned = f"{found.learned} (at most {found.bound})"
    return (
        found.masking.label,
        str(found.euclidean),
        str(found.mahalanobis),
        learned,
        str(found.bound),
        str(found.ceiling),
        most_revealing(found),
    )


def most_revealing(found: Attack, how_many: int = 2) -> str:
    """The variables of largest weight, with their share of all weights."""
    if not found.learned:
        return "none"
    largest = np.argsort([-weight for weight in found.weights], kind="stable")[:how_many]
    shares = [(NAMES[k], found.weights[k]) for k in largest if found.weights[k] > 0]
    return ", ".join(f"{name} {_percent(share, 1)}" for name, share in shares)


def headline(attacks: Sequence[Attack]) -> str:
    """The result in one sentence: the weakest masking, the strongest that leaks, and the safe."""
    total = attacks[0].n_records
    leaking = sorted((found for found in attacks if found.found), key=lambda found: -found.found)
    safe = [found for found in attacks if not found.found]
    clauses = [
        f"{found.found} ({_percent(found.found, total)}) in {found.masking.words}"
        for found in dict.fromkeys([*leaking[:1], *leaking[-1:]])
    ]
    clauses += [f"nobody in {found.masking.words}" for found in safe[:1]]
    return f"Of {total} patients the best of the three attacks finds again {'; '.join(clauses)}."


def setting(attacks: Sequence[Attack]) -> list[str]:
    """What was masked, and how."""
    meanings = [meaning for _, meaning in VARIABLES.values()]
    blocks = {len(found.masking.blocks): found.masking.blocks for found in attacks}
    lines = [
        f"{attacks[0].n_records} patients, {len(NAMES)} variables that others may know of them: "
        f"{', '.join(meanings[:-1])} and {meanings[-1]}.",
        "Masking: patients are put into sets of at least k alike ones, and each value is released "
        "as the average over its set. Each block of variables has sets of its own:",
    ]
    for number, variables in sorted(blocks.items(), reverse=True):
        joined = " | ".join(" + ".join(NAMES[k] for k in block) for block in variables)
        lines.append(f"{_plural(number, 'block')}: {joined}")
    return lines


def reading(attacks: Sequence[Attack]) -> list[str]:
    """How to read the table."""
    lines = [
        f"A patient counts as found when the own masked record is strictly nearer than each of the "
        f"{attacks[0].n_records - 1} others, for an intruder who holds the original file. A tie "
        "finds nobody: in 1 block at least k patients share each released record, and the intruder "
        "is left with a guess among them.",
        "Euclidean and Mahalanobis are fixed distances. The learned weighted mean takes the "
        "weights that find the most patients; no weights find more than the proven bound, and no "
        "weighted mean, OWA or Choquet distance more than the ceiling. Mahalanobis is none of "
        "these and may find a few more.",
        "Most revealing are the variables of largest learned weight; all weights make 100 %. Where "
        "many weights find as many patients, these are one choice among them.",
    ]
    if not all(found.proven for found in attacks):
        lines.append(
            '"At most": the time limit ended the proof; the true optimum lies between the two '
            "numbers."
        )
    return lines


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, numbers to the right; the header takes two lines."""
    header = [_two_lines(name) for name in HEADER[:-1]] + [("", HEADER[-1])]
    lines = [[name[0] for name in header], [name[1] for name in header], *rows]
    widths = [max(len(line[c]) for line in lines) for c in range(len(HEADER))]
    left = {0, len(HEADER) - 1}

    def line(row: Sequence[str]) -> str:
        placed = [
            text.ljust(width) if c in left else text.rjust(width)
            for c, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(placed).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([*(line(row) for row in lines[:2]), rule, *(line(row) for row in rows)])


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """The same table in Markdown."""
    marks = ["---", *["---:"] * (len(HEADER) - 2), "---"]
    return "\n".join("| " + " | ".join(row) + " |" for row in [HEADER, marks, *rows])


def text_report(attacks: Sequence[Attack]) -> str:
    """What the demonstration prints."""
    first, second, *blocks = setting(attacks)
    parts = [
        _wrap(first),
        _wrap(second) + "\n" + "\n".join(f"  {line}" for line in blocks),
        text_table([cells(found) for found in attacks]),
        _wrap("Result: " + headline(attacks)),
        "How to read it\n" + "\n".join(_wrap(line, "- ") for line in reading(attacks)),
    ]
    return "\n\n".join(parts)


def markdown_report(attacks: Sequence[Attack]) -> str:
    """The same as a Markdown document."""
    first, second, *blocks = setting(attacks)
    parts = [
        "# How many patients can be found again?",
        f"**{headline(attacks)}**",
        first,
        second,
        "\n".join(f"- {line}".replace("|", r"\|") for line in blocks),
        markdown_table([cells(found) for found in attacks]),
        "## How to read it",
        "\n".join(f"- {line}" for line in reading(attacks)),
        "Made by `python -m sklearn_reclink.demo`.",
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; 0 when its report was written."""
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_reclink.demo",
        description="Mask 442 patients in several strengths and count who can be found again.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=DEFAULT_OUTPUT,
        metavar="PATH",
        help="where to write the report in Markdown (default: %(default)s)",
    )
    output = parser.parse_args(arguments).output
    X = load_patients()
    _progress("preparing: the first run compiles for half a minute ...", end="")
    attack(X[:30], MASKINGS[0])  # so that compiling takes no time off the proofs
    _progress(" ready")
    attacks = []
    for number, masking in enumerate(MASKINGS, start=1):
        begin = time.perf_counter()
        _progress(f"masking {number} of {len(MASKINGS)}: {masking.label} ...", end="")
        attacks.append(attack(X, masking))
        _progress(f" {time.perf_counter() - begin:.1f} s")
    _progress("")
    print(text_report(attacks))
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(markdown_report(attacks), encoding="utf-8")
    except OSError as error:
        print(f"\nThe report could not be written to {output}: {error}", file=sys.stderr)
        return 1
    print(f"\nThe same as a report: {output}")
    return 0


def _progress(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _wrap(text: str, bullet: str = "") -> str:
    return fill(
        text,
        WIDTH,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_on_hyphens=False,
    )


def _two_lines(name: str) -> tuple[str, str]:
    first, _, rest = name.partition(" ")
    return (first, rest) if rest else ("", first)


if __name__ == "__main__":
    sys.exit(main())
