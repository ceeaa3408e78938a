// The bar with the selected solution and the selection rules.

function rulesOf(solution) {
  const rules = data.rules.filter(([, chosen]) => chosen === solution).map(([rule]) => rule);
  return solution === data.chosen ? ["chosen", ...rules] : rules;
}

function constraintText(solution) {
  const { must, cannot } = satisfiedConstraints(solution);
  return `${counting.format(must + cannot)} of ${count(nConstraints(), "constraint")} satisfied`;
}

function summaryParts(solution) {
  const parts = [count(numberOfClusters(solution), "cluster")];
  const none = sizesOf(solution)[0];
  if (none) parts.push(`${samplesText(none)} in no cluster`);
  if (nConstraints()) parts.push(constraintText(solution));
  if (data.runs.length) parts.push(`run ${data.runs[solution]}`);
  return parts;
}

// Shown while the part for methodologists is open.
function objectiveParts(solution) {
  const known = data.objectives.filter((column) => !Number.isNaN(column.values[solution]));
  return known.map((column) => `${column.name} ${number(column.values[solution])}`);
}

function showSummary() {
  const parts = summaryParts(state.selected);
  byId("summary").replaceChildren(
    element("strong", {}, data.names[state.selected]),
    ...parts.map((part) => element("span", {}, part)),
    ...objectiveParts(state.selected).map((part) => element("span", { class: "objective" }, part)),
  );
  const [shown, chosen] = [state.selected, data.chosen].map((solution) => count(numberOfClusters(solution), "cluster"));
  note("shown", state.selected === data.chosen ? "" : `The page shows the solution “${data.names[state.selected]}” with ${shown}. The method's choice has ${chosen}.`);
  byId("previous").disabled = state.selected === 0;
  byId("next").disabled = state.selected === data.nSolutions - 1;
  for (const each of byId("rules").querySelectorAll("button")) {
    each.setAttribute("aria-pressed", String(Number(each.dataset.solution) === state.selected));
  }
}

// Rules of several runs begin with the name of their run, which is shown only before its first rule.
function saidOnce(rules) {
  let last = null;
  return rules.map((rule) => {
    const run = runNames().find((name) => rule.startsWith(`${name}: `)) ?? null;
    const isAgain = run !== null && run === last;
    last = run;
    return isAgain ? rule.slice(run.length + 2) : rule;
  }).join(", ");
}

function showSelection() {
  // One button per solution, with all rules that select it in its title.
  const choices = new Map([[data.chosen, ["the method's choice"]]]);
  for (const [rule, solution] of data.rules) choices.set(solution, [...(choices.get(solution) ?? []), rule]);
  byId("rules").append(
    element("span", { class: "rules-title" }, "Choose:"),
    ...[...choices].map(([solution, rules]) => button(solution === data.chosen ? rules[0] : saidOnce(rules), () => select(solution), {
      "data-solution": solution, title: `${data.names[solution]}: ${rules.map((rule) => (rule === "the method's choice" ? rule : `choose("${rule}")`)).join(", ")}`,
    })),
  );
  byId("rules").hidden = choices.size < 2;
  byId("previous").addEventListener("click", () => select(state.selected - 1));
  byId("next").addEventListener("click", () => select(state.selected + 1));
  byId("download-labels").addEventListener("click", downloadLabels);
  follow(["selected"], showSummary);
  showSummary();
}
