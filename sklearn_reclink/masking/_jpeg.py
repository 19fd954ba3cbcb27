"""JPEG masking: the file is compressed as an image and read back.

Records are rows, variables are columns, values are grey levels: every variable is stretched from
its least and greatest value to 0 and 255, and back after compression. JPEG works on blocks of
8 x 8 pixels, so a record is blurred with the records and variables beside it in the file; the lower
the quality, the more.
"""

from dataclasses import KW_ONLY, dataclass
from io import BytesIO
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from sklearn_reclink._sklearn_compat import Interval
from sklearn_reclink.masking._base import NumericMasker
from sklearn_reclink.masking.columns import Table

# The longest side that the format (65,535 pixels) and Pillow (65,500) allow, in whole blocks.
MOST_PIXELS = 65_496


def compress(pixels: np.ndarray, quality: int, most_rows: int = MOST_PIXELS) -> np.ndarray:
    """Grey levels after JPEG compression.

    Parameters
    ----------
    pixels : ndarray of uint8 of shape (n_rows, n_columns)
        The image.
    quality : int
        From 1, the strongest compression, to 100.
    most_rows : int, default=65_496
        Longer images are cut into parts of this many rows, a multiple of 8: blocks are coded one by
        one, so the pixels stay the same.

    Returns
    -------
    ndarray of uint8 of shape (n_rows, n_columns)
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("JPEGMasking needs Pillow: install it with pip install pillow") from error
    parts = []
    for start in range(0, len(pixels), most_rows):
        buffer = BytesIO()
        part = np.ascontiguousarray(pixels[start : start + most_rows])
        Image.fromarray(part).save(buffer, format="JPEG", quality=quality)
        buffer.seek(0)
        with Image.open(buffer) as image:
            parts.append(np.array(image, dtype=np.uint8))
    return np.concatenate(parts)


@dataclass(eq=False, repr=False)
class JPEGMasking(NumericMasker):
    """Mask a file by compressing it as an image.

    Parameters
    ----------
    quality : int, default=80
        Quality of the JPEG compression, from 1, the strongest, to 100.
    %(keep_integers numeric_columns)s

    Attributes
    ----------
    %(columns_)s

    Notes
    -----
    The order of the records and of the variables matters: neighbours are blurred together. A grey
    level is 1/255 of the range of the variable, so a long tail leaves few levels for the other
    values. Missing values are refused. Needs Pillow: ``pip install pillow``.

    References
    ----------
    Domingo-Ferrer, J. and Torra, V. (2001). Disclosure control methods and information loss for
    microdata. In Confidentiality, Disclosure, and Data Access, 91-110. Elsevier.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_reclink.masking import JPEGMasking
    >>> X = np.outer(np.arange(16.0), [1.0, 2.0])
    >>> Y = JPEGMasking(quality=90).fit_transform(X)
    >>> Y.shape, bool(np.abs(Y - X).max() < 4)
    ((16, 2), True)
    """

    quality: int = 80
    _: KW_ONLY
    keep_integers: bool = False
    columns: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NumericMasker._parameter_constraints,
        "quality": [Interval(Integral, 1, 100, closed="both")],
    }

    def _check(self, table: Table) -> None:
        if len(self.columns_) > MOST_PIXELS:
            raise ValueError(
                f"X has {len(self.columns_)} variables: an image has at most {MOST_PIXELS} "
                "columns. Mask the variables in parts."
            )

    def _mask(self, X: np.ndarray) -> np.ndarray:
        least, greatest = X.min(axis=0), X.max(axis=0)
        # halves, as the range itself may overflow
        half_range = greatest / 2 - least / 2
        constant = half_range == 0
        unit = (X / 2 - least / 2) / np.where(constant, 1.0, half_range)
        share = compress(np.rint(255 * unit).astype(np.uint8), self.quality) / 255
        return np.where(constant, X, least * (1 - share) + greatest * share)
