"""Likelihoods of pairs: what masking does to a value, and how much agreement weighs.

Both models give a `Pairs` whose distance is minus a log-likelihood (ratio), so every rule (`rules`)
works on them as on any other distance.
"""
