"""The former name of `line_search`, for callers that still use it."""

from sklearn_reclink.solvers.line_search import MOST_RECORDS
from sklearn_reclink.solvers.line_search import solve_by_line_search as solve_large

__all__ = ["MOST_RECORDS", "solve_large"]
