// Chance: every legal move of the role `random` is as likely as any other, and the same seed gives the same moves.

/** A number from 0 to 1 that depends on the numbers given and on nothing else (mulberry32 over their mixture). */
function uniform(...numbers) {
  let mixed = 0x9e3779b9;
  for (const number of numbers) mixed = Math.imul(mixed ^ number, 0x85ebca6b) + 0x6d2b79f5;
  let t = mixed;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

/** One of the moves, by lot. */
export const pick = (moves, seed, step, role) => moves[Math.floor(uniform(seed, step, role) * moves.length)];
