// The parts of the game; the slider sets how many random games are looked at.

import { Bench, basis, byId, counted, element, grouped, save, seconds, show } from "./page.js";

const PLAYOUTS = [50, 100, 200, 500, 1000, 5000, 10000, 20000, 50000];
let world;
let bench;
let done;
let waiting;

export function prepare(shared) {
  world = shared;
  bench = new Bench({ start: [], stop: byId("stop-cut"), status: byId("cut-status") });
  byId("cut").addEventListener("click", run);
  byId("with-proof").addEventListener("change", run);
  byId("playouts").addEventListener("input", () => {
    byId("playouts-said").textContent = grouped(playouts());
    clearTimeout(waiting);
    waiting = setTimeout(run, 250);
  });
  byId("save-matrix").addEventListener("click", async () => {
    save("matrix.svg", await (await fetch(`/api/games/${world.game.id}/matrix.svg`)).text());
  });
}

const playouts = () => PLAYOUTS[Number(byId("playouts").value)];

export function opened() {
  bench.stop();
  clearTimeout(waiting);
  done = undefined;
  bench.say("");
  for (const id of ["sentence", "cut-claims", "part-cards", "crossings", "repairs", "matrix"]) byId(id).replaceChildren();
  for (const id of ["save-matrix", "matrix-note"]) byId(id).hidden = true;
}

export function shown() {
  if (done === undefined) run();
}

async function run() {
  done = false;
  const wanted = { kind: "parts", playouts: playouts(), prove: byId("with-proof").checked };
  bench.say("playing…");
  const found = await bench.run(world.game.id, wanted, (news) => bench.say(`${news.stage}…`));
  if (!found) return;
  done = true;
  const short = found.complete ? "" : "there was too little time for everything; ";
  bench.say(`${short}${grouped(found.playouts)} random games, ${seconds(found.seconds)}`);
  byId("sentence").replaceChildren(basis(found.basis), found.sentence);
  byId("cut-claims").replaceChildren(...found.claims.map(claim),
    ...(wanted.prove ? [element("li", { class: "soft" }, found.finest)] : []));
  byId("part-cards").replaceChildren(...found.subgames.map(card));
  byId("crossings").replaceChildren(...found.crossings.map((text) => element("li", {}, text)));
  byId("repairs").replaceChildren(...found.repairs.map(repair));
  show(byId("matrix"), found.matrix);
  for (const id of ["save-matrix", "matrix-note"]) byId(id).hidden = false;
  world.refresh();
}

/** One thing that is said of the cut, and what it rests on. */
function claim(one) {
  return element("li", {}, basis(one.basis), one.text,
    one.proof ? element("span", { class: "soft" }, ` (${one.proof})`) : null);
}

/** Parts that play has shown to belong together, with the lines of play. */
function repair(one) {
  const where = one.from_the_start ? "" : " from a state met in play";
  const steps = (line) => line.length === 1 ? "1 step" : `${grouped(line.length)} steps`;
  return element("details", { class: "repair", open: "" },
    element("summary", {}, `joined by the proof: ${one.reason}`),
    element("ul", {}, ...one.joined.map((part) => element("li", { class: "soft" }, `${part.join(", ")}, …`))),
    element("ol", {}, ...one.lines.map((line) =>
      element("li", {}, `after ${steps(line)}${where}: `, element("code", {}, line.join(", then "))))));
}

function card(part) {
  const kind = part.action_dependent ? "played" : "changes by itself, whatever is played";
  const classes = part.meta_actions.filter((one) => !one.idle);
  const unlisted = part.acting_classes - classes.length;
  const rest = unlisted > 0 ? `; and ${grouped(unlisted)} more, which “gambol decompose” lists` : "";
  const more = part.fluents > part.examples.length ? ", …" : "";
  return element("div", { class: `card part-${part.id % 12}` },
    element("h3", {}, `Part ${part.id} `, basis(part.basis)),
    element("p", {}, `${kind}; ${counted(part.fluents, "fluent")}, ${counted(part.moves, "move")}; `,
      part.useful ? part.role_in_goal : "the outcome does not depend on it"),
    element("p", { class: "soft" }, part.examples.join(", ") + more),
    classes.length > 0 ? element("details", {},
      element("summary", {}, `${counted(part.acting_classes, "class", "classes")} of moves`),
      element("p", { class: "soft" }, classes.map((one) => `${one.role}: ${one.name}${one.moves > 1 ? ` (${one.moves} moves)` : ""}`).join("; ") + rest)) : null);
}
