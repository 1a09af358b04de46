// The time line as numbers: one lane for each stream, and what stands where in it.

/** How many rows of bars a lane has. */
const mostRows = 3;

class Lanes {
  constructor(model) {
    this.model = model;
    /** How many rows the fullest lane has. */
    this.rowCount = 0;
    this.rows = new Uint8Array(model.runs.count);
    /** The time up to which the bars before each one reach, so that a search finds those that begin earlier. */
    this.reach = new Float64Array(model.runs.count);
    /** The streams whose bars have to be placed again. */
    this.stale = new Set();
    for (let stream = 0; stream < model.streams.length; stream++) this.pack(stream);
  }

  /** Takes the steps that the lanes show, in order. */
  show(found) {
    const { model } = this;
    this.steps = new Groups(model.streams.length, found.length, (index) => model.stream[index], found);
    this.showProblems(found);
    this.streams = [];
    for (let stream = 0; stream < model.streams.length; stream++) {
      if (this.steps.of(stream).length) this.streams.push(stream);
    }
  }

  showProblems(found) {
    const { model } = this;
    this.problems = new Groups(
      model.streams.length, found.length, (index) => (model.isProblem[index] ? model.stream[index] : -1), found);
  }

  /** Adds steps after all others. */
  append(found) {
    const { model } = this;
    for (const index of found) {
      const stream = model.stream[index];
      if (!this.steps.of(stream).length) this.insert(stream);
      this.steps.add(stream, index);
      if (model.isProblem[index]) this.problems.add(stream, index);
    }
  }

  insert(stream) {
    this.streams.splice(firstIndex(0, this.streams.length, (i) => this.streams[i] > stream), 0, stream);
  }

  /** The place of the first step of a stream at or after a time. */
  place(stream, time) {
    const list = this.steps.of(stream);
    return firstIndex(0, list.length, (i) => this.model.place[list[i]] >= time);
  }

  /** The step of a stream that is nearest to a time, or -1. */
  nearest(stream, time) {
    const list = this.steps.of(stream);
    const at = this.place(stream, time);
    const distance = (index) => Math.abs(this.model.place[index] - time);
    const candidates = [list[at - 1], list[at]].filter((index) => index !== undefined);
    return candidates.sort((a, b) => distance(a) - distance(b))[0] ?? -1;
  }

  /** The effects of a stream that a span of time touches. */
  runs(stream, from, to) {
    if (this.stale.delete(stream)) this.pack(stream);
    const list = this.model.runs.byStream.of(stream);
    const low = firstIndex(0, list.length, (i) => this.reach[list[i]] >= from);
    const high = firstIndex(low, list.length, (i) => this.model.runs.from[list[i]] > to);
    return list.slice(low, high);
  }

  /** The row in which an effect's bar is: bars that overlap in time get different rows, while there are any. */
  row(run) { return this.rows[run]; }

  pack(stream) {
    const { runs } = this.model;
    this.rows = roomy(this.rows, runs.count);
    this.reach = roomy(this.reach, runs.count);
    const ends = new Array(mostRows).fill(-Infinity);
    let reach = -Infinity;
    for (const run of runs.byStream.of(stream)) {
      reach = Math.max(reach, runs.to[run]);
      this.reach[run] = reach;
      let row = ends.findIndex((end) => end < runs.from[run]);
      if (row < 0) row = ends.indexOf(Math.min(...ends));
      ends[row] = Math.max(ends[row], runs.to[run]);
      this.rows[run] = row;
      this.rowCount = Math.max(this.rowCount, row + 1);
    }
  }
}

/** Microseconds, from one to a year. */
const tickSteps = [
  ...[1, 10, 100, 1e3, 1e4, 1e5].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
    2592000, 7776000, 31536000].map((seconds) => seconds * 1e6),
];

/** The times of the axis, about `room` pixels apart, with their labels. */
function ticks(from, to, width, room = 110) {
  const wanted = ((to - from) / width) * room;
  const step = tickSteps.find((value) => value >= wanted) ?? wanted;
  const found = [];
  for (let time = Math.ceil(from / step) * step; time <= to && found.length < 100; time += step) {
    found.push({ time, label: tickLabel(time, step) });
  }
  return found;
}

function tickLabel(time, step) {
  const date = dateOf(time);
  if (!date) return "";
  const iso = date.toISOString();
  if (step >= 86400e6) return iso.slice(0, 10);
  if (step >= 60e6) return time % 86400e6 === 0 ? iso.slice(5, 10) : iso.slice(11, 16);
  if (step >= 1e6) return iso.slice(11, 19);
  if (step >= 1e3) return iso.slice(14, 23);
  return fullTime(time).slice(17);
}
