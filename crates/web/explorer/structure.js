// What is proved about the game, fact by fact.

import { Bench, basis, byId, element, grouped, seconds } from "./page.js";

/** Of more facts of one form than these, some are shown. */
const MOST_ALIKE = 12;
const SHOWN = 4;

let world;
let bench;
let done;

export function prepare(shared) {
  world = shared;
  bench = new Bench({ start: [byId("prove")], stop: byId("stop-proof"), status: byId("proof-status") });
  byId("prove").addEventListener("click", () => run(true));
  byId("filter-facts").addEventListener("input", filter);
}

export function opened() {
  bench.stop();
  done = undefined;
  bench.say("");
  byId("facts").replaceChildren();
  byId("proof-cut").hidden = true;
}

export function shown() {
  if (done === undefined) run(false);
}

/** A first look ends soon; a thorough one takes all of the time if something is left to look for. */
async function run(thorough) {
  done = false;
  const wanted = { kind: "structure", seconds: Number(byId("proof-time").value), thorough };
  const found = await bench.run(world.game.id, wanted, (news) => bench.say(`${news.stage}…`));
  if (!found) return;
  done = true;
  const all = found.states == null ? "" : ` all ${grouped(found.states)} states were visited;`;
  const ended = found.cut_short.length === 0;
  const how = ended ? "done" : thorough ? "stopped by the clock" : "a first look";
  bench.say(`${how};${all} ${seconds(found.seconds)}`);
  byId("proof-cut").hidden = ended;
  const next = thorough ? "Choose more time and press Prove." : `Press Prove to go on for up to ${byId("proof-time").selectedOptions[0].text}.`;
  byId("proof-cut").textContent = `Everything listed here holds, but there may be more: there was too little time for ${listed(found.cut_short)}. ${next}`;
  byId("facts").replaceChildren(...found.sections.map(section));
  if (found.sections.length === 0) byId("facts").replaceChildren(element("p", {}, "Nothing could be proved in this time."));
  filter();
  world.refresh();
}

const listed = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** What is said before the consequences, without arguments. */
const outline = (text) => text.split(";")[0].replace(/\(([^ ()]+) [^()]*\)/g, "($1)");

/** Facts that no sentence with variables tells, because their consequences differ, stand together all the same. */
function gathered(families, facts) {
  const alike = new Map();
  const kept = [];
  for (const one of families) {
    const first = facts[one.members[0]];
    const key = one.sentence || !first ? undefined : outline(first.text);
    const known = key === undefined ? undefined : alike.get(key);
    if (known) { known.members.push(...one.members); continue; }
    const own = { ...one, members: [...one.members] };
    kept.push(own);
    if (key !== undefined) alike.set(key, own);
  }
  return kept;
}

function section(one) {
  const families = gathered(one.families, one.facts);
  return element("details", { open: families.length <= 30 },
    element("summary", {}, `${one.title} (${grouped(one.facts.length + one.more)})`),
    element("p", { class: "note" }, one.about),
    element("ul", {}, ...families.map((it) => family(it, one.facts)).filter(Boolean)),
    one.more > 0 ? element("p", { class: "note" }, `and ${grouped(one.more)} more; “gambol structure” lists them all`) : null);
}

/** Facts that differ in their arguments only are one sentence, which can be unfolded. */
function family({ members, sentence }, listed) {
  const facts = members.flatMap((number) => listed[number] ?? []);
  if (facts.length === 0) return null;
  const told = facts.map((said) => element("div", { class: "fact" }, ...fact(said)));
  if (!sentence) {
    const shown = facts.length > MOST_ALIKE ? SHOWN : facts.length;
    return element("li", { class: "family" }, ...told.slice(0, shown), facts.length === shown ? null
      : element("details", {}, element("summary", {}, `and ${grouped(facts.length - shown)} more like these`), ...told.slice(shown)));
  }
  return element("li", { class: "family" }, basis(facts[0].basis), sentence.text,
    element("p", {}, sentence.range, `; why: ${facts[0].why}`),
    element("details", {}, element("summary", {}, `${grouped(members.length)} facts`),
      ...told));
}

const fact = (said) => [basis(said.basis), said.text,
  element("p", {}, `why: ${said.why} `, ...said.gates.slice(0, 1).map((gate) =>
    element("button", { type: "button", class: "quiet", onclick: () => world.focus(gate) }, "show in the net")))];

function filter() {
  const words = byId("filter-facts").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (item) => words.every((word) => item.textContent.toLowerCase().includes(word));
  for (const item of byId("facts").querySelectorAll(".fact")) item.hidden = !fits(item);
  for (const item of byId("facts").querySelectorAll("li")) item.hidden = ![...item.querySelectorAll(".fact")].some(fits);
  if (words.length > 0) for (const details of byId("facts").querySelectorAll("details")) details.open = true;
}
