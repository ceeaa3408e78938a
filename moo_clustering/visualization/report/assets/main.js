// Start: what is seen first comes first.

async function start() {
  await loadData();
  if (data.nSolutions) {
    state.selected = data.chosen;
    if (byId("ask")) await startAsking();
    showSelection();
    showFront();
    showMap();
    showTable();
    startClusters();
    startHeatmap();
    showKnown();
    showCuts();
    showDoubts();
    showTake();
    startSamples();
    startCompare();
    showAgreement();
  } else {
    for (const id of ["selection", "front", "map", "solutions", "clusters", "heatmap", "samples", "compare"]) byId(id).hidden = true;
  }
  showHistory();
  showPanels();
  if (data.objectives.length && data.nSolutions) await drawn("front-figure");
  document.documentElement.dataset.ready = "true";
}

function tellProblem(error) {
  const place = byId("problem");
  place.textContent = error.message;
  place.hidden = false;
  throw error;
}

window.report = {
  ready: start().catch(tellProblem),
  select,
  compare,
  drawn,
  labels: labelsOf,
  agreement: () => comparing.now?.index ?? null,
  get selected() {
    return state.selected;
  },
  get compared() {
    return state.compared;
  },
};
