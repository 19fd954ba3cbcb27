"""Re-identification risk of masked microdata by learned record-linkage distances.

Two files describe the same people, row by row: the original ``X`` and its masked release ``y``.
A *linker* links every original record to its nearest masked record; its `score` is the share of
people found again. A learned linker chooses the distance that finds the most.
"""

from sklearn_reclink._version import __version__
from sklearn_reclink.auditing import audit, scenarios
from sklearn_reclink.certificates import CertificateError, verify_certificate
from sklearn_reclink.data.pool import Pool
from sklearn_reclink.data.shards import Shards
from sklearn_reclink.linkers import (
    BilinearLinker,
    ChoquetLinker,
    DensityLinker,
    EuclideanLinker,
    HLMSChoquetLinker,
    MahalanobisLinker,
    OWALinker,
    ProbabilisticLinker,
    TransformedLinker,
    WeightedMeanLinker,
    export_mps,
)

__all__ = [
    "BilinearLinker",
    "CertificateError",
    "ChoquetLinker",
    "DensityLinker",
    "EuclideanLinker",
    "HLMSChoquetLinker",
    "MahalanobisLinker",
    "OWALinker",
    "Pool",
    "ProbabilisticLinker",
    "Shards",
    "TransformedLinker",
    "WeightedMeanLinker",
    "__version__",
    "audit",
    "export_mps",
    "scenarios",
    "verify_certificate",
]
