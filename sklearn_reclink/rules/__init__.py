"""Rules that turn scores of pairs into links.

``s_ij`` is the score of original record ``i`` and masked record ``j``: the larger it is, the more
likely they belong to the same person. Every rule gives each masked record a price and links record
``i`` to the best ``s_ij - price_j``:

==================  =============================================================================
``"nearest"``       no prices: the papers' rule. Many records may have the same link.
``"density"``       ``price_j = log sum_i exp(s_ij)``: by Bayes' rule with equal prior
                    probabilities, ``exp(s_ij - price_j)`` is the probability that ``j`` is the
                    masked version of ``i``. It is the first step of the next rule.
``"balanced"``      prices for which the probabilities also sum to one over each original record:
                    one person, one masked record, on average (Sinkhorn's scaling).
``"one_to_one"``    dual prices of the optimal assignment: no masked record is linked twice, and
                    the total score is as large as possible.
==================  =============================================================================

So the rates mean different things. Under ``"nearest"`` the risk of one record does not depend on
whom else the intruder looks for; under the other rules the intruder uses the whole original file.
"""

from sklearn_reclink.rules.assignment import Assignment, assign
from sklearn_reclink.rules.balancing import balanced_prices, density_prices
from sklearn_reclink.rules.linking import RULES, SCALED_RULES, Rule
from sklearn_reclink.rules.scores import Scores
from sklearn_reclink.rules.temperature import learn_scale

__all__ = [
    "RULES",
    "SCALED_RULES",
    "Assignment",
    "Rule",
    "Scores",
    "assign",
    "balanced_prices",
    "density_prices",
    "learn_scale",
]
