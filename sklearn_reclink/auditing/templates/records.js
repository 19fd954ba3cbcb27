"use strict";
// Headings of the table of records become buttons that sort it; its rows are shown in pages.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = Array.from(table.tHead.rows[0].cells);
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const order = (a, b) => {
    const numbers = [Number(a), Number(b)];
    return numbers.every(Number.isFinite) ? numbers[0] - numbers[1] : compare(a, b);
  };
  const size = Number(table.dataset.page);
  const pages = Math.ceil(body.rows.length / size);
  const place = document.createElement("span");
  let page = 0;
  const show = (wanted) => {
    page = Math.min(Math.max(wanted, 0), pages - 1);
    Array.from(body.rows).forEach((row, k) => {
      row.classList.toggle("further", Math.floor(k / size) !== page);
    });
    const last = Math.min((page + 1) * size, body.rows.length);
    place.textContent = `${page * size + 1} to ${last} of ${body.rows.length}`;
    first.disabled = earlier.disabled = page === 0;
    last_page.disabled = later.disabled = page === pages - 1;
  };
  const button = (text, turn) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", turn);
    return made;
  };
  const first = button("First", () => show(0));
  const earlier = button("Previous", () => show(page - 1));
  const later = button("Next", () => show(page + 1));
  const last_page = button("Last", () => show(pages - 1));
  if (pages > 1) {
    const pager = document.createElement("nav");
    pager.className = "pager";
    pager.setAttribute("aria-label", "pages of the table");
    place.setAttribute("aria-live", "polite");
    pager.append(first, earlier, place, later, last_page);
    table.parentElement.after(pager);
    window.addEventListener("beforeprint", () => show(0));
  }
  headings.forEach((heading, column) => {
    const text = (row) => row.cells[column].textContent;
    const sort = () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = Array.from(body.rows).sort((a, b) => order(text(a), text(b)));
      body.append(...(descending ? rows.reverse() : rows));
      show(0);
    };
    heading.replaceChildren(button(heading.textContent, sort));
  });
  show(0);
}
