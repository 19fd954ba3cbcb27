"""Microdata to try the library on: generated, shipped with scikit-learn, or downloaded."""

from sklearn_reclink.datasets._census import fetch_casc_census
from sklearn_reclink.datasets._microdata import make_microdata, make_noisy_files
from sklearn_reclink.datasets._patients import load_diabetes_microdata

__all__ = ["fetch_casc_census", "load_diabetes_microdata", "make_microdata", "make_noisy_files"]
