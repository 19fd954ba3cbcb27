"""The maskings that a search tries by default, by the kinds of the columns of a file.

Numbers and dates
    Microaggregation of all variables together, of groups of correlated ones, and of one group
    beside rank swapping of the others; rank swapping; noise, independent or correlated; data
    shuffling, record by record or in sets of records that are released alike.

Identifiers (``keys``)
    A number that is different for every record and correlated with no other variable identifies
    people and says little else. Shuffling it alone and completely loses nothing of it, and leaves
    more of the risk to the other variables.

Categories
    Post-randomisation that keeps the expected frequencies, alone or beside the maskings of
    numbers; local suppression, where there are categories only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from sklearn_reclink import masking
from sklearn_reclink.auditing.protection.trials import MaskerFamily
from sklearn_reclink.masking.columns import NUMERIC, Column, Table

_SIZES = (2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 22, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500)
_SHUFFLED = tuple(range(5, 101, 5))
_SWAPPED = (2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_NOISE = (5, 10, 20, 30, 50, 75, 100, 150, 200, 300)
_KEPT = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)
_KEPT_BESIDE = (0.8, 0.5, 0.2)
_NOISE_OF_SETS = (0, 20, 40)
_UNCORRELATED = 0.1
_FEWEST = 20  # records of a file in which a variable may be a key


@dataclass(frozen=True)
class Kinds:
    """The columns to mask, by name or position.

    Attributes
    ----------
    numbers, categories : list
        Numbers and dates; all others.
    keys : list
        Those of the numbers that differ for every record and are correlated with no other.
    groups : list of list of list
        Ways to part the numbers into groups of correlated ones.
    """

    numbers: list[Any]
    categories: list[Any]
    keys: list[Any]
    groups: list[list[list[Any]]]


def kinds_of(table: Table, places: Sequence[int], told: Sequence[int] = ()) -> Kinds:
    """The kinds of some columns; ``told`` are positions of numbers that are codes."""
    chosen = [table.columns[place] for place in places]
    numeric = [one for one in chosen if one.kind in NUMERIC and one.place not in told]
    scores = _rank_correlations(numeric)
    return Kinds(
        numbers=[one.name for one in numeric],
        categories=[one.name for one in chosen if one not in numeric],
        keys=[one.name for one, row in zip(numeric, scores, strict=True) if _is_key(one, row)],
        groups=_correlated_groups([one.name for one in numeric], scores),
    )


def default_families(
    kinds: Kinds, n_records: int, max_risk: float, seed: int
) -> list[MaskerFamily]:
    """The families for a file, without those that are for more records than it has."""
    return [one for one in _families(kinds, n_records, max_risk, seed) if one.strengths]


def _families(kinds: Kinds, n_records: int, max_risk: float, seed: int) -> list[MaskerFamily]:
    sizes = {size for size in _SIZES if 2 * size <= n_records}
    enough = ceil(1 / max_risk - 1e-9) if max_risk > 0 else n_records
    sizes |= {size for size in (enough, enough + 1) if size <= n_records}
    found = _of_numbers(kinds, tuple(sorted(sizes)), seed) if kinds.numbers else []
    if not kinds.categories:
        return found
    pram = masking.PRAM(invariant=True, random_state=seed, columns=kinds.categories)
    if not kinds.numbers:
        suppression = masking.LocalSuppression(columns=kinds.categories)
        return [
            MaskerFamily("PRAM", pram, "p", _KEPT),
            MaskerFamily("suppression", suppression, "k", tuple(sorted(sizes))),
        ]
    beside = [
        MaskerFamily(
            f"{one.name}; categories by PRAM, p = {kept:g}",
            make_pipeline(masking.PRAM(kept, **_without_p(pram)), one.masker),
            f"{type(one.masker).__name__.lower()}__{one.parameter}",
            one.strengths,
        )
        for one in found
        for kept in _KEPT_BESIDE
        if not hasattr(one.masker, "steps") and one.name in ("shuffling", "swapping", "groups")
    ]
    shuffled = masking.DataShuffling(75, random_state=seed, columns=kinds.numbers)
    name = "shuffling, p = 75; categories by PRAM"
    return [*beside, MaskerFamily(name, make_pipeline(shuffled, pram), "pram__p", _KEPT)]


def _without_p(pram: Any) -> dict[str, Any]:
    return {name: value for name, value in pram.get_params().items() if name != "p"}


def _of_numbers(kinds: Kinds, sizes: tuple[int, ...], seed: int) -> list[MaskerFamily]:
    columns: dict[str, Any] = {"columns": kinds.numbers}
    drawn = columns | {"random_state": seed}
    whole = columns | {"keep_integers": True}
    averaged = masking.Microaggregation(standardize=True, **whole)
    noise = drawn | {"keep_integers": True}
    shuffled, swapped = masking.DataShuffling(**drawn), masking.RankSwapping(**drawn)
    found = [
        MaskerFamily("shuffling", shuffled, "p", _SHUFFLED),
        MaskerFamily("swapping", swapped, "p", _SWAPPED),
        MaskerFamily("groups", averaged, "k", sizes),
        MaskerFamily("noise", masking.AdditiveNoise(**noise), "p", _NOISE),
        MaskerFamily(
            "correlated noise", masking.AdditiveNoise(correlated=True, **noise), "p", _NOISE
        ),
    ]
    found += [
        MaskerFamily(f"sets shuffled, p = {p}", masking.DataShuffling(p, **noise), "k", sizes)
        for p in _NOISE_OF_SETS
    ]
    for groups in kinds.groups:
        parted = masking.Microaggregation(groups, standardize=True, **whole)
        found.append(MaskerFamily(f"groups in {len(groups)} parts", parted, "k", sizes))
    if kinds.groups:
        first, *others = kinds.groups[0]
        rest = [name for group in others for name in group]
        one = masking.Microaggregation(standardize=True, keep_integers=True, columns=first)
        other = masking.RankSwapping(50, random_state=seed, columns=rest)
        name = "groups of some variables, others swapped"
        found.append(MaskerFamily(name, make_pipeline(other, one), "microaggregation__k", sizes))
    return found + _beside_keys(kinds, sizes, seed)


def _beside_keys(kinds: Kinds, sizes: tuple[int, ...], seed: int) -> list[MaskerFamily]:
    """Maskings of the other variables, with keys shuffled alone and completely."""
    rest = [name for name in kinds.numbers if name not in kinds.keys]
    if not kinds.keys or not rest:
        return []
    keys = masking.RankSwapping(100, random_state=seed, columns=kinds.keys)
    shuffled = masking.DataShuffling(random_state=seed, columns=rest)
    averaged = masking.Microaggregation(standardize=True, keep_integers=True, columns=rest)
    return [
        MaskerFamily(
            "identifiers swapped, others shuffled",
            make_pipeline(keys, shuffled),
            "datashuffling__p",
            _SHUFFLED,
        ),
        MaskerFamily(
            "identifiers swapped, others in groups",
            make_pipeline(keys, averaged),
            "microaggregation__k",
            sizes,
        ),
    ]


def _rank_correlations(columns: Sequence[Column]) -> np.ndarray:
    """Absolute rank correlations of complete variables, 0 beside one with missing values."""
    from scipy.stats import rankdata

    n_records = len(columns[0].numbers) if columns else 0
    ranks = np.zeros((n_records, len(columns)))
    for k, one in enumerate(columns):
        if not one.missing.any() and len(np.unique(one.numbers)) > 1:
            ranks[:, k] = rankdata(one.numbers)
    centred = ranks - ranks.mean(axis=0) if n_records else ranks
    length = np.sqrt(np.square(centred).sum(axis=0))
    scaled = centred / np.where(length > 0, length, 1.0)
    return np.asarray(np.abs(scaled.T @ scaled))


def _is_key(column: Column, correlations: np.ndarray) -> bool:
    n_records = len(column.numbers)
    if n_records < _FEWEST or column.missing.any():
        return False
    own = len(np.unique(column.numbers)) == n_records
    return own and int(np.count_nonzero(correlations > _UNCORRELATED)) <= 1


def _correlated_groups(names: Sequence[Any], correlations: np.ndarray) -> list[list[list[Any]]]:
    """The variables in two groups and in three, by average linkage of ``1 - |r|``."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(names) < 4:
        return []
    apart = np.clip(1 - (correlations + correlations.T) / 2, 0, 1)
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "average")
    found = []
    for n_groups in (2, 3):
        labels = fcluster(tree, n_groups, "maxclust")
        parts = [
            [name for name, own in zip(names, labels, strict=True) if own == label]
            for label in np.unique(labels)
        ]
        if len(parts) == n_groups:
            found.append(parts)
    return found
