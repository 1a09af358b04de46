// The time line as numbers: one lane for each stream, and what stands where in it.

/** How many rows of bars a lane has. */
const mostRows = 3;

class Lanes {
  constructor(model) {
    this.model = model;
    /** For each stream, the rows of its bars. */
    this.rows = new Map();
    /** How many rows the fullest lane has. */
    this.rowCount = 0;
    const { runs, streams } = model;
    /** The time up to which the bars before each place reach, so that a search finds those that begin earlier. */
    this.reach = new Float64Array(runs.count);
    for (let stream = 0; stream < streams.length; stream++) {
      const { offsets, items } = runs.byStream;
      let reach = -Infinity;
      for (let i = offsets[stream]; i < offsets[stream + 1]; i++) {
        reach = Math.max(reach, runs.to[items[i]]);
        this.reach[i] = reach;
      }
      this.rows.set(stream, this.pack(stream));
    }
  }

  /** Takes the steps that the lanes show, in order. */
  show(found) {
    const { model } = this;
    const streamOf = (index) => model.stream[index];
    this.steps = groups(model.streams.length, found.length, streamOf, found);
    this.problems = groups(
      model.streams.length, found.length, (index) => (model.isProblem[index] ? model.stream[index] : -1), found);
    this.streams = [];
    for (let stream = 0; stream < model.streams.length; stream++) {
      if (this.steps.offsets[stream + 1] > this.steps.offsets[stream]) this.streams.push(stream);
    }
    // A clock can be set back; what is searched must not decrease.
    this.times = Float64Array.from(this.steps.items, (index) => model.time[index]);
    for (const stream of this.streams) {
      const end = this.steps.offsets[stream + 1];
      for (let i = this.steps.offsets[stream] + 1; i < end; i++) {
        if (this.times[i] < this.times[i - 1]) this.times[i] = this.times[i - 1];
      }
    }
  }

  /** The place of the first step of a stream at or after a time. */
  place(stream, time) {
    return firstIndex(this.steps.offsets[stream], this.steps.offsets[stream + 1], (i) => this.times[i] >= time);
  }

  /** The step of a stream that is nearest to a time, or -1. */
  nearest(stream, time) {
    const at = this.place(stream, time);
    const candidates = [at - 1, at].filter(
      (i) => i >= this.steps.offsets[stream] && i < this.steps.offsets[stream + 1]);
    candidates.sort((a, b) => Math.abs(this.times[a] - time) - Math.abs(this.times[b] - time));
    return candidates.length ? this.steps.items[candidates[0]] : -1;
  }

  /** The effects of a stream that a span of time touches. */
  runs(stream, from, to) {
    const { runs } = this.model;
    const { offsets, items } = runs.byStream;
    const low = firstIndex(offsets[stream], offsets[stream + 1], (i) => this.reach[i] >= from);
    const high = firstIndex(low, offsets[stream + 1], (i) => runs.from[items[i]] > to);
    return items.subarray(low, high);
  }

  /** The row in which an effect's bar is: bars that overlap in time get different rows, while there are any. */
  row(run) {
    const stream = this.model.runs.stream[run];
    return this.rows.get(stream)[run - this.model.runs.byStream.items[this.model.runs.byStream.offsets[stream]]];
  }

  pack(stream) {
    const { runs } = this.model;
    const { offsets, items } = runs.byStream;
    const ends = new Array(mostRows).fill(-Infinity);
    return Uint8Array.from(items.subarray(offsets[stream], offsets[stream + 1]), (run) => {
      let row = ends.findIndex((end) => end < runs.from[run]);
      if (row < 0) row = ends.indexOf(Math.min(...ends));
      ends[row] = Math.max(ends[row], runs.to[run]);
      this.rowCount = Math.max(this.rowCount, row + 1);
      return row;
    });
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
