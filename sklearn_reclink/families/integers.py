"""Integers in the ratios of other numbers: exact arithmetic decides what rounding leaves open."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm


def to_integers(values: Iterable[float]) -> list[int]:
    """The values times the power of two that clears their denominators."""
    ratios = [float(value).as_integer_ratio() for value in values]
    common = max(denominator for _, denominator in ratios)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def near_integers(values: Iterable[float], largest: int = 1000) -> list[int]:
    """The integers of the nearest fractions whose denominators are at most ``largest``."""
    return cleared([Fraction(value).limit_denominator(largest) for value in values])


def cleared(fractions: Sequence[Fraction]) -> list[int]:
    """The fractions times the least number that clears their denominators."""
    common = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * common) for fraction in fractions]
