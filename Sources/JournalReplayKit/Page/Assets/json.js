// JSON as it is stored: numbers keep all their digits, objects their order. No key, such as __proto__, is special.
// An object is a Map, an array an Array, a number a Digits; anything else is itself.

class Digits {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

// A state has up to 512 levels, and a chunk of states a few more.
const deepest = 600;

/** Parses a text; undefined if it is not JSON or nested too deeply. */
function parseJSON(text) {
  let at = 0;
  const fail = () => { throw new SyntaxError(); };
  const blank = /[ \t\n\r]*/y;
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (!found) fail();
    at = pattern.lastIndex;
    return found[0];
  };
  // A pattern for a whole string would exhaust the stack of the regular expressions.
  const string = () => {
    if (text[at] !== '"') fail();
    const start = at;
    let end = at;
    let slashes;
    do {
      end = text.indexOf('"', end + 1);
      if (end < 0) fail();
      slashes = 0;
      while (text[end - 1 - slashes] === "\\") slashes += 1;
    } while (slashes % 2 === 1);
    at = end + 1;
    return JSON.parse(text.slice(start, at));
  };
  const skip = (character) => {
    take(blank);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const word = (letters, value) => {
    if (!text.startsWith(letters, at)) fail();
    at += letters.length;
    return value;
  };
  const value = (depth) => {
    if (depth > deepest) fail();
    take(blank);
    switch (text[at]) {
      case "{": {
        at += 1;
        const object = new Map();
        if (skip("}")) return object;
        do {
          take(blank);
          const key = string();
          if (!skip(":")) fail();
          // Of members with one key the first counts, as for the library.
          const member = value(depth + 1);
          if (!object.has(key)) object.set(key, member);
        } while (skip(","));
        return skip("}") ? object : fail();
      }
      case "[": {
        at += 1;
        const list = [];
        if (skip("]")) return list;
        do list.push(value(depth + 1)); while (skip(","));
        return skip("]") ? list : fail();
      }
      case '"': return string();
      case "t": return word("true", true);
      case "f": return word("false", false);
      case "n": return word("null", null);
      default: return new Digits(take(number));
    }
  };
  try {
    const result = value(0);
    take(blank);
    return at === text.length ? result : undefined;
  } catch (error) {
    // A text can also be too long for the browser.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const isContainer = (value) => value instanceof Map || Array.isArray(value);

/** The members of an object or the elements of an array. */
const membersOf = (value) => (value instanceof Map ? [...value] : value.map((element, index) => [index, element]));

/** A value on one line, cut off after about `room` characters. */
function oneLine(value, room = 400) {
  if (value === undefined) return "nothing";
  if (typeof value === "string") {
    return value.length > room ? safe(JSON.stringify(value.slice(0, room))).slice(0, -1) + "…" : safe(JSON.stringify(value));
  }
  if (!isContainer(value)) return String(value);
  const isList = Array.isArray(value);
  const parts = [];
  let length = 0;
  for (const [key, part] of membersOf(value)) {
    if (length > room) {
      parts.push("…");
      break;
    }
    const text = (isList ? "" : keyText(key) + ": ") + oneLine(part, room - length);
    parts.push(text);
    length += text.length + 2;
  }
  return (isList ? "[" : "{") + parts.join(", ") + (isList ? "]" : "}");
}

const keyText = (key) => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key) ? key : safe(JSON.stringify(key)));

/** `add item: "Tea"` for `{"add":{"item":"Tea"}}`: the name, and the rest. */
function shortAction(text) {
  const value = parseJSON(text);
  if (value === undefined) return [null, safe(text.slice(0, 300)) + (text.length > 300 ? "…" : "")];
  if (typeof value === "string") return [safe(value), ""];
  if (!(value instanceof Map) || value.size !== 1) return [null, oneLine(value)];
  let [[name, payload]] = value;
  // `Codable` encodes an associated value without a label under this key.
  if (payload instanceof Map && payload.size === 1 && payload.has("_0")) payload = payload.get("_0");
  if (payload instanceof Map && payload.size === 0) return [safe(name), ""];
  const rest = oneLine(payload);
  return [safe(name), payload instanceof Map ? rest.slice(1, -1) : rest];
}
