// Which steps the list and the time line show.

const noFilter = { stream: "", name: "", origin: "", outcome: "", text: "" };

class Filter {
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    this.values = { ...noFilter };
    this.all = Uint32Array.from({ length: model.count }, (_, index) => index);
    this.found = this.all;
    /** Raised by each change, so that an older search ends. */
    this.turn = 0;
    /** How far a search in the texts is, or null. */
    this.progress = null;
  }

  get isEmpty() { return Object.values(this.values).every((value) => value === ""); }

  async set(values) {
    Object.assign(this.values, values);
    const turn = ++this.turn;
    const candidates = this.byColumns();
    const wanted = this.values.text.toLowerCase();
    if (!wanted) {
      this.show(candidates, null);
      return;
    }
    const errors = await this.stepsWithErrors(wanted, turn);
    const found = [];
    let shown = performance.now();
    this.show(new Uint32Array(0), 0);
    for (let i = 0; i < candidates.length && turn === this.turn;) {
      const chunk = chunkOf(this.model.starts, candidates[i]);
      const { actions, others } = await this.model.chunks.texts(chunk);
      const start = this.model.starts[chunk];
      for (; i < candidates.length && candidates[i] < start + actions.length; i++) {
        const index = candidates[i];
        const other = others[index - start];
        const isFound = actions[index - start].toLowerCase().includes(wanted) || errors.has(index)
          || (other && Object.values(other).some((text) => String(text).toLowerCase().includes(wanted)));
        if (isFound) found.push(index);
      }
      if (performance.now() - shown > 100 && turn === this.turn) {
        this.show(Uint32Array.from(found), i / candidates.length);
        await pause();
        shown = performance.now();
      }
    }
    if (turn === this.turn) this.show(Uint32Array.from(found), null);
  }

  show(found, progress) {
    this.found = found;
    this.progress = progress;
    this.changed();
  }

  /** The steps one of whose effects has an error with this text. */
  async stepsWithErrors(wanted, turn) {
    const { runs, chunks } = this.model;
    const steps = new Set();
    for (let chunk = 0; chunk < chunks.count("run-texts") && turn === this.turn; chunk++) {
      const texts = await chunks.runTexts(chunk);
      texts.forEach(({ error, attempts = [] }, row) => {
        const errors = [error, ...attempts.map(([, , , thrown]) => thrown)];
        if (errors.some((text) => text?.toLowerCase().includes(wanted))) steps.add(runs.index[runs.starts[chunk] + row]);
      });
    }
    return steps;
  }

  byColumns() {
    const { model, values } = this;
    const streams = this.streams();
    const name = values.name === "" ? -1 : Number(values.name);
    const origin = origins.indexOf(values.origin);
    const outcome = outcomes.indexOf(values.outcome);
    const wantsProblems = values.outcome === "problem";
    if (!streams && name < 0 && origin < 0 && outcome < 0 && !wantsProblems) return this.all;
    return this.all.filter((i) =>
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
