// Beside the board: what else is true, and the moves of each role.

import { element } from "./page.js";

/** So many moves are listed before one has to ask for more. */
const SHORT_LIST = 120;
const naturally = new Intl.Collator("en", { numeric: true }).compare;

/** Groups of fluents that lie on no board. */
export function groups(position) {
  const value = (one) => element("span", {
    class: `chip${one.latched ? " latched" : ""}${one.part == null ? "" : ` part-${one.part % 12}`}`,
    title: one.latched ? "it stays so" : null,
  }, one.text);
  const unknown = (group) => (group.unknown > 0 ? element("span", { class: "chip unknown", title: "you cannot know this" }, "?") : null);
  return position.groups.filter((group) => !group.turn && (group.values.length > 0 || group.unknown > 0)).map((group) =>
    element("div", { class: "group" }, element("b", {}, group.name), ...group.values.map(value), unknown(group),
      group.more > 0 ? element("span", { class: "soft" }, ` and ${group.more} more`) : null));
}

/** A card for each role. */
export function roles(position, table) {
  return position.roles.map((role, number) => {
    if (role.chance) return chance(role, table.seed);
    const engine = element("input", { type: "checkbox", onchange: (event) => table.seat(number, event.target.checked) });
    engine.checked = table.engines[number] ?? false;
    const turn = position.turn.includes(number);
    return element("div", { class: `role${turn ? " turn" : ""}` },
      element("header", {}, element("h3", {}, element("span", { class: `swatch ink-${role.colour}` }), role.name),
        position.terminal ? element("span", { class: "goal soft" }, role.goal == null ? "no goal" : `goal ${role.goal}`) : null,
        table.hiding ? null : element("label", {}, engine, " engine")),
      ...(role.hidden ? [element("p", { class: "note" }, "The engine plays this side; you do not see its choices.")] : list(role, number, table)));
  });
}

const chance = (role, seed) => element("div", { class: "role" },
  element("header", {}, element("h3", {}, element("span", { class: `swatch ink-${role.colour}` }), role.name)),
  element("p", { class: "note" }, `Chance: every move is as likely as any other (seed ${seed}).`));

/** Buttons for the moves, in natural order; long lists with a filter. */
function list(role, number, table) {
  const sorted = [...role.moves].sort((one, other) => naturally(one.name, other.name));
  const box = element("div", { class: "moves" });
  const button = (move) => element("button", {
    type: "button", "data-move": move.id, "aria-pressed": "false",
    class: move.part == null ? null : `part-${move.part % 12}`,
    onclick: () => table.choose(number, move.id),
  }, move.name);
  const fill = (word, all = false) => {
    const fits = sorted.filter((move) => move.name.includes(word));
    const more = fits.length - SHORT_LIST;
    box.replaceChildren(...(all ? fits : fits.slice(0, SHORT_LIST)).map(button),
      more > 0 && !all ? element("button", { type: "button", class: "quiet", onclick: () => fill(word, true) }, `and ${more} more`) : "");
  };
  fill("");
  const filter = sorted.length > 24
    ? element("label", { class: "search" }, "Filter ", element("input", { type: "search", oninput: (event) => fill(event.target.value.trim()) }))
    : null;
  return [filter, box, role.more > 0 ? element("p", { class: "note" }, `and ${role.more} more moves`) : null].filter(Boolean);
}
