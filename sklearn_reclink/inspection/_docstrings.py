"""What the docstrings of displays share."""

from sklearn_reclink._docstrings import entries_of

OF_DISPLAYS = entries_of("""\
name : str or None, default=None
    Name shown, by default that of the class.
ax : matplotlib Axes, default=None
    Axes to draw on; by default those of a new figure.
legend_ : matplotlib Legend
    The legend.
ax_, figure_ : matplotlib Axes, Figure
    Where it is drawn.
""")
OF_DISPLAYS["attacker"] = """\
Parameters
----------
estimator : fitted linker
    The attacker."""
OF_DISPLAYS["drawn"] = """\
Returns
-------
display
    Drawn on ``ax_``."""
OF_DISPLAYS["title"] = """\
name : str or None, default=None
    Name shown above the legend."""
