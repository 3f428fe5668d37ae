// The net: pictures of it, moving about in them, and the search for a proposition.

import { byId, element, get, postForText, save, show } from "./page.js";

/** So many units of the picture to a pixel can still be read. */
const READABLE = 1.35;

let world;
let middle;        // the gate that the picture is about
let view;          // what is seen of the picture: x, y, width, height
let picture;
let drawnFor;      // what the picture was drawn for

export function prepare(shared) {
  world = shared;
  byId("detail").addEventListener("change", draw);
  byId("live").addEventListener("change", draw);
  byId("net-relation").addEventListener("input", () => { if (byId("detail").value !== "relations") byId("detail").value = "relations"; draw(); });
  byId("find").addEventListener("input", search);
  byId("closer").addEventListener("click", () => zoom(0.75));
  byId("farther").addEventListener("click", () => zoom(1 / 0.75));
  byId("fit").addEventListener("click", () => { shrink(size(), byId("net-picture")); look(size()); });
  byId("save-net").addEventListener("click", async () => {
    save("net.svg", await postForText(path(), { ...request(), standalone: true }));
  });
  byId("net-step").addEventListener("click", () => world.step());
  moving(byId("net-picture"));
  addEventListener("resize", () => { if (picture && !byId("net").hidden) fit(); });
}

/** The inputs of the laboratory: a choice for each role that has one. */
function inputs() {
  const naturally = new Intl.Collator("en", { numeric: true }).compare;
  const choice = ({ role, number, moves, chosen }) => {
    const sorted = [...moves].sort((one, other) => naturally(one.name, other.name));
    const select = element("select", { onchange: (event) => world.choose(number, event.target.value === "" ? null : Number(event.target.value)) },
      element("option", { value: "" }, "no move yet"), ...sorted.map((move) => element("option", { value: move.id }, move.name)));
    select.value = chosen ?? "";
    return element("label", {}, `${role} `, select);
  };
  const table = world.table;
  byId("net-inputs").replaceChildren(...table.map(choice));
  byId("net-step").disabled = world.moves === undefined || world.over;
  byId("net-clock").textContent = world.over ? "The game is over: there is no next state."
    : world.moves === undefined ? "Only the current state is lit. Choose a move to see what else lights up, and what comes next."
      : "The marking is complete. Step carries every value on the right back to the left.";
}

export function opened() {
  middle = undefined;
  drawnFor = undefined;
  byId("find").value = "";
  byId("net-relation").value = "";
  byId("found").hidden = true;
  byId("detail").value = "auto";
  byId("detail").querySelector("[value=around]").disabled = true;
}

export function shown() {
  const now = JSON.stringify([world.game.id, world.state, world.moves]);
  if (drawnFor !== now) draw();
}

export function around(gate) {
  middle = gate;
  byId("detail").querySelector("[value=around]").disabled = false;
  byId("detail").value = "around";
  draw();
}

const path = () => `/api/games/${world.game.id}/net.svg`;
const request = () => ({
  detail: byId("detail").value, gate: middle, relation: byId("net-relation").value,
  state: byId("live").checked ? world.state : undefined,
  moves: byId("live").checked ? world.moves : undefined,
});

async function draw() {
  drawnFor = JSON.stringify([world.game.id, world.state, world.moves]);
  inputs();
  byId("net-picture").classList.toggle("no-move", world.moves === undefined);
  const kept = byId("detail").value === "around" ? undefined : view;
  try {
    const before = picture?.getAttribute("width");
    picture = show(byId("net-picture"), await postForText(path(), request()));
    picture.querySelector(`[data-gate="${middle}"]`)?.classList.add("middle");
    if (kept && before === picture.getAttribute("width")) look(kept);
    else fit();
  } catch (error) {
    byId("net-about").textContent = error.message;
  }
}

function size() {
  const [x, y, width, height] = picture.dataset.whole?.split(" ").map(Number)
    ?? picture.getAttribute("viewBox").split(" ").map(Number);
  picture.dataset.whole = [x, y, width, height].join(" ");
  return { x, y, width, height };
}

function look(to) {
  view = to;
  picture.setAttribute("viewBox", `${to.x} ${to.y} ${to.width} ${to.height}`);
}

/** The window is no higher than the picture needs at a size that can be read. */
function shrink(whole, box) {
  box.style.height = "";
  const scale = Math.min(READABLE, Math.max(1, whole.width / box.clientWidth));
  box.style.height = `${Math.round(Math.max(200, Math.min(box.clientHeight, whole.height / scale + 16)))}px`;
}

/** The whole picture, unless it would be too small to read: then what it is about, or its beginning. */
function fit() {
  const whole = size();
  const box = byId("net-picture");
  shrink(whole, box);
  const scale = Math.max(whole.width / box.clientWidth, whole.height / box.clientHeight);
  if (scale <= READABLE) { look(whole); return; }
  const [width, height] = [box.clientWidth * READABLE, box.clientHeight * READABLE];
  const place = picture.querySelector(".middle")?.getBBox();
  const within = (wanted, from, length, shown) => Math.max(from, Math.min(wanted, from + length - shown));
  const x = place ? within(place.x - width / 4, whole.x, whole.width, width) : whole.x;
  const y = place ? within(place.y + place.height / 2 - height / 2, whole.y, whole.height, height) : whole.y;
  look({ x: whole.width < width ? whole.x - (width - whole.width) / 2 : x, y, width, height });
}

function zoom(by, x = view.x + view.width / 2, y = view.y + view.height / 2) {
  look({ x: x - (x - view.x) * by, y: y - (y - view.y) * by, width: view.width * by, height: view.height * by });
}

function moving(box) {
  let from;
  let moved = 0;
  const scale = () => Math.max(view.width / box.clientWidth, view.height / box.clientHeight);
  box.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY, view }; moved = 0; });
  box.addEventListener("pointermove", (event) => {
    if (!from || !view) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    moved = Math.max(moved, Math.hypot(x, y));
    if (moved < 4) return;
    box.setPointerCapture(event.pointerId);
    box.classList.add("dragging");
    look({ ...view, x: from.view.x - x * scale(), y: from.view.y - y * scale() });
  });
  const end = () => { from = undefined; box.classList.remove("dragging"); };
  box.addEventListener("pointerup", end);
  box.addEventListener("pointercancel", end);
  box.addEventListener("click", (event) => {
    const node = event.target.closest(".node");
    if (!node || moved >= 4) return;
    // An input of the laboratory is chosen by a click; everything else is looked at more closely.
    const input = world.table.find((one) => one.moves.some((move) => move.gate === Number(node.dataset.gate)));
    if (node.dataset.gate && input && byId("detail").value !== "around" && byId("live").checked) {
      world.choose(input.number, input.moves.find((move) => move.gate === Number(node.dataset.gate)).id);
      return;
    }
    if (node.dataset.gate) { around(Number(node.dataset.gate)); return; }
    // A box for a whole relation: what it reads and what reads it are shown, its propositions are listed to choose from.
    const relation = (node.dataset.relation ?? "").replace(/^next /, "");
    byId("net-relation").value = byId("net-relation").value === relation ? "" : relation;
    byId("find").value = byId("net-relation").value;
    draw();
    search();
  });
  box.addEventListener("wheel", (event) => {
    if (!view) return;
    event.preventDefault();
    const frame = box.getBoundingClientRect();
    const x = view.x + ((event.clientX - frame.x) / frame.width) * view.width;
    const y = view.y + ((event.clientY - frame.y) / frame.height) * view.height;
    zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, x, y);
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    if (!view) return;
    const step = view.width / 10;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (by) { event.preventDefault(); look({ ...view, x: view.x + by[0], y: view.y + by[1] }); }
    if (event.key === "+") zoom(0.75);
    if (event.key === "-") zoom(1 / 0.75);
  });
}

let searching = 0;
async function search() {
  const turn = ++searching;
  const words = byId("find").value.trim();
  const list = byId("found");
  list.hidden = words === "";
  if (words === "") return;
  const found = await get(`/api/games/${world.game.id}/propositions?q=${encodeURIComponent(words)}`).catch(() => []);
  if (turn !== searching) return;
  list.replaceChildren(...found.map((one) => element("li", {},
    element("button", { type: "button", onclick: () => { list.hidden = true; around(one.gate); } },
      one.name, element("small", {}, one.kind)))));
  if (found.length === 0) list.replaceChildren(element("li", {}, "no proposition contains these words"));
}
