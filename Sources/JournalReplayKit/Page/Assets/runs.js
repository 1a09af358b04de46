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
    const count = (this.count = model.summary.runs);
    this.filled = 0;
    for (const name of ["stream", "step", "ordinal", "name", "attempts", "failures", "delivered"]) {
      this[name] = new Uint32Array(count);
    }
    this.status = new Uint8Array(count);
    this.kind = new Uint8Array(count);
    /** The step that returned it; -1 if the page does not have it. */
    this.index = new Int32Array(count).fill(-1);
    for (const name of ["notBefore", "started", "ended", "from", "to"]) this[name] = new Float64Array(count).fill(NaN);
    this.starts = [];
  }

  add([stream, step, ordinal, name, status, attempts, failures, delivered, ...times]) {
    this.starts.push(this.filled);
    for (let i = 0; i < stream.length; i++) {
      const row = this.filled++;
      this.stream[row] = stream[i];
      this.step[row] = step[i];
      this.ordinal[row] = ordinal[i];
      this.name[row] = name[i];
      this.status[row] = status[i];
      this.attempts[row] = attempts[i];
      this.failures[row] = failures[i];
      this.delivered[row] = delivered[i];
      if (times[0][i]) this.notBefore[row] = times[1][i];
      if (times[2][i]) this.started[row] = times[3][i];
      if (times[4][i]) this.ended[row] = times[5][i];
    }
  }

  finish() {
    const { model } = this;
    this.operatorStarts = new Map();
    for (const [stream, step, ordinal, act] of model.summary.interventions) {
      const key = `${stream} ${step} ${ordinal}`;
      if (act === "retry") this.operatorStarts.set(key, (this.operatorStarts.get(key) ?? 0) + 1);
    }
    for (let run = 0; run < this.count; run++) {
      const index = (this.index[run] = model.find(this.stream[run], this.step[run]));
      const first = [this.started[run], this.ended[run], this.notBefore[run]].find((time) => !Number.isNaN(time));
      this.from[run] = index >= 0 ? model.time[index] : first ?? model.streams[this.stream[run]].created;
      this.to[run] = Math.max(this.from[run], this.isFinal(run) ? this.ended[run] || this.from[run] : model.summary.made);
      this.kind[run] = this.kindOf(run);
    }
    this.byStream = groups(model.streams.length, this.count, (run) => this.stream[run]);
  }

  statusName(run) { return this.model.summary.statuses[this.status[run]]; }

  isFinal(run) { return ["completed", "failed", "cancelled", "evicted", "discarded"].includes(this.statusName(run)); }

  /** How often its body was started because a process had ended. */
  resumptions(run) {
    const byOperator = this.operatorStarts.get(`${this.stream[run]} ${this.step[run]} ${this.ordinal[run]}`) ?? 0;
    return Math.max(0, this.attempts[run] - this.failures[run] - byOperator - 1);
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
    const { offsets, items } = this.byStream;
    const found = [];
    let at = firstIndex(offsets[stream], offsets[stream + 1], (i) => this.step[items[i]] >= step);
    while (at < offsets[stream + 1] && this.step[items[at]] === step) found.push(items[at++]);
    return found;
  }

  async texts(run) {
    const number = chunkOf(this.starts, run);
    return (await this.model.chunks.runTexts(number))[run - this.starts[number]];
  }
}
