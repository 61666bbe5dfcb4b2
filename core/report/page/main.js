// Puts the page together and listens to its controls.

const charts = [];
let zoomButton = null;

function renderCharts() {
  charts.forEach((chart) => chart.render());
}

function setZoom(zoom) {
  if (zoom === null && view.zoom === null) return;
  view.zoom = zoom;
  zoomButton.hidden = zoom === null;
  hideAllHovers();
  renderCharts();
}

/** Radio buttons that look like one switch. */
function choice(title, name, options, chosen, choose) {
  return element("fieldset", { class: "choice" }, element("legend", {}, title),
    element("div", { class: "switch" }, options.map((option) => {
      const input = element("input", { type: "radio", name, value: option, checked: option === chosen });
      input.addEventListener("change", () => choose(option));
      return element("label", {}, input, element("span", {}, option));
    })));
}

function axisChoice() {
  return choice("x", "axis", AXES, view.axis, (axis) => {
    view.axis = axis;
    view.zoom = null;
    zoomButton.hidden = true;
    renderCharts();
  });
}

function scaleChoice() {
  return choice("y", "scale", ["linear", "log"], "linear", (scale) => {
    view.log = scale === "log";
    renderCharts();
  });
}

function marksToggle() {
  const box = element("input", { type: "checkbox", checked: true, name: "marks" });
  box.addEventListener("change", () => {
    view.marks = box.checked;
    renderCharts();
  });
  return element("label", { class: "check" }, box, "marks");
}

function runToggles() {
  if (isSingle) return null;
  return element("div", { class: "run-toggles", role: "group", "aria-label": "runs" }, runs.map((run) => {
    const button = element("button", { type: "button", "aria-pressed": "true", "data-run": run.name },
      swatch(run.color), run.name);
    button.addEventListener("click", () => {
      run.shown = !run.shown;
      button.setAttribute("aria-pressed", String(run.shown));
      renderCharts();
    });
    return button;
  }));
}

function controls() {
  zoomButton = element("button", { type: "button", class: "reset", hidden: true }, "whole run");
  zoomButton.addEventListener("click", () => setZoom(null));
  return element("div", { class: "controls" }, runToggles(),
    element("div", { class: "choices" }, axisChoice(), scaleChoice(), marksToggle(), zoomButton));
}

/** What the marks in the charts mean; of those that there are. */
function marksKey() {
  const icon = (child) =>
    shape("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, child);
  const all = runs.flatMap((run) => run.checkpoints);
  const entries = [];
  if (validationMetrics.size > 0) entries.push([icon(shape("path", { class: "key-tick", d: "M8,4V12" })), "validation"]);
  if (all.some((checkpoint) => !checkpoint.best)) entries.push([icon(checkpointShape(false, 8, 8)), "checkpoint"]);
  if (all.some((checkpoint) => checkpoint.best)) entries.push([icon(checkpointShape(true, 8, 8)), "best checkpoint"]);
  return element("p", { class: "key" }, entries.map(([sign, text]) => element("span", {}, sign, text)),
    element("span", { class: "hint" }, "drag to zoom, double-click for the whole run"));
}

function chartsSection() {
  if (data.charts.length === 0) return null;
  // In two columns an odd one would leave a hole: the first one has both.
  const isOdd = data.charts.filter((plan) => !plan.detail).length % 2 === 1;
  charts.push(...data.charts.map((plan, index) => new Chart({ ...plan, wide: plan.detail || (index === 0 && isOdd) })));
  return element("section", { id: "curves", "aria-label": "curves" }, controls(),
    element("div", { class: "charts" }, charts.map((chart) => chart.node)), marksKey());
}

function heading() {
  const title = isSingle ? [runs[0].name, statusBadge(runs[0])] : [`${runs.length} runs`];
  return element("header", {}, element("h1", {}, title), element("p", {}, "lightrun report"));
}

function build() {
  const report = document.getElementById("report");
  const parts = [heading(), runsSection(), chartsSection(), valuesSection(), configSection(), checkpointsSection(),
    environmentSection(), profileSection(), messagesSection()];
  report.append(...parts.filter((part) => part !== null));
  document.body.append(tooltip);
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.(".plot")) hideAllHovers();
  });
  renderCharts();
  let width = report.clientWidth;
  new ResizeObserver(() => {
    if (report.clientWidth === width) return;
    width = report.clientWidth;
    renderCharts();
  }).observe(report);
  report.dataset.ready = "true";
}

build();
