// What the page knows of every step and effect: columns of numbers, and the indexes over them.

const origins = ["dispatched", "effect", "restart", "machine"];
const outcomes = ["not recorded", "reduced", "rejected", "skipped", "cancelled"];
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

/** Numbers grouped by a key, in order. Others can be added later. */
class Groups {
  /** Groups the numbers 0..<count, or those of `items`, by their key; those with a key below 0 are left out. */
  constructor(keys, count, keyOf, items = null) {
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
    Object.assign(this, { keys, offsets, items: grouped, changed: new Map() });
  }

  /** The numbers with a key. */
  of(key) {
    return this.changed.get(key)
      ?? (key < this.keys ? this.items.subarray(this.offsets[key], this.offsets[key + 1]) : nothing);
  }

  /** Adds a number where it belongs: after those for which `isBefore` holds. */
  add(key, item, isBefore = (other) => other < item) {
    let list = this.changed.get(key);
    if (!list) this.changed.set(key, (list = Array.from(this.of(key))));
    if (!list.length || isBefore(list.at(-1))) list.push(item);
    else list.splice(firstIndex(0, list.length, (i) => !isBefore(list[i])), 0, item);
  }
}

const nothing = new Uint32Array(0);

class Model {
  constructor(summary, source) {
    this.summary = summary;
    this.source = source;
    this.streams = [];
    this.numbers = new Map();
    this.addStreams(summary.streams);
    this.count = 0;
    this.stream = new Uint32Array(summary.steps);
    this.step = new Uint32Array(summary.steps);
    this.time = new Float64Array(summary.steps);
    /** The time, but not before that of an earlier step of its stream: a clock can be set back. */
    this.place = new Float64Array(summary.steps);
    this.name = new Uint16Array(summary.steps);
    this.origin = new Uint8Array(summary.steps);
    this.outcome = new Uint8Array(summary.steps);
    this.isProblem = new Uint8Array(summary.steps);
    this.causeStep = new Uint32Array(summary.steps);
    this.causeRun = new Uint32Array(summary.steps);
    /** The stream that caused a step, from 1 on: 0 for its own, -1 for one that the page does not have. */
    this.sender = new Int32Array(summary.steps);
    this.cause = new Int32Array(summary.steps).fill(-1);
    this.clock = 0;
    this.heads = new Float64Array(this.streams.length);
    this.places = new Float64Array(this.streams.length).fill(-Infinity);
  }

  addStreams(rows) {
    for (const [name, machine, created, pruned, head, firstState, lastState, note] of rows) {
      this.numbers.set(name, this.streams.length);
      this.streams.push({ name, machine, created, pruned, head, firstState, lastState, note });
    }
  }

  async load(progress) {
    let shown = performance.now();
    const breathe = async () => {
      if (performance.now() - shown < 50) return;
      progress(this.count / Math.max(1, this.summary.steps));
      await pause();
      shown = performance.now();
    };
    for await (const columns of this.source.steps()) {
      this.addSteps(columns);
      await breathe();
    }
    this.outcome.set(await this.source.outcomes(this.count));
    this.byStream = new Groups(this.streams.length, this.count, (i) => this.stream[i]);
    await pause();
    this.findCauses(0);
    await pause();
    this.caused = new Groups(this.count, this.count, (i) => this.cause[i]);
    this.runs = new Runs(this);
    for await (const columns of this.source.runs()) {
      this.runs.add(columns);
      await breathe();
    }
    this.runs.finish();
    this.findProblems();
  }

  addSteps([stream, step, time, name, origin, outcome, causeStep, causeRun, sender]) {
    const end = this.count + stream.length;
    for (const column of ["stream", "step", "time", "place", "name", "origin", "outcome", "isProblem", "causeStep", "causeRun", "sender"]) {
      this[column] = roomy(this[column], end);
    }
    this.cause = roomy(this.cause, end, -1);
    this.heads = roomy(this.heads, this.streams.length);
    this.places = roomy(this.places, this.streams.length, -Infinity);
    for (let i = 0, row = this.count; i < stream.length; i++, row++) {
      const number = stream[i];
      this.heads[number] += step[i] + 1;
      this.clock += time[i];
      this.stream[row] = number;
      this.step[row] = this.heads[number];
      this.time[row] = this.clock;
      this.place[row] = this.places[number] = Math.max(this.places[number], this.clock);
      this.name[row] = name[i];
      this.origin[row] = origin[i];
      this.outcome[row] = outcome[i];
      this.causeStep[row] = causeStep[i];
      this.causeRun[row] = causeRun[i];
      this.sender[row] = sender[i];
    }
    this.count = end;
  }

  /** The index of a step, or -1 if the page does not have it. */
  find(stream, step) {
    if (stream < 0 || stream >= this.streams.length) return -1;
    const list = this.byStream.of(stream);
    const at = firstIndex(0, list.length, (i) => this.step[list[i]] >= step);
    return at < list.length && this.step[list[at]] === step ? list[at] : -1;
  }

  /** The step before or after a step in its stream, or -1. */
  neighbour(index, distance) {
    const list = this.byStream.of(this.stream[index]);
    return list[firstIndex(0, list.length, (i) => list[i] >= index) + distance] ?? -1;
  }

  /** Finds the causes of the steps from an index on. */
  findCauses(first) {
    for (let i = first; i < this.count; i++) {
      if (!this.causeStep[i]) continue;
      const stream = this.sender[i] ? this.sender[i] - 1 : this.stream[i];
      this.cause[i] = this.find(stream, this.causeStep[i] - 1);
    }
  }

  /** The steps that a step caused. */
  causedBy(index) { return this.caused.of(index); }

  findProblems() {
    for (let i = 0; i < this.count; i++) this.isProblem[i] = this.outcome[i] > 1 ? 1 : 0;
    for (let run = 0; run < this.runs.count; run++) {
      if (this.runs.isProblem(run) && this.runs.index[run] >= 0) this.isProblem[this.runs.index[run]] = 1;
    }
    this.restarts = [...this.summary.restarts].sort((a, b) => a - b);
  }

  // Growing

  /**
   * Adds what has happened since: new steps, outcomes and effects. Returns the first new step, the steps about which more is
   * known, the effects that were known before their step, and whether earlier steps have become problems, or are none any more.
   */
  append({ steps = [], outcomes = [], runs = [], runNumbers = [], restarts = [] }) {
    const first = this.count;
    for (const columns of steps) this.addSteps(columns);
    for (let i = first; i < this.count; i++) {
      const stream = this.stream[i];
      this.byStream.add(stream, i);
      this.streams[stream].head = this.step[i];
    }
    this.findCauses(first);
    for (let i = first; i < this.count; i++) if (this.cause[i] >= 0) this.caused.add(this.cause[i], i);
    // An effect can have arrived before its step.
    const placed = [];
    for (let i = first; i < this.count; i++) placed.push(...this.runs.of(this.stream[i], this.step[i]));
    for (const run of placed) this.runs.place(run);
    const touched = new Set();
    for (let i = 0; i < outcomes.length; i += 2) {
      this.outcome[outcomes[i]] = outcomes[i + 1];
      touched.add(outcomes[i]);
    }
    for (let i = first; i < this.count; i++) touched.add(i);
    for (const columns of runs) for (const index of this.runs.put(columns, runNumbers)) touched.add(index);
    if (restarts.length) this.restarts = [...this.restarts, ...restarts].sort((a, b) => a - b);
    let hasOtherProblems = false;
    for (const index of touched) {
      if (index < 0) continue;
      const isProblem = this.outcome[index] > 1 || this.runs.of(this.stream[index], this.step[index]).some((run) => this.runs.isProblem(run));
      if (this.isProblem[index] === Number(isProblem)) continue;
      this.isProblem[index] = Number(isProblem);
      hasOtherProblems ||= index < first;
    }
    return { first, touched, placed, hasOtherProblems };
  }

  /** The action and the other texts of a step. The action is null if its entry was pruned after the page got the step. */
  async texts(index) {
    const { starts } = this.source;
    const number = chunkOf(starts, index);
    const chunk = await this.source.texts(number);
    const row = index - starts[number];
    return { action: chunk.actions[row] ?? null, ...chunk.others[row] };
  }

  /** The name of a step: `order-17, step 4`. */
  title(index) { return `${safe(this.streams[this.stream[index]].name)}, step ${grouped(this.step[index])}`; }

  actionName(index) { return safe(this.summary.names[this.name[index]][0]) || "action"; }
}
