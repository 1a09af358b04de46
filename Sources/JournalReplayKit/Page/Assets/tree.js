// A JSON value as a tree of native disclosure elements. Parts are made when they are opened.

/** More elements than this are shown on request. */
const mostMembers = 200;

/** `changes` has the paths to mark, as texts; `around` those to open because a change is inside. */
function tree(value, { changes = new Map(), around = new Set(), path = [], open = 2 } = {}) {
  if (!isContainer(value)) return el("div", { class: "leaf" }, leaf(value));
  const list = el("ul", { class: "tree" });
  addMembers(list, membersOf(value), 0, { changes, around, path, open });
  if (!list.childElementCount) return el("div", { class: "leaf" }, leaf(value));
  return list;
}

function addMembers(list, members, start, options) {
  for (const [key, part] of members.slice(start, start + mostMembers)) {
    list.append(member(key, part, { ...options, path: [...options.path, key] }));
  }
  const next = start + mostMembers;
  if (next >= members.length) return;
  const more = el("button", { type: "button", class: "link", on: {
    click: () => {
      item.remove();
      addMembers(list, members, next, options);
    },
  } }, `Show ${grouped(Math.min(mostMembers, members.length - next))} more of ${grouped(members.length - next)}`);
  const item = el("li", {}, more);
  list.append(item);
}

function member(key, value, options) {
  const id = pathText(options.path);
  const isChanged = options.changes.has(id);
  const name = el("span", { class: "key" }, typeof key === "number" ? String(key) : keyText(key));
  const mark = isChanged && el("span", { class: "changed" }, " changed");
  if (!isContainer(value) || membersOf(value).length === 0) {
    return el("li", { class: isChanged && "is-changed" }, name, " ", leaf(value), mark);
  }
  const count = membersOf(value).length;
  const summary = el("summary", {}, name, " ",
    el("span", { class: "quiet" }, Array.isArray(value) ? counted(count, "element", "elements") : oneLine(value, 60)), mark);
  const details = el("details", {}, summary);
  const fill = () => {
    if (details.childElementCount > 1) return;
    details.append(tree(value, { ...options, open: options.open - 1 }));
  };
  details.addEventListener("toggle", () => details.open && fill());
  if (options.around.has(id) || (options.open > 0 && count <= 12)) {
    fill();
    details.open = true;
  }
  return el("li", { class: isChanged && "is-changed" }, details);
}

function leaf(value) {
  if (value === undefined) return el("span", { class: "quiet" }, "nothing");
  if (typeof value === "string") return longText(value);
  if (value instanceof Digits) return el("span", { class: "number" }, value.text);
  if (isContainer(value)) return el("span", { class: "quiet" }, Array.isArray(value) ? "[]" : "{}");
  return el("span", { class: "word" }, String(value));
}

/** A string is shown in full on request if it is long. */
const longest = 2000;

function longText(value) {
  const quoted = (part) => (part.length < value.length ? safe(JSON.stringify(part)).slice(0, -1) : safe(JSON.stringify(part)));
  return el("span", { class: "string" }, ...cutText(value, longest, quoted));
}

/** What shows a text as `shown` says: its beginning, and the rest on request. */
function cutText(value, room, shown) {
  if (value.length <= room) return [shown(value)];
  const text = el("span", {}, shown(value.slice(0, room)) + "…");
  const more = el("button", { type: "button", class: "link", on: {
    click: () => {
      text.textContent = shown(value);
      more.remove();
    },
  } }, `Show all ${grouped(value.length)} characters`);
  return [text, " ", more];
}

/** A stored text as a tree; as it is, if it is not JSON. */
function treeOfText(text) {
  if (text === null) return el("p", { class: "quiet" }, "This entry was pruned while the page was open.");
  if (text === "") return el("p", { class: "quiet" }, "An empty text.");
  const value = parseJSON(text);
  return value === undefined ? el("pre", {}, safe(text)) : tree(value);
}

/** A list of differences, and the paths that a tree marks. */
function changeList(changes) {
  const shown = changes.slice(0, mostMembers).map(({ path, old, new: now }) => {
    // Long texts can differ after the place where they would be cut.
    const hides = typeof old === "string" && typeof now === "string" && oneLine(old, 120) === oneLine(now, 120);
    const text = (value) => (hides ? longText(value) : oneLine(value, 120));
    return el("li", {},
      el("span", { class: "key" }, pathText(path)), " ",
      old === undefined ? el("span", { class: "added" }, "added") : el("del", {}, text(old)),
      now === undefined ? [] : " → ",
      now === undefined ? el("span", { class: "removed" }, " removed") : el("ins", {}, text(now)));
  });
  if (changes.length > shown.length) shown.push(el("li", { class: "quiet" }, `and ${grouped(changes.length - shown.length)} more`));
  return el("ul", { class: "changes" }, ...shown);
}

/** The paths of changes, and those around them. */
function marks(changes) {
  const around = new Set();
  for (const { path } of changes) {
    for (let length = 1; length <= path.length; length++) around.add(pathText(path.slice(0, length)));
  }
  return { changes: new Map(changes.map((change) => [pathText(change.path), change])), around };
}
