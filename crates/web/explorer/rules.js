// The rules as text, with what is wrong shown at its place.

import { brackets, colours } from "./colours.js";
import { byId, counted, element, post } from "./page.js";

/** Longer texts are neither coloured nor checked while one types. */
const LONGEST = 120_000;
/** So long nothing is typed before the text is checked. */
const PAUSE = 700;

let world;
let places = [];
let waiting;
let checking;

export function prepare(shared) {
  world = shared;
  byId("read").addEventListener("click", () => world.open({ text: byId("text").value }));
  byId("text").addEventListener("input", () => { places = []; paint(); checkSoon(); });
  document.addEventListener("selectionchange", () => { if (document.activeElement === byId("text")) paint(); });
  byId("text").addEventListener("scroll", align);
}

/** Reads the text without opening it, once nothing has been typed for a moment. */
function checkSoon() {
  clearTimeout(waiting);
  checking?.abort();
  waiting = setTimeout(check, PAUSE);
}

async function check() {
  const text = byId("text").value;
  if (text.length > LONGEST || text.trim() === "") return;
  checking = new AbortController();
  const { signal } = checking;
  const still = () => !signal.aborted && byId("text").value === text;
  byId("read-status").textContent = "checking…";
  try {
    const found = await post("/api/check", { text }, signal);
    if (!still()) return;
    byId("read-status").textContent = verdict(found);
    tell(found);
  } catch (error) {
    if (still()) byId("read-status").textContent = error.message;
  }
}

function verdict(found) {
  const all = (severity) => {
    const count = found.filter((place) => place.severity === severity).length;
    return count === 0 ? [] : [counted(count, severity)];
  };
  const errors = all("error");
  if (errors.length > 0) return errors[0];
  const rest = [...all("warning"), ...all("note")];
  return `valid, ${rest.length === 0 ? "without warnings" : rest.join(", ")}`;
}

export function opened(game) {
  clearTimeout(waiting);
  byId("text").value = game.text;
  byId("read-status").textContent = verdict(game.warnings);
  tell(game.warnings);
}

export function shown() {
  align();
}

/** The text could not be read. */
export function failed(text, error) {
  if (text !== undefined) byId("text").value = text;
  byId("read-status").textContent = error.message;
  tell(error.places);
}

function tell(found) {
  places = found.filter((place) => place.line != null);
  const lines = byId("text").value.split("\n");
  byId("places").replaceChildren(...found.slice(0, 200).map((place) => {
    const source = place.line == null ? null : lines[place.line - 1]?.slice(0, 200);
    const under = source == null ? "" : `${" ".repeat(place.column - 1)}${"^".repeat(Math.max(1, Math.min(place.length, source.length - place.column + 1)))}`;
    return element("li", {}, element("button", { type: "button", class: place.severity, onclick: () => point(place) },
      `${place.severity} ${place.category}${place.line == null ? "" : ` at line ${place.line}, column ${place.column}`}: ${place.message}`,
      source == null ? null : element("code", {}, `${source}\n${under}`),
      place.hint ? element("span", { class: "soft" }, `hint: ${place.hint}`) : null));
  }));
  paint();
}

/** Where a place begins and ends in the text. Columns count characters, not code units. */
function range(place) {
  const text = byId("text").value;
  let start = 0;
  for (let line = 1; line < place.line; line++) start = text.indexOf("\n", start) + 1;
  const line = [...text.slice(start, start + 4 * (place.column + place.length) + 8)];
  const from = start + line.slice(0, place.column - 1).join("").length;
  const length = line.slice(place.column - 1, place.column - 1 + Math.max(1, place.length)).join("").length;
  return [from, Math.min(text.length, from + length)];
}

function point(place) {
  if (place.line == null) return;
  const text = byId("text");
  const [from, to] = range(place);
  text.focus();
  text.setSelectionRange(from, to);
  const height = parseFloat(getComputedStyle(text).lineHeight);
  text.scrollTop = Math.max(0, (place.line - 4) * height);
  align();
}

/** Shows the text in colours, with the places and the matching parenthesis marked. */
function paint() {
  const box = byId("text");
  const text = box.value;
  const plain = text.length > LONGEST;
  box.classList.toggle("plain", plain);
  const marks = places.map((place) => [...range(place), place.severity])
    .concat(plain ? [] : brackets(text, box.selectionStart).map((at) => [at, at + 1, "bracket"]))
    .sort((a, b) => a[0] - b[0]);
  const pieces = [];
  const add = (from, to) => { if (from < to) pieces.push(...(plain ? [text.slice(from, to)] : colours(text.slice(from, to), element))); };
  let done = 0;
  for (const [from, to, severity] of marks) {
    if (from < done) continue;
    add(done, from);
    pieces.push(element("mark", { class: severity }, text.slice(from, to)));
    done = to;
  }
  add(done, text.length);
  byId("behind").replaceChildren(...pieces, "\n");
  align();
}

function align() {
  byId("behind").scrollTop = byId("text").scrollTop;
  byId("behind").scrollLeft = byId("text").scrollLeft;
}
