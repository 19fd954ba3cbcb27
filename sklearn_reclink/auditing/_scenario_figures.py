"""What a report shows of a sweep over the knowledge of intruders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn_reclink.auditing import _scenario_output as output
from sklearn_reclink.auditing._figures import ReportFigure
from sklearn_reclink.auditing._svg import draw_svg, is_narrow
from sklearn_reclink.auditing.formatting import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sklearn_reclink.auditing._scenario_result import Scenarios

_MOST_ROWS = 200  # of single sets on the page; JSON has all


def scenario_figure(found: Scenarios, limit: float | None = None) -> ReportFigure:
    """How does the risk grow with what the intruder knows?"""

    def draw(ax: Axes) -> None:
        wide = not is_narrow(ax)
        found.plot(ax=ax, limit=limit, legend_columns=1 + wide, name_sets=wide)

    envelope = found.envelope
    alternative = (
        "Share singled out by each set of variables, against the number of variables known. The "
        f"worst sets of {envelope[0].n_known} to {envelope[-1].n_known} variables expose "
        f"{percent(found.risk(envelope[0].most))} to {percent(found.risk(envelope[-1].most))}, "
        "guesses among ties included."
    )
    return ReportFigure(draw_svg("scenarios", 4.0, draw), alternative, *output.sizes_table(found))


def scenarios_content(found: Scenarios | None, limit: float | None = None) -> dict[str, Any]:
    """What the part on scenarios shows; empty without a sweep."""
    if found is None:
        return {}
    return {
        "answers": output.answers(found),
        "coverage": output.coverage(found),
        "figure": scenario_figure(found, limit),
        "people": output.people_sentence(found),
        "people_table": output.people_table(found),
        "sets": output.sets_table(found, _MOST_ROWS),
        "n_sets": len(found.scenarios),
        "unit": found.unit,
    }
