// One chart: axes, curves, marks. What moves under the pointer is in hover.js.

const HEIGHT = 264;
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

class Chart {
  constructor(plan) {
    this.title = plan.title;
    this.lines = plan.lines.map((line) => ({ ...line, shown: true }));
    this.styleLines();
    this.host = element("div", { class: "plot" });
    this.legend = element("div", { class: "legend" }, this.lines.map((line) => this.legendEntry(line)));
    this.node = element("figure", { class: plan.wide ? "chart wide" : "chart", "data-chart": this.title },
      element("figcaption", {}, element("h3", {}, this.title), this.legend), this.host);
    addHover(this);
  }

  /** A run has its colour; within one run, and within one chart, metrics are told apart by role and dashes. */
  styleLines() {
    const used = new Map();
    const hasEpochMean = this.lines.some((line) => line.role === "train_epoch");
    this.lines.forEach((line, index) => {
      const before = used.get(line.role) ?? 0;
      used.set(line.role, before + 1);
      const slot = { train: 0, train_epoch: 0, val: 1, test: 2 }[line.role] ?? index;
      line.color = isSingle ? `var(--run-${(slot + 3 * (line.role === "other" ? 0 : before)) % COLORS})` : null;
      const dash = Math.floor(before / (isSingle ? COLORS : 1)) % DASHES.length;
      line.dash = line.role === "train_epoch" ? "5 3" : DASHES[dash];
      line.width = { train: hasEpochMean ? 1.25 : 1.6, train_epoch: 1.75, val: 2.25 }[line.role] ?? 1.75;
      line.opacity = line.role === "train" && (hasEpochMean || used.size > 1) ? 0.5 : 1;
      if (!isSingle && line.role === "train" && this.lines.some((other) => other.role === "val")) line.opacity = 0.5;
    });
  }

  legendEntry(line) {
    const sample = shape("svg", { width: 22, height: 10, "aria-hidden": "true" },
      this.stroke(shape("path", { d: "M1,5H21" }), line, line.color ?? "currentColor"));
    const button = element("button", { type: "button", "aria-pressed": "true" }, sample, line.metric);
    button.addEventListener("click", () => {
      line.shown = !line.shown;
      button.setAttribute("aria-pressed", String(line.shown));
      this.render();
    });
    return button;
  }

  stroke(path, line, color) {
    path.setAttribute("class", "curve");
    path.style.stroke = color;
    path.style.strokeWidth = line.width;
    path.style.strokeDasharray = line.dash;
    path.style.opacity = line.opacity;
    return path;
  }

  /** Of the runs and lines that are shown. */
  curves() {
    const curves = [];
    for (const line of this.lines.filter((each) => each.shown)) {
      for (const run of shownRuns()) {
        const points = pointsOf(run, line.metric);
        if (points && points.x.length > 0) curves.push({ run, line, points, color: line.color ?? run.color });
      }
    }
    return curves;
  }

  render() {
    this.hideHover();
    this.drawn = this.curves();
    const width = Math.max(this.host.clientWidth, 240);
    const xDomain = view.zoom ?? commonDomain();
    const yDomain = this.yDomain(xDomain);
    if (!yDomain) return this.renderEmpty();
    const most = Math.round(HEIGHT / 48);
    const yTicks = view.log ? logTicks(...yDomain, most) : linearTicks(...yDomain, most);
    const left = 14 + 6.6 * Math.max(1, ...yTicks.map((tick) => tick.text.length));
    this.box = { left, right: width - 14, top: 24, bottom: HEIGHT - 30, width };
    this.x = makeScale(...xDomain, left, this.box.right);
    this.y = makeScale(...yDomain, this.box.bottom, this.box.top, view.log);
    this.svg = shape("svg", {
      width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, tabindex: 0, role: "img",
      "aria-label": `${this.title} over ${view.axis}; arrow keys read its values`,
      "data-x": JSON.stringify([...xDomain, left, this.box.right]),
      "data-y": JSON.stringify([...yDomain, this.box.bottom, this.box.top]),
    });
    this.drawAxes(yTicks);
    if (view.marks) this.drawMarks();
    this.drawCurves(xDomain);
    this.host.replaceChildren(this.svg);
    this.addCross();
  }

  renderEmpty() {
    this.svg = null;
    const undrawable = view.log ? "no value above 0, as a logarithm needs" : "no finite value";
    const why = this.drawn.length === 0 ? "nothing is shown" : undrawable;
    this.host.replaceChildren(element("p", { class: "empty" }, why));
  }

  yDomain(xDomain) {
    let [low, high] = [Infinity, -Infinity];
    for (const { points } of this.drawn) {
      const [least, most] = rangeOf(points, indicesWithin(points, xDomain), xDomain);
      low = Math.min(low, least);
      high = Math.max(high, most);
    }
    return roomFor(low, high, view.log);
  }

  drawAxes(yTicks) {
    const { left, right, top, bottom } = this.box;
    const grid = shape("g", { class: "grid" });
    const labels = shape("g", { class: "ticks" });
    for (const { value, text } of yTicks) {
      const y = this.y(value).toFixed(1);
      grid.append(shape("path", { d: `M${left},${y}H${right}` }));
      labels.append(shape("text", { x: left - 7, y, dy: "0.32em", "text-anchor": "end" }, text));
    }
    const [from, to] = this.x.domain;
    const most = Math.max(2, Math.floor((right - left) / 84));
    const least = view.axis === "step" ? 1 : 0;
    const xTicks = view.axis === "time" ? timeTicks(from, to, most) : linearTicks(from, to, most, least);
    for (const { value, text } of xTicks) {
      const x = this.x(value);
      grid.append(shape("path", { d: `M${x.toFixed(1)},${bottom}V${bottom + 4}`, class: "tick" }));
      const isAtEdge = x + 3.3 * text.length > right + 12;
      labels.append(shape("text", { x: x.toFixed(1), y: bottom + 17, "text-anchor": isAtEdge ? "end" : "middle" }, text));
    }
    grid.append(shape("path", { d: `M${left},${bottom}H${right}`, class: "base" }));
    this.svg.append(grid, labels);
  }

  isSeen(x) {
    return x >= this.x.domain[0] && x <= this.x.domain[1];
  }

  /** Ticks on the x axis where a validation was, and a flag above for each checkpoint. */
  drawMarks() {
    const { top, bottom } = this.box;
    const validations = shape("g", { class: "validations" });
    const checkpoints = shape("g", { class: "checkpoints" });
    for (const run of shownRuns()) {
      const color = isSingle ? "var(--muted)" : run.color;
      let last = -Infinity;
      for (const row of validationRows(run)) {
        const x = this.x(run.positions[view.axis][row]);
        if (!this.isSeen(run.positions[view.axis][row]) || x - last < 2) continue;
        last = x;
        const mark = shape("path", { d: `M${x.toFixed(1)},${bottom}v-5` });
        mark.style.stroke = color;
        validations.append(mark);
      }
      // The best one last, over the others.
      const marks = [...run.checkpoints].sort((a, b) => a.best - b.best);
      for (const checkpoint of marks) {
        const position = positionOfCheckpoint(run, checkpoint);
        if (!this.isSeen(position)) continue;
        checkpoints.append(checkpointFlag(run, checkpoint, this.x(position), top, bottom, color));
      }
    }
    this.svg.append(validations, checkpoints);
  }

  drawCurves(xDomain) {
    const { left, right, top, bottom } = this.box;
    const clip = `clip-${charts.indexOf(this)}`;
    this.svg.append(shape("clipPath", { id: clip },
      shape("rect", { x: left - 1, y: top - 4, width: right - left + 2, height: bottom - top + 5 })));
    const group = shape("g", { "clip-path": `url(#${clip})` });
    for (const curve of this.drawn) {
      const range = indicesWithin(curve.points, xDomain);
      const indices = thinnedIndices(curve.points, range, xDomain);
      const path = this.stroke(shape("path", {
        d: pathThrough(curve.points, indices, this.x, this.y), "data-run": curve.run.name,
        "data-metric": curve.line.metric, "data-values": curve.points.x.length, "data-drawn": indices.length,
      }), curve.line, curve.color);
      group.append(path);
      this.drawDots(group, curve, indices);
      this.drawWild(group, curve, indices);
    }
    this.svg.append(group);
  }

  /** Few values are seen one by one. */
  drawDots(group, { points, line, color }, indices) {
    const room = line.role === "other" ? 30 : 14;
    const isSparse = indices.length * room < this.box.right - this.box.left;
    if (indices.length > 1 && (!isSparse || line.role.startsWith("train"))) return;
    for (const index of indices) {
      if (!isDrawable(points.y[index])) continue;
      const [cx, cy] = [this.x(points.x[index]), this.y(points.y[index])];
      const dot = shape("circle", { cx: cx.toFixed(2), cy: cy.toFixed(2), r: 2.5 });
      dot.style.fill = color;
      group.append(dot);
    }
  }

  /** nan and infinities have no place on the y axis: a cross at the top says where they were. */
  drawWild(group, { points, color }, indices) {
    let last = -Infinity;
    for (const index of indices) {
      if (Number.isFinite(points.y[index])) continue;
      const x = this.x(points.x[index]);
      if (x - last < 5) continue;
      last = x;
      const cross = shape("path", { class: "wild", d: `M${x - 3},${this.box.top}l6,6m-6,0l6,-6` },
        shape("title", {}, exact(points.y[index])));
      cross.style.stroke = color;
      group.append(cross);
    }
  }
}

function checkpointFlag(run, checkpoint, x, top, bottom, color) {
  const text = `${isSingle ? "" : run.name + ": "}${checkpoint.file}, after step ${checkpoint.steps}`;
  const flag = shape("g", { class: checkpoint.best ? "best" : "kept", "data-checkpoint": checkpoint.file },
    shape("title", {}, text));
  flag.style.color = color;
  flag.append(shape("path", { class: "pole", d: `M${x.toFixed(1)},${top}V${bottom}` }),
    checkpointShape(checkpoint.best, x, top - 9));
  return flag;
}

/** A star for the best one, a diamond for the others. */
function checkpointShape(isBest, x, y) {
  if (!isBest) return shape("path", { class: "head", d: `M${x.toFixed(1)},${y - 4.5}l4.5,4.5l-4.5,4.5l-4.5,-4.5z` });
  const corners = Array.from({ length: 10 }, (_, i) => {
    const radius = i % 2 === 0 ? 7.5 : 3.2;
    const angle = (i * Math.PI) / 5 - Math.PI / 2;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  });
  return shape("path", { class: "head", d: `M${corners.join("L")}z` });
}

/** All charts have the same x axis, so that they can be read one under the other. */
function commonDomain() {
  let [low, high] = [Infinity, -Infinity];
  for (const run of shownRuns()) {
    for (const x of run.positions[view.axis]) {
      low = Math.min(low, x);
      high = Math.max(high, x);
    }
  }
  if (!(low <= high)) return [0, 1];
  if (view.axis !== "step" && low < high * 0.1) low = Math.min(low, 0);
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}
