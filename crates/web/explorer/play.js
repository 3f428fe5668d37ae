// Play and step: the board, what else is true, the moves, the time line, the engine.

import { byId, element, post, postForText, save, seconds, show } from "./page.js";

let world;
let steps = [];      // {position, moves}: the moves that led there
let at = 0;
let chosen = [];     // by role: the move that is to be made
let places = [];     // places that were clicked
let engines = [];    // roles that the engine plays
let busy = 0;        // counts requests, so that late answers are dropped
let aborting;

export function prepare(shared) {
  world = shared;
  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(at - 1));
  byId("forward").addEventListener("click", () => go(at + 1));
  byId("last").addEventListener("click", () => go(steps.length - 1));
  byId("when").addEventListener("input", (event) => go(Number(event.target.value)));
  byId("advance").addEventListener("click", () => advance());
  byId("random").addEventListener("click", () => anyMove());
  byId("hint").addEventListener("click", () => hint());
  byId("board").addEventListener("click", (event) => clicked(event.target.closest(".square")));
  byId("board").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); clicked(event.target.closest(".square")); }
  });
  byId("save-board").addEventListener("click", async () => {
    save("board.svg", await postForText(`/api/games/${world.game.id}/board.svg`, { state: state() }));
  });
}

export const state = () => steps[at]?.position.state;
export const moves = () => (complete() ? [...chosen] : undefined);

export function opened() {
  aborting?.abort();
  busy++;
  steps = [];
  at = 0;
  engines = [];
  byId("said").textContent = "";
}

export async function start() {
  const turn = ++busy;
  const position = await ask({});
  if (turn !== busy) return;
  steps = [{ position, moves: null }];
  go(0);
}

export function shown() {
  refresh();
}

const ask = (request) => post(`/api/games/${world.game.id}/position`, request);

/** Draws the state again: its colours may have changed. */
export async function refresh() {
  const step = steps[at];
  if (!step) return;
  const turn = ++busy;
  const position = await ask({ state: state(), before: steps[at - 1]?.position.state });
  // Another game may have been opened meanwhile, or another step be shown.
  if (turn !== busy) return;
  step.position = position;
  draw();
}

function go(step) {
  if (step < 0 || step >= steps.length) return;
  aborting?.abort();
  at = step;
  busy++;
  draw();
}

/** Plays a line of joint moves from the start, or from the state it was found for. */
export async function follow(line) {
  steps = steps.slice(0, line.from + 1);
  at = line.from;
  const turn = ++busy;
  for (const joint of line.moves) {
    const position = await ask({ state: state(), moves: joint });
    if (turn !== busy) return;
    steps.push({ position, moves: joint });
    at = steps.length - 1;
  }
  go(line.from);
}

/** Plays recorded joint moves, given by name, from the start; says where they stop being legal. */
export async function replay(joints) {
  const turn = ++busy;
  steps = steps.slice(0, 1);
  at = 0;
  for (const names of joints) {
    const joint = names.map((name, role) => steps[at].position.roles[role]?.moves.find((move) => move.name === name)?.id);
    if (joint.length === 0 || joint.includes(undefined)) {
      byId("said").textContent = `the recorded moves ${names.join(" ")} are not legal in step ${at}`;
      break;
    }
    const position = await ask({ state: state(), moves: joint });
    if (turn !== busy) return;
    steps.push({ position, moves: joint });
    at = steps.length - 1;
  }
  go(0);
}

function draw() {
  const { position } = steps[at];
  chosen = position.roles.map((role) => (role.moves.length === 1 ? role.moves[0].id : null));
  places = [];
  const board = byId("board");
  board.hidden = !position.board;
  if (position.board) {
    const svg = show(board, position.board);
    svg.style.maxWidth = `${1.5 * svg.getAttribute("width")}px`;
  }
  drawGroups(position);
  drawRoles(position);
  mark();
  byId("when").max = steps.length - 1;
  byId("when").value = at;
  byId("step").textContent = `step ${at} of ${steps.length - 1}`;
  byId("ending").textContent = position.terminal
    ? `The game is over. ${position.roles.map((role) => `${role.name}: ${role.goal ?? "no goal"}`).join(", ")}`
    : "";
  letEnginesPlay();
}

function drawGroups(position) {
  const value = (one) => element("span", {
    class: `chip${one.latched ? " latched" : ""}${one.part == null ? "" : ` part-${one.part % 8}`}`,
    title: one.latched ? "it stays so" : null,
  }, one.text);
  byId("groups").replaceChildren(...position.groups.filter((group) => group.values.length > 0).map((group) =>
    element("div", { class: "group" }, element("b", {}, group.name), ...group.values.map(value),
      group.more > 0 ? element("span", { class: "soft" }, ` and ${group.more} more`) : null)));
}

function drawRoles(position) {
  byId("roles").replaceChildren(...position.roles.map((role, number) => {
    const engine = element("input", { type: "checkbox", onchange: (event) => {
      engines[number] = event.target.checked;
      letEnginesPlay();
    } });
    engine.checked = engines[number] ?? false;
    const buttons = role.moves.map((move) => element("button", {
      type: "button", "data-move": move.id, "aria-pressed": "false",
      class: move.part == null ? null : `part-${move.part % 8}`,
      onclick: () => choose(number, move.id),
    }, move.name));
    return element("div", { class: "role" },
      element("header", {}, element("h3", {}, role.name),
        element("span", { class: "goal soft" }, role.goal == null ? "goal –" : `goal ${role.goal}`),
        element("label", {}, engine, " engine")),
      element("div", { class: "moves" }, ...buttons),
      role.more > 0 ? element("p", { class: "note" }, `and ${role.more} more moves`) : null);
  }));
}

const complete = () => chosen.length > 0 && chosen.every((move) => move != null);
const choosers = () => steps[at].position.roles.flatMap((role, number) => (role.moves.length > 1 ? [number] : []));

function choose(role, move) {
  chosen[role] = move;
  if (complete() && choosers().length <= 1) { advance(); return; }
  mark();
}

/** Shows what is chosen, which places can be clicked, and which moves fit the places clicked. */
function mark() {
  const { position } = steps[at];
  const touched = new Set();
  for (const [number, role] of position.roles.entries()) {
    for (const move of role.moves) {
      const fits = places.every((place) => move.places.includes(place));
      const button = byId("roles").querySelector(`[data-move="${move.id}"]`);
      button.setAttribute("aria-pressed", String(chosen[number] === move.id && role.moves.length > 1));
      button.classList.toggle("aside", !fits);
      if (role.moves.length > 1) for (const place of move.places) touched.add(place);
    }
  }
  for (const square of byId("board").querySelectorAll(".square")) {
    const can = touched.has(square.dataset.place);
    square.classList.toggle("can", can);
    square.classList.toggle("chosen", places.includes(square.dataset.place));
    square.setAttribute("tabindex", can ? "0" : "-1");
    square.setAttribute("role", can ? "button" : "img");
  }
  const nobody = choosers().length === 0;
  byId("advance").hidden = position.terminal || !complete() || (choosers().length === 1 && !nobody);
  byId("advance").textContent = nobody ? "Go on" : "Make these moves";
  byId("random").disabled = position.terminal;
  byId("hint").disabled = position.terminal || nobody;
}

function clicked(square) {
  if (!square?.classList.contains("can")) return;
  const place = square.dataset.place;
  places = places.includes(place) ? places.filter((one) => one !== place) : [...places, place];
  const fitting = () => choosers().flatMap((role) => steps[at].position.roles[role].moves
    .filter((move) => places.every((one) => move.places.includes(one))).map((move) => ({ role, id: move.id })));
  if (fitting().length === 0) places = [place];
  const left = fitting();
  if (places.length > 0 && left.length === 1) choose(left[0].role, left[0].id);
  else mark();
}

async function advance(joint = [...chosen]) {
  const turn = ++busy;
  try {
    const position = await ask({ state: state(), moves: joint });
    if (turn !== busy) return;
    steps = [...steps.slice(0, at + 1), { position, moves: joint }];
    go(at + 1);
  } catch (error) {
    byId("said").textContent = error.message;
  }
}

function anyMove() {
  const any = (role, number) => chosen[number] ?? role.moves[Math.floor(Math.random() * role.moves.length)]?.id;
  const joint = steps[at].position.roles.map(any);
  if (joint.every((move) => move != null)) advance(joint);
}

/** Asks the engine for a move, with the clock shown. */
async function think(role) {
  aborting = new AbortController();
  const clock = Math.min(60, Math.max(0.1, Number(byId("clock").value) || 1));
  const bar = byId("thinking");
  const started = performance.now();
  bar.hidden = false;
  const ticking = setInterval(() => { bar.value = (performance.now() - started) / 1000 / clock; }, 50);
  try {
    const request = { state: state(), role, seconds: clock };
    return await post(`/api/games/${world.game.id}/engine`, request, aborting.signal);
  } catch (error) {
    if (error.name !== "AbortError") byId("said").textContent = error.message;
    return undefined;
  } finally {
    clearInterval(ticking);
    bar.hidden = true;
    bar.value = 0;
  }
}

const told = (role, answer) =>
  `${steps[at].position.roles[role].name}: ${answer.name} (${answer.reason}; ${answer.playouts.toLocaleString("en")} games played)`;

async function hint() {
  const step = at;
  for (const role of choosers()) {
    const answer = await think(role);
    if (!answer || step !== at) return;
    byId("said").textContent = told(role, answer);
    byId("roles").querySelector(`[data-move="${answer.action}"]`)?.focus();
  }
}

async function letEnginesPlay() {
  const step = at;
  if (at !== steps.length - 1 || steps[at].position.terminal) return;
  const own = choosers().filter((role) => engines[role]);
  if (own.length === 0) {
    // Nobody has a choice and the engine takes part: time goes on by itself.
    if (choosers().length === 0 && engines.some(Boolean) && complete()) setTimeout(() => { if (step === at) advance(); }, 400);
    return;
  }
  for (const role of own) {
    const answer = await think(role);
    if (!answer || step !== at) return;
    byId("said").textContent = told(role, answer);
    chosen[role] = answer.action;
  }
  if (complete()) advance();
  else mark();
}
