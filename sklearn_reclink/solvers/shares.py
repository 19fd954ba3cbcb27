"""How a search divides its time.

The steps of `exact` and `starts` end at moments that are shares of the time limit, so that a search
does as much of each whatever its limit. What a step does not need goes to the next.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Shares:
    """Shares of the time limit, unless stated otherwise."""

    slow_presolve: float = 0.1  # from which on late starts come at once
    early_starts: float = 0.25  # of the time left
    lines_of_mixed: float = 0.3  # of the time left, as categories make simple starts poor
    cells: float = 0.7
    seconds_of_few: float = (
        1.0  # when a proof of few open records by cells must be near, in seconds
    )
    before_late: float = 0.7  # of the time for conflicts

    # of a large file
    reserved: float = 0.3  # at most, for the last counts
    first_lines: float = 0.15  # at most, before cells
    review: float = 0.2  # when a proof by cells must be near, if blocks are to follow
    large_cells: float = 0.9
    before_conflicts: float = 0.5
    before_blocks: float = 0.3
    before_blocks_alone: float = 0.2  # the same where cells cannot be in time
    conflicts: float = 0.5  # with starts and line searches, if blocks are to follow
    blocks: float = 0.1  # that must be left for them

    # of the time for late starts and line searches together
    late_starts: float = 0.5
    hlms: float = 0.7  # of the time for late starts


SHARES = Shares()
