// The selection, and notifications of its observers.

const state = { selected: 0, compared: null, emphasis: null, sample: null };
const followers = { selected: [], compared: [], emphasis: [], sample: [] };

function follow(names, tell) {
  for (const name of names) followers[name].push(tell);
}

function change(changes) {
  const tell = new Set();
  for (const [name, value] of Object.entries(changes)) {
    if (state[name] === value) continue;
    state[name] = value;
    for (const follower of followers[name]) tell.add(follower);
  }
  for (const follower of tell) follower();
}

function checkedSolution(solution) {
  if (Number.isInteger(solution) && solution >= 0 && solution < data.nSolutions) return solution;
  throw new RangeError(`solutions are 0 to ${data.nSolutions - 1}, got ${solution}`);
}

function select(solution) {
  const selected = checkedSolution(solution);
  const compared = state.compared === selected ? null : state.compared;
  change({ selected, compared, emphasis: null });
}

function compare(solution) {
  const compared = solution === null || solution === state.selected ? null : checkedSolution(solution);
  change({ compared });
}

// The effect of a press on a solution in any figure.
function press(solution, event) {
  if (event?.shiftKey) compare(solution);
  else select(solution);
}
