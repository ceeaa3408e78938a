// The table of all solutions, with sorting, search, and pages of 200.

const PAGE = 200;
const table = { columns: [], sort: null, descending: false, query: "", page: 0, order: [] };

function numericColumn(title, values, extra = {}) {
  const write = columnWriter(values);
  return { title, numeric: true, value: (s) => values[s], write: (s) => write(values[s]), best: bestOf(values, extra.greater), ...extra };
}

function bestOf(values, greater) {
  const finite = Array.from(values).filter((value) => !Number.isNaN(value));
  if (greater === undefined || greater === null || finite.length < 2) return null;
  const best = finite.reduce((a, b) => (greater ? Math.max(a, b) : Math.min(a, b)));
  return finite.every((value) => value === best) ? null : best;
}

function tableColumns() {
  const columns = [{ title: "solution", numeric: false, value: (s) => data.names[s] }];
  if (data.runs.length) columns.push({ title: "run", numeric: false, value: (s) => data.runs[s] });
  const isGiven = (name) => data.columns.some((column) => keyOf(column.name) === keyOf(name));
  if (!isGiven("clusters")) columns.push(numericColumn("clusters", clusterNumbers()));
  for (const column of data.columns) {
    columns.push(numericColumn(column.name, column.values, { greater: column.greaterIsBetter, objective: column.isObjective }));
  }
  // Counting is too slow for very many solutions and constraints.
  const isCounted = isGiven("constraints satisfied") || isGiven("satisfied constraints");
  if (nConstraints() && !isCounted && nConstraints() * data.nSolutions <= 5e7) {
    const satisfied = data.names.map((_, s) => {
      const { must, cannot } = satisfiedConstraints(s);
      return must + cannot;
    });
    columns.push(numericColumn(`satisfied constraints (of ${counting.format(nConstraints())})`, satisfied, { greater: true }));
  }
  return columns;
}

function sorted(solutions) {
  const { sort, descending } = table;
  if (!sort) return solutions;
  const sign = descending ? -1 : 1;
  const isMissing = (value) => typeof value === "number" && Number.isNaN(value);
  return solutions.sort((a, b) => {
    const [x, y] = [sort.value(a), sort.value(b)];
    if (isMissing(x) || isMissing(y)) return isMissing(x) - isMissing(y) || a - b;
    const order = sort.numeric ? Math.sign(x - y) || 0 : x.localeCompare(y, "en", { numeric: true });
    return sign * order || a - b;
  });
}

function sortBy(column) {
  // The first press sorts the best solution first.
  const again = table.sort === column;
  table.descending = again ? !table.descending : Boolean(column.greater);
  table.sort = column;
  table.page = 0;
  fillTable();
}

function headCell(column) {
  const isSorted = table.sort === column;
  const order = isSorted ? (table.descending ? "descending" : "ascending") : "none";
  const arrow = isSorted ? (table.descending ? "▼" : "▲") : "";
  const better = column.greater === undefined || column.greater === null ? "" : column.greater ? "greater is better" : "smaller is better";
  const name = element("button", { type: "button", click: () => sortBy(column), "data-column": column.title },
    shortened(column.title, 60), element("span", { class: "arrow", "aria-hidden": "true" }, arrow));
  const cell = element("th", { scope: "col", "aria-sort": order, class: column.numeric ? "number" : "" }, name);
  if (better) cell.append(element("span", { class: "better" }, better));
  return cell;
}

// Rules that select a solution, without the parts that its name or the column of its run already shows.
function tagsOf(solution) {
  const roles = data.names[solution].split(", "), run = `${data.runs[solution]}: `;
  const rules = rulesOf(solution).map((rule) => (rule.startsWith(run) ? rule.slice(run.length) : rule));
  return rules.filter((rule) => !roles.includes(rule))
    .map((rule) => element("span", { class: rule === "chosen" ? "tag first" : "tag" }, rule));
}

function bodyCell(column, solution, place) {
  if (place === 0) {
    return element("th", { scope: "row" }, `${shortened(data.names[solution], 80)} `, ...tagsOf(solution));
  }
  if (!column.numeric) return element("td", {}, shortened(column.value(solution), 40));
  const isBest = column.best !== null && column.value(solution) === column.best;
  return element("td", { class: isBest ? "number best" : "number" }, column.write(solution));
}

function bodyRow(solution) {
  return element("tr", { "data-solution": solution, tabindex: "-1" },
    ...table.columns.map((column, place) => bodyCell(column, solution, place)));
}

function fillTable() {
  table.order = sorted(solutionsFound(table.query, table.columns));
  const nPages = Math.max(1, Math.ceil(table.order.length / PAGE));
  table.page = Math.min(table.page, nPages - 1);
  const shown = table.order.slice(table.page * PAGE, (table.page + 1) * PAGE);
  const focused = document.activeElement?.closest("#table th button")?.dataset.column;
  byId("table").querySelector("thead tr").replaceChildren(...table.columns.map(headCell));
  byId("table").querySelector("tbody").replaceChildren(...shown.map(bodyRow));
  if (focused !== undefined) headButton(focused)?.focus();
  const all = counting.format(data.nSolutions);
  byId("search-count").textContent = table.query
    ? `${counting.format(table.order.length)} of ${all}`
    : count(data.nSolutions, "solution");
  pageButtons(byId("table-pages"), table.page, nPages, showPage);
  markRows();
}

function headButton(title) {
  return [...byId("table").querySelectorAll("th button")].find((each) => each.dataset.column === title);
}

function showPage(page) {
  table.page = page;
  fillTable();
  byId("table").scrollTop = 0;
}

function markRows() {
  let reachable = null;
  const rows = [...byId("table").querySelectorAll("tbody tr")];
  for (const row of rows) {
    const solution = Number(row.dataset.solution);
    row.setAttribute("aria-selected", String(solution === state.selected));
    row.classList.toggle("compared", solution === state.compared);
    row.tabIndex = -1;
    if (solution === state.selected) reachable = row;
  }
  reachable ??= rows[0];
  if (reachable) reachable.tabIndex = 0;
}

function showSelectedRow() {
  const place = table.order.indexOf(state.selected);
  const page = Math.floor(place / PAGE);
  if (place >= 0 && page !== table.page) showPage(page);
  else markRows();
  const row = byId("table").querySelector('tr[aria-selected="true"]');
  const box = byId("table");
  if (!row) return;
  // Scroll only the table, not the page.
  const [top, head] = [row.offsetTop, box.querySelector("thead").offsetHeight];
  if (top - head < box.scrollTop) box.scrollTop = top - head;
  else if (top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + row.offsetHeight - box.clientHeight;
}

function moveInTable(event) {
  const row = event.target.closest("tbody tr");
  if (!row) return;
  if (event.key === "Enter" || event.key === " ") press(Number(row.dataset.solution), event);
  else {
    const siblings = [...row.parentElement.children];
    const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling, Home: siblings[0], End: siblings.at(-1) };
    if (!(event.key in to)) return;
    const next = to[event.key];
    if (next) {
      row.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
  }
  event.preventDefault();
}

function showTable() {
  table.columns = tableColumns();
  const example = data.objectives.length ? ` or ${data.objectives[0].name.replace(/\s+/g, "")}>0.5` : "";
  const none = data.objectives.length ? "" : data.columns.some((column) => column.isObjective) ? "The runs have no objective in common, so there is no front to draw. " : "These solutions have no objectives, so there is no front to draw. ";
  note("search-help", `${none}Search for a name${data.runs.length ? ", a run" : ""}, a rule or a condition, such as k=5${example}. ` +
    "Press a row to select it (arrow keys and Enter also work), or hold Shift and press it to compare it.");
  byId("table").append(
    element("table", { role: "grid", "aria-labelledby": "solutions-title", keydown: moveInTable },
      element("thead", {}, element("tr")),
      element("tbody", { click: (event) => {
        const row = event.target.closest("tr");
        if (row) press(Number(row.dataset.solution), event);
      } })),
  );
  byId("search").addEventListener("input", (event) => {
    table.query = event.target.value.trim();
    table.page = 0;
    fillTable();
  });
  follow(["selected"], showSelectedRow);
  follow(["compared"], markRows);
  fillTable();
  showSelectedRow();
}
