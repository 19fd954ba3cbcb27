"""Proofs of a bound as data, and a checker that trusts neither them nor the solver."""

import json
from typing import Any

from sklearn_reclink.certificates.coordinates import CertificateError
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
    from sklearn_reclink.certificates.tables import read_tables

    if isinstance(certificate, str):
        try:
            certificate = json.loads(certificate)
        except (ValueError, RecursionError) as error:
            raise CertificateError("it is not JSON") from error
    files = [X, y, *([] if pool is None else [getattr(pool, "records", pool)])]
    return verify(certificate, *read_tables(certificate, files))


def certificate_json(certificate: dict[str, Any]) -> str:
    """The certificate as one line of JSON, the same for the same certificate."""
    return json.dumps(certificate, separators=(",", ":"), allow_nan=False)
