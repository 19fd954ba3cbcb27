"""Figures drawn by tests and by examples in docstrings open no window."""

import os

os.environ["MPLBACKEND"] = "Agg"
