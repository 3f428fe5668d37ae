// The rules as text, with what is wrong shown at its place.

import { byId, element } from "./page.js";

let world;
let places = [];

export function prepare(shared) {
  world = shared;
  byId("read").addEventListener("click", () => world.open({ text: byId("text").value }));
  byId("text").addEventListener("input", () => { places = []; paint(); });
  byId("text").addEventListener("scroll", align);
}

export function opened(game) {
  byId("text").value = game.text;
  byId("read-status").textContent = game.warnings.length === 0 ? "nothing to complain about" : `${game.warnings.length} warnings`;
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

/** Marks the places behind the text. */
function paint() {
  const text = byId("text").value;
  const behind = byId("behind");
  const ranges = places.map((place) => [...range(place), place.severity]).sort((a, b) => a[0] - b[0]);
  const pieces = [];
  let done = 0;
  for (const [from, to, severity] of ranges) {
    if (from < done) continue;
    pieces.push(text.slice(done, from), element("mark", { class: severity }, text.slice(from, to)));
    done = to;
  }
  behind.replaceChildren(...pieces, `${text.slice(done)}\n`);
  align();
}

function align() {
  byId("behind").scrollTop = byId("text").scrollTop;
  byId("behind").scrollLeft = byId("text").scrollLeft;
}
