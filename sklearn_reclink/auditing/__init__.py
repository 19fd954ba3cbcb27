"""Audit of a pair of files: attackers, records at risk, and a report to read."""

from sklearn_reclink.auditing.audit import Audit, audit
from sklearn_reclink.auditing.comparison import Comparison, compare

__all__ = ["Audit", "Comparison", "audit", "compare"]
