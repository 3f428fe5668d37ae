// Matches: engine against engine, or a record; step by step, with what the sides expected as a curve.

import { Bench, byId, element, enlarge, post, show, svgElement } from "./page.js";
import { lines, matches } from "./record.js";
import { groups } from "./sides.js";

const ENGINES = [["mcts", "search"], ["mcts:decompose=off", "search, without parts"], ["random", "random moves"], ["legal", "first legal move"]];

let world;
let bench;
let recorded = [];   // the matches of the file that was opened
let current;         // the match shown: names, players, moves, states, opinions, faults, ending
let at = 0;
let drawing = 0;
let painted = 0;     // the latest drawing whose board is shown
let inks = [];       // the colours of the roles

export function prepare(shared) {
  world = shared;
  bench = new Bench({ start: [byId("match-play"), byId("match-judge")], stop: byId("match-stop"), status: byId("match-status") });
  byId("match-play").addEventListener("click", play);
  byId("match-judge").addEventListener("click", judge);
  byId("match-open").addEventListener("click", () => byId("match-file").click());
  byId("match-file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (file) await read(await file.text());
    event.target.value = "";
  });
  byId("match-which").addEventListener("change", (event) => open(recorded[Number(event.target.value)]));
  byId("match-first").addEventListener("click", () => go(0));
  byId("match-back").addEventListener("click", () => go(at - 1));
  byId("match-forward").addEventListener("click", () => go(at + 1));
  byId("match-last").addEventListener("click", () => go(last()));
  byId("match-when").addEventListener("input", (event) => go(Number(event.target.value)));
  byId("match-curve").addEventListener("click", (event) => go(stepAt(event)));
  byId("match").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && !/^(INPUT|SELECT)$/.test(event.target.tagName)) { event.preventDefault(); go(at + step); }
  });
}

export function opened(game) {
  bench.stop();
  bench.say("");
  current = undefined;
  recorded = [];
  inks = [];
  at = 0;
  byId("match-list").hidden = true;
  for (const id of ["match-title", "match-board", "match-groups", "match-curve", "match-moves", "match-step"]) byId(id).replaceChildren();
  byId("match-seats").replaceChildren(...game.roles.flatMap((role, number) => (role === "random" ? [] : [seat(role, number)])));
  byId("match-judge").disabled = true;
}

export function shown() {
  if (current === undefined) fresh(world.game.roles.map(() => ""));
}

const seat = (role, number) => element("label", {}, `${role} `,
  element("select", { "data-seat": number }, ...ENGINES.map(([value, words]) => element("option", { value }, words))));

const last = () => current.states.length - 1;

/** A match without steps. */
function fresh(players) {
  current = { players, moves: [], names: [], choosers: [], states: [undefined], opinions: [], faults: [], ending: undefined };
  at = 0;
  draw();
}

/** Engine against engine; the match grows as it is played. */
async function play() {
  const players = world.game.roles.map((_, number) =>
    document.querySelector(`[data-seat="${number}"]`)?.value ?? "random");
  const wanted = { kind: "match", players, seconds: Number(byId("match-clock").value) || 0.5, seed: Math.floor(Math.random() * 1e9) };
  byId("match-list").hidden = true;
  fresh(players);
  bench.say("preparing…");
  let adding = Promise.resolve();
  const mine = current;
  const tell = (news) => {
    if (!news.moves) { bench.say(`${news.stage}…`); return; }
    adding = adding.then(() => add(mine, news)).catch(() => {});
  };
  const found = await bench.run(world.game.id, wanted, tell);
  await adding;
  if (!found || mine !== current) return;
  current.ending = found.ending ?? "The match was stopped.";
  bench.say("");
  draw();
}

/** One step more, of a match that is being played. */
async function add(mine, { moves, opinions }) {
  const position = await post(`/api/games/${world.game.id}/position`, { state: mine.states.at(-1), moves });
  if (mine !== current) return;
  const follows = at === last();
  mine.moves.push(moves);
  mine.opinions.push(opinions);
  const roles = mine.legal ?? (await first()).roles;
  mine.names.push(namesOf(roles, moves));
  mine.choosers.push(roles.flatMap((role, number) => (role.moves.length > 1 ? [number] : [])));
  mine.legal = position.roles;
  mine.states.push(position.state);
  bench.say(`step ${last()}`);
  if (follows) at = last();
  draw();
}

const first = () => post(`/api/games/${world.game.id}/position`, {});
const namesOf = (roles, moves) => moves.map((id, role) => roles[role].moves.find((move) => move.id === id)?.name ?? "?");

/** A file with records: the first match is shown, others can be chosen. */
export async function read(text) {
  let found;
  try {
    found = matches(lines(text));
  } catch (error) {
    byId("about").textContent = error.message;
    return;
  }
  const [one] = found;
  const known = [...byId("games").options].some((option) => option.value === one.game);
  if (known && world.game?.title !== one.game) await world.open({ name: one.game });
  world.show("match");
  recorded = found;
  byId("match-list").hidden = found.length < 2;
  byId("match-which").replaceChildren(...found.map((each, number) =>
    element("option", { value: number }, `${number + 1}: ${each.game ?? "a playout"}${each.players.length > 0 ? `, ${each.players.join(" against ")}` : ""}`)));
  await open(one);
}

async function open(record) {
  bench.stop();
  const known = [...byId("games").options].some((option) => option.value === record.game);
  if (known && world.game.title !== record.game) {
    const kept = recorded;
    await world.open({ name: record.game });
    recorded = kept;
    byId("match-list").hidden = kept.length < 2;
    byId("match-which").value = kept.indexOf(record);
  }
  const joints = record.steps.map((step) => step.joint).filter(Array.isArray);
  const { moves, states, choosers, fault } = await post(`/api/games/${world.game.id}/follow`, { joints });
  const goals = Object.entries(record.end?.goals ?? {}).map(([role, goal]) => `${role} ${goal ?? "none"}`).join(", ");
  current = {
    players: record.players, moves, states, choosers, names: joints.slice(0, moves.length),
    opinions: record.steps.map((step) => step.opinions ?? []),
    faults: record.steps.map((step) => step.faults ?? []),
    ending: record.end ? `The end: ${goals || "no goals"}.` : "The match was broken off.",
  };
  at = 0;
  bench.say(fault ? `${fault}: the record belongs to other rules than those of ${world.game.title}` : "");
  byId("about").textContent = `${world.game.title}: a recorded match of ${moves.length} steps${record.end ? "" : ", broken off"}`;
  draw();
}

/** Asks the search about each state, where nobody wrote down what it thought. */
async function judge() {
  const mine = current;
  const wanted = { kind: "judge", moves: mine.moves, seconds: Number(byId("match-clock").value) || 0.5 };
  mine.opinions = [];
  const found = await bench.run(world.game.id, wanted, (news) => {
    if (mine !== current) return;
    mine.opinions[news.step] = news.opinions;
    bench.say(`step ${news.step + 1} of ${mine.moves.length}`);
    curve();
    list();
  });
  if (found && mine === current) bench.say(found.complete ? "" : "stopped");
}

function go(step) {
  if (current === undefined || !(step >= 0) || step > last()) return;
  at = step;
  draw();
}

async function draw() {
  const turn = ++drawing;
  const mine = current;
  byId("match-when").max = last();
  byId("match-when").value = at;
  byId("match-step").textContent = `step ${at} of ${last()}`;
  byId("match-judge").disabled = current.moves.length === 0 || !byId("match-stop").disabled;
  const done = at === last() && current.ending;
  const made = at > 0 ? `Step ${at}: ${choices(at - 1)}` : seats();
  byId("match-title").textContent = made;
  byId("match-ending").textContent = done ? current.ending : "";
  curve();
  list();
  const position = await post(`/api/games/${world.game.id}/position`, { state: current.states[at], before: current.states[at - 1] }).catch(() => null);
  // While a match is played one position is overtaken by the next: what is newer than the board shown is shown.
  if (turn < painted || mine !== current || !position) return;
  painted = turn;
  if (inks.length === 0) { inks = position.roles.map((role) => role.colour); curve(); }
  if (position.board) enlarge(show(byId("match-board"), position.board));
  byId("match-board").hidden = !position.board;
  byId("match-groups").replaceChildren(...groups(position));
}

/** Who sits where. */
function seats() {
  const words = (player) => ENGINES.find(([value]) => value === player)?.[1] ?? player;
  return world.game.roles.flatMap((role, number) => (role === "random" || !current.players[number] ? [] : [`${role}: ${words(current.players[number])}`])).join(", ");
}

/** The moves of a step, without those of roles that had no choice. */
function choices(step) {
  const names = current.names[step] ?? [];
  const telling = names.filter((_, role) => current.choosers[step]?.includes(role));
  return (telling.length > 0 ? telling : names).join(", ");
}

const faultsAt = (step) => (current.faults[step] ?? []).map(({ role, fault, answer }) => `${role} ${fault}${answer ? `: ${answer}` : ""}`);

function list() {
  byId("match-moves").replaceChildren(...current.moves.map((_, step) => element("li", {},
    element("button", { type: "button", "aria-current": at === step + 1 ? "step" : null, onclick: () => go(step + 1) },
      choices(step),
      ...(current.opinions[step] ?? []).flatMap((opinion) => (opinion ? [element("span", { class: "expects" }, `${opinion.certain ? "" : "about "}${Math.round(opinion.goal)}`)] : [])),
      ...faultsAt(step).map((text) => element("span", { class: "faulty" }, text))))));
  const now = byId("match-moves").querySelector("[aria-current]");
  if (now) byId("match-moves").scrollTop = now.offsetTop - byId("match-moves").offsetTop - 80;
}

// ---- the curve: expected goal against steps

const SIZE = { width: 560, height: 240, left: 36, right: 12, top: 26, bottom: 26 };
const across = (step) => SIZE.left + (step / Math.max(1, last())) * (SIZE.width - SIZE.left - SIZE.right);
const up = (goal) => SIZE.height - SIZE.bottom - (goal / 100) * (SIZE.height - SIZE.top - SIZE.bottom);

function stepAt(event) {
  const svg = byId("match-curve").firstElementChild;
  if (!svg) return undefined;
  const box = svg.getBoundingClientRect();
  const x = ((event.clientX - box.x) / box.width) * SIZE.width;
  return Math.round(Math.min(1, Math.max(0, (x - SIZE.left) / (SIZE.width - SIZE.left - SIZE.right))) * last());
}

function curve() {
  const svg = svgElement("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", "aria-label": "expected goal of each side, step by step" });
  for (const goal of [0, 50, 100]) {
    svg.append(svgElement("line", { class: "grid", x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: up(goal), y2: up(goal) }),
      svgElement("text", { x: SIZE.left - 6, y: up(goal) + 4, "text-anchor": "end" }, String(goal)));
  }
  svg.append(svgElement("text", { x: SIZE.width - SIZE.right, y: SIZE.height - 6, "text-anchor": "end" }, `steps, to ${last()}`),
    svgElement("line", { class: "now", x1: across(at), x2: across(at), y1: SIZE.top - 4, y2: SIZE.height - SIZE.bottom }));
  let place = SIZE.left;
  for (const [role, name] of world.game.roles.entries()) {
    if (name === "random") continue;
    const points = current.opinions.flatMap((own, step) => (own?.[role] ? [{ step, ...own[role] }] : []));
    const group = svgElement("g", { class: `side-${inks[role] ?? "grey"}` });
    const path = points.map(({ step, goal }, number) => `${number ? "L" : "M"}${across(step).toFixed(1)} ${up(goal).toFixed(1)}`).join("");
    group.append(svgElement("text", { class: "name", x: place, y: 14 }, name), svgElement("path", { d: path }),
      ...points.map(({ step, goal, certain }) => svgElement("circle", { cx: across(step), cy: up(goal), r: 3, ...(certain ? { class: "certain" } : {}) },
        svgElement("title", {}, `${name}, step ${step + 1}: ${certain ? "certain of" : "expects about"} ${Math.round(goal)}`))));
    place += 24 + 8 * name.length;
    svg.append(group);
  }
  for (const [step, faults] of current.faults.entries()) {
    if (faults.length === 0) continue;
    const x = across(step + 1);
    const y = SIZE.height - SIZE.bottom;
    svg.append(svgElement("path", { class: "fault", d: `M${x - 6} ${y}L${x + 6} ${y}L${x} ${y - 11}Z`, stroke: "none" },
      svgElement("title", {}, `step ${step + 1}: ${faultsAt(step).join("; ")}`)));
  }
  byId("match-curve").replaceChildren(svg);
}
