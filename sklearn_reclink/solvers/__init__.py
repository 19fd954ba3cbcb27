"""Solvers know rows and cones: never the files, never an estimator."""
