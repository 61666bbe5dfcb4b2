// From a run's values to the points of a drawn curve.

const MOST_DRAWN = 2000;
const BUCKETS = 1000;

/** Points in the order of x: {x, y, row}, each a list. */
function pointsOf(run, metric) {
  const series = run.series.get(metric);
  if (!series) return null;
  run.points ??= new Map();
  const key = `${view.axis} ${metric}`;
  if (!run.points.has(key)) run.points.set(key, sortedPoints(series, run.positions[view.axis]));
  return run.points.get(key);
}

function sortedPoints(series, positions) {
  const order = series.rows.map((row, index) => ({ x: positions[row], y: series.values[index], row }));
  // A run that was taken up again further back has rows that overlap.
  if (order.some((point, i) => i > 0 && point.x < order[i - 1].x)) order.sort((a, b) => a.x - b.x || a.row - b.row);
  return { x: order.map((point) => point.x), y: order.map((point) => point.y), row: order.map((point) => point.row) };
}

/** Indices from..to (exclusive) of the points within the x range, with a neighbour at each side. */
function indicesWithin(points, [from, to]) {
  const begin = Math.max(0, lastAtMost(points.x, from - 1e-12));
  const end = Math.min(points.x.length, lastAtMost(points.x, to) + 2);
  return [begin, end];
}

/** Indices to draw: all, or of too many the first, lowest, highest and last of each stretch of the x axis. */
function thinnedIndices(points, [begin, end], [from, to]) {
  const all = Array.from({ length: end - begin }, (_, i) => begin + i);
  if (all.length <= MOST_DRAWN) return all;
  const drawn = [];
  let bucket = [];
  let current = null;
  const flush = () => {
    drawn.push(...[...new Set(extremesOf(points, bucket))].sort((a, b) => a - b));
    bucket = [];
  };
  for (const index of all) {
    const place = Math.floor(((points.x[index] - from) / (to - from)) * BUCKETS);
    if (place !== current) flush();
    current = place;
    bucket.push(index);
  }
  flush();
  return drawn;
}

function extremesOf(points, indices) {
  if (indices.length === 0) return [];
  let low = null;
  let high = null;
  const wild = [];
  for (const index of indices) {
    const value = points.y[index];
    if (!Number.isFinite(value)) {
      if (wild.length === 0) wild.push(index);
      continue;
    }
    if (low === null || value < points.y[low]) low = index;
    if (high === null || value > points.y[high]) high = index;
  }
  return [indices[0], low, high, ...wild, indices[indices.length - 1]].filter((index) => index !== null);
}

function isDrawable(value) {
  return Number.isFinite(value) && (!view.log || value > 0);
}

/** Lowest and highest drawable value of the points that are seen. */
function rangeOf(points, [begin, end], [from, to]) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = begin; i < end; ++i) {
    const value = points.y[i];
    if (!isDrawable(value) || points.x[i] < from || points.x[i] > to) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** The text of an SVG path; what cannot be drawn is a gap. A point alone in a gap is drawn as a short dash. */
function pathThrough(points, indices, xScale, yScale) {
  let text = "";
  let pen = false;
  indices.forEach((index, i) => {
    if (!isDrawable(points.y[index])) {
      pen = false;
      return;
    }
    const at = `${xScale(points.x[index]).toFixed(2)},${yScale(points.y[index]).toFixed(2)}`;
    const next = indices[i + 1];
    const isAlone = !pen && (next === undefined || !isDrawable(points.y[next]));
    text += `${pen ? "L" : "M"}${at}${isAlone ? "h0.01" : ""}`;
    pen = true;
  });
  return text;
}
