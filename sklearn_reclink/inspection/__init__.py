"""Plots that answer one question each, in the manner of scikit-learn's displays.

============================  ===============================================================
`WeightsDisplay`              which variables give people away?
`InteractionDisplay`          which pairs of variables?
`CapacityLatticeDisplay`      which groups of variables?
`MarginDisplay`               how clear are the links?
`LinkageCurveDisplay`         how many people does an intruder find who claims only clear links?
`AttributeDisclosureDisplay`  what does a release reveal about a secret?
`NearestRecordsDisplay`       is a release nearer to the people it was made from?
`OverfittingCurveDisplay`     does the attack generalise?
`RiskUtilityDisplay`          which masking is worth its information loss?
`ScenarioDisplay`             how does the risk grow with what the intruder knows?
============================  ===============================================================

All need matplotlib, which is imported when something is drawn.
"""

from sklearn_reclink.inspection._attribute_disclosure import AttributeDisclosureDisplay
from sklearn_reclink.inspection._interaction import InteractionDisplay
from sklearn_reclink.inspection._lattice import CapacityLatticeDisplay
from sklearn_reclink.inspection._linkage_curve import LinkageCurveDisplay
from sklearn_reclink.inspection._margin import MarginDisplay, relative_margin
from sklearn_reclink.inspection._nearest_records import NearestRecordsDisplay
from sklearn_reclink.inspection._overfitting import OverfittingCurveDisplay
from sklearn_reclink.inspection._risk_utility import RiskUtilityDisplay, pareto_frontier
from sklearn_reclink.inspection._scenarios import ScenarioDisplay
from sklearn_reclink.inspection._weights import WeightsDisplay

__all__ = [
    "AttributeDisclosureDisplay",
    "CapacityLatticeDisplay",
    "InteractionDisplay",
    "LinkageCurveDisplay",
    "MarginDisplay",
    "NearestRecordsDisplay",
    "OverfittingCurveDisplay",
    "RiskUtilityDisplay",
    "ScenarioDisplay",
    "WeightsDisplay",
    "pareto_frontier",
    "relative_margin",
]
