// What every view needs: elements, requests, jobs, saving.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; text is always text, never markup. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** An element of a picture. */
export function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Shows a picture that the server drew. It is read as XML: no script in it is ever run. */
export function show(box, svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  box.replaceChildren(document.importNode(parsed, true));
  return box.firstElementChild;
}

/** How many times as large as it is drawn a board may be shown. */
const LARGEST = 2.6;

/** Lets a board fill the room that there is, up to a size that is still comfortable. */
export function enlarge(svg) {
  const width = Number(svg.getAttribute("width"));
  svg.style.maxWidth = `${Math.min(LARGEST, Math.max(1.7, 620 / width)) * width}px`;
}

/** A request that failed, with what the server has to say. */
export class Refused extends Error {
  constructor(said) {
    super(said.error ?? "the request failed");
    this.places = said.places ?? [];
  }
}

async function asked(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ error: "the engine does not answer" });
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({ error: `the engine said ${answer.status}` }));
  throw new Refused(said);
}

const posting = (body, signal) => ({
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal,
});

export const get = async (path) => (await asked(path)).json();
export const post = async (path, body, signal) => (await asked(path, posting(body, signal))).json();
export const postForText = async (path, body) => (await asked(path, posting(body))).text();

/** Long work on the server: `progress` hears how far it is; the result is awaited. */
export class Job {
  static async begin(game, wanted, progress) {
    const { job } = await post(`/api/games/${game}/jobs`, wanted);
    return new Job(job, progress);
  }

  constructor(number, progress) {
    this.number = number;
    this.result = new Promise((resolve, reject) => {
      const events = new EventSource(`/api/jobs/${number}`);
      const over = (then) => (event) => { events.close(); then(JSON.parse(event.data)); };
      events.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
      events.addEventListener("result", over(resolve));
      events.addEventListener("refused", over((error) => reject(new Refused({ error }))));
      events.onerror = () => { events.close(); reject(new Refused({ error: "the engine does not answer" })); };
    });
  }

  stop() {
    fetch(`/api/jobs/${this.number}`, { method: "DELETE" }).catch(() => {});
  }
}

/** One job at a time behind a pair of buttons. */
export class Bench {
  constructor({ start, stop, status }) {
    this.buttons = start;
    this.stopButton = stop;
    this.status = status;
    stop.addEventListener("click", () => this.stop());
  }

  stop() {
    this.job?.stop();
  }

  say(text) {
    this.status.textContent = text;
  }

  /** Runs a job; nothing if it was overtaken by another. */
  async run(game, wanted, progress) {
    this.stop();
    const turn = (this.turn ?? 0) + 1;
    this.turn = turn;
    this.busy(true);
    try {
      const job = await Job.begin(game, wanted, (news) => { if (this.turn === turn) progress(news); });
      if (this.turn !== turn) { job.stop(); return undefined; }
      this.job = job;
      const result = await job.result;
      return this.turn === turn ? result : undefined;
    } catch (error) {
      if (this.turn === turn) this.say(error.message);
      return undefined;
    } finally {
      if (this.turn === turn) { this.job = undefined; this.busy(false); }
    }
  }

  busy(busy) {
    this.stopButton.disabled = !busy;
    for (const button of this.buttons) button.disabled = busy;
  }
}

export function save(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

export const basis = (word) => element("span", { class: `basis ${word}` }, word);
/** "1 move", "2 moves". */
export const counted = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`;
export const grouped = (number) => Math.round(number).toLocaleString("en");
export const seconds = (number) => number < 1 ? `${(number * 1000).toFixed(0)} ms` : `${number.toFixed(1)} s`;
