// The colours of rules as text: keywords, variables, comments, and the parenthesis that belongs to the one at the cursor.

const KEYWORDS = new Set(["role", "init", "base", "input", "legal", "next", "true", "does", "terminal", "goal", "sees", "distinct", "not", "or"]);

/** A text as coloured pieces. A comment begins with a semicolon in prefix, with a percent sign in infix. */
export function colours(text, element) {
  const pieces = text.split(/([;%][^\n]*|\?[\w-]+|<=|:-|[A-Za-z][\w-]*)/);
  return pieces.filter((piece) => piece !== "").map((piece) => {
    const kind = kindOf(piece);
    return kind ? element("span", { class: `ink-${kind}` }, piece) : piece;
  });
}

function kindOf(piece) {
  if (/^[;%]/.test(piece)) return "comment";
  if (/^\?/.test(piece)) return "variable";
  if (piece === "<=" || piece === ":-") return "arrow";
  if (KEYWORDS.has(piece.toLowerCase())) return "keyword";
  return null;
}

/** The parenthesis beside the cursor and the one that belongs to it. */
export function brackets(text, cursor) {
  const at = [cursor, cursor - 1].find((place) => text[place] === "(" || text[place] === ")");
  if (at === undefined) return [];
  const step = text[at] === "(" ? 1 : -1;
  let depth = 0;
  for (let place = at; place >= 0 && place < text.length; place += step) {
    if (text[place] === "(") depth += step;
    if (text[place] === ")") depth -= step;
    if (depth === 0) return [at, place];
  }
  return [at];
}
