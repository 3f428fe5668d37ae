// Play and step: the board, what else is true, the moves, the time line, the engine.

import { byId, element, enlarge, post, postForText, save, show } from "./page.js";
import { pick } from "./chance.js";
import { groups, roles } from "./sides.js";

let world;
let steps = [];      // {position, moves}: the moves that led there
let at = 0;
let chosen = [];     // by role: the move that is to be made
let clicks = [];     // places that were clicked
let engines = [];    // roles that the engine plays
let viewer = null;   // the role whose knowledge is shown, in a game with hidden information
let seated = null;    // the table on the server at which the viewer sits
let seed = 1;        // of everything that chance decides
let busy = 0;        // counts requests, so that late answers are dropped
let aborting;

export function prepare(shared) {
  world = shared;
  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(at - 1));
  byId("forward").addEventListener("click", () => go(at + 1));
  byId("last").addEventListener("click", () => go(steps.length - 1));
  byId("when").addEventListener("input", (event) => go(Number(event.target.value)));
  // Between two games there is nothing to move.
  const here = (act) => () => { if (steps[at]) act(); };
  byId("advance").addEventListener("click", here(() => advance()));
  byId("random").addEventListener("click", here(anyMove));
  byId("hint").addEventListener("click", here(hint));
  byId("new-game").addEventListener("click", () => { seed++; opened(world.game, engines); start(); });
  byId("swap").addEventListener("click", here(swap));
  byId("viewer").addEventListener("change", (event) => look(event.target.value));
  byId("board").addEventListener("click", (event) => clicked(event.target.closest(".square")));
  byId("board").addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); clicked(event.target.closest(".square")); }
    if (event.key === "Escape") { clicks = []; mark(); }
  });
  byId("save-board").addEventListener("click", async () => {
    save("board.svg", hiding() ? await postForText(tablePath(), { act: "board", table: seated, step: at })
      : await postForText(`/api/games/${world.game.id}/board.svg`, { state: state() }));
  });
}

export const state = () => steps[at]?.position.state;
export const moves = () => (steps[at] && !hiding() && complete() ? [...chosen] : undefined);
export const over = () => steps[at]?.position.terminal ?? true;

/** The choices of the laboratory: those that a person at the page may make. */
export const table = () => (steps[at] ? own() : []).map((number) => {
  const role = steps[at].position.roles[number];
  return { role: role.name, number, moves: role.moves, chosen: chosen[number] };
});

/** Chooses without going on; the laboratory has a clock of its own. */
export function set(role, move) {
  chosen[role] = move;
  mark();
}

/** One tick. */
export async function step() {
  if (complete()) await advance();
}

export function opened(game, players) {
  aborting?.abort();
  busy++;
  steps = [];
  at = 0;
  clicks = [];
  // In a game with hidden information one person sits at one side of the table.
  const first = game.roles.findIndex((role) => role !== "random");
  if (players === undefined) viewer = game.hidden && first >= 0 ? first : null;
  engines = players ?? game.roles.map((role, number) => game.hidden && number !== viewer && role !== "random");
  for (const id of ["board", "groups", "roles", "turn"]) byId(id).replaceChildren();
  for (const id of ["said", "known", "step", "ending"]) byId(id).textContent = "";
  byId("viewing").hidden = !game.hidden;
  byId("viewer").replaceChildren(
    ...game.roles.flatMap((role, number) => (role === "random" ? [] : [element("option", { value: number }, role)])),
    element("option", { value: "all" }, "everything"));
  byId("viewer").value = viewer ?? "all";
}

/** Nothing is open: nothing is shown. */
export function clear() {
  opened({ roles: [], hidden: false });
}

export async function start() {
  const turn = ++busy;
  byId("turn").textContent = "Looking for a board…";
  const position = hiding() ? await sitDown() : await ask({});
  if (turn !== busy) return;
  steps = [{ position, moves: null }];
  go(0);
}

export function shown() {
  refresh();
}

const ask = (request) => post(`/api/games/${world.game.id}/position`, request);

/** Whether only what the viewer's role knows is shown. The server then keeps the game and sends nothing else. */
const hiding = () => Boolean(world.game?.hidden) && viewer != null;
const tablePath = () => `/api/games/${world.game.id}/table`;
const atTable = (request, signal) => post(tablePath(), { table: seated, step: at, ...request }, signal);

async function sitDown() {
  const { table, position } = await post(tablePath(), { act: "begin", viewer });
  seated = table;
  return position;
}

/** Another seat is another game; everything is this game with open cards. */
async function look(value) {
  if (value !== "all") {
    viewer = Number(value);
    engines = world.game.roles.map((role, number) => number !== viewer && role !== "random");
    steps = [];
    at = 0;
    byId("said").textContent = "A new game has begun: you have changed seats.";
    await start();
    return;
  }
  const step = at;
  const { moves } = hiding() ? await atTable({ act: "reveal" }) : { moves: steps.slice(1).map((one) => one.moves) };
  viewer = null;
  steps = [{ position: await ask({}), moves: null }];
  at = 0;
  await follow({ from: 0, moves });
  go(Math.min(step, steps.length - 1));
}

/** Draws the state again: its colours, or what is known of it, may have changed. */
export async function refresh() {
  const step = steps[at];
  if (!step) return;
  const turn = ++busy;
  const position = hiding() ? await atTable({ act: "look" })
    : await ask({ state: state(), before: steps[at - 1]?.position.state });
  // Another game may have been opened meanwhile, or another step be shown.
  if (turn !== busy) return;
  step.position = position;
  draw();
}

function go(step, forward = false) {
  if (step < 0 || step >= steps.length) return;
  aborting?.abort();
  at = step;
  busy++;
  draw();
  if (forward) slide(steps[at].position.slides);
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

function draw() {
  const { position } = steps[at];
  chosen = position.roles.map((role, number) => {
    if (role.moves.length === 1) return role.moves[0].id;
    return role.chance && role.moves.length > 0 ? pick(role.moves, seed, at, number).id : null;
  });
  clicks = [];
  const board = byId("board");
  board.hidden = !position.board;
  if (position.board) enlarge(show(board, position.board));
  byId("groups").replaceChildren(...groups(position));
  byId("roles").replaceChildren(...roles(position, { engines, hiding: hiding(), seed, choose, seat }));
  byId("known").textContent = position.known ?? "";
  drawTurn(position);
  mark();
  byId("when").max = steps.length - 1;
  byId("when").value = at;
  byId("step").textContent = `step ${at} of ${steps.length - 1}`;
  byId("ending").textContent = position.ending ?? "";
  byId("swap").hidden = position.roles.filter((role) => !role.chance).length !== 2;
  letEnginesPlay();
}

/** Whose turn it is, in words and colour. */
function drawTurn(position) {
  const movers = position.turn.map((number) => position.roles[number]).filter((role) => !role.chance);
  const name = (role) => element("span", { class: "mover" }, element("span", { class: `swatch ink-${role.colour}` }), role.name);
  const words = () => {
    if (position.terminal) return ["The game is over."];
    if (position.turn.length === 0) return [hiding() ? "The others choose." : "Nobody has a choice."];
    if (movers.length === 0) return ["Chance decides."];
    if (movers.length === 1) return [name(movers[0]), movers[0].moves.length === 1 ? " has one move" : " to move"];
    return [...movers.flatMap((role, place) => [place > 0 ? " and " : "", name(role)]), " choose at the same time"];
  };
  byId("turn").replaceChildren(...words());
}

/** Lets pieces glide to where they have gone. */
function slide(slides) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const square = (place) => byId("board").querySelector(`[data-place="${place}"]`);
  const corner = (place) => square(place)?.transform.baseVal.getItem(0).matrix;
  for (const [from, to] of slides ?? []) {
    const [a, b] = [corner(from), corner(to)];
    const things = square(to)?.querySelector(".things");
    if (!a || !b || !things) continue;
    things.animate([{ transform: `translate(${a.e - b.e}px, ${a.f - b.f}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
  }
}

const complete = () => (hiding() ? chosen[viewer] != null : chosen.length > 0 && chosen.every((move) => move != null));
const choosers = () => steps[at].position.roles.flatMap((role, number) => (role.moves.length > 1 && !role.chance ? [number] : []));
/** The choosers that the person at the page may choose for. */
const own = () => choosers().filter((role) => viewer == null || role === viewer);

function choose(role, move) {
  chosen[role] = move;
  if (complete() && choosers().length <= 1) { advance(); return; }
  mark();
  letEnginesPlay();
}

function seat(number, engine) {
  engines[number] = engine;
  letEnginesPlay();
}

/** The engine takes the other side. */
function swap() {
  const { position } = steps[at];
  const players = position.roles.flatMap((role, number) => (role.chance ? [] : [number]));
  const mover = players.find((number) => position.turn.includes(number)) ?? players[0];
  const taken = players.find((number) => engines[number]);
  const engine = taken === undefined ? mover : players.find((number) => number !== taken);
  engines = position.roles.map((_, number) => number === engine);
  if (hiding()) { look(String(players.find((number) => number !== viewer))); byId("viewer").value = viewer; return; }
  draw();
}

/** Whether the clicks so far are the beginning of a move, in order; or its last place alone. */
const begins = (move) => clicks.every((place, number) => move.path[number]?.includes(place));
const ends = (move) => clicks.length === 1 && move.path.at(-1)?.includes(clicks[0]);

function fitting() {
  const all = own().flatMap((role) => steps[at].position.roles[role].moves.map((move) => ({ role, move })));
  const first = all.filter(({ move }) => begins(move));
  return first.length > 0 || clicks.length === 0 ? first : all.filter(({ move }) => ends(move));
}

/** Shows what is chosen, which places can be clicked, and which moves fit the places clicked. */
function mark() {
  const { position } = steps[at];
  const fits = fitting();
  const ids = new Set(fits.map(({ move }) => move.id));
  const touched = new Set(fits.flatMap(({ move }) => move.path[begins(move) ? clicks.length : 0] ?? []));
  const sources = own().flatMap((role) => steps[at].position.roles[role].moves.flatMap((move) => move.path[0] ?? []));
  for (const place of [...sources, ...clicks]) if (clicks.length > 0) touched.add(place);
  for (const [number, role] of position.roles.entries()) {
    for (const move of role.moves) {
      const button = byId("roles").querySelector(`[data-move="${move.id}"]`);
      button?.setAttribute("aria-pressed", String(chosen[number] === move.id && role.moves.length > 1));
      button?.classList.toggle("aside", clicks.length > 0 && !ids.has(move.id));
    }
  }
  // Of a column only the place where something lands is marked.
  const targets = new Set(fits.flatMap(({ move }) => move.path[clicks.length]?.slice(0, 1) ?? []));
  for (const square of byId("board").querySelectorAll(".square")) {
    const place = square.dataset.place;
    const can = touched.has(place);
    square.classList.toggle("can", can);
    square.classList.toggle("target", targets.has(place));
    square.classList.toggle("chosen", clicks.includes(place));
    square.setAttribute("tabindex", can ? "0" : "-1");
    square.setAttribute("role", can ? "button" : "img");
  }
  const nobody = choosers().length === 0;
  byId("advance").hidden = position.terminal || !complete() || (choosers().length === 1 && !nobody);
  byId("advance").textContent = nobody ? "Go on" : "Make these moves";
  byId("random").disabled = position.terminal;
  byId("hint").disabled = position.terminal || own().length === 0;
}

function clicked(square) {
  if (!square?.classList.contains("can")) return;
  const place = square.dataset.place;
  if (clicks.includes(place)) {
    clicks = [];
  } else {
    clicks = [...clicks, place];
    // A place that goes on with nothing begins anew.
    if (fitting().length === 0) clicks = [place];
  }
  const fits = fitting();
  const whole = fits.filter(({ move }) => move.path.length === clicks.length || !begins(move));
  if (clicks.length > 0 && fits.length === 1 && whole.length === 1) choose(whole[0].role, whole[0].move.id);
  else mark();
}

async function advance(joint = [...chosen]) {
  const turn = ++busy;
  const from = at;
  try {
    const position = hiding() ? await answered(joint[viewer]) : await ask({ state: state(), moves: joint });
    if (turn !== busy || !position) return;
    steps = [...steps.slice(0, from + 1), { position, moves: hiding() ? null : joint }];
    go(from + 1, true);
  } catch (error) {
    byId("said").textContent = error.message;
  }
}

/** The viewer's move; the server makes those of the others. */
const answered = (action) => timed((seconds, signal) => atTable({ act: "move", action, seconds }, signal));

function anyMove() {
  const any = (role, number) => chosen[number] ?? role.moves[Math.floor(Math.random() * role.moves.length)]?.id;
  const joint = steps[at].position.roles.map(any);
  if (hiding() ? joint[viewer] != null : joint.every((move) => move != null)) advance(joint);
}

/** Work of the engine, with the clock shown; nothing if it was called off or refused. */
async function timed(work) {
  aborting = new AbortController();
  const clock = Math.min(60, Math.max(0.1, Number(byId("clock").value) || 1));
  const bar = byId("thinking");
  const started = performance.now();
  bar.hidden = false;
  const ticking = setInterval(() => { bar.value = (performance.now() - started) / 1000 / clock; }, 50);
  try {
    return await work(clock, aborting.signal);
  } catch (error) {
    if (error.name !== "AbortError") byId("said").textContent = error.message;
    return undefined;
  } finally {
    clearInterval(ticking);
    bar.hidden = true;
    bar.value = 0;
  }
}

/** Asks the engine for a move. In a game with hidden information it uses what the role knows, and nothing else. */
const think = (role) => timed((seconds, signal) => {
  if (hiding()) return atTable({ act: "hint", seconds }, signal);
  const history = world.game.hidden ? steps.slice(1, at + 1).map((one) => one.moves) : undefined;
  return post(`/api/games/${world.game.id}/engine`, { state: state(), role, seconds, history }, signal);
});

const told = (role, answer) =>
  `${steps[at].position.roles[role].name}: ${answer.name} (${answer.reason}; ${answer.playouts.toLocaleString("en")} games played)`
  + (answer.line?.length > 1 ? `; expected: ${answer.line.join(", ")}` : "");

async function hint() {
  const step = at;
  for (const role of own()) {
    const answer = await think(role);
    if (!answer || step !== at) return;
    byId("said").textContent = told(role, answer);
    byId("roles").querySelector(`[data-move="${answer.action}"]`)?.focus();
  }
}

async function letEnginesPlay() {
  const step = at;
  if (at !== steps.length - 1 || steps[at].position.terminal) return;
  if (choosers().length === 0) {
    // Only chance decides, or nobody, and the engine takes part: time goes on by itself.
    const lot = steps[at].position.roles.some((role) => role.chance && role.moves.length > 1);
    if ((lot || engines.some(Boolean)) && complete()) setTimeout(() => { if (step === at && at === steps.length - 1) advance(); }, 400);
    return;
  }
  if (hiding()) return;
  for (const role of choosers().filter((one) => engines[one] && chosen[one] == null)) {
    const answer = await think(role);
    if (!answer || step !== at) return;
    byId("said").textContent = told(role, answer);
    chosen[role] = answer.action;
  }
  if (complete()) advance();
  else mark();
}
