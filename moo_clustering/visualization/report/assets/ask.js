// The panel that asks which samples belong together. The server holds the session. The page shows its state, and
// its partition is the solution "answers" of the report.

const asking = { solution: -1, now: null, reopened: null, busy: false, lost: false, moved: [], told: "" };
const WORDS = { together: "Together", apart: "Apart", unknown: "Don't know" };
const SHOWN_FEATURES = 10;
const SHOWN_ANSWERS = 8;

// The question in the panel: the next question, or an answered question that was reopened.
function questionShown() {
  return asking.reopened?.question ?? asking.now.question;
}

async function fetched(path, request) {
  const options = request && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) };
  const response = await fetch(`api/${path}`, options);
  const answer = await response.json();
  return { status: response.status, answer };
}

// Sends a request to the server, one at a time; `tell` formats the changes as a sentence.
async function exchange(path, request, tell) {
  if (asking.busy) return;
  asking.busy = true;
  byId("ask").setAttribute("aria-busy", "true");
  try {
    const { status, answer } = await fetched(path, request);
    asking.lost = false;
    note("ask-problem", "");
    if (status === 200) await tell(answer);
    else if (status === 409) {
      await showState(answer.state);
      sayAfter(`Not saved: ${answer.error}`);
    } else note("ask-problem", `Not saved: ${answer.error ?? `the server rejected the request (${status})`}`);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
    asking.lost = true;
    const unsaved = request ? "This answer was not saved. " : "";
    note("ask-problem", `The server does not respond. ${unsaved}All earlier answers are saved in the folder of the run. ` +
      "Restart moo-clustering explore with --ask, and open the address that it prints.");
    byId("ask-problem").append(" ", button("Try again", refresh, { id: "ask-again" }));
  } finally {
    asking.busy = false;
    byId("ask").removeAttribute("aria-busy");
  }
}

function changed(action, request, words) {
  return exchange(action, { revision: asking.now.revision, ...request }, async (answer) => {
    const before = asking.now;
    const changes = await showState(answer);
    sayAfter([words(before, answer), changes].filter(Boolean).join(" "));
  });
}

function refresh() {
  return exchange("state", null, async (answer) => {
    if (answer.revision === asking.now.revision) return;
    await showState(answer);
    sayAfter("The answers were changed in another window. This is the current question.");
  });
}

function sayAfter(text) {
  byId("ask-told").textContent = text;
}

// Actions of the user.

function giveAnswer(answer) {
  if (asking.reopened) {
    const { number } = asking.reopened;
    return changed("reopen", { number, answer }, () => `Answer ${number + 1} changed.`);
  }
  if (!asking.now.question) return sayAfter("No questions are left.");
  const sure = Number(byId("ask-sure").value);
  byId("ask-sure").value = "1";
  return changed("answer", { answer, confidence: sure < 1 ? sure : null }, (_, after) => {
    const last = after.history.at(-1);
    const word = shortened(WORDS[last.answer] ?? last.answer, 60);
    if (last.probability === null) return `${word}.`;
    const expected = last.probability >= 0.5 ? "together" : "apart";
    const contrary = last.contradicts < 0 ? "" : ` This answer probably contradicts answer ${last.contradicts + 1}.`;
    return `${word}. Expected: ${expected} (${percent(Math.max(last.probability, 1 - last.probability))}).${contrary}`;
  });
}

function undo() {
  if (asking.reopened) return closeReopened();
  if (!asking.now.history.length && !asking.now.canUndo) return sayAfter("There is no answer to undo.");
  return changed("undo", {}, () => "Undone.");
}

function redo() {
  if (!asking.now.canRedo) return sayAfter("There is nothing to redo.");
  return changed("redo", {}, () => "Redone.");
}

function takeBack() {
  const { number } = asking.reopened;
  return changed("reopen", { number, answer: null }, () => `Answer ${number + 1} withdrawn.`);
}

function reopen(number) {
  return exchange(`question/${number}`, null, (question) => {
    asking.reopened = { number, question };
    showQuestion();
    byId("ask").scrollIntoView({ block: "nearest" });
    byId("ask-title").focus();
  });
}

function closeReopened() {
  asking.reopened = null;
  showQuestion();
  sayAfter("The answer is unchanged.");
}

function nameCluster(group) {
  const cell = byId("ask-groups").querySelector(`[data-group="${group}"] .naming`);
  const input = element("input", { maxlength: 200, "aria-label": `Name of cluster ${group}`, value: asking.now.groups[group].name ?? "", autocomplete: "off" });
  const save = () => input.value.trim() && changed("name", { group, name: input.value }, () => "Named.");
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") save();
    if (key === "Escape") showGroups();
  });
  cell.replaceChildren(input, button("Save", save));
  input.select();
}

// Applies a state to the report.

function percent(share) {
  return share > 0 && share < 0.005 ? "less than 1%" : `${Math.round(100 * share)}%`;
}

function clusterText(cluster) {
  return clusterName(asking.solution, cluster);
}

// Assigns to clusters the looks of their predecessors, and returns the moved samples and joined clusters.
function follows(before, after, names) {
  const { rows, columns, counts } = crossed(before, after);
  const places = [];
  const columnOf = bestMatching(counts, columns.length).map((column, i) => (column >= 0 && counts[i][column] ? column : -1));
  columnOf.forEach((column, i) => {
    if (column >= 0 && Math.min(columns[column], rows[i]) >= 0) places[columns[column]] = placeOf(asking.solution, rows[i]);
  });
  const used = new Set(places);
  for (const cluster of columns) {
    if (cluster < 0 || places[cluster] !== undefined) continue;
    let place = 0;
    while (used.has(place)) place++;
    used.add((places[cluster] = place));
  }
  lookPlaces.set(asking.solution, places);
  const successor = new Map(rows.map((cluster, i) => [cluster + 1, columnOf[i] < 0 ? -1 : columns[columnOf[i]] + 1]));
  const moved = [];
  for (let row = 0; row < after.length; row++) if (successor.get(before[row]) !== after[row]) moved.push(row);
  return { moved, joined: joinedClusters(rows, columns, counts, names) };
}

// Describes clusters that were joined, or a cluster that was divided; "" if there are none.
function joinedClusters(rows, columns, counts, names) {
  const [from, to] = [rows, columns].map((clusters) => clusters.length);
  if (from === to) return "";
  const greatest = (values) => values.indexOf(Math.max(...values));
  const into = from > to ? counts.map(greatest) : columns.map((_, j) => greatest(counts.map((row) => row[j])));
  const shared = into.find((place, i) => into.indexOf(place) !== i);
  if (shared === undefined) return "";
  if (from < to) return `Divided cluster: ${names[rows[shared]]}.`;
  const parts = rows.filter((_, i) => into[i] === shared).map((cluster) => names[cluster]);
  return `Joined clusters: ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}.`;
}

// Shows a state, and describes the changes from the previous state in a sentence.
async function showState(now) {
  const labels = await decoded(now.labels);
  const { solution } = asking;
  const before = storedLabels(solution).slice();
  const names = clustersOf(sizesIn(before)).map(clusterText);
  const greatest = labels.reduce((most, label) => (label > most ? label : most), 0);
  if (greatest >= 2 ** (8 * data.labels.BYTES_PER_ELEMENT)) data.labels = Uint32Array.from(data.labels);
  data.labels.set(labels, solution * data.nSamples);
  const { moved, joined } = follows(before, labels, names);
  const isFirst = asking.now === null;
  Object.assign(asking, { now, reopened: null });
  data.clusterNames[solution] = now.groups.map(({ name, group }) => name ?? `cluster ${group}`);
  data.clusters[solution] = now.groups.map(({ exemplars }) => ({ silhouette: null, typical: exemplars, features: [] }));
  describeSolution();
  showQuestion();
  showGroups();
  showAnswers();
  if (isFirst) return "";
  flash(moved);
  if (state.selected !== solution) select(solution);
  else {
    state.emphasis = null;
    for (const tell of new Set([...followers.selected, ...followers.emphasis])) tell();
  }
  fillTable();
  return `${samplesText(moved.length)} moved. ${joined}`.trim();
}

// Updates the numbers of the solution in the table of all solutions.
function describeSolution() {
  const { solution, now } = asking;
  const sizes = now.groups.map(({ size }) => size);
  clusterNumbers()[solution] = sizes.length;
  const agreed = (other) => adjustedRandIndex(contingency(solution, other));
  const affordable = data.nSolutions * data.nSamples <= 4e6;
  const known = { clusters: sizes.length, "smallest cluster": Math.min(...sizes), "agreement with the result": agreed(data.chosen) };
  for (const column of data.columns) if (column.name in known) column.values[solution] = known[column.name];
  if (!data.agreement) return;
  for (let other = 0; other < data.nSolutions; other++) {
    const value = affordable ? agreed(other) : NaN;
    data.agreement[solution * data.nSolutions + other] = data.agreement[other * data.nSolutions + solution] = value;
  }
}

// Rings on the map mark the samples of the question and, briefly, the samples that moved.

function flash(moved) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  asking.moved = moved;
  setTimeout(() => {
    asking.moved = [];
    if (data.map) redraw("map-figure");
  }, 1500);
}

function ringTraces() {
  if (state.selected !== asking.solution) return [];
  const placeOf_ = (map.placeOf ??= new Map(shownPlaces().map((i) => [data.map.rows[i], i])));
  const rings = (rows, own) => {
    const shown = rows.map((row) => placeOf_.get(row)).filter((i) => i !== undefined);
    return {
      type: "scatter", hoverinfo: "skip", meta: { rings: rows },
      x: shown.map((i) => data.map.positions[2 * i]), y: shown.map((i) => data.map.positions[2 * i + 1]), ...own,
    };
  };
  const asked = questionShown()?.samples ?? [];
  const size = markerSize(shownPlaces().length);
  return [
    rings(asking.moved, { mode: "markers", marker: { symbol: "circle-open", size: size + 6, color: SELECTED, line: { width: 2 } } }),
    ...asked.map((row, k) => rings([row], {
      mode: "markers+text", text: [asked.length > 1 ? "AB"[k] : "?"], textposition: "top center", textfont: { size: 16, color: INK, weight: 700 },
      marker: { symbol: "circle-open", size: size + 10, color: INK, line: { width: 3, color: INK } },
    })),
  ];
}

// The panel.

// Marks the words of a text that begin with one of the terms, which may be stems.
function markedText(text, terms) {
  const stems = terms.map((term) => (term.length > 3 ? term.toLowerCase().replace(/i$/, "") : term.toLowerCase()));
  const parts = text.split(/([\p{L}\p{N}][\p{L}\p{N}'’-]*)/u);
  const isMarked = (word) => stems.some((stem) => (stem.length > 2 ? word.startsWith(stem) : word === stem));
  return parts.map((part, place) => (place % 2 && isMarked(part.toLowerCase()) ? element("mark", {}, part) : part));
}

function isolated(text) {
  return element("bdi", {}, text);
}

function sampleHead(name, place, { samples, beside }) {
  const several = samples.length > 1;
  const head = element("th", { scope: "col" }, several ? element("span", { class: "letter" }, "AB"[place]) : "", isolated(shortened(name, 120)));
  const group = several && place === 1 && beside !== null && asking.now.groups[beside];
  // Describe the group of the second sample by its answered samples.
  const others = group ? group.exemplars.filter((row) => row !== samples[1]) : [];
  if (others.length) {
    const title = group.name === null ? `cluster ${group.group}` : `“${shortened(group.name, 40)}”`;
    const examples = others.map((row) => shortened(data.sampleNames[row], 24)).join(", ");
    head.append(element("span", { class: "beside" }, isolated(`in ${title} of ${count(group.anchors, "answer")}, with ${examples}`)));
  }
  return head;
}

// The server finds the picture by the row of the table. The security policy of the page allows only embedded data.
function picture(row, name) {
  const unreadable = () => image.replaceWith("The picture cannot be read.");
  const image = element("img", { class: "picture", alt: `Picture of ${shortened(name, 60)}`, load: () => URL.revokeObjectURL(image.src), error: unreadable });
  fetch(`api/picture/${row}`).then((response) => response.blob()).then((bytes) => (image.src = URL.createObjectURL(bytes))).catch(unreadable);
  return image;
}

function featureRow([name, values, difference]) {
  const cells = values.map((value) => element("td", {}, isolated(shortened(value, 400))));
  const away = difference === null ? [] : [element("td", { class: "number" }, difference ? number(Number(difference.toFixed(1))) : "equal")];
  return element("tr", {}, element("th", { scope: "row" }, isolated(shortened(name, 60))), ...cells, ...away);
}

function samplesTable(question) {
  const { shown } = question;
  const several = shown.names.length > 1;
  const compares = shown.features.length > 0;
  const differing = shown.features.filter(([, , difference]) => difference > 0);
  const first = differing.slice(0, SHOWN_FEATURES);
  const rest = shown.features.filter((line) => !first.includes(line));
  const title = `difference${several ? "" : " from the mean"}, in standard deviations`;
  const head = element("tr", {}, element("td"), ...shown.names.map((name, k) => sampleHead(name, k, question)),
    ...(compares ? [element("th", { scope: "col", class: "number" }, title)] : []));
  const without = shown.notes.map(([name, values]) => [name, values, compares ? 0 : null]);
  const texts = shown.texts.length
    ? [element("tr", {}, element("th", { scope: "row" }, "text"), ...shown.texts.map((text, k) => element("td", { class: "document", dir: "auto" }, ...markedText(text, shown.words[k] ?? []))),
      ...(compares ? [element("td")] : []))]
    : [];
  const pictures = question.pictures.some(Boolean)
    ? [element("tr", {}, element("th", { scope: "row" }, "picture"), ...question.pictures.map((there, k) => element("td", {}, there ? picture(question.samples[k], shown.names[k]) : "")),
      ...(compares ? [element("td")] : []))]
    : [];
  const notes = without.map((line) => featureRow(line));
  if (compares) for (const row of notes) row.lastChild.textContent = "";
  const body = element("tbody", {}, ...pictures, ...texts, ...first.map(featureRow), ...notes);
  const made = element("table", { "aria-labelledby": "ask-title" }, element("thead", {}, head), body);
  if (!rest.length) return made;
  const alike = rest.length - (differing.length - first.length);
  const more = button(rest.length === alike ? `${count(alike, "feature")} with equal values` : `${count(rest.length, "more feature")}`, () => {
    body.append(...rest.map(featureRow));
    more.remove();
  }, { class: "more" });
  return element("div", {}, made, more);
}

function answerButtons() {
  const key = (letter) => element("kbd", { "aria-hidden": "true" }, letter);
  const made = (text, letter, act, id) => button(text, act, { id, "aria-keyshortcuts": letter, class: "answer" });
  const withKey = (each, letter) => (each.append(" ", key(letter)), each);
  const pair = [["together", "T"], ["apart", "A"]].map(([word, letter]) => withKey(made(WORDS[word], letter, () => giveAnswer(word), `ask-${word}`), letter));
  const shared = [
    withKey(made(WORDS.unknown, "?", () => giveAnswer("unknown"), "ask-unknown"), "?"),
    withKey(made("Undo", "U", undo, "ask-undo"), "U"),
    withKey(made("Redo", "R", redo, "ask-redo"), "R"),
  ];
  return [...pair, ...shared];
}

// The probability that the next answer is right; an uncertain answer counts for less.
function sureChoice() {
  const option = ([value, text]) => element("option", { value }, text);
  const choice = element("select", { id: "ask-sure", "aria-keyshortcuts": "S" }, ...[["1", "certain"], ["0.8", "fairly sure"], ["0.6", "unsure"]].map(option));
  return element("label", { id: "ask-sure-label" }, "The next answer is ", choice, " ", element("kbd", { "aria-hidden": "true" }, "S"));
}

function nextSure() {
  const choice = byId("ask-sure");
  choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
  sayAfter(`The next answer is ${choice.selectedOptions[0].text}.`);
}

// The buttons are the same elements for all questions, so that the focus does not move.
function startButtons() {
  byId("ask-buttons").append(
    ...answerButtons(),
    button("Withdraw the answer", takeBack, { id: "ask-take-back", hidden: true }),
    button("Leave it unchanged", closeReopened, { id: "ask-close", hidden: true }),
    sureChoice(),
  );
  byId("ask-new").addEventListener("keydown", ({ key }) => {
    if (key === "Enter") answerByName();
    if (key === "Escape") byId("ask-title").focus();
  });
  byId("ask-name").addEventListener("click", answerByName);
}

function answerByName() {
  const name = byId("ask-new").value.trim();
  if (!name) return sayAfter("Enter a class name first.");
  byId("ask-new").value = "";
  return giveAnswer(name);
}

function knownNames() {
  return [...new Set(asking.now.groups.map(({ name }) => name).filter((name) => name !== null))];
}

function showNames() {
  byId("ask-known").replaceChildren(...knownNames().map((name, place) => {
    const made = button("", () => giveAnswer(name), { class: "answer" });
    made.append(isolated(shortened(name, 60)), ...(place < 9 ? [" ", element("kbd", { "aria-hidden": "true" }, String(place + 1))] : []));
    return element("li", {}, made);
  }));
}

function showQuestion() {
  const question = questionShown();
  const { reopened, now } = asking;
  const isPair = question ? question.samples.length > 1 : now.mode === "pairs";
  const asked = isPair ? `Do these two ${data.sampleKind}s belong together?` : `What is the class of this ${data.sampleKind}?`;
  byId("ask-title").textContent = question ? asked : "No questions are left";
  const old = reopened && now.history[reopened.number].answer;
  byId("ask-number").textContent = reopened
    ? `answer ${reopened.number + 1}, currently ${WORDS[old] ? `“${WORDS[old]}”` : `“${shortened(old, 40)}”`}`
    : `question ${now.history.length + 1}`;
  byId("ask").classList.toggle("reopened", Boolean(reopened));
  byId("ask-samples").replaceChildren(...(question ? [samplesTable(question)] : []));
  for (const id of ["ask-together", "ask-apart"]) byId(id).hidden = !isPair;
  byId("ask-names").hidden = isPair;
  for (const id of ["ask-take-back", "ask-close"]) byId(id).hidden = !reopened;
  for (const id of ["ask-undo", "ask-redo"]) byId(id).hidden = Boolean(reopened);
  byId("ask-sure-label").hidden = Boolean(reopened) || !now.errorRate;
  byId("ask-undo").setAttribute("aria-disabled", String(!now.canUndo));
  byId("ask-redo").setAttribute("aria-disabled", String(!now.canRedo));
  if (!isPair) showNames();
  byId("ask-state").textContent = now.summary;
  byId("ask-state").classList.toggle("may-stop", now.mayStop);
  showCourse();
  if (data.map && figures.has("map-figure")) redraw("map-figure");
}

// The expected error after every answer.
function showCourse() {
  const errors = asking.now.history.map((line) => line.expected_error);
  byId("ask-course").hidden = errors.length < 2;
  if (errors.length < 2) return;
  const greatest = Math.max(...errors, 0.01);
  const points = errors.map((error, i) => `${(100 * i) / (errors.length - 1)},${30 - (28 * error) / greatest}`).join(" ");
  byId("ask-course").querySelector("polyline").setAttribute("points", points);
  byId("ask-course-text").textContent = `Expected share of misplaced ${data.sampleKind}s after each answer: from ${percent(errors[0])} to ${percent(errors.at(-1))}`;
}

function showGroups() {
  const nameOf = ({ group, name }) => (name === null ? `cluster ${group}` : shortened(name, 60));
  const rows = asking.now.groups.map((line) => {
    const examples = line.exemplars.flatMap((row, k) => [k ? ", " : "", button(shortened(data.sampleNames[row], 40), () => pointOut(row), { class: "sample" })]);
    return element("tr", { "data-group": line.group },
      element("th", { scope: "row", class: "naming" }, swatch(lookOf(placeOf(asking.solution, line.group))), " ", isolated(nameOf(line)), " ",
        button("Name", () => nameCluster(line.group), { class: "small", "aria-label": `Name ${nameOf(line)}` })),
      element("td", { class: "number" }, counting.format(line.size)),
      element("td", { class: "number" }, line.anchors ? counting.format(line.anchors) : "–"),
      element("td", {}, ...examples));
  });
  const heads = [["cluster", ""], [`${data.sampleKind}s`, "number"], ["answered", "number"], ["examples", ""]];
  byId("ask-groups").replaceChildren(element("table", { "aria-labelledby": "ask-groups-title" },
    element("thead", {}, element("tr", {}, ...heads.map(([name, kind]) => element("th", { scope: "col", class: kind }, name)))),
    element("tbody", {}, ...rows)));
}

function answerRow(line, number) {
  const names = [line.i, line.j].filter((row) => row >= 0).map((row) => shortened(data.sampleNames[row], 40));
  const contrary = line.contradicts < 0 ? [] : [element("span", { class: "contrary" }, ` contradicts ${line.contradicts + 1}`)];
  return element("tr", {},
    element("th", { scope: "row", class: "number" }, String(number + 1)),
    element("td", {}, ...names.flatMap((name, k) => [k ? " and " : "", isolated(name)])),
    element("td", {}, isolated(WORDS[line.answer] ?? shortened(line.answer, 60)), ...contrary),
    element("td", { class: "number" }, percent(line.moved)),
    element("td", {}, button("Change", () => reopen(number), { class: "small", "aria-label": `Change answer ${number + 1}` })));
}

const answers = { page: 0 };

function showAnswers() {
  const { history } = asking.now;
  const nPages = Math.max(1, Math.ceil(history.length / SHOWN_ANSWERS));
  answers.page = Math.min(answers.page, nPages - 1);
  const newest = history.map((line, number) => [line, number]).reverse();
  const shown = newest.slice(answers.page * SHOWN_ANSWERS, (answers.page + 1) * SHOWN_ANSWERS);
  const heads = ["", `${data.sampleKind}s`, "answer", "moved", ""];
  byId("ask-answers").replaceChildren(...(shown.length ? [element("table", { "aria-labelledby": "ask-answers-title" },
    element("thead", {}, element("tr", {}, ...heads.map((name) => element("th", { scope: "col", class: name === "moved" ? "number" : "" }, name)))),
    element("tbody", {}, ...shown.map(([line, number]) => answerRow(line, number))))] : [element("p", { class: "note" }, "There are no answers yet.")]));
  pageButtons(byId("ask-answers-pages"), answers.page, nPages, (page) => {
    answers.page = page;
    showAnswers();
  });
}

function pressKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("input, select, textarea")) return;
  if (!byId("ask-keys").checked) return;
  const isPair = questionShown() ? questionShown().samples.length > 1 : asking.now.mode === "pairs";
  const acts = { "?": () => giveAnswer("unknown"), u: undo, r: redo, s: () => byId("ask-sure-label").hidden || nextSure(), Escape: () => asking.reopened && closeReopened() };
  if (isPair) Object.assign(acts, { t: () => giveAnswer("together"), a: () => giveAnswer("apart") });
  else {
    knownNames().slice(0, 9).forEach((name, place) => (acts[place + 1] = () => giveAnswer(name)));
    acts.n = () => byId("ask-new").focus();
  }
  const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  act();
  event.preventDefault();
}

async function startAsking() {
  asking.solution = data.rules.find(([rule]) => rule === "answers")[1];
  state.selected = asking.solution;
  byId("ask").after(byId("map"), byId("ask-groups-card"), byId("ask-answers-card"), byId("selection"));
  // Do not repeat the message that is shown beside the buttons.
  byId("summary").removeAttribute("aria-live");
  map.overlays.push(ringTraces);
  const { status, answer } = await fetched("state");
  if (status !== 200) throw new Error("The session cannot be read.");
  startButtons();
  await showState(answer);
  document.addEventListener("keydown", pressKey);
  document.addEventListener("visibilitychange", () => document.hidden || refresh());
}
