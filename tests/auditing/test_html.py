"""The report: self-contained, escaped, with words for every figure, and alive in a browser."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from importlib.metadata import version

import numpy as np
import pytest

from sklearn_reclink import __version__
from sklearn_reclink.auditing._figures import _draw_shares
from sklearn_reclink.auditing._html import PAGE_ROWS
from tests.auditing.pairs import SCRIPT

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Elements(HTMLParser):
    """Elements of a page with their attributes, and whether they are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open, self.balanced = [], [], True
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self.balanced &= bool(self.open) and self.open.pop() == tag

    def named(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture(scope="module")
def page(found):
    return found.to_html()


def test_names_and_ids_are_inert(page):
    elements = Elements(page)
    assert elements.balanced and not elements.open
    assert len(elements.named("script")) == 1
    assert not elements.named("img")
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    assert SCRIPT not in page and "49" not in re.findall(r"x_1\$ (\S+)", page)


def test_nothing_is_loaded(page):
    elements = Elements(page)
    for tag, attributes in elements.found:
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        for name in ("src", "href", "xlink:href", "action"):
            target = attributes.get(name, "#")
            assert target.startswith(("#", "data:image/png;base64,")), target
    assert "@import" not in page and not re.search(r"url\((?!#)", page)


def test_policy_admits_one_script_by_its_hash(page):
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [m["content"] for m in Elements(page).named("meta") if "http-equiv" in m]
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_every_figure_has_words_and_numbers(page):
    elements = Elements(page)
    drawings = [a for a in elements.named("div") if a.get("class") == "drawing"]
    kinds = Counter(a["class"] for a in elements.named("svg"))
    assert len(drawings) == 6 and kinds == {"wide": 6, "narrow": 6}
    assert all(len(drawing["aria-label"]) > 40 for drawing in drawings)
    assert len(elements.named("details")) == 6


def test_ids_in_the_page_are_unique(page):
    ids = Counter(attributes["id"] for _, attributes in Elements(page).found if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []


def test_figures_take_the_colours_of_the_page(page):
    assert "currentColor" in page
    assert not re.search(r"#0[147]0[258]0[369]|#0072b2;? *\"", page)


def test_verdict_comes_first(found, page):
    first = page.index("<h1>")
    assert "people" in page[first : first + 300]
    assert "above the limit of 20\N{NO-BREAK SPACE}%" in page[first : first + 400]
    assert page.index("What to protect") < page.index("<svg")


def test_a_board_reads_number_gate_and_findings_before_the_evidence(found, page):
    parts = [
        'class="number"',
        "Above the limit of 20",
        'class="gauge"',
        "What to protect",
        "Evidence:",
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places) and places[-1] < page.index("<svg")


def test_records_are_paged_with_or_without_a_script(found, page):
    assert len(found.records) > PAGE_ROWS
    assert page.count('<tr class="further">') == len(found.records) - PAGE_ROWS
    assert "<noscript><style>.further { display: table-row; }" in page
    assert f"The first {PAGE_ROWS} of {len(found.records)} records at risk are printed" in page


def test_methods_can_be_copied(found, page):
    text = re.search(r'<blockquote class="methods">(.*?)</blockquote>', page, re.DOTALL).group(1)
    for fact in (__version__, version("scikit-learn"), "seed was 0", "20 seconds", "Measured, not"):
        assert fact in text
    assert "Proven: at most" in text and len(re.findall(r"\b[0-9a-f]{64}\b", text)) == 2


@pytest.mark.parametrize("narrow", [False, True])
def test_the_number_of_a_bar_stands_at_its_end(narrow):
    from matplotlib.figure import Figure

    shares, ends = np.array([0.1, 0.4]), np.array([0.1, 0.5])
    ax = Figure(figsize=(3.8 if narrow else 7.2, 2)).add_subplot()
    _draw_shares(ax, ["a", "b"], shares, ends, ["10", "40 to 50"])
    assert [text.xy[0] for text in ax.texts] == ends.tolist()
    assert [bar.get_width() for bar in ax.containers[0]] == shares.tolist()


def test_values_are_shown_only_when_asked_for(found, page):
    value = f"{found.X[found.records.rows[0], 0]:g}"
    assert f"<td>{value}</td>" not in page
    with_values = found.to_html(include_values=True)
    assert f"<td>{value}</td>" in with_values and "Handle it like the original" in with_values


def test_a_file_with_nothing_at_risk_has_no_empty_frame(safe):
    page = safe.to_html()
    assert "<figcaption>People found" in page and "guesses included" in page
    assert "No record is found by any attacker" in page
    assert "<tbody>\n</tbody>" not in page


def dumped(path, folder):
    run = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *(
                f"--user-data-dir={folder}",
                "--virtual-time-budget=3000",
                "--dump-dom",
                path.as_uri(),
            ),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return run.stdout


@pytest.mark.skipif(BROWSER is None, reason="no chromium here")
def test_page_lives_in_a_browser_and_fits_a_phone(found, page, tmp_path):
    """In a frame as wide as a small phone: nothing alerts, the table sorts, nothing sticks out."""
    wrapper = f"""<!DOCTYPE html><title>waiting</title>
<iframe id="phone" width="390" height="844" srcdoc="{html.escape(page)}"></iframe>
<script>
window.alert = () => {{ document.body.dataset.alerted = "yes"; }};
document.getElementById("phone").addEventListener("load", (event) => {{
  const inside = event.target.contentDocument;
  const column = () => Array.from(inside.querySelectorAll("table.sortable tbody tr"),
    (row) => Number(row.cells[0].textContent));
  inside.querySelector("table.sortable th button").click();
  const rows = column();
  document.body.dataset.sorted = rows.every((row, i) => i === 0 || rows[i - 1] <= row);
  document.body.dataset.scripts = inside.scripts.length;
  document.body.dataset.images = inside.images.length;
  document.body.dataset.width = inside.documentElement.scrollWidth;
  const shown = () => Array.from(inside.querySelectorAll("table.sortable tbody tr"),
    (row) => row.getBoundingClientRect().height > 0).filter(Boolean).length;
  document.body.dataset.shown = shown();
  inside.querySelector(".pager button:last-child").click();
  document.body.dataset.last = shown();
  const letters = Array.from(inside.querySelectorAll("svg.narrow text"), (text) => {{
    const {{ a, b }} = text.getScreenCTM();
    return Math.hypot(a, b) * parseFloat(getComputedStyle(text).fontSize);
  }});
  document.body.dataset.smallest = Math.min(...letters);
  document.body.dataset.drawings = Array.from(inside.querySelectorAll("svg"),
    (svg) => svg.getBoundingClientRect().height > 50).filter(Boolean).length;
}});
</script>"""
    path = tmp_path / "phone.html"
    path.write_text(wrapper, encoding="utf-8")
    body = next(a for tag, a in Elements(dumped(path, tmp_path / "profile")).found if tag == "body")
    assert body["data-sorted"] == "true"
    assert body["data-scripts"] == "1" and body["data-images"] == "0"
    assert "data-alerted" not in body
    assert int(body["data-width"]) <= 390
    assert int(body["data-shown"]) == PAGE_ROWS
    assert int(body["data-last"]) == (len(found.records) % PAGE_ROWS or PAGE_ROWS)
    assert float(body["data-smallest"]) >= 9.0
    assert body["data-drawings"] == "6"
