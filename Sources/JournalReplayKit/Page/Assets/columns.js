// Columns of numbers as the journal's reader encodes them, and texts that are compressed or kept for a while.

/** The bytes of a text in base64. */
const bytesOf = (text) => (Uint8Array.fromBase64
  ? Uint8Array.fromBase64(text)
  : Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));

async function inflate(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function inflateText(text) {
  return new TextDecoder().decode(await inflate(text));
}

/** The sets of columns in some bytes: each has so many columns of as many numbers. */
function* columnSets(bytes, width) {
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
  while (at < bytes.length) {
    const count = next();
    const columns = [];
    while (columns.length < width) {
      // Its length in bytes.
      next();
      const column = new Float64Array(count);
      for (let row = 0; row < count; row++) column[row] = next();
      columns.push(column);
    }
    yield columns;
  }
}

const stepWidth = 9;
const runWidth = 14;

/** A typed array with room for more; the old one if it has room already. */
function roomy(array, count, fill = 0) {
  if (array.length >= count) return array;
  const larger = new array.constructor(Math.max(count, Math.ceil(array.length * 1.5), 1024));
  larger.set(array);
  if (fill !== 0) larger.fill(fill, array.length);
  return larger;
}

/** Keeps the results of a function for the arguments that were asked for last; not those that failed. */
function remembering(most, make) {
  const known = new Map();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.delete(key);
    known.set(key, value);
    if (known.size > most) known.delete(known.keys().next().value);
    if (value instanceof Promise) value.catch(() => known.delete(key));
    return value;
  };
}
