"""Measures of risk and of information loss.

Rates, losses and scores are shares in [0, 1] unless stated otherwise; the papers print percent.
"""

from sklearn_reclink.metrics._claimed_links import ClaimedLinks, LinkageCurve
from sklearn_reclink.metrics._information_loss import (
    correlation_change,
    covariance_change,
    il1s,
    matrix_mean_square_difference,
)
from sklearn_reclink.metrics._linkage_curve import linkage_curve
from sklearn_reclink.metrics._mixed_loss import (
    MixedLoss,
    association_change,
    category_change,
    frequency_change,
    information_loss,
    mixed_loss,
    suppression_rate,
)
from sklearn_reclink.metrics._probabilistic_loss import (
    ProbabilisticLoss,
    probabilistic_information_loss,
    probabilistic_loss,
)
from sklearn_reclink.metrics._risk import (
    expected_reidentification_rate,
    interval_disclosure,
    linkage_ceiling,
    reidentification_rate,
)
from sklearn_reclink.metrics._scores import (
    average_record_linkage,
    domingo_ferrer_torra_score,
    linkage_loss_score,
)
from sklearn_reclink.metrics._success import Excess, SuccessRate, wilson_interval
from sklearn_reclink.metrics.attributes import AttributeDisclosure, attribute_disclosure
from sklearn_reclink.metrics.descriptions import SinglingOut, singling_out
from sklearn_reclink.metrics.record_distances import NearestRecords, nearest_records

__all__ = [
    "AttributeDisclosure",
    "ClaimedLinks",
    "Excess",
    "LinkageCurve",
    "MixedLoss",
    "NearestRecords",
    "ProbabilisticLoss",
    "SinglingOut",
    "SuccessRate",
    "association_change",
    "attribute_disclosure",
    "average_record_linkage",
    "category_change",
    "correlation_change",
    "covariance_change",
    "domingo_ferrer_torra_score",
    "expected_reidentification_rate",
    "frequency_change",
    "il1s",
    "information_loss",
    "interval_disclosure",
    "linkage_ceiling",
    "linkage_curve",
    "linkage_loss_score",
    "matrix_mean_square_difference",
    "mixed_loss",
    "nearest_records",
    "probabilistic_information_loss",
    "probabilistic_loss",
    "reidentification_rate",
    "singling_out",
    "suppression_rate",
    "wilson_interval",
]
