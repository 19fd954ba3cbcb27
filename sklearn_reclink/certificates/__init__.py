"""Proofs of a bound as data, and a checker that trusts neither them nor the solver."""

import json
from typing import Any

from sklearn_reclink.certificates.coordinates import CertificateError, Table
from sklearn_reclink.certificates.verify import Verified, verify

__all__ = ["CertificateError", "Verified", "certificate_json", "verify_certificate"]


def verify_certificate(certificate: Any, X: Any, y: Any, pool: Any = None) -> Verified:
    """Check in exact arithmetic what a certificate claims about two files.

    Parameters
    ----------
    certificate : dict or str
        ``certificate_`` of a linker, or its JSON.
    X, y : array-like or dataframe of shape (n_records, n_features)
        The original and the masked file of `fit`.
    pool : array-like or dataframe of shape (n_masked, n_features), default=None
        The whole masked file, if one was given to `fit`.

    Returns
    -------
    Verified
        ``n_linked``, ``bound``, ``n_records`` and a ``statement`` of what was proven.

    Raises
    ------
    CertificateError
        If it does not prove its claim about these files; the reason is in the message.

    Examples
    --------
    >>> from sklearn_reclink import WeightedMeanLinker, verify_certificate
    >>> from sklearn_reclink.datasets import make_noisy_files
    >>> X, Y = make_noisy_files(30, noise=(0.5, 0.5, 0.5), random_state=0)
    >>> linker = WeightedMeanLinker(certify=True).fit(X, Y)
    >>> verified = verify_certificate(linker.certificate_, X, Y)
    >>> verified.n_linked == linker.n_linked_ and verified.bound == linker.bound_
    True
    """
    if isinstance(certificate, str):
        try:
            certificate = json.loads(certificate)
        except (ValueError, RecursionError) as error:
            raise CertificateError("it is not JSON") from error
    names = certificate.get("columns") if isinstance(certificate, dict) else None
    given = None if pool is None else getattr(pool, "records", pool)
    everyone = None if given is None else _as_table(given, names)
    return verify(certificate, _as_table(X, names), _as_table(y, names), everyone)


def _as_table(file: Any, names: Any) -> Table:
    """Rows of floats; columns by name where both sides have names."""
    if isinstance(names, list) and hasattr(file, "columns"):
        missing = [name for name in names if name not in list(file.columns)]
        if missing:
            raise CertificateError(f"a file lacks the column {missing[0]!r}")
        file = file[names]
    file = file.to_numpy() if hasattr(file, "to_numpy") else file
    return [[float(value) for value in row] for row in file]


def certificate_json(certificate: dict[str, Any]) -> str:
    """The certificate as one line of JSON, the same for the same certificate."""
    return json.dumps(certificate, separators=(",", ":"), allow_nan=False)
