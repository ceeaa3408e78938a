// Start the page: show visible parts first.

// Programs that print a page wait for its load event, which waits for images. A chain of blank images delays the
// event until the page is filled, for ten seconds at most.
let isFilled = false;
function delayLoad() {
  if (isFilled || performance.now() > 10_000) return;
  const blank = new Image();
  blank.onload = blank.onerror = delayLoad;
  blank.src = `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" id="i${performance.now()}"/>`;
}

async function start() {
  delayLoad();
  await loadData();
  if (data.nSolutions) {
    state.selected = data.chosen;
    startNames();
    if (byId("ask")) await startAsking();
    showSelection();
    showFront();
    showMap();
    showTable();
    startClusters();
    showLimits();
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
  isFilled = true;
  if (data.objectives.length && data.nSolutions) await drawn("front-figure");
  document.documentElement.dataset.ready = "true";
}

function tellProblem(error) {
  isFilled = true;
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
