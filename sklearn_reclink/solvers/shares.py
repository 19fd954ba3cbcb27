"""How a search divides its time: shares of the time limit, unless stated otherwise.

The steps of `exact` and `starts` end at moments that are shares of the time limit, so that a search
does as much of each whatever its limit. What a step does not need goes to the next.
"""

SLOW_PRESOLVE = 0.1  # from which on late starts come at once
EARLY_STARTS = 0.25  # of the time left
LINES_OF_MIXED = 0.3  # of the time left, as categories make simple starts poor
CELLS = 0.7
BEFORE_LATE = 0.7  # of the time for conflicts

# of a large file
RESERVED = 0.3  # at most, for the last counts
FIRST_LINES = 0.15  # at most, before cells
REVIEW = 0.2  # when a proof by cells must be near, if blocks are to follow
LARGE_CELLS = 0.9
BEFORE_CONFLICTS = 0.5
BEFORE_BLOCKS = 0.3
BEFORE_BLOCKS_ALONE = 0.2  # the same where cells cannot be in time
CONFLICTS = 0.5  # with starts and line searches, if blocks are to follow
BLOCKS = 0.1  # that must be left for them

# of the time for late starts and line searches together
LATE_STARTS = 0.5
HLMS = 0.7  # of the time for late starts
