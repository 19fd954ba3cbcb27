"""How a result was obtained, in words that can be copied into the files of a release.

A number can be checked later only if it is known which files, which software and which settings
gave it, and what about it is proven. The paragraphs say all that without the rest of the report::

    file      name, and SHA-256 of its bytes; for tables in memory, of the values compared
    software  versions of Python and of the packages that compute
    settings  seed, time limit, limit of the risk, attackers and how each search ended
    proof     what holds for every distance of a kind, and what is only measured or estimated
"""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sklearn_reclink._version import __version__
from sklearn_reclink.auditing._verdict import proven, status_words
from sklearn_reclink.auditing.formatting import Unit, listed, percent, percent_given, quoted

if TYPE_CHECKING:
    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit

PACKAGES = ("numpy", "scipy", "scikit-learn", "highspy", "cvxpy", "numba")
ASSUMED = (
    "The intruder is assumed to know the original values of all variables compared. Someone who "
    "knows less usually finds fewer; someone with other tools or other files may find more."
)


@dataclass(frozen=True)
class Source:
    """A file that was audited.

    Attributes
    ----------
    role : {"original", "masked", "holdout"}
        Which of them it is.
    name : str
        Its name, without its folder.
    sha256 : str
        Hash of its bytes.
    """

    role: str
    name: str
    sha256: str

    @classmethod
    def of(cls, role: str, path: Path) -> Source:
        """Read a file and hash it."""
        with open(path, "rb") as file:
            return cls(role, path.name, hashlib.file_digest(file, "sha256").hexdigest())


@cache
def software() -> dict[str, str]:
    """Versions of Python, of this library and of the packages that compute."""
    own = {"python": platform.python_version(), "sklearn-reclink": __version__}
    return own | {name: version(name) for name in PACKAGES}


def values_hash(table: np.ndarray, names: tuple[str, ...]) -> str:
    """SHA-256 of the names of the columns and of the numbers, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.auditing._methods import values_hash
    >>> values_hash(np.array([[1.0, 2.0]]), ("a", "b"))[:16]
    '4652a6472c8479f8'
    """
    digest = hashlib.sha256("\0".join(names).encode())
    digest.update(np.ascontiguousarray(table, dtype="<f8").tobytes())
    return digest.hexdigest()


def methods(audit: Audit) -> list[str]:
    """Paragraphs on files and software, settings and attackers, proof and limits."""
    return [
        f"The re-identification risk of {quoted(audit.masked_name)} was measured on "
        f"{_software()} {_hashes(audit)}",
        f"{_settings(audit)} The risk is {percent(audit.risk)}.",
        f"{_certainty(audit)} {_measured(audit)} {ASSUMED}",
    ]


def comparison_methods(comparison: Comparison) -> list[str]:
    """The same for several maskings of one file: what they share, then what is said of each."""
    first, *_ = audits = comparison.audits
    losses = zip(audits, comparison.losses, strict=True)
    n_maskings = Unit("masking", "maskings").count(len(audits))
    return [
        f"The re-identification risk of {n_maskings} of one file was measured on {_software()}",
        _settings(first),
        *(
            f"{quoted(audit.masked_name)}: risk {percent(audit.risk)}, information loss "
            f"{percent(loss)}. {_hashes(audit)} {_certainty(audit)}"
            for audit, loss in losses
        ),
        f"{_measured(first)} {ASSUMED}",
    ]


def packages_text() -> str:
    """The software and its versions, in words."""
    packages = dict(software())
    own, python = packages.pop("sklearn-reclink"), packages.pop("python")
    others = ", ".join(f"{name} {number}" for name, number in packages.items())
    return f"sklearn-reclink {own} (Python {python}, {others})"


def _software() -> str:
    return f"{date.today().isoformat()} with {packages_text()}."


def _hashes(audit: Audit) -> str:
    if audit.sources:
        hashes = [f"{one.role} file {quoted(one.name)} {one.sha256}" for one in audit.sources]
        return f"SHA-256 of the files: {listed(hashes)}."
    tables = {"original": audit.X, "masked": audit.Y}
    hashes = [f"{role} {values_hash(table, audit.names)}" for role, table in tables.items()]
    return f"SHA-256 of the values compared: {listed(hashes)}."


def _settings(audit: Audit) -> str:
    n_variables, settings = len(audit.names), audit.settings
    limit = (
        "No limit was set" if audit.limit is None else f"The limit was {percent_given(audit.limit)}"
    )
    attackers = [f"{one.attacker.title} ({status_words(one)})" for one in audit.attacks]
    text = (
        f"{audit.n_records:,} original records were linked to the masked records by {n_variables} "
        f"variable{'s' if n_variables != 1 else ''}. Attackers: {listed(attackers)}. The seed was "
        f"{settings['seed']}, the time limit {settings['time_limit']:g} seconds for all searches. "
        f"{limit}."
    )
    if audit.population is not None:
        column = audit.population.weight
        named = "" if column is None else f" {quoted(column)}"
        text += f" Sampling weights{named} were used for expected numbers in the population."
    if audit.skipped:
        text += f" Not run on the whole file: {listed([one.title for one in audit.skipped])}."
    return text


def _certainty(audit: Audit) -> str:
    texts = [proven(audit)]
    if audit.certificate is not None:
        kind = audit.certificate["family"]["name"].replace("_", " ")
        texts.append(
            f"A proof that no attacker of the kind {kind} finds more than "
            f"{audit.certificate['bound']:,} is in a certificate with the SHA-256 hash "
            f"{audit.certificate_hash}. Anyone who has both files can check it with reclink verify."
        )
    return " ".join(texts)


def _measured(audit: Audit) -> str:
    texts = []
    heuristic = [one.attacker.title for one in audit.attacks if one.bound is None]
    if heuristic:
        texts.append(f"Measured, not proven: the numbers found by {listed(heuristic)}.")
    if audit.estimates:
        texts.append(
            "Rates of records not seen are estimates with 95 % intervals (Wilson); they hold for "
            "this file and this masking."
        )
    return " ".join(texts)
