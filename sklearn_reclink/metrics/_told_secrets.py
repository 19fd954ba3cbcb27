"""What the records of a release reveal about a secret: guesses from the nearest of them.

Masked records that are alike in all known variables are one *class*: an intruder sees them all, and
cannot tell them apart. A class tells the most frequent of its secrets, or their median if they are
numbers. Of equally frequent categories it tells the one that is more frequent in the release. The k
nearest classes vote: the most frequent of what they tell, the nearest of equals first, or the
median. Missing secrets tell nothing.

A class can also be asked what it tells *without* one of its records, so that a person can be looked
for in a release that leaves out their own record. A class of that record alone is then passed over.
Answers need one sort of the release, however large the classes are.
"""

import warnings

import numpy as np


def classes_of(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row of each class, and the class of each record; NaN is alike NaN."""
    comparable = np.where(np.isnan(records), np.inf, records)
    _, first, inverse = np.unique(comparable, axis=0, return_index=True, return_inverse=True)
    return first, inverse.ravel()


class ReleasedSecret:
    """The secrets of a release by class.

    Parameters
    ----------
    classes : ndarray of int of shape (n_masked,)
        Class of each masked record.
    secret : ndarray of shape (n_masked,)
        Its secret as a number, NaN if missing; a code if ``categorical``.
    categorical : bool
        Whether the secret is a category.
    """

    def __init__(self, classes: np.ndarray, secret: np.ndarray, categorical: bool) -> None:
        self.classes, self.secret, self.categorical = classes, secret, categorical
        self.n_classes = int(classes.max()) + 1
        self.sizes = np.bincount(classes, minlength=self.n_classes)
        self.known = np.flatnonzero(~np.isnan(secret))
        if categorical:
            self._rank_levels()
        else:
            self._sort_numbers()

    @property
    def most_likely(self) -> float:
        """What to guess without knowing anything of a person; NaN if all secrets are missing."""
        values = self.secret[self.known]
        if not len(values):
            return float("nan")
        if not self.categorical:
            return float(np.median(values))
        levels, counts = np.unique(values, return_counts=True)
        return float(levels[counts.argmax()])

    def guesses(
        self, nearest: np.ndarray, n_neighbors: int, own: np.ndarray | None = None
    ) -> np.ndarray:
        """The secret told to each person, NaN for none.

        Parameters
        ----------
        nearest : ndarray of int of shape (n_people, n_asked)
            Classes, nearest first; at least one more than ``n_neighbors`` where ``own`` is given,
            if there are as many.
        n_neighbors : int
            How many of them vote.
        own : ndarray of int of shape (n_people,), default=None
            Rows of the masked records to leave out, one for each person.
        """
        if own is None:
            return self._vote(self._told(nearest[:, :n_neighbors]))
        mine = nearest == self.classes[own][:, None]
        told = np.where(mine, self._told_without(own)[:, None], self._told(nearest))
        gone = mine & (self.sizes[self.classes[own]] == 1)[:, None]
        # those passed over go last, where no vote reaches them
        order = np.argsort(gone, axis=1, kind="stable")
        told = np.where(gone, np.nan, told)
        return self._vote(np.take_along_axis(told, order, axis=1)[:, :n_neighbors])

    def _vote(self, told: np.ndarray) -> np.ndarray:
        if told.shape[1] == 1:
            return told[:, 0]
        if not self.categorical:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
                return np.asarray(np.nanmedian(told, axis=1))
        votes = np.sum([told == told[:, [k]] for k in range(told.shape[1])], axis=0)
        return np.take_along_axis(told, votes.argmax(axis=1)[:, None], axis=1)[:, 0]

    # -- categories: the two most frequent of each class ---------------------------------------

    def _rank_levels(self) -> None:
        codes = self.secret[self.known].astype(np.int64)
        n_levels = int(codes.max(initial=0)) + 1
        pairs, counts = np.unique(self.classes[self.known] * n_levels + codes, return_counts=True)
        of_class, level = np.divmod(pairs, n_levels)
        overall = np.bincount(codes, minlength=n_levels)
        place = np.empty(n_levels, dtype=np.int64)
        place[np.lexsort([np.arange(n_levels), -overall])] = np.arange(n_levels)
        order = np.lexsort([place[level], -counts, of_class])
        of_class, level, counts = of_class[order], level[order], counts[order]
        start = np.searchsorted(of_class, np.arange(self.n_classes))
        self._place = place
        self._best = np.full((self.n_classes, 2), np.nan)
        self._votes = np.zeros((self.n_classes, 2), dtype=np.int64)
        for nth in (0, 1):
            row = start + nth
            here = np.flatnonzero(row < len(of_class))
            here = here[of_class[row[here]] == here]
            self._best[here, nth] = level[row[here]]
            self._votes[here, nth] = counts[row[here]]

    # -- numbers: the sorted values of each class ----------------------------------------------

    def _sort_numbers(self) -> None:
        order = self.known[np.lexsort([self.secret[self.known], self.classes[self.known]])]
        self._sorted = np.append(self.secret[order], np.nan)
        self._start = np.searchsorted(self.classes[order], np.arange(self.n_classes))
        self._n_known = np.bincount(self.classes[self.known], minlength=self.n_classes)
        self._position = np.full(len(self.secret), -1)
        self._position[order] = np.arange(len(order))

    def _middle(self, classes: np.ndarray, size: np.ndarray, skipped: np.ndarray) -> np.ndarray:
        """The median of ``size`` values of each class, one of which may be skipped."""
        ends = []
        for nth in ((size - 1) // 2, size // 2):
            row = self._start[classes] + np.maximum(nth, 0)
            row = row + ((skipped >= 0) & (row >= skipped))
            ends.append(self._sorted[np.minimum(row, len(self._sorted) - 1)])
        return np.where(size > 0, ends[0] / 2 + ends[1] / 2, np.nan)

    # -- what classes tell -----------------------------------------------------------------------

    def _told(self, classes: np.ndarray) -> np.ndarray:
        if self.categorical:
            return np.asarray(self._best[classes, 0])
        return self._middle(classes, self._n_known[classes], np.full(classes.shape, -1))

    def _told_without(self, own: np.ndarray) -> np.ndarray:
        """What the classes of some records tell without these, (n_people,)."""
        classes, secret = self.classes[own], self.secret[own]
        if not self.categorical:
            skipped = self._position[own]
            return self._middle(classes, self._n_known[classes] - (skipped >= 0), skipped)
        best, votes = self._best[classes], self._votes[classes]
        left = votes[:, 0] - (best[:, 0] == secret)
        both = (left > 0) & (votes[:, 1] > 0)
        places = self._place[np.nan_to_num(best).astype(np.int64)]
        first = np.where(
            both,
            (left > votes[:, 1]) | ((left == votes[:, 1]) & (places[:, 0] < places[:, 1])),
            left > 0,
        )
        return np.where(first, best[:, 0], best[:, 1])
