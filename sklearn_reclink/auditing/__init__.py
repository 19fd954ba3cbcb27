"""Audit of a pair of files: attackers, records at risk, and a report to read."""

from sklearn_reclink.auditing._attackers import SizeLimits
from sklearn_reclink.auditing._audit import audit
from sklearn_reclink.auditing._comparison import Comparison, compare
from sklearn_reclink.auditing._files import UnrelatedRowsError as UnrelatedRowsError
from sklearn_reclink.auditing._result import Audit
from sklearn_reclink.auditing._scenario_result import Scenarios
from sklearn_reclink.auditing._scenarios import scenarios
from sklearn_reclink.auditing._unaligned import UnalignedAudit
from sklearn_reclink.auditing.protection.estimator import MaskingSearch
from sklearn_reclink.auditing.protection.result import Protection
from sklearn_reclink.auditing.protection.trials import MaskerFamily

__all__ = [
    "Audit",
    "Comparison",
    "MaskerFamily",
    "MaskingSearch",
    "Protection",
    "Scenarios",
    "SizeLimits",
    "UnalignedAudit",
    "audit",
    "compare",
    "scenarios",
]
