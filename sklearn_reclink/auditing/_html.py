"""The report as one self-contained HTML page.

Nothing is loaded: styles, figures and the script that sorts and pages the table of records are in
the page, and its content security policy forbids everything else. The script is admitted by its
hash, so no other text of the page can ever run. Every name and id is escaped by jinja2.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from sklearn_reclink._version import __version__
from sklearn_reclink.auditing import _attributes as attributes
from sklearn_reclink.auditing._disclosure_figures import nearest_figure, secrets_figure
from sklearn_reclink.auditing._figures import audit_figures, comparison_figure
from sklearn_reclink.auditing._methods import comparison_methods, methods, packages_text
from sklearn_reclink.auditing._output import attackers_table, columns_read, not_run
from sklearn_reclink.auditing._population import population_sentences, population_table
from sklearn_reclink.auditing._running import NO_ESTIMATE
from sklearn_reclink.auditing._sample import sample_sentences
from sklearn_reclink.auditing._scenario_figures import scenarios_content
from sklearn_reclink.auditing._unaligned_report import measures_table, unaligned_verdict
from sklearn_reclink.auditing._verdict import verdict
from sklearn_reclink.auditing.formatting import percent, percent_given, quoted

if TYPE_CHECKING:
    from sklearn_reclink.auditing._comparison import Comparison
    from sklearn_reclink.auditing._result import Audit
    from sklearn_reclink.auditing._unaligned import UnalignedAudit

# Rows of the table of records, all and on one page of it; the CSV file lists all.
MOST_ROWS = 500
PAGE_ROWS = 25


def render_audit(audit: Audit, *, include_values: bool = False) -> str:
    """The page of one audit."""
    records = audit.records
    tried = [one.attacker.name for one in audit.attacks]
    columns = {name.replace("_", " "): column for name, column in records.columns().items()}
    columns["attackers"] = [briefly(names, tried) for names in records.found_by]
    for name, values in audit.values().items() if include_values else ():
        columns[name] = [
            value if isinstance(value, str) else f"{value:.10g}" for value in values[records.rows]
        ]
    population = {}
    if audit.population is not None:
        sentences = population_sentences(audit.population, audit.n_records, audit.unit)
        population = {"sentences": sentences, "table": population_table(audit.population)}
    return render_page(
        "audit.html",
        title=f"Re-identification risk of {audit.masked_name}",
        audit=audit,
        verdict=verdict(audit),
        figures=audit_figures(audit),
        attackers=attackers_table(audit),
        not_run=not_run(audit),
        scenarios=scenarios_content(audit.scenarios, audit.limit),
        sample=[] if audit.curve is None else sample_sentences(audit.curve, audit.unit),
        population=population,
        columns_read=columns_read(audit),
        secrets=secrets_content(audit.secrets, audit.unit.many),
        methods=methods(audit),
        **_notes(audit),
        record_columns=list(columns),
        record_rows=list(zip(*columns.values(), strict=True))[:MOST_ROWS],
        page_rows=PAGE_ROWS,
        include_values=include_values,
    )


def briefly(found: Sequence[str], tried: Sequence[str]) -> str:
    """Names of attackers, or of the few that are missing.

    Examples
    --------
    >>> from sklearn_reclink.auditing._html import briefly
    >>> briefly(["a", "b", "d"], ["a", "b", "c", "d"])
    'all but c'
    """
    missing = [name for name in tried if name not in found]
    if len(missing) >= len(found):
        return ", ".join(found)
    return "all but " + ", ".join(missing) if missing else "all"


def render_comparison(comparison: Comparison) -> str:
    """The page of a comparison."""
    level = "some"
    if comparison.limit is not None:
        level = "above" if comparison.chosen is None else "below"
    return render_page(
        "comparison.html",
        title="Maskings compared",
        comparison=comparison,
        level=level,
        methods=comparison_methods(comparison),
        audits=[(one, verdict(one), _notes(one)["file_notes"]) for one in comparison.audits],
        figure=comparison_figure(comparison),
    )


def _notes(audit: Audit) -> dict[str, list[str]]:
    """Notes on the files, which come first, and on what the time limit left out."""
    left_out = [note for note in audit.notes if note.startswith(NO_ESTIMATE)]
    of_files = [note for note in audit.notes if note not in left_out]
    return {"file_notes": of_files, "run_notes": [note[0].upper() + note[1:] for note in left_out]}


def render_unaligned(audit: UnalignedAudit) -> str:
    """The page of a release whose rows belong to nobody."""
    return render_page(
        "unaligned.html",
        title=f"Disclosure risk of {audit.masked_name}",
        audit=audit,
        verdict=unaligned_verdict(audit),
        figure=nearest_figure(audit),
        measures=measures_table(audit),
        software=packages_text(),
        secrets=secrets_content(audit.secrets, audit.unit.many),
    )


def secrets_content(secrets: Sequence[attributes.SecretDisclosure], many: str) -> dict[str, Any]:
    """What the part on secrets shows; empty without secrets."""
    if not secrets:
        return {}
    return {
        "sentences": [attributes.secret_sentences(one, many) for one in secrets],
        "figure": secrets_figure(secrets),
        "success": attributes.success_note(secrets),
        "control_note": attributes.control_note(secrets, many),
    }


def render_page(template: str, **content: Any) -> str:
    """A page from a template, with styles, script and version."""
    style, script = _resource("style.css"), _resource("records.js")
    content["script_hash"] = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    content |= {"style": style, "script": script}
    content |= {"version": __version__, "today": date.today().isoformat()}
    return _environment().get_template(template).render(content)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"percent": percent, "percent_given": percent_given, "quoted": quoted}
    environment.filters["unbroken"] = lambda text: str(text).replace(" %", "\N{NO-BREAK SPACE}%")
    return environment


def _resource(name: str) -> str:
    return (files("sklearn_reclink.auditing") / "templates" / name).read_text(encoding="utf-8")
