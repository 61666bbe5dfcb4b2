// The runs as the page's data block has them, made ready to draw. Files of this folder share one scope, in the
// order in which core/CMakeLists.txt names them.

const data = JSON.parse(document.getElementById("data").textContent);
const AXES = ["step", "epoch", "time"];
const COLORS = 8;

/** What the controls have set. `zoom` is [from, to] on the x axis, or null. */
const view = { axis: "step", log: false, marks: true, zoom: null };

function numberOf(value) {
  if (value === "nan") return NaN;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  return value;
}

/** The last index whose number is <= value, or -1; the numbers ascend. */
function lastAtMost(numbers, value) {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Answers how many epochs are over at a step: a straight line within each epoch. */
function epochScale(epochs, steps) {
  if (steps.length === 0) return () => 0;
  const ends = new Map();
  epochs.forEach((epoch, row) => ends.set(epoch, Math.max(ends.get(epoch) ?? -1, steps[row])));
  const knots = [epochs[0] === 0 ? [-1, 0] : [steps[0] - 1, epochs[0]]];
  for (const [epoch, step] of [...ends].sort((a, b) => a[0] - b[0])) {
    if (step > knots[knots.length - 1][0]) knots.push([step, epoch + 1]);
  }
  extendOpenEpoch(knots);
  const knotSteps = knots.map((knot) => knot[0]);
  return (step) => {
    const at = Math.min(Math.max(lastAtMost(knotSteps, step), 0), knots.length - 2);
    if (at < 0) return knots[0][1];
    const [fromStep, from] = knots[at];
    const [toStep, to] = knots[at + 1];
    return from + ((step - fromStep) / (toStep - fromStep)) * (to - from);
  };
}

/** The last epoch may not be over: it is taken to be as long as the one before. */
function extendOpenEpoch(knots) {
  if (knots.length < 3) return;
  const [beforeStep, before] = knots[knots.length - 3];
  const [startStep, start] = knots[knots.length - 2];
  const last = knots[knots.length - 1];
  const usual = startStep + ((startStep - beforeStep) / (start - before)) * (last[1] - start);
  last[0] = Math.max(last[0], usual);
}

function prepareSeries(series, rowCount) {
  const rows = series.rows ?? Array.from({ length: rowCount }, (_, row) => row);
  return { rows, values: series.values.map(numberOf) };
}

function prepareRun(run, index) {
  const epochAt = epochScale(run.epoch, run.step);
  const time = run.time.map(numberOf);
  return {
    ...run,
    index,
    shown: true,
    color: `var(--run-${index % COLORS})`,
    epochAt,
    positions: { step: run.step, epoch: run.step.map(epochAt), time },
    series: new Map(run.series.map((each) => [each.name, prepareSeries(each, run.step.length)])),
  };
}

const runs = data.runs.map(prepareRun);
const isSingle = runs.length === 1;

function shownRuns() {
  return runs.filter((run) => run.shown);
}

/** Where on the x axis a checkpoint stands: at the row of its last step. */
function positionOfCheckpoint(run, checkpoint) {
  if (view.axis === "time") return numberOf(checkpoint.seconds);
  const step = checkpoint.steps - 1;
  return view.axis === "step" ? step : run.epochAt(step);
}

/** The rows that a validation has measured. */
const validationMetrics = new Set(
  data.charts.flatMap((chart) => chart.lines.filter((line) => line.role === "val").map((line) => line.metric)));

function validationRows(run) {
  const rows = new Set();
  for (const metric of validationMetrics) run.series.get(metric)?.rows.forEach((row) => rows.add(row));
  return [...rows].sort((a, b) => a - b);
}

/** An element with attributes; children are elements or texts, which are never taken for markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function swatch(color) {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.background = color;
  return made;
}
