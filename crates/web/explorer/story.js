// The story: what each view shows, what to try next, and a guided tour through the textbook's ideas.

import { byId } from "./page.js";

const VIEWS = {
  play: ["This is the game: make moves by clicking the board or the list.", "Try: let the engine take one side, or open Net to see the circuit behind the board."],
  net: ["This is the game as a circuit: what is true now on the left, the gates in the middle, what will be true next on the right.", "Try: choose a move, see what lights up, then press Step."],
  structure: ["This is what the rules make inevitable. Whatever is marked proved holds in every possible game.", "Try: open a line to see the facts behind it and why they hold."],
  parts: ["This takes the game apart into pieces that do not affect each other.", "Try: tick “prove the cut”, then solve the game part by part under Solve."],
  solve: ["This finds the score that every player gets if all play their best.", "Try: solve part by part and as a whole, and compare the two curves."],
  match: ["This shows a match step by step, and what each side expected along the way.", "Try: let two engines play, or open a record that “gambol match --out” or “gambol tournament --out” wrote."],
  rules: ["These are the rules; everything else on this page follows from them.", "Try: change a rule and press “Read these rules”."],
};

const TOUR = [
  ["one-light-net", "net", "A game is a circuit (chapter 9).",
    "Blue boxes are facts, orange boxes are moves, and the boxes on the right say what will be true next. Choose a move above the picture and see the marking light up. Then press Step: what was on the right is now on the left."],
  ["buttons-and-lights", "play", "Lamps and buttons.",
    "Three lights, three buttons, six presses: light them all. Each lamp is one fact. Play the game, then look at its net."],
  ["multiple-buttons-and-lights", "parts", "Taking a game apart (chapter 11).",
    "There are three rows of lights, and only the middle one counts. Random games find the parts, and each gets a colour of its own. Tick “prove the cut” to be certain."],
  ["untwisty-corridor", "structure", "What can never change back (chapter 12).",
    "One wrong key jams the door for good. That is a latch: once it has fallen, 100 points are out of reach. A player that knows this visits 8 nodes of the game tree instead of 21,845 (“gambol structure untwisty-corridor --tree” counts them)."],
  ["domineering-four-boards", "solve", "Why anyone should care.",
    "Four boards of dominoes. Press “Solve part by part”: it takes about a second. Then press “Solve the whole game”, and stop it when you have seen enough; even a minute and a half is too little. The rules are the same. The only difference is that the first way sees their structure."],
  ["domineering-four-boards", "play", "Your turn.",
    "Tick “engine” for one side and play against an engine that knows the parts. Then drop rules of your own on this page."],
];

let world;
let at = -1;
let view = "play";

export function prepare(shared) {
  world = shared;
  byId("tour").addEventListener("click", () => go(0));
  byId("guide-next").addEventListener("click", () => (at + 1 < TOUR.length ? go(at + 1) : end()));
  byId("guide-back").addEventListener("click", () => go(at - 1));
  byId("guide-end").addEventListener("click", end);
}

/** The sentence about the game that is open. */
export function opened(game) {
  byId("description").textContent = game.about;
  tell(view);
}

/** What the view that is shown is about. */
export function tell(shown) {
  view = shown;
  const [what, next] = VIEWS[view];
  byId("story-what").textContent = what;
  byId("story-try").textContent = next;
  byId("story-more").href = `/help.html#${view}`;
}

async function go(step) {
  at = step;
  const [game, shown, title, text] = TOUR[at];
  byId("guide").hidden = false;
  byId("guide-title").textContent = title;
  byId("guide-text").textContent = text;
  byId("guide-step").textContent = `${at + 1} of ${TOUR.length}`;
  byId("guide-back").disabled = at === 0;
  byId("guide-next").textContent = at + 1 < TOUR.length ? "Next" : "Done";
  if (world.game?.title !== game) await world.open({ name: game });
  world.show(shown);
}

function end() {
  at = -1;
  byId("guide").hidden = true;
}
