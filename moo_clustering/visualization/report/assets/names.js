// Renaming of the clusters of the chosen solution, in the table of clusters.

const naming = { names: {}, original: {}, known: undefined, stores: true };
const namesKey = () => `moo-clustering names ${data.namesKey}`;

function editsNames() {
  return state.selected === data.chosen;
}

function startNames() {
  const { chosen } = data;
  naming.known = data.clusterNames[chosen];
  naming.original = clustersOf(sizesOf(chosen)).filter((k) => k >= 0).reduce((names, k) => Object.assign(names, { [k]: clusterName(chosen, k) }), {});
  try {
    const stored = JSON.parse(localStorage.getItem(namesKey()) ?? "{}");
    for (const [cluster, name] of Object.entries(stored)) if (cluster in naming.original && typeof name === "string") naming.names[cluster] = name;
  } catch {
    naming.stores = false;
  }
  useNames();
  follow(["selected"], noteNames);
  noteNames();
}

// Show the names in all parts of the page.
function useNames() {
  const { chosen } = data;
  if (naming.known || Object.keys(naming.names).length) data.clusterNames[chosen] = Object.assign([], naming.known, naming.original, naming.names);
  else delete data.clusterNames[chosen];
  for (const place of document.querySelectorAll(".headline [data-cluster]")) place.textContent = clusterName(chosen, place.dataset.cluster);
}

// Return the command that applies the names, with the folder of the run if other commands on the page contain it.
function renameCommand() {
  const found = data.lines.map(([, code]) => /^moo-clustering (?:predict (.*) new\.csv|ask (.*))$/.exec(code)).find(Boolean);
  return `moo-clustering rename ${found?.[1] ?? found?.[2] ?? "DIR"} --names names.json`;
}

function noteNames() {
  const place = byId("names-note");
  place.hidden = !editsNames();
  place.replaceChildren("Press the name of a cluster to change it. ");
  if (byId("ask")) return place.append("Names are saved in the folder of the run.");
  place.append(naming.stores ? "This browser remembers the names. " : "The names are lost when this page is closed. ");
  if (!Object.keys(naming.names).length) return undefined;
  const save = () => saveFile("names.json", "application/json", `${JSON.stringify(naming.names, null, 2)}\n`);
  place.append(button("Download names.json", save, { id: "download-names", class: "sample" }), " to apply the names with ",
    element("code", {}, renameCommand()), ".");
  return undefined;
}

// Renames a cluster; an empty name restores the original name. Returns the reason if the name cannot be used, or "".
async function giveName(cluster, text) {
  const name = text.trim().replace(/\s+/g, " ");
  const others = Object.keys(naming.original).filter((other) => Number(other) !== cluster);
  const wanted = name || naming.original[cluster];
  if (others.some((other) => clusterName(data.chosen, other) === wanted)) return "Another cluster has this name.";
  if (byId("ask")) return saveName(cluster, name);
  if (wanted === clusterName(data.chosen, cluster)) return "";
  if (wanted === naming.original[cluster]) delete naming.names[cluster];
  else naming.names[cluster] = name;
  try {
    localStorage.setItem(namesKey(), JSON.stringify(naming.names));
  } catch {
    naming.stores = false;
  }
  useNames();
  return "";
}

// Save a name in the folder of the run. The server knows the names of the fit.
async function saveName(cluster, name) {
  let names = null;
  await changed("rename", { cluster, name }, (_, after) => ((names = after.clusterNames), "Named."));
  if (!names) return byId("ask-problem").textContent || byId("ask-told").textContent || "Not saved.";
  naming.names = names;
  useNames();
  select(data.chosen); // The new state selects the partition of the answers.
  return "";
}

function nameEditor(cluster) {
  const place = byId("clusters-table").querySelector(`[data-cluster="${cluster}"] .naming`);
  const why = element("span", { role: "alert", class: "why" });
  const input = element("input", { maxlength: 200, "aria-label": `Name of cluster ${cluster}`, value: clusterName(data.chosen, cluster), autocomplete: "off" });
  const close = () => {
    for (const tell of new Set(followers.selected)) tell();
    byId("clusters-table").querySelector(`[data-cluster="${cluster}"] .naming button`)?.focus({ preventScroll: true });
  };
  const save = async () => {
    why.textContent = await giveName(cluster, input.value);
    if (why.textContent) input.focus();
    else close();
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault(); // Enter would press the button that gets the focus.
    if (event.key === "Enter") save();
    else close();
  });
  place.replaceChildren(input, " ", button("Save", save), why);
  input.select();
}

function namedCell(cluster) {
  const name = shortened(clusterName(state.selected, cluster), 80);
  if (!editsNames() || cluster < 0) return name;
  return element("span", { class: "naming" }, button(name, () => nameEditor(cluster), { class: "name", title: "Change the name" }));
}
