// A page that has its data in it: elements with compressed base64, which are decompressed when they are needed.
//
// A source has the columns of all steps and effects (`steps`, `runs`), the texts of a chunk of them (`texts`, `runTexts`), where
// the chunks begin (`starts`, `runStarts`), and the states.

class EmbeddedSource {
  constructor() {
    this.elements = {};
    for (const element of document.querySelectorAll("script[data-chunk]")) {
      (this.elements[element.dataset.chunk] ??= []).push(element);
    }
    /** The first step, and the first effect, of each chunk. */
    this.starts = [];
    this.runStarts = [];
    const remember = (kind, parse) => remembering(6, async (index) =>
      parse(await inflateText(this.elements[kind][index].textContent)));
    // A chunk has some thousand steps; a few of them are enough to scroll and to search.
    this.texts = remember("texts", JSON.parse);
    this.runTexts = remember("run-texts", JSON.parse);
    this.stateChunk = remember("states", parseJSON);
    this.states = new EmbeddedStates(this);
  }

  /** The outcomes that became known after the columns were made. */
  async outcomes() { return []; }

  steps() { return this.columns("steps", stepWidth, this.starts); }
  runs() { return this.columns("runs", runWidth, this.runStarts); }

  /** The columns of each chunk, which are then forgotten: the model keeps them. */
  async *columns(kind, width, starts) {
    let row = 0;
    for (const element of this.elements[kind] ?? []) {
      const [columns] = columnSets(await inflate(element.textContent), width);
      element.textContent = "";
      starts.push(row);
      row += columns[0].length;
      yield columns;
    }
  }

  notes(kind) { return (this.elements[kind] ?? []).map((element) => element.dataset.note); }
}

/** The states: a whole one now and then, and what each step changed between them. */
class EmbeddedStates {
  constructor(source) {
    this.source = source;
    this.known = remembering(6, (index) => ({ index, list: null }));
    /** For each stream, its chunks in the order of their steps. */
    this.places = new Map();
    source.notes("states").forEach((note, index) => {
      const [stream, first, count] = note.split(" ").map(Number);
      if (!this.places.has(stream)) this.places.set(stream, []);
      this.places.get(stream).push({ index, first, count });
    });
  }

  /** The steps of a stream that have states, or null. */
  range(stream) {
    const places = this.places.get(stream);
    if (!places) return null;
    const last = places.at(-1);
    return { first: places[0].first, last: last.first + last.count - 1 };
  }

  /** The state after a step; undefined if the page does not have it. */
  async at(stream, step) {
    const places = this.places.get(stream) ?? [];
    const place = places[firstIndex(0, places.length, (i) => places[i].first > step) - 1];
    if (!place || step >= place.first + place.count) return undefined;
    const chunk = await this.source.stateChunk(place.index);
    if (!chunk) throw new Error("The page cannot read the states of these steps.");
    const [whole, deltas] = chunk;
    const known = this.known(place.index);
    known.list ??= [whole];
    for (let i = known.list.length; i <= step - place.first; i++) {
      known.list.push(deltas[i - 1].reduce((state, change) => applied(state, change[0], change), known.list[i - 1]));
    }
    return known.list[step - place.first];
  }

  /** Why a stream has no states, as elements. */
  advice({ summary, streams }, stream, note) {
    const machine = safe(streams[stream].machine);
    if (!summary.wantsStates) return [el("p", {}, "This page was made without states (", el("code", {}, "--states none"), ").")];
    if (summary.machines.includes(streams[stream].machine)) {
      return [el("p", {}, "This page has the states of the newest steps, and none of them belongs to this stream."), ...note,
        el("p", {}, "Make the page again with ", el("code", {}, "--states all"), ".")];
    }
    return [el("p", {}, `States are computed with the reducer of the machine “${machine}”, which was not known when this page was made.`),
      el("p", {}, "Make the page with the machine, from a library or with the app’s own tool:"),
      el("pre", {}, `${safe(summary.tool)} page JOURNAL -o report.html \\\n    --machine libMachines.so`)];
  }
}

start(() => new EmbeddedSource());
