// What the players get when all play best, whole against part by part; and goal regression.

import { Bench, basis, byId, element, grouped, post, save, seconds, svgElement } from "./page.js";

let world;
let bench;
let regressing;
let runs = {};     // by kind: the points of its curve
let policy;

const WORDS = { whole: "the whole game", byparts: "part by part" };

export function prepare(shared) {
  world = shared;
  const start = [byId("solve-whole"), byId("solve-parts")];
  bench = new Bench({ start, stop: byId("stop-solve"), status: byId("solve-status") });
  regressing = new Bench({ start: [byId("regress")], stop: byId("stop-regress"), status: byId("regress-status") });
  byId("solve-whole").addEventListener("click", () => run("whole"));
  byId("solve-parts").addEventListener("click", () => run("byparts"));
  byId("regress").addEventListener("click", regress);
  byId("save-plot").addEventListener("click", () => save("solving.svg", new XMLSerializer().serializeToString(standalone())));
}

export function opened() {
  bench.stop();
  regressing.stop();
  runs = {};
  policy = undefined;
  bench.say("");
  regressing.say("");
  for (const id of ["plot", "solutions", "policy"]) byId(id).replaceChildren();
  byId("save-plot").hidden = true;
}

export function shown() {
  if (policy) rule();
}

async function run(kind) {
  const here = byId("from-here").checked;
  const from = here ? world.state : undefined;
  runs[kind] = [];
  // Each part and each way of solving counts its nodes anew; the curve adds them up.
  let before = 0;
  let last = 0;
  const total = (nodes) => {
    if (nodes < last) before += last;
    last = nodes;
    return before + nodes;
  };
  const wanted = { kind: "solve", factored: kind === "byparts", state: from };
  const tell = (news) => {
    const nodes = total(news.nodes);
    runs[kind].push([news.seconds, nodes]);
    bench.say(`${WORDS[kind]}: ${news.stage}, ${grouped(nodes)} nodes, ${seconds(news.seconds)}, ${grouped(news.mib)} MiB`);
    plot();
  };
  const found = await bench.run(world.game.id, wanted, tell);
  if (!found) {
    // What was refused has no curve; what was stopped keeps the one it has.
    if (total(0) === 0) { delete runs[kind]; plot(); }
    return;
  }
  runs[kind].push([found.seconds, Math.max(found.nodes, runs[kind].at(-1)?.[1] ?? 0)]);
  runs[kind].over = true;
  bench.say("");
  plot();
  byId("solutions").querySelector(`[data-kind="${kind}"]`)?.remove();
  byId("solutions").append(card(kind, found, here, runs[kind].at(-1)[1]));
}

/** The nodes are those of the curve: of all parts and all ways that were tried. */
function card(kind, found, here, nodes) {
  const values = found.values.map((one) => `${one.role}: ${one.text}`).join(", ");
  const line = { moves: found.line, from: 0 };
  return element("div", { class: "card", "data-kind": kind },
    element("h3", {}, `${WORDS[kind]}, ${here ? "from the state shown" : "from the start"}`),
    element("p", { class: "value" }, values),
    element("p", {}, found.exact ? basis(found.basis) : null,
      found.exact ? found.meaning : `not solved: ${found.unfinished ?? "bounds only"}`),
    element("p", { class: "soft" },
      `by ${found.method}: ${grouped(nodes)} nodes in all, ${grouped(found.states)} states kept, ${seconds(found.seconds)}`),
    found.notes.length > 0 ? element("details", {},
      element("summary", {}, "how it was searched"),
      ...found.notes.map((note) => element("p", { class: "soft" }, note))) : null,
    found.words.length > 0 ? element("details", {},
      element("summary", {}, `best play, ${found.words.length} steps`),
      element("ol", {}, ...found.words.map((words) => element("li", {}, words))),
      here ? null : element("button", { type: "button", onclick: () => world.line(line) }, "Step through it")) : null);
}

// ---- the plot: nodes against seconds, both on log scales

const SIZE = { height: 340, left: 70, right: 24, top: 16, bottom: 80 };
/** Where the lines below the plot begin: they need its whole width on a telephone. */
const MARGIN = 4;
/** As wide as there is room for, between these. */
const NARROWEST = 340;
const WIDEST = 760;

function plot() {
  const curves = Object.entries(runs).map(([kind, points]) => [kind, points.map(([x, y]) => [Math.max(x, 0.001), Math.max(y, 1)])]);
  const points = curves.flatMap(([, own]) => own);
  byId("save-plot").hidden = points.length === 0;
  if (points.length === 0) { byId("plot").replaceChildren(); return; }
  const powers = (values) => [Math.floor(Math.log10(Math.min(...values))), Math.max(Math.ceil(Math.log10(Math.max(...values))), Math.floor(Math.log10(Math.min(...values))) + 1)];
  const [x0, x1] = powers(points.map(([x]) => x));
  const [y0, y1] = powers(points.map(([, y]) => y));
  const { height, left, right, top, bottom } = SIZE;
  const width = Math.max(NARROWEST, Math.min(WIDEST, byId("plot").clientWidth));
  const x = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (width - left - right);
  const y = (value) => height - bottom - (Math.log10(value) - y0) / (y1 - y0) * (height - top - bottom);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "nodes against seconds, on log scales" });
  for (let power = x0; power <= x1; power++) {
    const at = x(10 ** power);
    svg.append(svgElement("line", { class: "grid", stroke: "#c9d1da", x1: at, x2: at, y1: top, y2: height - bottom }),
      svgElement("text", { x: at, y: height - bottom + 16, "text-anchor": "middle" }, `${10 ** power >= 1 ? 10 ** power : (10 ** power).toFixed(-power)} s`));
  }
  const step = Math.ceil((y1 - y0) / 6);
  for (let power = y0; power <= y1; power += step) {
    const at = y(10 ** power);
    svg.append(svgElement("line", { class: "grid", stroke: "#c9d1da", x1: left, x2: width - right, y1: at, y2: at }),
      svgElement("text", { x: left - 8, y: at + 4, "text-anchor": "end" }, grouped(10 ** power)));
  }
  svg.append(svgElement("text", { x: MARGIN, y: height - bottom + 36 }, "nodes searched against time, on logarithmic scales"));
  const hue = { whole: "#dd7420", byparts: "#3d86d8" };
  for (const [kind, own] of curves) {
    if (own.length === 0) continue;
    const path = own.map(([a, b], place) => `${place ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    const [a, b] = own.at(-1);
    svg.append(svgElement("path", { class: kind, stroke: hue[kind], fill: "none", "stroke-width": 2, d: path }),
      svgElement("circle", { class: `${kind} dot`, fill: hue[kind], cx: x(a), cy: y(b), r: runs[kind].over ? 5 : 3 }),
      svgElement("text", { class: kind, fill: hue[kind], x: MARGIN, y: height - bottom + (kind === "whole" ? 54 : 72) },
        `${WORDS[kind]}: ${grouped(b)} nodes, ${seconds(a)}`));
  }
  byId("plot").replaceChildren(svg);
}

function standalone() {
  const copy = byId("plot").firstElementChild.cloneNode(true);
  copy.setAttribute("font-family", "system-ui, sans-serif");
  copy.setAttribute("font-size", "12");
  return copy;
}

// ---- goal regression

async function regress() {
  policy = undefined;
  byId("policy").replaceChildren();
  const found = await regressing.run(world.game.id, { kind: "regress" }, (news) => {
    const share = news.share == null ? "" : `, ${(news.share * 100).toFixed(1)} % decided`;
    const classes = news.nodes == null ? "" : `, ${grouped(news.nodes)} classes`;
    regressing.say(`${news.stage}${share}${classes}, ${seconds(news.seconds)}`);
  });
  if (!found) return;
  policy = found;
  const whole = found.complete ? "every state is covered" : "stopped: not every state is covered";
  regressing.say(`${grouped(found.classes)} classes over ${grouped(found.variables)} variables; ${whole}; ${seconds(found.seconds)}`);
  rule();
}

async function rule() {
  const said = await post(`/api/games/${world.game.id}/rule`, { state: world.state }).catch(() => null);
  const box = byId("policy");
  if (!said) { box.replaceChildren(element("p", {}, "The policy does not cover the state shown under Play.")); return; }
  box.replaceChildren(
    element("p", {}, "In the state shown under Play: ", element("b", {}, said.outcome),
      said.best ? `, by ${said.best}` : ""),
    said.rule ? element("p", { class: "note" }, "by this rule:") : null,
    said.rule ? element("div", { class: "rule" }, said.rule) : null);
}
