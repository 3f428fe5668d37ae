// What is proved about the game, fact by fact.

import { Bench, basis, byId, element, grouped, seconds } from "./page.js";

let world;
let bench;
let done;

export function prepare(shared) {
  world = shared;
  bench = new Bench({ start: [byId("prove")], stop: byId("stop-proof"), status: byId("proof-status") });
  byId("prove").addEventListener("click", run);
  byId("filter-facts").addEventListener("input", filter);
}

export function opened() {
  bench.stop();
  done = undefined;
  bench.say("");
  byId("facts").replaceChildren();
}

export function shown() {
  if (done === undefined) run();
}

async function run() {
  done = false;
  const wanted = { kind: "structure", seconds: Number(byId("proof-time").value) };
  const found = await bench.run(world.game.id, wanted, (news) => bench.say(`${news.stage}…`));
  if (!found) return;
  done = true;
  const all = found.states == null ? "" : ` all ${grouped(found.states)} states were met;`;
  bench.say(`${found.complete ? "done" : "the time was not enough for everything"};${all} ${seconds(found.seconds)}`);
  byId("facts").replaceChildren(...found.sections.map(section));
  if (found.sections.length === 0) byId("facts").replaceChildren(element("p", {}, "Nothing could be proved in this time."));
  filter();
  world.refresh();
}

function section(one) {
  const fact = (said) => element("li", {}, basis(said.basis), said.text,
    element("p", {}, `why: ${said.why}`, ...said.gates.slice(0, 1).map((gate) =>
      element("button", { type: "button", class: "quiet", onclick: () => world.focus(gate) }, "show in the net"))));
  return element("details", { open: one.facts.length <= 30 },
    element("summary", {}, `${one.title} (${grouped(one.facts.length + one.more)})`),
    element("p", { class: "note" }, one.about),
    element("ul", {}, ...one.facts.map(fact)),
    one.more > 0 ? element("p", { class: "note" }, `and ${grouped(one.more)} more; gambol structure lists all`) : null);
}

function filter() {
  const words = byId("filter-facts").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of byId("facts").querySelectorAll("li")) {
    item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word));
  }
  if (words.length > 0) for (const details of byId("facts").querySelectorAll("details")) details.open = true;
}
