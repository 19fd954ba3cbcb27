"""Re-identification risk of masked microdata by learned record-linkage distances.

Two files describe the same people, row by row: the original ``X`` and its masked release ``y``.
A *linker* links every original record to its nearest masked record; its `score` is the share of
people found again. A learned linker chooses the distance that finds the most.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sklearn_reclink._version import __version__

if TYPE_CHECKING:
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

_HOMES = {
    "CertificateError": "certificates",
    "Pool": "data.pool",
    "Shards": "data.shards",
    "audit": "auditing",
    "scenarios": "auditing",
    "verify_certificate": "certificates",
}  # of all but linkers

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """A public name or a subpackage, imported on first use: the command starts at once."""
        if name in __all__:
            return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'linkers')}"), name)
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return __all__
