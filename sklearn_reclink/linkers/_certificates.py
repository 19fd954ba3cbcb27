"""What a fit hands over for its certificate: files as numbers, their scales, proofs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sklearn_reclink.certificates import build
from sklearn_reclink.certificates.coordinates import in_order
from sklearn_reclink.certificates.mixed import codes
from sklearn_reclink.certificates.tables import variables_of
from sklearn_reclink.data import reading
from sklearn_reclink.data.mixed import MixedView
from sklearn_reclink.data.ranks import RankScales
from sklearn_reclink.data.reading import column_names
from sklearn_reclink.data.views import Scales
from sklearn_reclink.linkers._view import View, best_of
from sklearn_reclink.search import Index
from sklearn_reclink.solvers.problem import Problem

if TYPE_CHECKING:
    from sklearn_reclink.linkers._learned import ExactLinker

Scale = list[float] | None


class NoCertificateError(ValueError):
    """A fit has no certificate, though its count and its bound stand."""


def certificate_of(
    linker: "ExactLinker", X: Any, y: Any, pool: Any, views: Sequence[View], *, seconds: float
) -> dict[str, Any]:
    """A proof of ``bound_`` that `verify_certificate` accepts."""
    best = best_of(views)
    files = [*reading.read_again(linker, X, None, y), None if pool is None else linker.masked_]
    variables, (original, masked, whole) = _as_numbers(linker, files)
    places = None if whole is None else _places(len(masked), whole)
    order, width = getattr(linker, "k_additive", None), best.index.n_variables

    def of_view(view: View) -> dict[str, Any]:
        return {
            "view": _view_of_columns(view.linker),
            "problem": _problem(linker, view.index, places),
            "conflicts": view.solution.conflicts,
        }

    fit = build.Fit(
        original=original,
        masked=masked,
        pool=None if places is None else [whole[place] for place in places],
        columns=column_names(X),
        variables=variables,
        family={
            "name": linker._family_name,
            "constraint": getattr(linker, "constraint", "simplex"),
            "order": None if order is None else min(int(order), width),
        },
        theta=linker._theta,
        linked=best.index.linked(linker._family, linker._theta),
        bound=best.index.n_records if linker.bound_ is None else linker.bound_,
        status=linker.status_,
        **of_view(best),
    )
    others = [replace(fit, **of_view(one)) for one in views if one is not best]
    return build.build_certificate(fit, others=others, seconds=seconds)


def _places(n_records: int, whole: list[list[Any]]) -> list[int]:
    """The records of a pool in the order of a certificate, which the file's order cannot change."""
    place = {id(row): k for k, row in enumerate(whole)}
    return [*range(n_records), *(place[id(row)] for row in in_order(whole[n_records:]))]


def _problem(linker: "ExactLinker", index: Index, places: list[int] | None) -> Problem:
    """The problem of a fit, its masked records in these places."""
    if places is not None:
        files, n_jobs = (index.original, index.masked[places]), index.n_jobs
        index = Index(*files, n_jobs=n_jobs, caps=index.caps, extra=index.extra)
    return Problem(linker._family_of(index), index)


def _as_numbers(
    linker: "ExactLinker", files: Sequence[np.ndarray | None]
) -> tuple[list[dict[str, Any]] | None, list[Any]]:
    """The variables of a mixed file, and files as numbers; levels have theirs already."""
    tables = [None if file is None else file.tolist() for file in files]
    if linker.variables_ is None:
        return None, tables
    kinds, categories = linker.variables_.kinds, linker.variables_.categories
    coded = codes(
        [{"kind": "nominal" if kind == "nominal" else "numeric"} for kind in kinds], *tables
    )
    return variables_of(kinds, categories, [one for one in files if one is not None]), coded


def _view_of_columns(linker: Any) -> dict[str, Any]:
    """How a linker standardises."""
    scales, way = linker.scales_, linker.standardize_
    numbered = [f"x{k}" for k in range(linker.n_features_in_)]
    names = [str(name) for name in getattr(linker, "feature_names_in_", numbered)]
    if isinstance(scales, MixedView):
        found = _scales_of_mixed(scales, way, names)
    else:
        found = _scales(scales, way, names)
    used = zip(found, linker._informative, strict=True)
    return {"standardize": way, "scales": [s if use else None for s, use in used]}


def _scales_of_mixed(view: MixedView, standardize: str | None, names: list[str]) -> list[Scale]:
    """Those of each number or level, and the cap of each category."""
    return [
        [float(cap)] if scale is None else _scales(scale, standardize, [name])[0]
        for scale, cap, name in zip(view.scales, view.variable_caps, names, strict=True)
    ]


def _scales(scales: Scales | RankScales, standardize: str | None, names: list[str]) -> list[Scale]:
    """Shift and scale of both files by column; none of ranks, and where nothing differs."""
    if isinstance(scales, RankScales):
        return [[]] * len(scales.informative)
    used = scales.informative
    odd = (scales.original_power != 1) | (scales.masked_power != 1)
    if standardize is None:
        odd |= used & (scales.original_scale != 1)
    if odd.any():
        raise NoCertificateError(
            f"the numbers of the column {names[int(odd.argmax())]!r} are above 2^100 or below "
            "2^-100, and certificates are for ordinary numbers: multiply the column in both files"
        )
    numbers = np.column_stack(
        [scales.original_shift, scales.original_scale, scales.masked_shift, scales.masked_scale]
    )
    return [row.tolist() if one else [] for row, one in zip(numbers, used, strict=True)]
