"use strict";
(() => {
  const tables = JSON.parse(document.getElementById("series").textContent);
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const LARGEST = 1e200; // beyond it differences overflow
  // Six shapes and four colours: twelve families can be told apart, by shape alone or together.
  const SHAPES = [
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",
    "M-4.5,-4.5h9v9h-9z",
    "M0,-5.5l5.5,9.5h-11z",
    "M0,-6l6,6l-6,6l-6,-6z",
    "M0,5.5l5.5,-9.5h-11z",
    "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
  ];
  const AXES = {
    width: "width, in powers of two (τ of Gaussian kernels, the scale of others)",
    degree: "degree",
    number: "candidate",
  };

  function svg(name, attributes = {}, parent = null, text = null) {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== null) node.textContent = text;
    if (parent) parent.append(node);
    return node;
  }
  function element(name, properties = {}, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  }
  function format(value, digits = 4) {
    if (value === null) return "–";
    if (typeof value === "string") return value.replace("inf", "∞").replace("-", "−");
    return String(Number(value.toPrecision(digits))).replace(/-/g, "−");
  }
  const superscript = (n) => String(n).replace(/[-\d]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
  const drawable = (v) => typeof v === "number" && Math.abs(v) < LARGEST;

  // The tooltip, shared by chart and rank map; assistive technology reads labels instead.
  const tip = byId("tip");
  function showTip(box, text) {
    tip.textContent = text;
    tip.hidden = false;
    const own = tip.getBoundingClientRect();
    const left = box.left + box.width / 2 - own.width / 2;
    const above = box.top - own.height - 8;
    tip.style.left = Math.max(8, Math.min(left, innerWidth - own.width - 8)) + "px";
    tip.style.top = (above < 8 ? box.bottom + 8 : above) + "px";
  }
  function hideTip() {
    tip.hidden = true;
    document.querySelectorAll(".point.on").forEach((p) => p.classList.remove("on"));
  }
  addEventListener("scroll", hideTip, { passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && hideTip());

  // Scales.
  function niceStep(span, count) {
    const raw = span / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    return power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) || 10);
  }
  function valueScale(column, top, bottom) {
    const spread = column.values.flatMap((v, i) => {
      const error = column.standard_errors[i];
      return !drawable(v) ? [] : drawable(error) ? [v - error, v + error] : [v];
    });
    let [low, high] = spread.length ? [Math.min(...spread), Math.max(...spread)] : [0, 1];
    const log = column.greater_is_better === false && low > 0 && high / low > 30;
    const to = log ? Math.log10 : (v) => v;
    [low, high] = [to(low), to(high)];
    const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    [low, high] = [low - pad, high + pad];
    const place = (v) => bottom - ((to(v) - low) / (high - low)) * (bottom - top);
    const step = log ? Math.max(1, Math.ceil((high - low) / 6)) : niceStep(high - low, 5);
    const ticks = [];
    const within = log && high - low < 2.5 ? [1, 2, 5] : [1]; // few decades are divided
    for (let k = Math.floor(low / step); k * step <= high && ticks.length < 20; k++) {
      ticks.push(...(log ? within.map((m) => m * 10 ** (k * step)) : [k * step]));
    }
    return { place, log, ticks: ticks.filter((v) => low <= to(v) && to(v) <= high) };
  }
  function panels(candidates, left, right) {
    const kinds = Object.keys(AXES).filter((kind) => candidates.some((c) => c.axis === kind));
    const counts = kinds.map((kind) => Math.max(2, new Set(candidates.filter((c) => c.axis === kind).map((c) => c.x)).size));
    const gap = 28;
    const room = right - left - gap * (kinds.length - 1);
    const total = counts.reduce((a, b) => a + b, 0);
    let start = left;
    return Object.fromEntries(kinds.map((kind, i) => {
      const width = room * (0.5 * counts[i] / total + 0.5 / kinds.length);
      const panel = onePanel(candidates.filter((c) => c.axis === kind), kind, start, start + width);
      start += width + gap;
      return [kind, panel];
    }));
  }
  function onePanel(members, kind, left, right) {
    const numbers = [...new Set(members.map((c) => c.x))].sort((a, b) => a - b);
    // Kernels without a width or degree stand side by side in their order.
    const at = kind === "number" ? (x) => numbers.indexOf(x) : (x) => x;
    const low = at(numbers[0]) - 0.6;
    const high = at(numbers[numbers.length - 1]) + 0.6;
    const place = (x) => left + ((at(x) - low) / (high - low)) * (right - left);
    const step = Math.max(1, Math.ceil((high - low) / Math.max(1, (right - left) / 34)));
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high && ticks.length < 99; k++) ticks.push(k * step);
    const label = { width: (v) => "2" + superscript(v), degree: String, number: (v) => "#" + numbers[v] }[kind];
    const tickPlace = (v) => left + ((v - low) / (high - low)) * (right - left);
    return { kind, left, right, place, ticks: ticks.map((v) => [tickPlace(v), label(v)]) };
  }

  // The chart.
  const hasValues = (column) => column.values.some((v) => v !== null);
  const curves = tables.flatMap((t) => t.columns.filter(hasValues).map((c) => [t, c]));
  // First the curve that decided: the last stage of the selection.
  let current = curves.filter(([t]) => t === tables[0]).pop() || curves[0];
  const chart = byId("chart");

  function sentence(candidate, column, i) {
    const value = column.values[i];
    const lines = [candidate.kernel + (candidate.chosen ? " (chosen)" : "")];
    if (value === null) return lines.concat(`no value of ${column.title}`).join("\n");
    const error = column.standard_errors[i];
    lines.push(`${column.title} ${format(value)}${error === null ? "" : " ± " + format(error, 2)}`);
    const rank = column.ranks[i];
    if (rank !== null) lines.push(`rank ${rank} of ${column.ranks.filter((r) => r !== null).length}`);
    if (candidate.ridge !== null) lines.push(`ridge ${format(candidate.ridge)}`);
    return lines.join("\n");
  }
  function describe(table, column) {
    const known = column.values.filter((v) => v !== null).length;
    const total = table.candidates.length;
    const parts = [`${known} of ${total} candidate${total === 1 ? "" : "s"} ${known === 1 ? "has" : "have"} a value of ${column.title}${known < total ? "; × marks those without" : ""}.`];
    const best = column.ranks.indexOf(1);
    if (best >= 0) parts.push(`The best is ${format(column.values[best])}, of ${table.candidates[best].kernel}.`);
    const chosen = table.candidates.findIndex((c) => c.chosen);
    if (chosen >= 0 && chosen !== best) {
      const rank = column.ranks[chosen];
      const value = format(column.values[chosen]);
      parts.push(`The chosen kernel has ${column.values[chosen] === null ? "none" : value}${rank === null ? "" : ", rank " + rank}.`);
    } else if (chosen >= 0) parts.push("That is the chosen kernel.");
    const infinite = column.values.filter((v) => v !== null && !drawable(v)).length;
    if (infinite) parts.push(`${infinite} infinite or too large to draw.`);
    return parts.join(" ");
  }
  function drawFrame(root, scale, plots, box, column) {
    for (const tick of scale.ticks) {
      const y = scale.place(tick);
      for (const p of plots) svg("line", { x1: p.left, x2: p.right, y1: y, y2: y, class: "grid" }, root);
      svg("text", { x: box.left - 10, y: y + 4, "text-anchor": "end" }, root, format(tick));
    }
    for (const p of plots) {
      svg("line", { x1: p.left, x2: p.right, y1: box.bottom, y2: box.bottom, class: "axis" }, root);
      for (const [x, label] of p.ticks) svg("text", { x, y: box.bottom + 20, "text-anchor": "middle" }, root, label);
      const short = p.right - p.left < 360 ? AXES[p.kind].split(",")[0] : AXES[p.kind];
      svg("text", { x: (p.left + p.right) / 2, y: box.bottom + 42, "text-anchor": "middle" }, root, short);
    }
    const way = { true: "↑ larger is better", false: "↓ smaller is better", null: "to be read only" };
    const text = `${column.label} · ${way[column.greater_is_better]}${scale.log ? " · log scale" : ""}`;
    svg("text", { x: 0, y: 12 }, root, text);
  }
  function drawLine(root, points, shape) {
    const sorted = points.filter((p) => p.drawn && p.candidate.axis !== "number").sort((a, b) => a.x - b.x);
    if (sorted.length < 2) return;
    svg("path", { d: "M" + sorted.map((p) => `${p.x},${p.y}`).join("L"), class: `line s${shape % 4}` }, root);
  }
  function drawPoint(root, point, scale, column) {
    const { candidate, index, x, y, drawn, shape, size } = point;
    const error = column.standard_errors[index];
    if (drawn && drawable(error)) {
      const value = column.values[index];
      const ends = { x1: x, x2: x, y1: scale.place(value - error), y2: scale.place(value + error) };
      svg("line", { ...ends, class: `whisker s${shape % 4}` }, root);
    }
    const kind = `point s${shape % 4}${drawn ? "" : " missing"}${candidate.chosen ? " chosen" : ""}`;
    const label = sentence(candidate, column, index).replace(/\n/g, ", ");
    const node = svg("g", { class: kind, transform: `translate(${x},${y})`, role: "img", "aria-label": label, tabindex: -1, "data-index": index }, root);
    svg("circle", { r: 11, class: "halo" }, node);
    if (candidate.chosen && drawn) svg("circle", { r: 8.5, class: "ring" }, node);
    svg("path", { d: drawn ? SHAPES[shape % 6] : "M-3,-3l6,6M3,-3l-6,6", transform: `scale(${drawn ? size : 1})` }, node);
    node.addEventListener("focus", () => show(point, column));
    node.addEventListener("blur", hideTip);
    return node;
  }
  function show(point, column) {
    hideTip();
    point.node.classList.add("on");
    showTip(point.node.getBoundingClientRect(), sentence(point.candidate, column, point.index));
  }
  function drawMarks(root, points, column, box) {
    const chosen = points.find((p) => p.candidate.chosen);
    const anchor = (x) => (x > box.right - 70 ? "end" : x < box.left + 50 ? "start" : "middle");
    if (chosen) {
      svg("line", { x1: chosen.x, x2: chosen.x, y1: box.top, y2: box.bottom, class: "choice-line" }, root);
      svg("text", { x: chosen.x, y: box.top - 7, "text-anchor": anchor(chosen.x), class: "choice-text" }, root, "chosen");
    }
    const best = points.find((p) => column.ranks[p.index] === 1);
    if (best && best.drawn && best !== chosen) {
      const y = best.y - 12;
      svg("text", { x: best.x, y, "text-anchor": anchor(best.x), class: "best-text" }, root, "best");
    }
  }
  function drawLegend(families) {
    const legend = byId("legend");
    legend.replaceChildren(...families.slice(0, 12).map((family, i) => {
      const icon = svg("svg", { width: 14, height: 14, viewBox: "-7 -7 14 14", class: `s${i % 4}`, "aria-hidden": "true" });
      svg("path", { d: SHAPES[i % 6] }, icon);
      return element("li", {}, icon, family);
    }));
    legend.hidden = families.length < 2;
  }
  function draw() {
    const [table, column] = current;
    const width = chart.clientWidth;
    if (!width) return;
    const height = width < 560 ? 320 : 380;
    const box = { left: 66, right: width - 6, top: 46, bottom: height - 52 };
    const root = svg("svg", { width, height, role: "group", "aria-labelledby": "curve-h", "aria-describedby": "chart-text" });
    const scale = valueScale(column, box.top, box.bottom);
    const plots = panels(table.candidates, box.left, box.right);
    const families = [...new Set(table.candidates.map((c) => c.family))];
    const size = table.candidates.length > 60 ? 0.7 : 1;
    const points = table.candidates.map((candidate, index) => {
      const drawn = drawable(column.values[index]);
      const shape = families.indexOf(candidate.family);
      const y = drawn ? scale.place(column.values[index]) : box.bottom - 7;
      return { candidate, index, x: plots[candidate.axis].place(candidate.x), y, drawn, shape, size };
    });
    drawFrame(root, scale, Object.values(plots), box, column);
    for (const family of families) {
      drawLine(root, points.filter((p) => p.candidate.family === family), families.indexOf(family));
    }
    drawMarks(root, points, column, box);
    for (const point of points) point.node = drawPoint(root, point, scale, column);
    chart.replaceChildren(root);
    byId("chart-text").textContent = describe(table, column);
    drawLegend(families);
    listen(root, points, column);
  }
  function listen(root, points, column) {
    const sorted = [...points].sort((a, b) => a.x - b.x);
    (sorted.find((p) => p.candidate.chosen) || sorted[0]).node.setAttribute("tabindex", 0);
    const point = (event) => {
      const frame = root.getBoundingClientRect();
      const gap = (p) => Math.hypot(p.x - (event.clientX - frame.left), p.y - (event.clientY - frame.top));
      const nearest = points.reduce((a, b) => (gap(b) < gap(a) ? b : a));
      if (gap(nearest) < 32) show(nearest, column);
      else hideTip();
    };
    root.addEventListener("pointermove", point);
    root.addEventListener("pointerdown", point);
    root.addEventListener("pointerleave", hideTip);
    root.addEventListener("keydown", (event) => {
      const here = sorted.findIndex((p) => p.node === document.activeElement);
      const last = sorted.length - 1;
      const goal = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: last }[event.key];
      if (here < 0 || goal === undefined) return;
      event.preventDefault();
      sorted[here].node.setAttribute("tabindex", -1);
      const next = sorted[Math.max(0, Math.min(last, goal))].node;
      next.setAttribute("tabindex", 0);
      next.focus();
    });
  }

  // The criteria to choose from; each with its line of explanation.
  function explain() {
    const column = current[1];
    const way = { true: "larger is better", false: "smaller is better", null: "to be read only" };
    const facts = [way[column.greater_is_better], "costs " + column.cost.replace("n^2", "order n²").replace("n^3", "order n³"), column.reference];
    byId("explanation").replaceChildren(
      element("b", {}, column.label), ": " + column.meaning + " ", element("code", {}, column.formula),
      element("span", { className: "quiet" }, " " + facts.join("; ") + "."),
    );
  }
  function pill(table, column) {
    const input = element("input", { type: "radio", name: "criterion", checked: column === current[1] });
    input.addEventListener("change", () => {
      current = [table, column];
      hideTip();
      explain();
      draw();
    });
    return element("label", { className: "pill" }, input, element("span", {}, column.title));
  }
  function picker() {
    for (const table of tables) {
      const columns = table.columns.filter(hasValues);
      if (!columns.length) continue;
      const set = element("fieldset", {}, element("legend", {}, table.title), ...columns.map((c) => pill(table, c)));
      byId("picker").append(set);
    }
  }

  // The sortable table.
  function key(row, column) {
    const cell = row.cells[column];
    if (cell.tagName === "TH") return cell.textContent;
    const text = cell.dataset.v === undefined && column > 0 ? "" : cell.dataset.v || cell.textContent;
    return text === "" ? null : text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text);
  }
  function compare(a, b, sign) {
    // What is undefined stays at the end, whatever the direction.
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "string") return sign * a.localeCompare(b, "en", { numeric: true });
    return a === b ? 0 : sign * (a < b ? -1 : 1);
  }
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = element("button", { type: "button" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
        rows.sort((a, b) => compare(a[0], b[0], descending ? -1 : 1));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }
  function rankTips(table) {
    const kernels = tables[tables.length - 1].candidates.map((c) => c.kernel);
    table.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("tbody td");
      if (!cell) return hideTip();
      const name = cell.parentElement.cells[0].textContent;
      showTip(cell.getBoundingClientRect(), `${kernels[cell.cellIndex - 1]}\n${name}: rank ${cell.textContent}`);
    });
    table.addEventListener("pointerleave", hideTip);
  }

  // A table that is wider than its box says that it scrolls.
  function hints() {
    for (const box of document.querySelectorAll(".scroll")) {
      box.previousElementSibling.hidden = box.scrollWidth <= box.clientWidth + 1;
    }
  }

  // Light and dark.
  function theme() {
    const button = byId("theme");
    const root = document.documentElement;
    const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    const label = () => (button.textContent = isDark() ? "Light" : "Dark");
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      label();
    });
    button.setAttribute("aria-label", "Switch between light and dark");
    label();
    button.hidden = false;
  }

  theme();
  document.querySelectorAll(".sortable").forEach(sortable);
  document.querySelectorAll(".ranks").forEach(rankTips);
  hints();
  addEventListener("resize", hints);
  document.addEventListener("toggle", hints, true); // a table in details has no width before
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  if (current) {
    byId("chart-app").hidden = false;
    picker();
    explain();
    draw();
    let drawn = chart.clientWidth;
    // Its first call, and changes of height alone, need no new drawing.
    new ResizeObserver(() => {
      if (chart.clientWidth !== drawn) draw();
      drawn = chart.clientWidth;
    }).observe(chart);
  } else {
    byId("curve").hidden = true;
    document.querySelector("nav [href='#curve']").parentElement.hidden = true;
  }
})();
