// A page that asks its server for its data: first all columns, then what is new as it is committed. Texts and states are
// fetched when they are looked at.

/** How many milliseconds lie between two changes of the page at least; and they take at most a fifth of the time. */
const shortestPause = 100;
const share = 4;
/** How often the page moves on to the newest step. */
const followPause = 1000;

class LiveSource {
  constructor(summary) {
    this.summary = summary;
    this.starts = summary.live.starts;
    this.runStarts = [];
    this.growRuns(summary.runs);
    this.states = new LiveStates(this);
    this.acts = summary.live.allowsChanges ? new Acts() : null;
    /** How often each chunk of texts has changed. */
    this.versions = { texts: new Map(), "run-texts": new Map() };
    this.known = remembering(24, async (key) => {
      const [kind, chunk] = key.split(" ");
      return (await this.fetch(kind, { chunk })).json();
    });
    /** What has arrived and is not shown yet. */
    this.waiting = [];
    this.shownAt = 0;
    this.duration = 0;
  }

  async fetch(path, query) {
    const answer = await fetch(`${path}?${new URLSearchParams(query)}`);
    if (!answer.ok) throw new Error((await answer.text()).trim() || `The server answered ${answer.status}.`);
    return answer;
  }

  async bytes(path, query = {}) { return new Uint8Array(await (await this.fetch(path, query)).arrayBuffer()); }

  steps() { return this.columns("steps", this.summary.steps, stepWidth); }
  runs() { return this.columns("runs", this.summary.runs, runWidth); }

  async *columns(kind, count, width) {
    for (let from = 0; from < count;) {
      for (const columns of columnSets(await this.bytes(kind, { from, to: count }), width)) {
        from += columns[0].length;
        yield columns;
      }
    }
  }

  async outcomes(count) { return (await this.bytes("outcomes")).subarray(0, count); }

  growRuns(count) {
    while (this.runStarts.length * this.summary.live.runChunk < count) {
      this.runStarts.push(this.runStarts.length * this.summary.live.runChunk);
    }
  }

  texts(chunk) { return this.chunk("texts", chunk, this.starts, this.summary.steps); }
  runTexts(chunk) { return this.chunk("run-texts", chunk, this.runStarts, this.summary.runs); }

  /** A chunk as it is now: the last one grows, and each can change. Fails if the server does not answer. */
  chunk(kind, chunk, starts, count) {
    const end = starts[chunk + 1] ?? count;
    return this.known(`${kind} ${chunk} ${end} ${this.versions[kind].get(chunk) ?? 0}`);
  }

  change(kind, chunk) { this.versions[kind].set(chunk, (this.versions[kind].get(chunk) ?? 0) + 1); }

  // What is new

  /** - `isAtPlace` says that the address names a step: the page stays there. */
  follow(app, isAtPlace) {
    this.app = app;
    this.status = el("p", { id: "connection", role: "status" });
    this.button = el("button", { type: "button", id: "follow", "aria-pressed": "false", on: {
      click: () => this.setFollowing(!this.isFollowing),
    } }, "Follow");
    byID("help").before(this.status, this.button);
    this.setFollowing(!isAtPlace);
    this.connect();
  }

  /** The browser connects again by itself, and then says what it got last. */
  connect() {
    const events = new EventSource(`events?after=${this.summary.live.revision}`);
    this.tell("Connecting …");
    events.addEventListener("open", () => this.tell("Live"));
    events.addEventListener("message", ({ data }) => this.take(JSON.parse(data)));
    events.addEventListener("problem", ({ data }) => showNotes(this.summary, JSON.parse(data)));
    // The server does not know any more what this page has seen.
    events.addEventListener("reload", () => location.reload());
    events.addEventListener("end", () => {
      events.close();
      this.tell("Ended: the server has ended");
    });
    events.addEventListener("error", () =>
      this.tell(events.readyState === EventSource.CLOSED ? "Ended: the server does not know this page" : "Connecting again …"));
  }

  tell(text) {
    this.status.textContent = text;
    document.body.dataset.connection = text === "Live" ? "live" : "lost";
  }

  take(batch) {
    this.waiting.push(batch);
    this.timer ??= setTimeout(() => this.show(), this.shownAt + Math.max(shortestPause, share * this.duration) - performance.now());
  }

  show() {
    this.timer = null;
    const start = performance.now();
    const batches = this.waiting.splice(0).map((batch) => this.decoded(batch));
    this.app.append(batches);
    this.moveOn();
    this.shownAt = performance.now();
    this.duration = this.shownAt - start;
  }

  decoded(batch) {
    const columns = (text, width) => text && [...columnSets(bytesOf(text), width)];
    this.starts.push(...(batch.starts ?? []));
    const runNumbers = batch.runNumbers ?? [];
    this.growRuns((runNumbers.at(-1) ?? -1) + 1);
    for (const number of runNumbers) this.change("run-texts", Math.floor(number / this.summary.live.runChunk));
    const outcomes = batch.outcomes ?? [];
    new Set(outcomes.filter((_, i) => i % 2 === 0).map((index) => chunkOf(this.starts, index))).forEach((chunk) => this.change("texts", chunk));
    return { ...batch, steps: columns(batch.steps, stepWidth), runs: columns(batch.runs, runWidth) };
  }

  // Following

  setFollowing(isFollowing) {
    this.isFollowing = isFollowing;
    this.button.setAttribute("aria-pressed", String(isFollowing));
    if (isFollowing) this.moveOn();
  }

  stopFollowing() { if (this.isFollowing) this.setFollowing(false); }

  /** Selects the newest step that the filter shows. */
  moveOn() {
    if (!this.isFollowing || this.moving) return;
    const { app } = this;
    const newest = app.filter.found.at(-1);
    if (newest === undefined || newest === app.selected) return;
    app.select(newest, undefined, false, true);
    this.moving = setTimeout(() => {
      this.moving = null;
      this.moveOn();
    }, followPause);
  }

  // Acts

  actsOnRun(model, run, acts) { return this.acts?.onRun(model, run, acts) ?? []; }
  actsOnStep(model, index) { return this.acts?.onStep(model, index) ?? []; }
}

/** The states: the server computes each when it is asked for. */
class LiveStates {
  constructor(source) {
    this.source = source;
    this.known = remembering(64, async (key) => {
      const [step, stream] = JSON.parse(key);
      const { state, problem } = await (await source.fetch("state", { stream, step })).json();
      if (problem) throw new Error(problem);
      return parseJSON(state) ?? state;
    });
  }

  get model() { return this.source.model; }

  range(stream) {
    const { model } = this;
    const list = model.byStream.of(stream);
    if (!list.length || !this.source.summary.machines.includes(model.streams[stream].machine)) return null;
    return { first: Math.max(model.streams[stream].pruned, model.step[list[0]] - 1), last: model.step[list.at(-1)] };
  }

  async at(stream, step) {
    if (step < this.model.streams[stream].pruned) return undefined;
    return this.known(JSON.stringify([step, this.model.streams[stream].name]));
  }

  advice({ streams }, stream) {
    const machine = safe(streams[stream].machine);
    return [el("p", {}, `States are computed with the reducer of the machine “${machine}”, which this server does not know.`),
      el("p", {}, "Start it with the machine, from a library or with the app’s own tool:"),
      el("pre", {}, `${safe(this.source.summary.tool)} serve JOURNAL --machine libMachines.so`)];
  }
}

start((summary) => new LiveSource(summary));
