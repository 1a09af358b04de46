// Differences between two values, and states made from the differences that the page holds.

/** Whether two values are equal. */
function isSame(a, b) {
  if (a === b) return true;
  if (a instanceof Digits) return b instanceof Digits && a.text === b.text;
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false;
    for (const [key, value] of a) if (!b.has(key) || !isSame(value, b.get(key))) return false;
    return true;
  }
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((value, i) => isSame(value, b[i]));
}

/** The differences as a list of `{path, old, new}`; `old` or `new` is undefined for what was added or removed. */
function differences(a, b, path = [], found = []) {
  if (isSame(a, b)) return found;
  const bothMaps = a instanceof Map && b instanceof Map;
  if (!bothMaps && !(Array.isArray(a) && Array.isArray(b))) {
    found.push({ path, old: a, new: b });
    return found;
  }
  const at = (value, key) => (bothMaps ? value.get(key) : value[key]);
  const keys = bothMaps
    ? [...new Set([...a.keys(), ...b.keys()])]
    : Array.from({ length: Math.max(a.length, b.length) }, (_, index) => index);
  for (const key of keys) {
    const [before, after] = [at(a, key), at(b, key)];
    if (before === undefined || after === undefined) {
      found.push({ path: [...path, key], old: before, new: after });
    } else {
      differences(before, after, [...path, key], found);
    }
  }
  return found;
}

const pathText = (path) =>
  path.map((key, i) => (typeof key === "number" ? `[${key}]` : (i ? "." : "") + keyText(key))).join("") || "the state";

/** A copy of a value with one operation applied; it shares all parts that the operation leaves alone. */
function applied(value, path, operation, depth = 0) {
  if (depth === path.length) {
    // [path, null, length] shortens a list.
    return operation.length === 3 ? value.slice(0, Number(operation[2].text)) : operation[1];
  }
  const key = path[depth] instanceof Digits ? Number(path[depth].text) : path[depth];
  const isLast = depth === path.length - 1;
  if (value instanceof Map) {
    const copy = new Map(value);
    if (isLast && operation.length === 1) copy.delete(key);
    else copy.set(key, applied(value.get(key), path, operation, depth + 1));
    return copy;
  }
  const copy = value.slice();
  copy[key] = applied(value[key], path, operation, depth + 1);
  return copy;
}
