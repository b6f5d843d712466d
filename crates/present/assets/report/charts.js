"use strict";
// Draws every [data-chart] from the JSON of #charts, in the colours of the page, and again when they change.
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const digits = (v) => (Math.abs(v) >= 99.95 ? v.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",")
    : v === 0 ? "0" : Math.abs(v) >= 9.995 ? v.toFixed(1).replace(/\.0$/, "")
    : Math.abs(v) >= 1 ? v.toFixed(2).replace(/\.?0+$/, "") : String(Number(v.toPrecision(3))));
  const scaled = (v, units) => {
    const [factor, unit] = units.find(([f]) => Math.abs(v) >= f * 0.9995) || units[units.length - 1];
    return digits(v / factor) + " " + unit;
  };
  const format = {
    bytes_per_s: (v) => digits(v / 1e6) + " MB/s",
    ns: (v) => scaled(v, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]),
    s: (v) => digits(v) + " s",
    bytes: (v) => scaled(v, [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]),
    ratio: (v) => digits(v * 100) + " %",
    io_per_s: (v) => digits(v) + " IO/s",
  };
  const show = (unit, v) => (v == null ? "–" : (format[unit] || digits)(v));
  const plots = new Map();
  // A recording's page has one axis for all: zones, zooming, spans and events are its own (timeline.js).
  const timeline = globalThis.fullwireTimeline?.(plots, css);
  const time = timeline?.time ?? ((v) => new Date(v * 1000).toISOString().replace("T", " ").slice(0, 16));
  const showX = (chart, v) => (v == null ? "–" : chart.x.scale === "time" ? time(v) : show(chart.x.unit, v));

  // Rows of uPlot: tick spacing, label, then labels for a change of year, month, day, hour, minute, second; 1 joins them.
  const day = "\n{MM}-{DD}";
  const clock = [
    [86400 * 28, "{YYYY}-{MM}", null, null, null, null, null, null, 1],
    [86400, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
    [60, "{HH}:{mm}", day, null, day, null, null, null, 1],
    [0.001, "{HH}:{mm}:{ss}", day, null, day, null, null, null, 1],
  ];

  const axis = (spec, side, size) => ({
    side, size, stroke: css("--muted"), font: "12px system-ui, sans-serif", gap: 6,
    grid: { stroke: css("--line"), width: 1 }, ticks: { show: false },
    ...(spec.scale === "time" ? { values: clock } : { values: (u, ticks) => ticks.map((v) => (v == null ? "" : show(spec.unit, v))) }),
  });
  const scale = (spec, isX) => {
    if (spec.scale === "time") return { time: true };
    if (spec.scale === "log") return { time: false, distr: 3, log: isX && spec.unit !== "ns" ? 2 : 10 };
    return { time: false, range: isX ? undefined : (u, min, max) => [0, max > 0 ? max * 1.08 : 1] };
  };
  // Each worst is drawn thin in the colour of the curve before it, and what another tool tells dashed.
  const series = (chart) => chart.series.map((s, i) => {
    const place = chart.series.slice(0, i + 1).filter((one) => one.kind !== "worst").length - 1;
    const colour = s.kind === "limit" ? css("--muted") : css("--s" + (place % 6 + 1)) + (s.kind === "worst" ? "66" : "");
    const stepped = chart.y.unit === "ratio" && !timeline;
    return {
      label: s.name, stroke: colour, width: { limit: 1.5, worst: 1 }[s.kind] ?? (timeline ? 1.5 : 2), spanGaps: !timeline,
      dash: { limit: [6, 5], other: [4, 3] }[s.kind],
      fill: s.kind === "area" ? colour + "22" : undefined,
      paths: stepped ? uPlot.paths.stepped({ align: -1 }) : undefined,
      points: { show: s.kind !== "limit" && !stepped && !timeline && chart.points.length <= 30, size: 5, fill: colour },
      value: (u, v) => show(chart.y.unit, v),
    };
  });
  const positive = (chart, values) => (chart.y.scale === "log" ? values.map((v) => (v > 0 ? v : null)) : values);

  const draw = (element) => {
    const chart = charts[Number(element.dataset.chart)];
    plots.get(element)?.destroy();
    const options = {
      width: Math.max(element.clientWidth, 240), height: 220,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      cursor: { points: { size: 7 }, y: false },
      scales: { x: scale(chart.x, true), y: scale(chart.y, false) },
      axes: [axis(chart.x, 2, chart.x.scale === "time" ? 48 : 34), axis(chart.y, 3, 74)],
      series: [{ label: chart.x.label, value: (u, v) => showX(chart, v) }, ...series(chart)],
      hooks: { ready: [() => { element.dataset.drawn = "yes"; }] },
    };
    timeline?.extend(options, element);
    plots.set(element, new uPlot(options, [chart.points, ...chart.series.map((s) => positive(chart, s.values))], element));
  };

  // The same values as a table, for those who cannot see or point at a curve; made when it is opened.
  const tabulate = (details) => {
    if (!details.open || details.querySelector("table")) return;
    const chart = charts[Number(details.dataset.table)];
    const table = document.createElement("table");
    const row = (cells, tag) => {
      const tr = table.insertRow();
      cells.forEach((text) => { const cell = document.createElement(tag); cell.className = "n"; cell.textContent = text; tr.append(cell); });
    };
    row([chart.x.label, ...chart.series.map((s) => s.name)], "th");
    chart.points.forEach((x, i) => row([showX(chart, x), ...chart.series.map((s) => show(chart.y.unit, s.values[i]))], "td"));
    const box = document.createElement("div");
    box.className = "scroll"; box.tabIndex = 0; box.append(table); details.append(box);
  };

  const elements = [...document.querySelectorAll("[data-chart]")];
  elements.forEach(draw);
  timeline?.begin();
  document.querySelectorAll("details[data-table]").forEach((d) => d.addEventListener("toggle", () => tabulate(d)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => elements.forEach(draw));
  const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => {
    const plot = plots.get(target), width = Math.max(target.clientWidth, 240);
    if (plot && Math.abs(plot.width - width) > 1) plot.setSize({ width, height: plot.height });
  }));
  elements.forEach((element) => resized.observe(element));

  // On paper nothing can be opened, so all is but the tables of the curves; and the curves are drawn for a light page.
  const root = document.documentElement;
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details:not([data-table]):not([open])")];
    closed.forEach((details) => { details.open = true; });
    root.dataset.print = "yes";
    elements.forEach(draw);
  });
  addEventListener("afterprint", () => {
    closed.forEach((details) => { details.open = false; });
    delete root.dataset.print;
    elements.forEach(draw);
  });
})();
