"use strict";
// The page of a recording: every chart has the same axis of time. Dragging over one zooms all, a double click shows the
// whole, spans of trouble and events are drawn into each and stand in lanes above them.
globalThis.fullwireTimeline = (plots, css) => {
  const data = JSON.parse(document.getElementById("timeline").textContent);
  const zone = data.zone ?? "Etc/UTC";
  const date = (seconds) => uPlot.tzDate(new Date((seconds + data.offset_s) * 1000), zone);
  const two = (n) => String(n).padStart(2, "0");
  const clock = (d) => two(d.getHours()) + ":" + two(d.getMinutes()) + ":" + two(d.getSeconds());
  const time = (v) => { const d = date(v); return d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate()) + " " + clock(d); };
  const colour = { critical: "--bad", warning: "--warn", info: "--muted" };
  const status = document.getElementById("at");
  const whole = { min: data.from, max: data.to };
  let shown = { ...whole };
  let busy = false;

  const zoom = (min, max) => {
    const length = Math.min(Math.max(max - min, 0.5), whole.max - whole.min);
    const from = Math.min(Math.max(min, whole.min), whole.max - length);
    shown = { min: from, max: from + length };
    busy = true;
    plots.forEach((plot) => plot.setScale("x", shown));
    busy = false;
    document.body.dataset.from = shown.min.toFixed(3);
    document.body.dataset.to = shown.max.toFixed(3);
    status.textContent = time(shown.min) + " to " + time(shown.max);
  };
  const follow = (u, key) => {
    if (busy || key !== "x") return;
    const { min, max } = u.scales.x;
    if (min != null && (Math.abs(min - shown.min) > 1e-3 || Math.abs(max - shown.max) > 1e-3)) queueMicrotask(() => zoom(min, max));
  };

  const bars = data.rows.flatMap((row, place) => row.bars.map((bar) => ({ ...bar, row, place })));
  // Behind the curves: where trouble was, and when something happened.
  const behind = (u) => {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
    for (const bar of bars) {
      const left = u.valToPos(bar.from, "x", true), width = Math.max(u.valToPos(bar.to, "x", true) - left, 1);
      ctx.fillStyle = css(colour[bar.row.severity]) + "1f";
      ctx.fillRect(left, bbox.top, width, bbox.height);
    }
    ctx.strokeStyle = css("--muted") + "99"; ctx.lineWidth = 1; ctx.setLineDash([2, 4]);
    for (const event of data.events) {
      const x = Math.round(u.valToPos(event.at, "x", true)) + 0.5;
      ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke();
    }
    ctx.restore();
  };

  // One lane for each trouble, the last one for events.
  const names = [...data.rows.map((row) => row.name), "events"];
  const lanes = (u) => {
    const { ctx, bbox } = u;
    const height = bbox.height / (data.rows.length + 1);
    ctx.save();
    ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
    for (const bar of bars) {
      const left = u.valToPos(bar.from, "x", true), width = Math.max(u.valToPos(bar.to, "x", true) - left, 3);
      ctx.fillStyle = css(colour[bar.row.severity]);
      ctx.fillRect(left, bbox.top + (bar.place + 0.5) * height, width, height * 0.4);
    }
    // Names stand above their bars, so that this axis of time is the one of all charts.
    ctx.fillStyle = css("--text"); ctx.font = 12 * devicePixelRatio + "px system-ui, sans-serif"; ctx.textBaseline = "middle"; ctx.textAlign = "left";
    names.forEach((name, place) => ctx.fillText(name, bbox.left + 4, bbox.top + (place + 0.25) * height));
    ctx.fillStyle = css("--accent");
    for (const event of data.events) {
      ctx.fillRect(u.valToPos(event.at, "x", true) - 1, bbox.top + (data.rows.length + 0.5) * height, 3, height * 0.4);
    }
    ctx.restore();
  };
  // What is at the pointer, in words.
  const tell = (u) => {
    if (u.cursor.left == null || u.cursor.left < 0) return;
    const at = u.posToVal(u.cursor.left, "x");
    const near = (shown.max - shown.min) / 200;
    const trouble = bars.filter((bar) => bar.from - near <= at && at <= bar.to + near).map((bar) => bar.row.name + ": " + bar.text);
    const events = data.events.filter((event) => Math.abs(event.at - at) <= near).map((event) => event.text);
    status.textContent = [time(at), ...trouble.slice(0, 3), ...events.slice(0, 3)].join(" · ");
  };

  const extend = (options, element) => {
    options.tzDate = date;
    options.axes[0].space = 90;
    options.scales.x = { time: true, min: shown.min, max: shown.max };
    options.cursor = { ...options.cursor, sync: { key: "recording" }, drag: { x: true, y: false, setScale: true } };
    options.hooks.setScale = [follow];
    options.hooks.setCursor = [tell];
    options.hooks.ready.push((u) => u.over.addEventListener("dblclick", () => zoom(whole.min, whole.max)));
    if (element.dataset.lanes == null) {
      options.hooks.drawClear = [behind];
      return;
    }
    options.height = 60 + names.length * 32;
    options.legend = { show: false };
    options.scales.y = { range: [0, names.length] };
    options.axes[1] = {
      ...options.axes[1], grid: { show: false }, splits: () => [], values: () => [],
    };
    options.hooks.draw = [lanes];
  };

  const begin = () => {
    const steps = {
      whole: () => zoom(whole.min, whole.max),
      in: () => { const d = (shown.max - shown.min) / 4; zoom(shown.min + d, shown.max - d); },
      out: () => { const d = (shown.max - shown.min) / 2; zoom(shown.min - d, shown.max + d); },
      back: () => { const d = (shown.max - shown.min) / 2; zoom(shown.min - d, shown.max - d); },
      on: () => { const d = (shown.max - shown.min) / 2; zoom(shown.min + d, shown.max + d); },
    };
    document.querySelectorAll("[data-step]").forEach((b) => b.addEventListener("click", steps[b.dataset.step]));
    document.querySelectorAll("[data-from]:is(button)").forEach((b) => b.addEventListener("click", () => {
      const from = Number(b.dataset.from), to = Number(b.dataset.to), margin = Math.max((to - from) / 2, 30);
      zoom(from - margin, to + margin);
      document.getElementById("charts-of-time").scrollIntoView();
    }));
    zoom(whole.min, whole.max);
  };
  return { time, extend, begin };
};
