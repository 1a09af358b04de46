// The effects: columns like those of the steps, sorted by stream, step and ordinal.

/** What an effect is coloured by. The order is that of the legend. */
const kinds = [
  { name: "waiting", says: "waiting or delayed", glyph: "" },
  { name: "running", says: "running", glyph: "" },
  { name: "completed", says: "completed", glyph: "" },
  { name: "retried", says: "retried after a failure", glyph: "↻" },
  { name: "resumed", says: "resumed after a restart", glyph: "»" },
  { name: "parked", says: "parked, asked or orphaned", glyph: "‖" },
  { name: "cancelled", says: "cancelled, evicted or discarded", glyph: "×" },
  { name: "failed", says: "failed", glyph: "!" },
];
const kindNumber = Object.fromEntries(kinds.map((kind, number) => [kind.name, number]));

class Runs {
  constructor(model) {
    this.model = model;
    this.count = 0;
    const count = model.summary.runs;
    for (const name of ["stream", "step", "ordinal", "name", "attempts", "failures", "delivered"]) {
      this[name] = new Uint32Array(count);
    }
    this.status = new Uint8Array(count);
    this.kind = new Uint8Array(count);
    /** The step that returned it; -1 if the page does not have it. */
    this.index = new Int32Array(count).fill(-1);
    for (const name of ["notBefore", "started", "ended", "from", "to"]) this[name] = new Float64Array(count).fill(NaN);
    /** Those that have not ended: their bars reach until now. */
    this.live = new Set();
  }

  add(columns) {
    const first = this.count;
    this.reserve(first + columns[0].length);
    for (let i = 0; i < columns[0].length; i++) this.set(first + i, columns, i);
    this.count = first + columns[0].length;
  }

  reserve(count) {
    for (const name of ["stream", "step", "ordinal", "name", "attempts", "failures", "delivered", "status", "kind"]) {
      this[name] = roomy(this[name], count);
    }
    this.index = roomy(this.index, count, -1);
    for (const name of ["notBefore", "started", "ended", "from", "to"]) this[name] = roomy(this[name], count, NaN);
  }

  set(run, [stream, step, ordinal, name, status, attempts, failures, delivered, ...times], i) {
    this.stream[run] = stream[i];
    this.step[run] = step[i];
    this.ordinal[run] = ordinal[i];
    this.name[run] = name[i];
    this.status[run] = status[i];
    this.attempts[run] = attempts[i];
    this.failures[run] = failures[i];
    this.delivered[run] = delivered[i];
    this.notBefore[run] = times[0][i] ? times[1][i] : NaN;
    this.started[run] = times[2][i] ? times[3][i] : NaN;
    this.ended[run] = times[4][i] ? times[5][i] : NaN;
  }

  finish() {
    this.operatorStarts = new Map();
    this.countStarts(this.model.summary.interventions);
    for (let run = 0; run < this.count; run++) this.place(run);
    this.byStream = new Groups(this.model.streams.length, this.count, (run) => this.stream[run]);
  }

  countStarts(interventions) {
    for (const [stream, step, ordinal, act, , before] of interventions) {
      const key = `${stream} ${step} ${ordinal}`;
      // A start after a failure is counted with that failure, and one that waits is the same start, only sooner.
      if (act === "retry" && !["failed", "delayed", "waiting"].includes(before)) this.operatorStarts.set(key, (this.operatorStarts.get(key) ?? 0) + 1);
    }
  }

  /** Finds out what follows from its columns. */
  place(run) {
    const { model } = this;
    const index = (this.index[run] = model.find(this.stream[run], this.step[run]));
    const first = [this.started[run], this.ended[run], this.notBefore[run]].find((time) => !Number.isNaN(time));
    this.from[run] = index >= 0 ? model.time[index] : first ?? model.streams[this.stream[run]].created;
    this.kind[run] = this.kindOf(run);
    if (this.isFinal(run)) this.live.delete(run);
    else this.live.add(run);
    this.reachNow(run);
  }

  reachNow(run) {
    this.to[run] = Math.max(this.from[run], this.isFinal(run) ? this.ended[run] || this.from[run] : this.model.summary.made);
  }

  /** Adds or replaces effects. Returns the steps that returned them. */
  put(columns, numbers) {
    return numbers.map((run, i) => {
      const isNew = run >= this.count;
      if (isNew) {
        this.reserve(run + 1);
        this.count = run + 1;
      }
      this.set(run, columns, i);
      this.place(run);
      if (isNew) {
        this.byStream.add(this.stream[run], run, (other) =>
          this.step[other] < this.step[run] || (this.step[other] === this.step[run] && this.ordinal[other] < this.ordinal[run]));
      }
      return this.index[run];
    });
  }

  statusName(run) { return this.model.summary.statuses[this.status[run]]; }

  isFinal(run) { return ["completed", "failed", "cancelled", "evicted", "discarded"].includes(this.statusName(run)); }

  /** How often its body was started because a process had ended. */
  resumptions(run) {
    const byOperator = this.operatorStarts.get(`${this.stream[run]} ${this.step[run]} ${this.ordinal[run]}`) ?? 0;
    // The last failure of a run that has failed, or that waits for its next attempt, has led to no start.
    const isLast = ["failed", "delayed"].includes(this.statusName(run));
    const afterFailures = Math.max(0, this.failures[run] - (isLast ? 1 : 0));
    return Math.max(0, this.attempts[run] - afterFailures - byOperator - 1);
  }

  kindOf(run) {
    switch (this.statusName(run)) {
      case "failed": return kindNumber.failed;
      case "cancelling": case "cancelled": case "evicted": case "discarded": return kindNumber.cancelled;
      case "asked": case "parked": case "orphaned": return kindNumber.parked;
    }
    if (this.failures[run] > 0) return kindNumber.retried;
    if (this.resumptions(run) > 0) return kindNumber.resumed;
    return kindNumber[this.statusName(run)] ?? kindNumber.waiting;
  }

  isProblem(run) { return this.kind[run] === kindNumber.failed || this.kind[run] === kindNumber.parked; }

  title(run) { return safe(this.model.summary.runNames[this.name[run]][0]) || "effect"; }

  /** The effects of a step. */
  of(stream, step) {
    const list = this.byStream.of(stream);
    const found = [];
    let at = firstIndex(0, list.length, (i) => this.step[list[i]] >= step);
    while (at < list.length && this.step[list[at]] === step) found.push(list[at++]);
    return found;
  }

  async texts(run) {
    const { runStarts } = this.model.source;
    const number = chunkOf(runStarts, run);
    return (await this.model.source.runTexts(number))[run - runStarts[number]];
  }
}
