// A game that is too large for a net, played by the interpreter: what is true and what can be done, in words.

import { pick } from "./chance.js";
import { byId, counted, post } from "./page.js";
import { groups, roles } from "./sides.js";

const COLOURS = ["blue", "orange", "green", "purple", "red", "cyan"];
const NAMED = ["white", "black", "yellow", "pink", "brown", ...COLOURS];

let request;
let steps = [];     // the states so far, as the server told them
let chosen = [];    // by role: the move that is to be made
let seed = 1;
let asking = 0;     // counts requests, so that late answers are dropped

export function prepare() {
  byId("plain-new").addEventListener("click", () => { seed++; steps.length = 1; draw(); });
  byId("plain-back").addEventListener("click", () => { if (steps.length > 1) { steps.pop(); draw(); } });
  byId("plain-random").addEventListener("click", () => advance(steps.at(-1).roles.map(any)));
  byId("plain-go").addEventListener("click", () => advance(chosen));
}

/** Begins a game; it is given by name or by its text. */
export async function open({ name, text }) {
  request = { name, text };
  const first = await post("/api/interpreted", request);
  steps = [first];
  byId("plain").hidden = false;
  document.body.classList.add("interpreted");
  byId("plain-note").textContent = first.hidden
    ? "There is no net, so there is no board either. These rules hide something from some players; everything is shown here."
    : "There is no net, so there is no board either. This is what is true, and what each role may do.";
  draw();
  return first;
}

export function close() {
  asking++;
  byId("plain").hidden = true;
  document.body.classList.remove("interpreted");
}

const any = (role, number) => chosen[number] ?? role.moves[Math.floor(Math.random() * role.moves.length)];

async function advance(moves) {
  const turn = ++asking;
  byId("plain-said").textContent = "thinking…";
  try {
    const next = await post("/api/interpreted", { ...request, state: steps.at(-1).state, moves });
    if (turn !== asking) return;
    steps.push(next);
    draw();
  } catch (error) {
    if (turn === asking) byId("plain-said").textContent = error.message;
  }
}

function draw() {
  const { state, terminal, roles: players } = steps.at(-1);
  chosen = players.map(({ name, moves }, number) => {
    if (moves.length === 1) return moves[0];
    return name === "random" && moves.length > 0 ? pick(moves, seed, steps.length, number) : null;
  });
  const choosers = players.flatMap((role, number) => (chosen[number] == null && role.moves.length > 0 ? [number] : []));
  byId("plain-said").textContent = "";
  byId("plain-step").textContent = counted(steps.length - 1, "step");
  byId("plain-turn").textContent = turnInWords(terminal, choosers.map((number) => players[number].name));
  byId("plain-back").disabled = steps.length === 1;
  byId("plain-random").disabled = terminal;
  byId("plain-facts").replaceChildren(...groups({ groups: byRelation(state) }));
  const choose = (number, move) => {
    chosen[number] = players[number].moves[move];
    if (choosers.length === 1) advance(chosen);
    else mark(players);
  };
  byId("plain-roles").replaceChildren(...roles(position(players, terminal, choosers), { engines: [], hiding: true, seed, choose }));
  mark(players, terminal);
}

function turnInWords(terminal, names) {
  if (terminal) return "The game is over.";
  if (names.length === 0) return "Nobody has a choice.";
  return names.length === 1 ? `${names[0]} to move` : `${names.join(" and ")} choose at the same time`;
}

/** The cards of the roles are those of a game with a board. */
const position = (players, terminal, turn) => ({
  terminal, turn,
  roles: players.map(({ name, moves, goal }, number) => ({
    name, goal, colour: NAMED.find((colour) => name.toLowerCase() === colour) ?? COLOURS[number % COLOURS.length], chance: name === "random",
    moves: moves.map((move, id) => ({ id, name: move })), more: 0,
  })),
});

/** Shows what is chosen where several choose. */
function mark(players, terminal = false) {
  const cards = byId("plain-roles").children;
  players.forEach(({ moves }, number) => {
    for (const button of cards[number].querySelectorAll("[data-move]")) {
      button.setAttribute("aria-pressed", String(moves.length > 1 && moves[button.dataset.move] === chosen[number]));
    }
  });
  byId("plain-go").hidden = terminal || chosen.some((move) => move == null);
}

/** What is true, relation by relation, in natural order. */
function byRelation(state) {
  const naturally = new Intl.Collator("en", { numeric: true }).compare;
  const found = new Map();
  for (const fluent of state) {
    const [, name, rest] = /^\(?(\S+?)(?:\s+(.*))?\)?$/s.exec(fluent) ?? [null, fluent, undefined];
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(rest === undefined ? "yes" : rest.replace(/\)$/, ""));
  }
  return [...found].map(([name, values]) => ({ name, values: values.sort(naturally).map((text) => ({ text })), more: 0, unknown: 0 }));
}
