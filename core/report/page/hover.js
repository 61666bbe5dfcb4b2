// What is under the pointer, or under the cursor that the arrow keys move: exact values; and zooming.

const tooltip = element("div", { class: "tooltip", role: "status", hidden: true });

function addHover(chart) {
  const pixel = (event) => event.clientX - chart.host.getBoundingClientRect().left;
  let pressedAt = null;

  chart.host.addEventListener("pointermove", (event) => {
    if (!chart.svg) return;
    if (pressedAt !== null && event.pointerType === "mouse") showSelection(chart, pressedAt, pixel(event));
    hoverAt(chart, chart.x.valueAt(pixel(event)), event.clientY);
  });
  chart.host.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" && event.button === 0 && chart.svg) pressedAt = pixel(event);
    if (event.pointerType === "touch" && chart.svg) hoverAt(chart, chart.x.valueAt(pixel(event)), event.clientY);
  });
  chart.host.addEventListener("pointerup", (event) => {
    const from = pressedAt;
    pressedAt = null;
    chart.selection?.setAttribute("width", 0);
    if (from !== null && Math.abs(pixel(event) - from) > 8) zoomTo(chart.x.valueAt(from), chart.x.valueAt(pixel(event)));
  });
  chart.host.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "touch") return;  // a finger is lifted to read what it was on
    pressedAt = null;
    chart.selection?.setAttribute("width", 0);
    hideAllHovers();
  });
  chart.host.addEventListener("dblclick", () => setZoom(null));
  chart.host.addEventListener("keydown", (event) => moveByKey(chart, event));
  chart.host.addEventListener("focusout", hideAllHovers);

  chart.hideHover = () => {
    chart.at = null;
    if (chart.cross) chart.cross.setAttribute("visibility", "hidden");
    chart.spots?.replaceChildren();
  };
  chart.addCross = () => {
    const { top, bottom } = chart.box;
    chart.selection = shape("rect", { class: "selection", y: top, height: bottom - top, width: 0 });
    chart.cross = shape("path", { class: "cross", visibility: "hidden" });
    chart.spots = shape("g", { class: "spots" });
    chart.svg.append(chart.selection, chart.cross, chart.spots);
  };
}

function hideAllHovers() {
  tooltip.hidden = true;
  charts.forEach((chart) => chart.hideHover());
}

function showSelection(chart, from, to) {
  const { left, right } = chart.box;
  const [a, b] = [Math.min(from, to), Math.max(from, to)].map((x) => Math.min(Math.max(x, left), right));
  chart.selection.setAttribute("x", a);
  chart.selection.setAttribute("width", b - a);
}

function zoomTo(from, to) {
  const [low, high] = view.zoom ?? commonDomain();
  setZoom([Math.max(low, Math.min(from, to)), Math.min(high, Math.max(from, to))]);
}

/** The x of a value of this chart that is nearest to `x`, or null. */
function nearestX(chart, x) {
  let nearest = null;
  for (const { points } of chart.drawn) {
    const at = lastAtMost(points.x, x);
    for (const index of [at, at + 1]) {
      const candidate = points.x[index];
      if (candidate === undefined || !chart.isSeen(candidate)) continue;
      if (nearest === null || Math.abs(candidate - x) < Math.abs(nearest - x)) nearest = candidate;
    }
  }
  return nearest;
}

/** The next x of this chart to the right (direction 1) or left (-1) of `x`. */
function nextX(chart, x, direction) {
  let next = null;
  for (const { points } of chart.drawn) {
    const index = direction > 0 ? lastAtMost(points.x, x) + 1 : lastBelow(points.x, x);
    const candidate = points.x[index];
    if (candidate === undefined || !chart.isSeen(candidate)) continue;
    if (next === null || (candidate - next) * direction < 0) next = candidate;
  }
  return next;
}

function lastBelow(numbers, value) {
  let index = lastAtMost(numbers, value);
  while (index >= 0 && numbers[index] >= value) --index;
  return index;
}

function moveByKey(chart, event) {
  if (event.key === "Escape") hideAllHovers();
  const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!direction || !chart.svg) return;
  event.preventDefault();
  const [from, to] = chart.x.domain;
  const x = chart.at === null ? nearestX(chart, direction > 0 ? from : to) : nextX(chart, chart.at, direction);
  if (x !== null) hoverAt(chart, x, chart.host.getBoundingClientRect().top + 60);
}

function hoverAt(chart, wanted, clientY) {
  const x = nearestX(chart, wanted);
  if (x === null) return hideAllHovers();
  for (const other of charts) other.showCross(x);
  chart.at = x;
  const readings = chart.drawn.map((curve) => reading(curve, x)).filter((each) => each !== null);
  chart.spots.replaceChildren(...readings.filter((each) => each.isHere && isDrawable(each.value)).map((each) => {
    const spot = shape("circle", { cx: chart.x(x), cy: chart.y(each.value), r: 4 });
    spot.style.fill = each.curve.color;
    return spot;
  }));
  tooltip.replaceChildren(...tooltipContent(readings, x));
  tooltip.hidden = false;
  placeTooltip(chart, chart.x(x), clientY);
}

/** A curve's value at x; where it has none there, the latest one before. */
function reading(curve, x) {
  const { points } = curve;
  const index = lastAtMost(points.x, x);
  if (index < 0) return null;
  return { curve, value: points.y[index], row: points.row[index], isHere: points.x[index] === x };
}

function placeText(run, row) {
  const time = run.positions.time[row];
  return `step ${grouped(run.step[row])} \u00b7 epoch ${grouped(run.epoch[row])} \u00b7 ${exact(time)} s`;
}

function tooltipContent(readings, x) {
  const here = readings.find((each) => each.isHere);
  const rows = readings.map(({ curve, value, row, isHere }) => element("tr", { class: isHere ? "" : "earlier" },
    element("td", {}, swatch(curve.color), isSingle ? curve.line.metric : `${curve.run.name} ${curve.line.metric}`),
    element("td", { class: "number" }, exact(value)),
    element("td", { class: "where" }, isHere ? "" : `at step ${grouped(curve.run.step[row])}`)));
  const saved = shownRuns().flatMap((run) => run.checkpoints
    .filter((checkpoint) => positionOfCheckpoint(run, checkpoint) === x)
    .map((checkpoint) => `${checkpoint.best ? "\u2605" : "\u25c6"} ${isSingle ? "" : run.name + " "}${checkpoint.file}`));
  return [
    element("p", {}, here ? placeText(here.curve.run, here.row) : ""),
    element("table", {}, element("tbody", {}, rows)),
    ...saved.map((text) => element("p", { class: "saved" }, text)),
  ];
}

function placeTooltip(chart, x, clientY) {
  const host = chart.host.getBoundingClientRect();
  const own = tooltip.getBoundingClientRect();
  const edge = 8;
  let left = host.left + x + 16;
  if (left + own.width > window.innerWidth - edge) left = host.left + x - own.width - 16;
  left = Math.max(edge, Math.min(left, window.innerWidth - own.width - edge));
  const isNarrow = own.width > window.innerWidth * 0.55;
  let top = isNarrow ? host.bottom + 4 : clientY - own.height / 2;
  if (isNarrow && top + own.height > window.innerHeight - edge) top = host.top - own.height - 4;
  top = Math.max(edge, Math.min(top, window.innerHeight - own.height - edge));
  tooltip.style.left = `${left + window.scrollX}px`;
  tooltip.style.top = `${top + window.scrollY}px`;
}

Chart.prototype.showCross = function (x) {
  if (!this.svg || !this.isSeen(x)) return;
  const pixel = this.x(x).toFixed(1);
  this.cross.setAttribute("d", `M${pixel},${this.box.top}V${this.box.bottom}`);
  this.cross.setAttribute("visibility", "visible");
};
