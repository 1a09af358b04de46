// What the page knows of every step and effect: columns of numbers, and the indexes over them.

const origins = ["dispatched", "effect", "restart", "machine"];
const outcomes = ["not recorded", "reduced", "rejected", "skipped"];
const acts = { cancel: "cancelled", retry: "retried", release: "released", skip: "skipped" };

/** The first index from `low` to `high` for which a condition holds that holds for all later ones too. */
function firstIndex(low, high, holds) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The chunk that has a row. */
const chunkOf = (starts, row) => firstIndex(0, starts.length, (chunk) => starts[chunk] > row) - 1;

/** Groups the numbers 0..<count by a key: `items[offsets[k]..<offsets[k + 1]]` are those with the key k, in order. */
function groups(keys, count, keyOf, items = null) {
  const offsets = new Uint32Array(keys + 1);
  for (let i = 0; i < count; i++) {
    const key = keyOf(items ? items[i] : i);
    if (key >= 0) offsets[key + 1]++;
  }
  for (let key = 0; key < keys; key++) offsets[key + 1] += offsets[key];
  const next = offsets.slice();
  const grouped = new Uint32Array(offsets[keys]);
  for (let i = 0; i < count; i++) {
    const item = items ? items[i] : i;
    const key = keyOf(item);
    if (key >= 0) grouped[next[key]++] = item;
  }
  return { offsets, items: grouped };
}

class Model {
  constructor(summary) {
    this.summary = summary;
    this.streams = summary.streams.map(([name, machine, created, pruned, head, firstState, lastState, note]) =>
      ({ name, machine, created, pruned, head, firstState, lastState, note }));
    this.numbers = new Map(this.streams.map((stream, number) => [stream.name, number]));
    const count = (this.count = summary.steps);
    this.stream = new Uint32Array(count);
    this.step = new Uint32Array(count);
    this.time = new Float64Array(count);
    this.name = new Uint16Array(count);
    this.origin = new Uint8Array(count);
    this.outcome = new Uint8Array(count);
    this.causeStep = new Uint32Array(count);
    this.causeRun = new Uint32Array(count);
    this.sender = new Uint32Array(count);
    /** The first step of each chunk. */
    this.starts = [];
  }

  async load(chunks, progress) {
    this.chunks = chunks;
    let row = 0;
    const time = { now: 0 };
    const heads = new Float64Array(this.streams.length);
    for (let index = 0; index < chunks.count("steps"); index++) {
      const columns = await chunks.columns("steps", index);
      this.starts.push(row);
      row = this.addSteps(columns, row, heads, time);
      progress(row / Math.max(1, this.count));
      if (index % 8 === 7) await pause();
    }
    this.byStream = groups(this.streams.length, this.count, (i) => this.stream[i]);
    await pause();
    this.findCauses();
    await pause();
    this.runs = new Runs(this);
    for (let index = 0; index < chunks.count("runs"); index++) {
      this.runs.add(await chunks.columns("runs", index));
      if (index % 8 === 7) await pause();
    }
    this.runs.finish();
    this.findProblems();
  }

  addSteps([stream, step, time, name, origin, outcome, causeStep, causeRun, sender], row, heads, clock) {
    for (let i = 0; i < stream.length; i++, row++) {
      const number = stream[i];
      heads[number] += step[i] + 1;
      clock.now += time[i];
      this.stream[row] = number;
      this.step[row] = heads[number];
      this.time[row] = clock.now;
      this.name[row] = name[i];
      this.origin[row] = origin[i];
      this.outcome[row] = outcome[i];
      this.causeStep[row] = causeStep[i];
      this.causeRun[row] = causeRun[i];
      this.sender[row] = sender[i];
    }
    return row;
  }

  /** The index of a step, or -1 if the page does not have it. */
  find(stream, step) {
    if (stream < 0 || stream >= this.streams.length) return -1;
    const { offsets, items } = this.byStream;
    const at = firstIndex(offsets[stream], offsets[stream + 1], (i) => this.step[items[i]] >= step);
    return at < offsets[stream + 1] && this.step[items[at]] === step ? items[at] : -1;
  }

  /** The step before or after a step in its stream, or -1. */
  neighbour(index, distance) {
    const { offsets, items } = this.byStream;
    const stream = this.stream[index];
    const at = firstIndex(offsets[stream], offsets[stream + 1], (i) => items[i] >= index) + distance;
    return at >= offsets[stream] && at < offsets[stream + 1] ? items[at] : -1;
  }

  findCauses() {
    this.cause = new Int32Array(this.count).fill(-1);
    for (let i = 0; i < this.count; i++) {
      if (!this.causeStep[i]) continue;
      const stream = this.sender[i] ? this.sender[i] - 1 : this.stream[i];
      this.cause[i] = this.find(stream, this.causeStep[i] - 1);
    }
    this.caused = groups(this.count, this.count, (i) => this.cause[i]);
  }

  /** The steps that a step caused. */
  causedBy(index) {
    return this.caused.items.subarray(this.caused.offsets[index], this.caused.offsets[index + 1]);
  }

  findProblems() {
    this.isProblem = new Uint8Array(this.count);
    for (let i = 0; i < this.count; i++) if (this.outcome[i] > 1) this.isProblem[i] = 1;
    for (let run = 0; run < this.runs.count; run++) {
      if (this.runs.isProblem(run) && this.runs.index[run] >= 0) this.isProblem[this.runs.index[run]] = 1;
    }
    const restarts = new Set(this.summary.resumptions);
    for (let i = 0; i < this.count; i++) if (this.origin[i] === 2) restarts.add(this.time[i]);
    this.restarts = [...restarts].sort((a, b) => a - b);
  }

  /** The action and the other texts of a step. */
  async texts(index) {
    const number = chunkOf(this.starts, index);
    const chunk = await this.chunks.texts(number);
    const row = index - this.starts[number];
    return { action: chunk.actions[row], ...chunk.others[row] };
  }

  /** The name of a step: `order-17, step 4`. */
  title(index) { return `${safe(this.streams[this.stream[index]].name)}, step ${grouped(this.step[index])}`; }

  actionName(index) { return safe(this.summary.names[this.name[index]][0]) || "action"; }
}
