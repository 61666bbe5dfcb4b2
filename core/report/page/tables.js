// Everything below and above the charts: what the runs are, and their tables.

const STATUS = { complete: "\u2713", stopped: "\u25a0", failed: "\u2715", running: "\u25cf" };

function section(title, id, ...children) {
  return element("section", { id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), ...children);
}

function runLabel(run) {
  return element("span", { class: "run-label" }, isSingle ? null : swatch(run.color), run.name);
}

/** A table that scrolls sideways by itself; `heads` are texts or elements, ">text" one over numbers. */
function table(className, heads, rows) {
  const headCell = (head) => {
    const isOverNumbers = typeof head === "string" && head.startsWith(">");
    return element("th", { scope: "col", class: isOverNumbers ? "number" : null }, isOverNumbers ? head.slice(1) : head);
  };
  return element("div", { class: "scroll", tabindex: 0 }, element("table", { class: className },
    element("thead", {}, element("tr", {}, heads.map(headCell))),
    element("tbody", {}, rows)));
}

function cell(text, attributes = {}) {
  return element("td", attributes, text);
}

function numberCell(value, attributes = {}) {
  if (value === null || value === undefined) return cell("\u2014", { class: "number none", ...attributes });
  const number = numberOf(value);
  return cell(brief(number, 6), { class: "number", title: exact(number), "data-value": exact(number), ...attributes });
}

// ---- the runs ----

function bestOf(run) {
  const best = run.checkpoints.find((checkpoint) => checkpoint.best);
  if (best && best.value !== null) return [best.monitor, numberOf(best.value), best.steps - 1];
  const summary = run.summary.find((each) => each.best && validationMetrics.has(each.metric));
  return summary ? [summary.metric, numberOf(summary.best.value), summary.best.step] : null;
}

function statusBadge(run) {
  const status = run.record?.status;
  if (!status) return null;
  return element("span", { class: `status ${status in STATUS ? status : ""}` },
    element("span", { "aria-hidden": "true" }, STATUS[status] ?? ""), status);
}

function rateText(rate) {
  return rate >= 1000 ? grouped(Number(rate.toPrecision(4))) : brief(rate, 4);
}

function factsOf(run) {
  const record = run.record ?? {};
  const seconds = record.seconds ?? (run.last ? numberOf(run.last.seconds) : null);
  return [
    ["model", run.model],
    ["parameters", record.parameters === null || record.parameters === undefined ? null : grouped(record.parameters)],
    ["trained", run.last ? `${grouped(run.last.epoch + 1)} epochs, ${grouped(run.last.step + 1)} steps` : null],
    ["time", seconds === null ? null : duration(seconds)],
    ["speed", run.throughput === null ? null : `${rateText(run.throughput)} ${data.throughput_unit}`],
    ["devices", record.devices?.join(", ")],
    ["started", record.started?.replace("T", " ").replace("Z", " UTC")],
    ["why it ended", record.reason],
    ["folder", run.folder],
    ["command", record.command?.length ? ["lightrun", ...record.command].join(" ") : null],
  ].filter(([, text]) => text);
}

function runCard(run) {
  const best = bestOf(run);
  const card = element("article", { class: "card run", "data-run": run.name },
    isSingle ? null : element("h3", {}, runLabel(run), statusBadge(run)),
    best ? element("p", { class: "best" }, element("span", {}, `best ${best[0]}`),
      element("strong", { title: exact(best[1]), "data-value": exact(best[1]) }, brief(best[1], 5)),
      element("span", {}, `at step ${grouped(best[2])}`)) : null,
    element("dl", {}, factsOf(run).map(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]).flat()));
  card.style.setProperty("--run", run.color);
  return card;
}

function problemsOf(run) {
  const problems = [...run.problems];
  if (run.step.length === 0) problems.push(`${run.folder}: no metrics to draw`);
  if (run.rows_in_file > run.step.length) {
    problems.push(`${run.name}: ${grouped(run.rows_in_file)} rows of metrics are thinned to ${grouped(run.step.length)} ` +
      "here, with the lowest and the highest of each stretch; the values in the tables are of all rows");
  }
  return problems;
}

function runsSection() {
  const problems = runs.flatMap(problemsOf);
  return element("section", { id: "runs", "aria-label": "runs" },
    element("div", { class: "cards" }, runs.map(runCard)),
    problems.length ? element("ul", { class: "problems" }, problems.map((text) => element("li", {}, text))) : null);
}

// ---- values ----

function metricsOf(someCharts) {
  const names = someCharts.flatMap((chart) => chart.lines.map((line) => line.metric));
  return names.filter((name) => runs.some((run) => run.summary.some((each) => each.metric === name)));
}

function whereText(at) {
  return at ? `step ${grouped(at.step)}, epoch ${grouped(at.epoch)}` : "";
}

/** The run that has the best value of all, where they can be compared. */
function winnerOf(entries) {
  const withBest = entries.filter(({ summary }) => summary.best);
  if (entries.length < 2 || withBest.length < 2) return null;
  const sign = withBest[0].summary.better === "higher" ? -1 : 1;
  const value = ({ summary }) => sign * numberOf(summary.best.value);
  const least = Math.min(...withBest.map(value));
  const winners = withBest.filter((entry) => value(entry) === least);
  return winners.length === 1 ? winners[0].run : null;
}

function directionOf(summary) {
  if (!summary.better) return null;
  const arrow = summary.better === "lower" ? "\u2193" : "\u2191";
  return element("span", { class: "direction", title: `${summary.better} is better` }, arrow);
}

function valueRows(metric) {
  const entries = runs.map((run) => ({ run, summary: run.summary.find((each) => each.metric === metric) }))
    .filter(({ summary }) => summary);
  const winner = winnerOf(entries);
  return entries.map(({ run, summary }, index) => {
    const name = index > 0 ? null
      : element("th", { scope: "rowgroup", rowspan: entries.length }, metric, directionOf(summary));
    const bestClass = winner === run ? "number winner" : summary.best ? "number" : "number none";
    return element("tr", { "data-run": run.name, "data-metric": metric, class: index === 0 ? "first" : "" },
      name, isSingle ? null : element("td", {}, runLabel(run)),
      numberCell(summary.final.value, { "data-kind": "final" }),
      numberCell(summary.best?.value, { "data-kind": "best", class: bestClass }),
      cell(whereText(summary.best), { class: "where" }),
      numberCell(summary.lowest?.value, { "data-kind": "lowest" }),
      numberCell(summary.highest?.value, { "data-kind": "highest" }));
  });
}

function valuesSection() {
  const metrics = metricsOf(data.charts.filter((chart) => !chart.detail));
  const details = metricsOf(data.charts.filter((chart) => chart.detail));
  if (metrics.length + details.length === 0) return null;
  const heads = ["metric", ...(isSingle ? [] : ["run"]), ">final", ">best", "best at", ">lowest", ">highest"];
  const valueTable = (names) => table("values", heads, names.flatMap(valueRows));
  return section("Values", "values", valueTable(metrics), details.length === 0 ? null
    : element("details", {},
      element("summary", {}, `${details.length} more: gradient norms of parameters`), valueTable(details)));
}

// ---- configs ----

function sidesTable(rows) {
  return table("sides", ["", ...runs.map(runLabel)], rows.map(([name, values, differs]) =>
    element("tr", { class: differs ? "differs" : "", "data-row": name }, element("th", { scope: "row" }, name),
      values.map((value) => cell(value ?? "\u2014", { class: value === null || value === undefined ? "none" : "" })))));
}

function configSection() {
  const withConfig = runs.filter((run) => run.config);
  if (withConfig.length === 0) return null;
  const difference = data.config_difference;
  const compared = isSingle ? null : difference.length === 0 ? element("p", { class: "note" }, "The configs are the same.")
    : sidesTable(difference.map(({ path, values }) => [path, values, false]));
  return section(isSingle ? "Config" : "What differs in the configs", "config", compared,
    withConfig.map((run) => element("details", {},
      element("summary", {}, isSingle ? "config.yaml" : ["config.yaml of\u00a0", runLabel(run)]),
      element("pre", {}, run.config))));
}

// ---- checkpoints, environment, profile, messages ----

function checkpointRow(run, checkpoint) {
  return element("tr", { class: checkpoint.best ? "best" : "" },
    isSingle ? null : element("td", {}, runLabel(run)),
    element("td", {},
      checkpoint.best ? element("span", { class: "star", title: "the best one" }, "\u2605 ") : null, checkpoint.file),
    cell(grouped(checkpoint.steps), { class: "number" }), cell(grouped(checkpoint.epoch), { class: "number" }),
    cell(duration(numberOf(checkpoint.seconds)), { class: "number" }),
    cell(checkpoint.monitor ? `${checkpoint.monitor}` : "", {}),
    checkpoint.value === null ? cell("") : numberCell(checkpoint.value));
}

function checkpointsSection() {
  const rows = runs.flatMap((run) => run.checkpoints.map((checkpoint) => checkpointRow(run, checkpoint)));
  if (rows.length === 0) return null;
  const heads = [...(isSingle ? [] : ["run"]), "file", ">steps done", ">epoch (from 0)", ">after", "kept for", ">value"];
  return section("Checkpoints", "checkpoints", table("checkpoints", heads, rows));
}

function environmentSection() {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.environment)))].sort();
  if (names.length === 0) return null;
  const rows = names.map((name) => {
    const values = runs.map((run) => run.environment[name]);
    return [name, values, new Set(values).size > 1];
  });
  return section("Environment", "environment", sidesTable(rows));
}

/** The longest first; what took next to nothing is folded away. */
function profileTables(run) {
  const rows = [...run.profile].sort((a, b) => numberOf(b.total_s) - numberOf(a.total_s));
  const most = Math.max(numberOf(rows[0].total_s), 1e-12);
  const long = rows.filter((row) => numberOf(row.total_s) >= 0.002 * most);
  const short = rows.filter((row) => !long.includes(row));
  const folded = short.length === 0 ? null : element("details", {},
    element("summary", {}, `${short.length} more that took next to nothing`), profileTable(run, short, most));
  return [profileTable(run, long, most), folded];
}

function profileTable(run, rows, most) {
  return table("profile", ["action", ">calls", ">total", ">mean", ""], rows.map((row) => {
    const total = numberOf(row.total_s);
    const bar = element("div", { class: "bar" });
    bar.style.width = `${(100 * total) / most}%`;
    if (!isSingle) bar.style.background = run.color;
    return element("tr", {}, element("th", { scope: "row" }, row.action), cell(grouped(row.calls), { class: "number" }),
      cell(`${brief(total, 4)} s`, { class: "number" }),
      cell(row.calls > 0 ? `${brief((1000 * total) / row.calls, 4)} ms` : "", { class: "number" }),
      element("td", { class: "share" }, bar));
  }));
}

function profileSection() {
  const profiled = runs.filter((run) => run.profile.length > 0);
  if (profiled.length === 0) return null;
  return section("Where the time went", "profile", profiled.flatMap((run) =>
    [isSingle ? null : element("h3", {}, runLabel(run)), ...profileTables(run)]));
}

function messagesOf(run) {
  const count = run.log.length + run.log_left_out;
  const errors = run.log.filter((message) => message.level !== "warning").length;
  const head = `${grouped(count)} ${count === 1 ? "message" : "messages"}` +
    (errors ? `, ${grouped(errors)} of them errors` : "");
  return element("details", {},
    element("summary", {}, isSingle ? head : [runLabel(run), `: ${head}`]),
    element("ol", { class: "messages" }, run.log.map((message) => element("li", { class: message.level },
      element("time", {}, message.time), element("strong", {}, message.level), element("span", {}, message.text)))),
    run.log_left_out ? element("p", { class: "note" }, `${grouped(run.log_left_out)} more are in log.txt`) : null);
}

function messagesSection() {
  const loud = runs.filter((run) => run.log.length > 0);
  return loud.length ? section("Warnings and errors", "messages", loud.map(messagesOf)) : null;
}
