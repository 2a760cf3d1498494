
"use strict";
(() => {
  document.body.classList.add("scripted");
  const table = document.getElementById("students");
  const rows = [...table.tBodies[0].rows];
  const find = document.getElementById("find");
  const pick = document.getElementById("pick");
  const count = document.getElementById("count");
  const names = new Map(rows.map((row) => [row, row.cells[0].textContent.toLowerCase()]));

  function filter() {
    const name = find ? find.value.trim().toLowerCase() : "";
    let shown = 0;
    for (const row of rows) {
      const kept = names.get(row).includes(name) && (!pick.value || row.dataset.is.split(" ").includes(pick.value));
      row.hidden = !kept;
      shown += kept;
    }
    count.textContent = shown === 1 ? "1 student" : `${shown} students`;
  }

  function value(row, column, text) {
    const said = row.cells[column].textContent.trim();
    if (text) return said.toLowerCase();
    const number = Number.parseFloat(said.replace("+", ""));
    return Number.isNaN(number) ? -Infinity : number;
  }

  function sort(head) {
    const body = head.closest("table").tBodies[0];
    const text = head.dataset.kind === "text";
    const up = head.getAttribute("aria-sort") === "ascending" ? -1
      : head.getAttribute("aria-sort") === "descending" ? 1 : text ? 1 : -1;
    const keyed = [...body.rows].map((row) => [value(row, head.cellIndex, text), row]);
    keyed.sort(([a], [b]) => (text ? a.localeCompare(b) : a - b || 0) * up);
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
    body.append(...keyed.map(([, row]) => row));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.pick) {
      pick.value = button.dataset.pick;
      filter();
      document.getElementById("all").scrollIntoView();
    } else if (button.closest("thead")) {
      sort(button.closest("th"));
    }
  });
  document.addEventListener("submit", (event) => event.preventDefault());
  if (find) find.addEventListener("input", filter);
  pick.addEventListener("change", filter);
  const hide = document.getElementById("hide");
  if (hide) {
    hide.addEventListener("change", () => document.body.classList.toggle("hidden-names", hide.checked));
    document.body.classList.toggle("hidden-names", hide.checked);
  }
  filter();
})();
