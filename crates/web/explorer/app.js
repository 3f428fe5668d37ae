// The page: opens games, switches between views, and notices when the engine is gone.

import { byId, element, get, grouped, post, seconds } from "./page.js";
import * as match from "./match.js";
import * as net from "./net.js";
import * as parts from "./parts.js";
import * as plain from "./plain.js";
import * as play from "./play.js";
import * as rules from "./rules.js";
import * as solve from "./solve.js";
import * as story from "./story.js";
import * as structure from "./structure.js";

const views = { play, net, structure, parts, solve, match, rules };
let game;
let shown = "play";
let wanted = {};

/** What the views share: the open game and the state shown. */
export const world = {
  get game() { return game; },
  get state() { return play.state(); },
  get moves() { return play.moves(); },
  get table() { return play.table(); },
  get over() { return play.over(); },
  choose: (role, move) => { play.set(role, move); net.shown(); },
  step: async () => { await play.step(); net.shown(); },
  refresh: () => play.refresh(),
  show: (view) => select(view),
  focus: (gate) => { select("net"); net.around(gate); },
  line: (moves) => { select("play"); play.follow(moves); },
  open: (request) => open(request),
};

let opening;

async function open(request) {
  // Reading that is no longer wanted is stopped on the server too.
  opening?.abort();
  plain.close();
  const before = game;
  const mine = opening = new AbortController();
  wanted = request;
  const ticking = tick();
  waiting(true);
  try {
    game = await post("/api/games", request, mine.signal);
  } catch (error) {
    if (mine.signal.aborted) return;
    failed(request, error);
    return;
  } finally {
    clearInterval(ticking);
    if (mine === opening) waiting(false);
  }
  again();
  document.body.classList.remove("nothing");
  const { title, fluents, moves, gates, depth } = game;
  name(title);
  story.opened(game);
  byId("about").textContent =
    `${title}: ${grouped(fluents)} fluents, ${grouped(moves)} moves, ${grouped(gates)} gates, ${depth} levels; read in ${seconds(game.seconds)}`;
  document.title = `${title} · Gambol`;
  remember();
  for (const view of Object.values(views)) view.opened(game);
  close(before);
  await play.start();
  views[shown].shown();
}

/** The game before is pale until the new one is there. */
function waiting(on) {
  document.body.classList.toggle("reading", on);
}

/** Says how long the reading takes. */
function tick() {
  const started = performance.now();
  byId("about").textContent = "reading…";
  return setInterval(() => {
    byId("about").textContent = `reading… ${Math.round((performance.now() - started) / 1000)} s`;
  }, 1000);
}

/** Nothing of the game before stays under the message. */
function failed(request, error) {
  byId("about").textContent = error.message;
  rules.failed(request.text, error);
  if (error.places.length > 0) { select("rules"); return; }
  close(game);
  game = undefined;
  name(request.name ?? "your game");
  story.opened({ about: "" });
  play.clear();
  document.body.classList.add("nothing");
  again(request);
}

/** More time, for a game that could not be read in the usual one. */
function again(request) {
  byId("again").hidden = request === undefined;
  byId("interpret").onclick = () => interpret(request);
  byId("more-time").onclick = () => open({ ...request, seconds: Number(byId("load-time").value) });
}

/** Without a net there is still the game itself, in words. */
async function interpret(request) {
  const ticking = tick();
  try {
    const { title } = await plain.open(request);
    again();
    name(title);
    byId("about").textContent = `${title}, played with the interpreter`;
    document.title = `${title} · Gambol`;
  } catch (error) {
    byId("about").textContent = error.message;
  } finally {
    clearInterval(ticking);
  }
}

/** The list names the game that is open, bundled or not. */
function name(title) {
  const list = byId("games");
  const bundled = [...list.options].some((option) => option.value === title) && !wanted.text;
  list.options[0].textContent = bundled ? "…" : title;
  list.value = bundled ? title : "";
}

// A game that is no longer shown need not be kept.
function close(old) {
  if (old !== undefined) fetch(`/api/games/${old.id}`, { method: "DELETE", keepalive: true }).catch(() => {});
}

// A page that the browser keeps for later keeps its game.
addEventListener("pagehide", (event) => { if (!event.persisted) close(game); });

function remember() {
  const parameters = new URLSearchParams();
  if (wanted.name && !wanted.text) parameters.set("game", wanted.name);
  parameters.set("view", shown);
  history.replaceState(null, "", `#${parameters}`);
}

function select(view) {
  shown = view;
  for (const name of Object.keys(views)) {
    const tab = byId(`tab-${name}`);
    byId(name).hidden = name !== view;
    tab.setAttribute("aria-selected", String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
  }
  remember();
  story.tell(view);
  if (game) views[view].shown();
}

function tabs() {
  const names = Object.keys(views);
  for (const name of names) byId(`tab-${name}`).addEventListener("click", () => select(name));
  byId("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = names[(names.indexOf(shown) + step + names.length) % names.length];
    select(next);
    byId(`tab-${next}`).focus();
  });
}

async function readFile(file) {
  if (!file) return;
  if (/\.jsonl$/i.test(file.name)) { await match.read(await file.text()); return; }
  if (file.size > 4 << 20) { byId("about").textContent = "this file is too long for a rulesheet"; return; }
  byId("games").value = "";
  await open({ name: file.name.replace(/\.[a-z]+$/i, ""), text: await file.text() });
}

function files() {
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", (event) => readFile(event.target.files[0]));
  const body = document.body;
  body.addEventListener("dragover", (event) => { event.preventDefault(); body.classList.add("dropping"); });
  body.addEventListener("dragleave", (event) => { if (!event.relatedTarget) body.classList.remove("dropping"); });
  body.addEventListener("drop", (event) => {
    event.preventDefault();
    body.classList.remove("dropping");
    readFile(event.dataTransfer.files[0]);
  });
}

/** Asks now and then whether the engine is there; when it comes back the game is opened again. */
function watch() {
  const gone = byId("gone");
  setInterval(async () => {
    const here = await fetch("/api/here").then((answer) => answer.ok, () => false);
    if (here && !gone.hidden) open(wanted);
    gone.hidden = here;
  }, 3000);
}

async function begin() {
  tabs();
  files();
  for (const view of Object.values(views)) view.prepare(world);
  plain.prepare();
  story.prepare(world);
  const select_ = byId("games");
  const listed = await get("/api/bundled");
  select_.append(...listed.map((one) => element("option", { value: one.name, title: one.about }, one.name)));
  select_.addEventListener("change", () => { if (select_.value) open({ name: select_.value }); });
  const parameters = new URLSearchParams(location.hash.slice(1));
  select(views[parameters.get("view")] ? parameters.get("view") : "play");
  const name = parameters.get("game") ?? "tic-tac-toe";
  select_.value = name;
  watch();
  await open({ name });
}

begin().catch((error) => { byId("about").textContent = error.message; });
