// Recorded matches: JSON lines. A head says who plays what, each further line is a step, the last is the end; a playout
// is one line. A file may hold several, and begin with the plan of a tournament.

/** The lines of a record; the last may be torn, if the match was broken off. */
export function lines(text) {
  const texts = text.split("\n").filter((line) => line.trim() !== "");
  return texts.flatMap((line, place) => {
    try {
      return [JSON.parse(line)];
    } catch {
      if (place > 0 && place === texts.length - 1) return [];
      throw new Error(`this is not a recorded match: line ${place + 1} is not JSON`);
    }
  });
}

/** The matches of a record. */
export function matches(record) {
  const found = [];
  for (const line of record) {
    if (Array.isArray(line?.steps)) found.push({ game: line.game, players: [], steps: line.steps, end: line.end });
    else if (line?.match) found.push({ game: line.game, players: line.players ?? [], steps: [], end: undefined });
    else if (line?.end && found.length > 0) found.at(-1).end = line.end;
    else if (Array.isArray(line?.joint) && found.length > 0) found.at(-1).steps.push(line);
  }
  if (found.length === 0) throw new Error("this file holds no recorded match");
  return found;
}
