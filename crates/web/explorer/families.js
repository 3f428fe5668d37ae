// Facts by symmetry: sentences that differ in the arguments of their terms only are told once, with variables.

const NAMES = ["X", "Y", "Z", "U", "V", "W", "A", "B", "C", "D"];
const naturally = new Intl.Collator("en", { numeric: true }).compare;

/** Parentheses, words, and what stands between them; an argument is a word that is not the first of its term. */
function tokens(text) {
  let depth = 0;
  let first = false;
  return text.split(/([() ,;]|\s+)/).filter((piece) => piece !== "").map((piece) => {
    if (piece === "(") { depth++; first = true; return { piece }; }
    if (piece === ")") { depth--; return { piece }; }
    const word = /[^\s,;]/.test(piece);
    const argument = word && depth > 0 && !first;
    if (word) first = false;
    return { piece, argument };
  });
}

/** How the sentence reads without its arguments. */
const form = (one) => one.map(({ piece, argument }) => (argument ? "·" : piece)).join("");

/** Facts of the same form and basis together, in the order in which they come. */
export function families(facts) {
  const byForm = new Map();
  for (const fact of facts) {
    const cut = tokens(fact.text);
    const key = `${fact.basis} ${form(cut)}`;
    if (!byForm.has(key)) byForm.set(key, []);
    byForm.get(key).push({ fact, cut });
  }
  return [...byForm.values()].map((members) => ({
    facts: members.map(({ fact }) => fact),
    sentence: members.length > 2 ? sentence(members.map(({ cut }) => cut)) : null,
  }));
}

/** One sentence for all of them: what never changes stays, what is always equal has one variable. */
function sentence(all) {
  const places = all[0].flatMap(({ argument }, place) => (argument ? [place] : []));
  const variables = new Map();   // values, one per fact -> name and domain
  const named = places.map((place) => {
    const values = all.map((cut) => cut[place].piece);
    if (values.every((value) => value === values[0])) return values[0];
    const key = values.join("\u0000");
    if (!variables.has(key)) {
      variables.set(key, { name: NAMES[variables.size] ?? `X${variables.size}`, domain: [...new Set(values)].sort(naturally) });
    }
    return variables.get(key).name;
  });
  const text = all[0].map(({ piece, argument }, place) => (argument ? named[places.indexOf(place)] : piece)).join("");
  const where = [...variables.values()].map(({ name, domain }) => `${name} ${domainInWords(domain)}`).join(", ");
  return { text, where };
}

function domainInWords(domain) {
  const numbers = domain.map(Number);
  const row = numbers.every((number, place) => Number.isInteger(number) && number === numbers[0] + place);
  if (row && domain.length > 2) return `from ${domain[0]} to ${domain.at(-1)}`;
  if (domain.length > 6) return `one of ${domain.slice(0, 5).join(", ")}, … (${domain.length})`;
  return `${domain.slice(0, -1).join(", ")} or ${domain.at(-1)}`;
}
