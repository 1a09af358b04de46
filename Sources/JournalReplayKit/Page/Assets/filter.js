// Which steps the list and the time line show.

const noFilter = { stream: "", name: "", origin: "", outcome: "", text: "" };

class Filter {
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    this.values = { ...noFilter };
    this.all = nothing;
    this.growAll();
    this.found = this.all;
    /** Raised by each change, so that an older search ends. */
    this.turn = 0;
    /** How far a search in the texts is, or null; and the steps whose texts it could not read. */
    this.progress = null;
    this.unread = new Set();
    /** Whether all steps are to be searched once more, and how long the last search took, in milliseconds. */
    this.isStale = false;
    this.took = 0;
  }

  /** All steps of the model. */
  growAll() {
    const before = this.all.length;
    this.buffer = roomy(this.buffer ?? new Uint32Array(this.model.count), this.model.count);
    for (let i = before; i < this.model.count; i++) this.buffer[i] = i;
    this.all = this.buffer.subarray(0, this.model.count);
  }

  /** Takes the steps from an index on, which are new. Returns those that match, or null if they have to be searched. */
  append(first) {
    this.growAll();
    if (this.isEmpty) {
      this.found = this.all;
      return this.all.subarray(first);
    }
    if (this.values.text !== "") {
      // A search that is under way goes on with them.
      if (this.progress === null) this.search(this.turn);
      return null;
    }
    const found = this.byColumns(this.all.subarray(first));
    const all = new Uint32Array(this.found.length + found.length);
    all.set(this.found);
    all.set(found, this.found.length);
    this.found = all;
    return found;
  }

  get isEmpty() { return Object.values(this.values).every((value) => value === ""); }

  async set(values) {
    Object.assign(this.values, values);
    const turn = ++this.turn;
    this.unread = new Set();
    if (this.values.text === "") {
      this.show(this.byColumns(), null);
      return;
    }
    this.show(nothing, 0);
    await this.searchAll(turn);
  }

  /**
   * Searches all steps once more: a text can be in a reason or an error that came after its step was searched. A search that is
   * under way comes to its end first; then this rests for four times as long as that took.
   */
  async searchAgain() {
    const isWaiting = this.isStale;
    this.isStale = true;
    if (isWaiting || this.progress !== null) return;
    const turn = this.turn;
    await new Promise((done) => setTimeout(done, 4 * this.took));
    if (turn === this.turn) await this.searchAll(++this.turn);
  }

  async searchAll(turn) {
    const start = performance.now();
    Object.assign(this, { matches: [], searched: 0, unread: new Set(), errors: null, isStale: false });
    await this.search(turn);
    this.took = performance.now() - start;
    if (turn !== this.turn || !this.isStale) return;
    this.isStale = false;
    await this.searchAgain();
  }

  /** Searches the texts of the steps that were not searched yet, also of those that arrive meanwhile. */
  async search(turn) {
    // At once: steps that arrive meanwhile begin no second search.
    this.progress = this.searched / Math.max(1, this.all.length);
    try {
      const errors = this.errors ?? await this.stepsWithErrors(this.values.text.toLowerCase(), turn);
      if (turn !== this.turn) return;
      this.errors = errors;
      await this.searchOn(turn);
    } finally {
      if (turn === this.turn) this.progress = null;
    }
  }

  async searchOn(turn) {
    const { source } = this.model;
    const wanted = this.values.text.toLowerCase();
    let shown = performance.now();
    while (turn === this.turn && this.searched < this.all.length) {
      const chunk = chunkOf(source.starts, this.searched);
      const end = Math.min(source.starts[chunk + 1] ?? Infinity, this.all.length);
      const candidates = this.byColumns(this.all.subarray(this.searched, end));
      if (candidates.length) {
        const texts = await source.texts(chunk).catch(() => null);
        if (turn !== this.turn) return;
        const { actions, others } = texts ?? { actions: [], others: {} };
        for (const index of candidates) {
          const [action, other] = [actions[index - source.starts[chunk]] ?? null, others[index - source.starts[chunk]]];
          if (action === null) this.unread.add(index);
          const isFound = (action ?? "").toLowerCase().includes(wanted) || this.errors.has(index)
            || (other && Object.values(other).some((text) => String(text).toLowerCase().includes(wanted)));
          if (isFound) this.matches.push(index);
        }
      }
      this.searched = end;
      if (performance.now() - shown > 100) {
        // What an earlier search has found stays until this one comes to it.
        const later = this.found.filter((i) => i >= this.searched);
        this.show(Uint32Array.from([...this.matches, ...later]), this.searched / this.all.length);
        await pause();
        shown = performance.now();
      }
    }
    if (turn === this.turn) this.show(Uint32Array.from(this.matches), null);
  }

  show(found, progress) {
    this.found = found;
    this.progress = progress;
    this.changed();
  }

  /** The steps one of whose effects has an error with this text. */
  async stepsWithErrors(wanted, turn) {
    const { runs, source } = this.model;
    const steps = new Set();
    for (let chunk = 0; chunk < source.runStarts.length && turn === this.turn; chunk++) {
      const texts = await source.runTexts(chunk).catch(() => null);
      if (turn !== this.turn) break;
      if (texts === null) {
        const end = source.runStarts[chunk + 1] ?? runs.count;
        for (let run = source.runStarts[chunk]; run < end; run++) this.unread.add(runs.index[run]);
        continue;
      }
      texts.forEach(({ error, attempts = [] }, row) => {
        const errors = [error, ...attempts.map(([, , , thrown]) => thrown)];
        if (errors.some((text) => text?.toLowerCase().includes(wanted))) steps.add(runs.index[source.runStarts[chunk] + row]);
      });
    }
    return steps;
  }

  byColumns(candidates = this.all) {
    const { model, values } = this;
    const streams = this.streams();
    const name = values.name === "" ? -1 : Number(values.name);
    const origin = origins.indexOf(values.origin);
    const outcome = outcomes.indexOf(values.outcome);
    const wantsProblems = values.outcome === "problem";
    if (!streams && name < 0 && origin < 0 && outcome < 0 && !wantsProblems) return candidates;
    return candidates.filter((i) =>
      (!streams || streams[model.stream[i]]) && (name < 0 || model.name[i] === name)
      && (origin < 0 || model.origin[i] === origin) && (outcome < 0 || model.outcome[i] === outcome)
      && (!wantsProblems || model.isProblem[i]));
  }

  /** Which streams are wanted: the one of that name or, if there is none, those whose name contains the text. */
  streams() {
    const wanted = this.values.stream;
    if (!wanted) return null;
    const exact = this.model.numbers.get(wanted);
    if (exact !== undefined) return Uint8Array.from(this.model.streams, (_, number) => (number === exact ? 1 : 0));
    const text = wanted.toLowerCase();
    return Uint8Array.from(this.model.streams, ({ name }) => (name.toLowerCase().includes(text) ? 1 : 0));
  }

  has(index) {
    const at = firstIndex(0, this.found.length, (i) => this.found[i] >= index);
    return this.found[at] === index;
  }
}
