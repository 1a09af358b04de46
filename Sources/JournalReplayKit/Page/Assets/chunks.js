// The data of the page: elements with compressed base64, which are decompressed when they are needed.

async function inflate(text) {
  const bytes = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function inflateText(text) {
  return new TextDecoder().decode(await inflate(text));
}

/** The columns of a chunk, each a list of numbers. */
function readColumns(bytes) {
  let at = 0;
  const next = () => {
    let byte = bytes[at++];
    // The lowest bit is the sign.
    const isNegative = byte & 1;
    let value = (byte & 127) >> 1;
    for (let unit = 64; byte > 127; unit *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * unit;
    }
    return isNegative ? -value - 1 : value;
  };
  const count = next();
  const columns = [];
  while (at < bytes.length) {
    next();
    const column = new Float64Array(count);
    for (let row = 0; row < count; row++) column[row] = next();
    columns.push(column);
  }
  return columns;
}

/** Keeps the results of a function for the arguments that were asked for last. */
function remembering(most, make) {
  const known = new Map();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.delete(key);
    known.set(key, value);
    if (known.size > most) known.delete(known.keys().next().value);
    return value;
  };
}

class Chunks {
  constructor() {
    this.elements = {};
    for (const element of document.querySelectorAll("script[data-chunk]")) {
      (this.elements[element.dataset.chunk] ??= []).push(element);
    }
    // A chunk has some thousand steps; a few of them are enough to scroll and to search.
    this.texts = remembering(6, async (index) => JSON.parse(await inflateText(this.elements.texts[index].textContent)));
    this.runTexts = remembering(6, async (index) =>
      JSON.parse(await inflateText(this.elements["run-texts"][index].textContent)));
    this.states = remembering(6, async (index) =>
      parseJSON(await inflateText(this.elements.states[index].textContent)));
  }

  count(kind) { return this.elements[kind]?.length ?? 0; }

  /** The columns of a chunk, which are then forgotten: the model keeps them. */
  async columns(kind, index) {
    const element = this.elements[kind][index];
    const columns = readColumns(await inflate(element.textContent));
    element.textContent = "";
    return columns;
  }

  notes(kind) { return (this.elements[kind] ?? []).map((element) => element.dataset.note); }
}
