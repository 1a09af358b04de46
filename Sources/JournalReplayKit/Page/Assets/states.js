// The states that the page holds: a whole one now and then, and what each step changed between them.

class States {
  constructor(model, chunks) {
    this.model = model;
    this.chunks = chunks;
    this.known = remembering(6, (index) => ({ index, list: null }));
    /** For each stream, its chunks in the order of their steps. */
    this.places = new Map();
    chunks.notes("states").forEach((note, index) => {
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
    const [whole, deltas] = await this.chunks.states(place.index);
    const known = this.known(place.index);
    known.list ??= [whole];
    for (let i = known.list.length; i <= step - place.first; i++) {
      known.list.push(deltas[i - 1].reduce((state, change) => applied(state, change[0], change), known.list[i - 1]));
    }
    return known.list[step - place.first];
  }
}
