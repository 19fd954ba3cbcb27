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
from sklearn.base import clone
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
    enough = ceil(1 / max_risk - 1e-9)
    sizes = {size for size in _SIZES if 2 * size <= n_records}
    sizes |= {size for size in (enough, enough + 1) if size <= n_records}
    in_order = tuple(sorted(sizes))
    found = _of_numbers(kinds, in_order, seed) if kinds.numbers else []
    if kinds.categories:
        found = _with_categories(kinds, found, in_order, seed)
    return [one for one in found if one.strengths]


def _with_categories(
    kinds: Kinds, of_numbers: Sequence[MaskerFamily], sizes: tuple[int, ...], seed: int
) -> list[MaskerFamily]:
    """Maskings of the categories, alone or beside some of those of numbers."""
    pram = masking.PRAM(invariant=True, random_state=seed, columns=kinds.categories)
    if not of_numbers:
        suppression = masking.LocalSuppression(columns=kinds.categories)
        return [
            MaskerFamily("PRAM", pram, "p", _KEPT),
            MaskerFamily("suppression", suppression, "k", sizes),
        ]
    beside = [
        MaskerFamily(
            f"{one.name}; categories by PRAM, p = {kept:g}",
            make_pipeline(clone(pram).set_params(p=kept), one.masker),
            f"{type(one.masker).__name__.lower()}__{one.parameter}",
            one.strengths,
        )
        for one in of_numbers
        for kept in _KEPT_BESIDE
        if one.name in ("shuffling", "swapping", "groups")
    ]
    shuffled = masking.DataShuffling(75, random_state=seed, columns=kinds.numbers)
    name = "shuffling, p = 75; categories by PRAM"
    return [*beside, MaskerFamily(name, make_pipeline(shuffled, pram), "pram__p", _KEPT)]


def _of_numbers(kinds: Kinds, sizes: tuple[int, ...], seed: int) -> list[MaskerFamily]:
    numbers = kinds.numbers
    drawn: dict[str, Any] = {"columns": numbers, "random_state": seed}
    whole = drawn | {"keep_integers": True}
    found: list[tuple[str, Any, str, tuple[Any, ...]]] = [
        ("shuffling", masking.DataShuffling(**drawn), "p", _SHUFFLED),
        ("swapping", masking.RankSwapping(**drawn), "p", _SWAPPED),
        ("groups", _averaged(numbers), "k", sizes),
        ("noise", masking.AdditiveNoise(**whole), "p", _NOISE),
        ("correlated noise", masking.AdditiveNoise(correlated=True, **whole), "p", _NOISE),
    ]
    for p in _NOISE_OF_SETS:
        found.append((f"sets shuffled, p = {p}", masking.DataShuffling(p, **whole), "k", sizes))
    for groups in kinds.groups:
        found.append((f"groups in {len(groups)} parts", _averaged(numbers, groups), "k", sizes))
    if kinds.groups:
        first, *others = kinds.groups[0]
        rest = [name for group in others for name in group]
        swapped = masking.RankSwapping(50, random_state=seed, columns=rest)
        parts = make_pipeline(swapped, _averaged(first))
        name = "groups of some variables, others swapped"
        found.append((name, parts, "microaggregation__k", sizes))
    rest = [name for name in numbers if name not in kinds.keys]
    if kinds.keys and rest:
        keys = masking.RankSwapping(100, random_state=seed, columns=kinds.keys)
        others = make_pipeline(keys, masking.DataShuffling(random_state=seed, columns=rest))
        found.append(
            ("identifiers swapped, others shuffled", others, "datashuffling__p", _SHUFFLED)
        )
        others = make_pipeline(keys, _averaged(rest))
        found.append(
            ("identifiers swapped, others in groups", others, "microaggregation__k", sizes)
        )
    return [MaskerFamily(*one) for one in found]


def _averaged(columns: Sequence[Any], groups: Any = None) -> masking.Microaggregation:
    return masking.Microaggregation(groups, standardize=True, keep_integers=True, columns=columns)


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
