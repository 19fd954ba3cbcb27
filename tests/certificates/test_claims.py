"""The claim of a certificate written by hand: every part of it that is wrong is refused."""

from __future__ import annotations

import pytest

from sklearn_reclink import CertificateError
from sklearn_reclink.certificates.coordinates import digest
from sklearn_reclink.certificates.verify import TOLERANCE, verify

# records 0 and 1 share their masked values; record 2 is nearest to its own
ORIGINAL = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
MASKED = [[0.0, 0.0], [0.0, 0.0], [0.0, 1.0]]


def certificate(original=ORIGINAL, masked=MASKED, pool=None, **changed):
    return {
        "format": "sklearn-reclink certificate",
        "version": 1,
        "tolerance": TOLERANCE,
        "sha256": {
            "original": digest(original),
            "masked": digest(masked),
            "pool": None if pool is None else digest(pool),
        },
        "family": {"name": "weighted_mean", "constraint": "simplex", "order": None},
        "view": {"standardize": None, "scales": [[0, 1, 0, 1]] * len(original[0])},
        "theta": [1] * len(original[0]),
        "linked": [2],
        "n_linked": 1,
        "n_records": len(original),
        "bound": 1,
        "proof": {"never": [[0, 1], [1, 0]], "tree": [{}]},
    } | changed


def refused(reason, *files, **changed):
    original, masked, *pool = files or (ORIGINAL, MASKED)
    with pytest.raises(CertificateError, match=reason):
        verify(certificate(original, masked, *pool, **changed), original, masked, *pool)


def test_links_and_bound_are_stated():
    found = verify(certificate(), ORIGINAL, MASKED)
    assert found[:3] == (1, 1, 3)
    assert found.statement == (
        "The parameters link 1 of 3 records. No parameters of the family weighted_mean (simplex) "
        "link more than 1 (standardize: None); distances within 1e-12 of each other count as tied."
    )
    for bound in (2, 3):
        assert verify(certificate(bound=bound), ORIGINAL, MASKED).bound == bound
    assert verify(certificate(linked=[], n_linked=0), ORIGINAL, MASKED).n_linked == 0


def test_all_records_may_be_linked():
    proof = {"never": [], "tree": [{}]}
    everyone = certificate(ORIGINAL, ORIGINAL, linked=[0, 1, 2], n_linked=3, bound=3, proof=proof)
    assert verify(everyone, ORIGINAL, ORIGINAL)[:3] == (3, 3, 3)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"format": ""}, "its format is not"),
        ({"format": "zzz"}, "its format is not"),
        ({"version": 0}, "its version is not 1"),
        ({"version": 2}, "its version is not 1"),
        ({"tolerance": 1e-11}, "its tolerance is not 1e-12"),
        ({"tolerance": 1e-13}, "its tolerance is not 1e-12"),
        ({"bound": 0}, "ends before it is proven"),
        ({"bound": 4}, "bound is not an integer"),
        ({"bound": -1}, "bound is not an integer"),
        ({"n_records": 2}, "a count is wrong"),
        ({"n_records": 4}, "n is not an integer"),
        ({"n_linked": 0}, "a count is wrong"),
        ({"n_linked": 2}, "a count is wrong"),
        ({"n_linked": 4}, "n is not an integer"),
        ({"linked": [0, 2], "n_linked": 2}, "record 0 is not linked"),
        ({"linked": [3]}, "a linked record is not"),
        ({"linked": [2, 2]}, "listed twice"),
        ({"theta": [0, 0]}, "theta is not in the cone"),
    ],
)
def test_a_wrong_claim_is_refused(changed, reason):
    refused(reason, **changed)


@pytest.mark.parametrize("name", ["original", "masked"])
@pytest.mark.parametrize("fill", ["0", "f"])
def test_another_file_is_refused(name, fill):
    hashes = certificate()["sha256"] | {name: fill * 64}
    refused(f"the {name} file is not the one", sha256=hashes)


def test_a_pool_is_the_one_that_was_certified():
    pool = [*MASKED, [0.0, 4.0]]
    assert verify(certificate(pool=pool), ORIGINAL, MASKED, pool)[:3] == (1, 1, 3)
    for stated, given in ((pool, None), (None, pool), (pool, [*MASKED, [0.0, 5.0]])):
        with pytest.raises(CertificateError, match="the pool file is not the one"):
            verify(certificate(pool=stated), ORIGINAL, MASKED, given)
    # a stranger with the very values of record 2: it is linked no more
    refused("record 2 is not linked", ORIGINAL, MASKED, [*MASKED, [0.0, 2.0]])
    refused("not in the pool", ORIGINAL, MASKED, pool[1:])


def test_files_have_the_same_shape():
    refused("different numbers of records", ORIGINAL, [*MASKED, [5.0, 5.0]])
    refused("different numbers of records", ORIGINAL, MASKED[:2])
    refused("different columns", ORIGINAL, [[*row, 0.0] for row in MASKED])
    refused("different columns", [[*row, 0.0] for row in ORIGINAL], MASKED)
    refused("different columns", ORIGINAL, MASKED, [*MASKED, [0.0]])


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"proof": {}}, "KeyError"),
        ({"linked": 3}, "TypeError"),
        ({"theta": [1]}, "ValueError"),
        ({"family": []}, "AttributeError"),
        (
            {"view": {"standardize": "separate", "scales": [[10**400, 1, 0, 1]] * 2}},
            "OverflowError",
        ),
    ],
)
def test_what_is_malformed_is_said_to_be(changed, error):
    refused(rf"it is malformed \({error}\)", **changed)


@pytest.mark.parametrize("no_certificate", [None, 3, "text", [], {}])
def test_what_is_no_certificate_is_malformed(no_certificate):
    with pytest.raises(CertificateError, match="malformed"):
        verify(no_certificate, ORIGINAL, MASKED)


def test_several_hundred_records():
    """Counts above 256 are no single objects."""
    original = [[float(i)] for i in range(260)]
    masked = [original[1], *original[1:]]  # the first two are the same
    proof = {"never": [[0, 1], [1, 0]], "tree": [{}]}
    claim = {"linked": [2, 259], "n_linked": 2, "bound": 258, "proof": proof}
    certified = certificate(original, masked, **claim)
    assert verify(certified, original, masked)[:3] == (2, 258, 260)
    refused("ends before", original, masked, **claim | {"bound": 257})
