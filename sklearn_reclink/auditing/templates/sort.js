"use strict";
// Headings of the table of records become buttons that sort it.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = Array.from(table.tHead.rows[0].cells);
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const order = (a, b) => {
    const numbers = [Number(a), Number(b)];
    return numbers.every(Number.isFinite) ? numbers[0] - numbers[1] : compare(a, b);
  };
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const text = (row) => row.cells[column].textContent;
      const rows = Array.from(body.rows).sort((a, b) => order(text(a), text(b)));
      body.append(...(descending ? rows.reverse() : rows));
    });
  });
}
