"""Formulas as MathML, made while the pages are built: no script and no network to read them.

docutils translates LaTeX; the few commands it does not know are put into others first. A
``\\tag{n}`` becomes a number beside the formula.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

OTHER_WORDS = (
    (re.compile(r"\\iff\b"), r"\\Longleftrightarrow"),
    (re.compile(r"\\dots\b"), r"\\ldots"),
    (re.compile(r"\\tfrac(\d)(\d)"), r"\\tfrac{\1}{\2}"),
)
TAG = re.compile(r"\\tag\{([^}]*)\}")


def mathml(latex: str, *, display: bool = False) -> str:
    """One formula as a MathML element."""
    for pattern, replacement in OTHER_WORDS:
        latex = pattern.sub(replacement, latex)
    return tex2mathml(" ".join(latex.split()), as_block=display)


def visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(mathml(node.astext()))
    raise nodes.SkipNode


def visit_display(translator: Any, node: nodes.math_block) -> None:
    latex = node.astext()
    tag = TAG.search(latex)
    number = f'<span class="eqno">({tag[1]})</span>' if tag else ""
    formula = mathml(TAG.sub("", latex), display=True)
    translator.body.append(f'<div class="math">{formula}{number}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
