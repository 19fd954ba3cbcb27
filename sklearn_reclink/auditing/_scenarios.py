"""What does the intruder know? The worst case of every set of variables, with its bound.

1. What needs no search is counted for every set: whom equal weights find, and who can never be
   found (`metrics.variable_sets`). However short the time limit, every set has a bracket.
2. Brackets are closed by searches for the weights of single sets (`_scenario_search`); what one set
   proves is carried over to its parts, and what it finds to all sets that contain it
   (`_variable_sets`).
3. The other attackers of an audit try the sets that matter: all variables, all but one, and the
   smallest sets that expose 10 % and 50 % of the people. No bound is known for some of them.
4. With all variables: what is found by learning from 5, 50 and 500 known people (`_people_known`).
5. Time that is left goes to the sets still open.

In a long file a random sample of the people is sought in the whole release; links and bounds are
then those of the sample.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from sklearn_reclink._docstrings import fill_in
from sklearn_reclink.auditing._asked import check_time_limit
from sklearn_reclink.auditing._attack import compile_searches
from sklearn_reclink.auditing._attackers import (
    ATTACKERS,
    VIEWS,
    Attacker,
    Setting,
    chosen_attackers,
)
from sklearn_reclink.auditing._docstrings import OF_SCENARIOS
from sklearn_reclink.auditing._files import Files, check_related, read_files
from sklearn_reclink.auditing._people_known import PeopleKnown, nobody_known, people_known
from sklearn_reclink.auditing._running import MOST_LOADING, Progress
from sklearn_reclink.auditing._scenario_output import SHARES
from sklearn_reclink.auditing._scenario_result import Scenario, Scenarios
from sklearn_reclink.auditing._scenario_search import SetSearch, Sought
from sklearn_reclink.auditing._variable_sets import ALL_SETS, Brackets, list_sets
from sklearn_reclink.auditing.formatting import Unit
from sklearn_reclink.metrics.variable_sets import coordinates_of, count_sets, informative_views

OTHERS = ("mahalanobis", "choquet", "bilinear", "density")
_ENDS = {"search": 0.55, "others": 0.72, "people": 0.87, "again": 0.96}  # shares of the time limit
_MOST_PAIRS = 2e9  # of a record sought and a masked one, over all sets: some 20 s of counting
_FEWEST_SOUGHT = 100
_MOST_SMALLEST = 3  # sets of a share that the other attackers try


@fill_in(OF_SCENARIOS)
def scenarios(
    X: Any,
    y: Any,
    *,
    known: Iterable[Any] | None = None,
    secret: Iterable[Any] | None = None,
    pool: Any = None,
    aligned: bool | str = True,
    pairs: Sequence[int] = (5, 50, 500),
    categorical_features: Any = None,
    ordinal_features: Any = None,
    attackers: Iterable[str] | None = None,
    time_limit: float = 60.0,
    max_records: int = 2000,
    random_state: int = 0,
    n_jobs: int | None = None,
    unit: str = "people",
    progress: Progress | None = None,
) -> Scenarios:
    """Find out what intruders who know only some of the variables can find.

    With up to ten variables, every set is looked at; with more, the sets of one, two and three
    variables and those that lack one, as far as they are not too many. Each set gets the number of
    people that a weighted mean singles out, recounted, and a proven bound that no weighted mean
    exceeds.

    Parameters
    ----------
    %(X known secret pool aligned pairs categorical_features attackers time_limit max_records)s
    %(random_state unit progress)s

    Returns
    -------
    Scenarios

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink import scenarios
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> Y = X.copy()
    >>> Y[:, 1:] = X[::-1, 1:]  # only the first variable tells people apart
    >>> found = scenarios(X, Y, attackers=(), pairs=())
    >>> [(one.variables, one.n_linked) for one in found.smallest(0.5)]
    [(('x0',), 50)]
    """
    begin = time.monotonic()
    _check_asked(time_limit, aligned)
    told = {"categorical_features": categorical_features, "ordinal_features": ordinal_features}
    files = read_files(X, y, pool, None, None, told, n_jobs)
    check_related(files, aligned)
    hidden = _columns(secret or (), files.names, "secret")
    columns = _known_columns(known, hidden, files.names)
    sought = _sought(files, columns, max_records, random_state)
    sizes, clock = (len(sought.everyone), len(columns)), (begin, time_limit)
    setting = Setting(*sizes, random_state, n_jobs, nominal=sought.nominal)
    search, people, notes = _swept(sought, setting, _others(attackers), pairs, clock, progress)
    settings = {"time_limit": time_limit, "seed": random_state, "seconds": time.monotonic() - begin}
    notes = [*files.notes, *notes]
    return _result(files, columns, hidden, search, people, Unit.of(unit), notes, settings)


def _check_asked(time_limit: float, aligned: bool | str) -> None:
    check_time_limit(time_limit)
    if not aligned:
        raise ValueError("files that are not aligned have no links to count: aligned must be True")


def _result(
    files: Files,
    columns: Sequence[int],
    hidden: Sequence[int],
    search: SetSearch,
    people: tuple[PeopleKnown, ...],
    unit: Unit,
    notes: Sequence[str],
    settings: dict[str, Any],
) -> Scenarios:
    brackets, sought = search.brackets, search.files
    names = tuple(files.names[k] for k in columns)
    return Scenarios(
        names=names,
        secret=tuple(files.names[k] for k in hidden),
        scenarios=_results(brackets, names),
        people=people,
        n_records=len(sought.X),
        n_total=len(files.X),
        n_pool=len(sought.everyone),
        views=sought.views,
        attackers=tuple(dict.fromkeys(one.title for one in brackets.findings)),
        unit=unit,
        notes=tuple(dict.fromkeys(notes)),
        settings={**settings, "listed": _listed(len(columns), brackets.sets)},
    )


def _swept(
    sought: Sought,
    setting: Setting,
    others: Sequence[Attacker],
    pairs: Sequence[int],
    clock: tuple[float, float],
    progress: Progress | None,
) -> tuple[SetSearch, tuple[PeopleKnown, ...], list[str]]:
    """The searches of all sets, what known people teach, and notes."""
    compile_searches([ATTACKERS["weighted_mean"], *others], setting)
    ends = _ends(*clock)
    search, notes = _counted(sought, setting, progress)
    search.run(ends["search"])
    search.try_others(others, _sets_that_matter(search.brackets, len(sought.X)), ends["others"])
    people = _people(search, pairs, ends["people"])
    search.again(ends["again"])
    return search, tuple(people), notes


def _known_columns(
    known: Iterable[Any] | None, hidden: list[int], names: Sequence[str]
) -> list[int]:
    """Places of the variables that an intruder may know."""
    usable = range(len(names)) if known is None else _columns(known, names, "known")
    if both := [names[k] for k in usable if known is not None and k in hidden]:
        raise ValueError(f"{both} are both known and secret: name each variable once")
    columns = [k for k in usable if k not in hidden]
    if not columns:
        raise ValueError("no variable is left for an intruder to know: name fewer as secret")
    return columns


def _columns(wanted: Iterable[Any], names: Sequence[str], option: str) -> list[int]:
    """Places of columns by name or number."""
    if isinstance(wanted, str):
        wanted = [wanted]
    found = []
    for one in wanted:
        if one in names:
            found.append(names.index(one))
        elif isinstance(one, int | np.integer) and 0 <= one < len(names):
            found.append(int(one))
        else:
            raise ValueError(
                f"{option} names {one!r}, which is not a variable of both files: choose from "
                f"{', '.join(names)}"
            )
    return sorted(set(found))


def _sought(files: Files, columns: list[int], most: int, seed: int) -> Sought:
    """The people to look for, and the files in which they are, some columns only."""
    X, Y = files.X[:, columns], files.Y[:, columns]
    pool = None if files.pool is None else files.pool[:, columns]
    nominal = None
    if files.nominal is not None:
        nominal = tuple(place for place, k in enumerate(columns) if k in files.nominal)
        gaps = any(np.isnan(one).any() for one in (X, Y, Y if pool is None else pool))
        nominal = nominal if nominal or gaps else None
    n_sets, n_masked = len(list_sets(len(columns))), len(Y if pool is None else pool)
    most = min(most, max(int(_MOST_PAIRS / (n_sets * n_masked)), _FEWEST_SOUGHT))
    if len(X) <= most:
        return Sought(X, Y, pool, None, nominal, VIEWS)
    rows = np.sort(np.random.default_rng([seed, 3]).choice(len(X), size=most, replace=False))
    others = np.setdiff1d(np.arange(len(X)), rows)
    impostors = [Y[others]] if pool is None else [Y[others], pool[len(Y) :]]
    everyone = np.concatenate([Y[rows], *impostors])
    return Sought(X[rows], Y[rows], everyone, X, nominal, VIEWS)


def _others(names: Iterable[str] | None) -> list[Attacker]:
    wanted = OTHERS if names is None else [one for one in names if one != "weighted_mean"]
    return chosen_attackers(wanted) if wanted else []


def _ends(begin: float, seconds: float) -> dict[str, float]:
    """When each part of a sweep ends, by `time.monotonic`."""
    now = time.monotonic()
    # reading and loading count, a minute of compiling does not
    start = now - min(now - begin, MOST_LOADING, seconds / 2)
    return {part: start + share * seconds for part, share in _ENDS.items()}


def _counted(
    sought: Sought, setting: Setting, progress: Progress | None
) -> tuple[SetSearch, list[str]]:
    """Brackets without a search, in the views that take the files."""
    if progress is not None:
        progress("counting", 0, 0)
    sets = list_sets(setting.n_features)
    whole = sought.X if sought.whole is None else sought.whole
    build = partial(coordinates_of, sought.X, sought.Y, sought.everyone, whole)
    views, notes = informative_views(VIEWS, partial(build, nominal=sought.nominal))
    counts = [count_sets(one, sets, n_jobs=setting.n_jobs) for one in views]
    costly = sorted({int(k) for one in views for k in one.has_costs})
    sought = replace(sought, views=tuple(str(one.view) for one in views))
    return SetSearch(Brackets(sets, counts, costly), sought, setting, progress), notes


def _sets_that_matter(brackets: Brackets, n_records: int) -> list[int]:
    """Numbers of the sets that the other attackers try."""
    numbers = [len(brackets.sets) - 1]
    exposed = np.maximum(brackets.n_linked, brackets.expected) / n_records
    for share in SHARES:
        enough = np.flatnonzero(exposed >= share)
        enough = enough[brackets.sizes[enough] == brackets.sizes[enough].min(initial=10**9)]
        numbers += enough[np.argsort(-exposed[enough], kind="stable")][:_MOST_SMALLEST].tolist()
    numbers += np.flatnonzero(brackets.sizes == brackets.sizes[-1] - 1).tolist()
    return list(dict.fromkeys(numbers))


def _people(search: SetSearch, pairs: Sequence[int], end: float) -> list[PeopleKnown]:
    """What is found by learning from few people; nothing if no number is asked for."""
    if not len(pairs):
        return []
    brackets, sought = search.brackets, search.files
    nobody = nobody_known(brackets.counts, len(brackets.sets) - 1, len(sought.X))
    return people_known(sought, pairs, search.setting, nobody, end, search.report)


def _results(brackets: Brackets, names: Sequence[str]) -> tuple[Scenario, ...]:
    weights = ATTACKERS["weighted_mean"].title
    expected_bound, found = brackets.expected_bound, []
    for number, one in enumerate(brackets.sets):
        worst, expected = brackets.worst(number, weights)
        scenario = Scenario(
            variables=tuple(names[k] for k in one),
            n_linked=int(brackets.n_linked[number]),
            bound=int(brackets.bound[number]),
            ceiling=int(brackets.ceiling[number]),
            n_found=worst.n_found,
            attacker=worst.title,
            used=tuple(names[k] for k in brackets.sets[worst.number]),
            expected=expected,
            expected_bound=float(expected_bound[number]),
            searched=bool(brackets.searched[number]),
        )
        found.append(scenario)
    return tuple(found)


def _listed(n_variables: int, sets: Sequence[tuple[int, ...]]) -> str:
    """Which sets were looked at, in words."""
    if n_variables <= ALL_SETS:
        return f"all {len(sets):,} sets of the variables were looked at"
    sizes = sorted({len(one) for one in sets})
    small = max((size for size in sizes if size < n_variables - 1), default=1)
    lacking = ", those that lack one variable" if n_variables - 1 in sizes else ""
    return f"sets of up to {small} variables{lacking} and all variables together were looked at"
