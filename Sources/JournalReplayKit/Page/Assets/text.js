// Texts and elements. Everything from the journal becomes a text node: nothing is ever parsed as markup.

/** Shows characters that are invisible, or that reorder a text, as escapes: https://trojansource.codes */
function safe(text) {
  return String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (c) => (c === "\n" ? "\\n" : "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));
}

/** Creates an element. `class` and other names are attributes, `on` has listeners; children are elements or texts. */
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const byID = (id) => document.getElementById(id);

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

/** Microseconds as a date, or null: a journal can hold any number. */
function dateOf(time) {
  const date = new Date(Math.floor(time / 1000));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** `2026-11-21 11:05:30.117432`, in UTC like all times that the tool shows. */
function fullTime(time) {
  const date = dateOf(time);
  if (!date) return "an impossible time";
  const micros = String(((time % 1e6) + 1e6) % 1e6).padStart(6, "0");
  return date.toISOString().replace("T", " ").slice(0, -5) + "." + micros;
}

const shortTime = (time) => (dateOf(time) ? fullTime(time).slice(11, -3) : "?");
const dayOf = (time) => (dateOf(time) ? fullTime(time).slice(0, 10) : "?");

/** `1.5 s`, `3 min 20 s` */
function duration(micros) {
  // The clock was set back in between.
  if (micros < 0) return "-" + duration(-micros);
  if (micros < 1e3) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${trim(micros / 1e3)} ms`;
  if (micros < 60e6) return `${trim(micros / 1e6)} s`;
  const seconds = Math.round(micros / 1e6);
  if (micros < 3600e6) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (micros < 172800e6) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

const trim = (number) => String(Number(number.toPrecision(3)));

/** Lets the browser paint and handle input. */
const pause = () => new Promise((resolve) => setTimeout(resolve));
