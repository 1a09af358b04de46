// A list that has elements only for the rows that can be seen, however long it is.

/** Browsers limit the height of an element. Above this, the scroll bar moves by more than a row per row. */
const tallest = 12_000_000;

class List {
  /**
   * `source.render(row)` makes the content of a row, `source.key(row)` tells when that has changed, and
   * `source.choose(row)` is called when one is chosen.
   */
  constructor(box, source) {
    this.box = box;
    this.source = source;
    this.count = 0;
    this.active = -1;
    /** The elements of the rows that can be seen, by their keys: a row that is drawn again stays the same. */
    this.drawn = new Map();
    this.spacer = el("div", { class: "spacer", "aria-hidden": "true" });
    this.rows = el("div", { class: "rows", role: "presentation" });
    box.append(this.spacer, this.rows);
    box.addEventListener("scroll", () => this.draw());
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-row]");
      if (row) this.choose(Number(row.dataset.row), true);
    });
    new ResizeObserver(() => this.draw()).observe(box);
  }

  get rowHeight() { return parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 44; }

  show(count, active) {
    const isAtEnd = this.count > 0 && count > this.count && this.isAtEnd;
    this.count = count;
    this.setActive(active);
    this.height = this.rowHeight;
    this.spacer.style.height = `${Math.min(tallest, count * this.height)}px`;
    if (isAtEnd) this.box.scrollTop = this.box.scrollHeight;
    this.draw();
  }

  /** Whether the last row can be seen. */
  get isAtEnd() { return this.box.scrollTop + this.box.clientHeight >= this.box.scrollHeight - 4; }

  /** How many pixels of rows one pixel of the scroll bar stands for. */
  get scale() {
    const room = this.box.clientHeight;
    return Math.max(1, (this.count * this.height - room) / Math.max(1, Math.min(tallest, this.count * this.height) - room));
  }

  draw() {
    if (!this.height || !this.box.clientHeight) return;
    const top = this.box.scrollTop * this.scale;
    const first = Math.max(0, Math.floor(top / this.height) - 2);
    const last = Math.min(this.count, Math.ceil((top + this.box.clientHeight) / this.height) + 2);
    const offset = first * this.height - top + this.box.scrollTop;
    this.rows.style.transform = `translateY(${Math.max(0, offset)}px)`;
    const before = this.drawn;
    this.drawn = new Map();
    for (let row = first; row < last; row++) {
      const key = `${row} ${this.source.key(row)}`;
      this.drawn.set(key, before.get(key) ?? this.row(row));
    }
    const rows = [...this.drawn.values()];
    for (const element of rows) this.mark(element);
    if (rows.length !== this.rows.children.length || rows.some((element, i) => element !== this.rows.children[i])) {
      this.rows.replaceChildren(...rows);
    }
    this.nameActive();
  }

  row(row) {
    return el("div", {
      class: "row", role: "option", id: `${this.box.id}-${row}`, "data-row": row, "aria-posinset": row + 1,
    }, ...this.source.render(row));
  }

  mark(element) {
    element.setAttribute("aria-setsize", this.count);
    element.setAttribute("aria-selected", String(Number(element.dataset.row) === this.active));
  }

  nameActive() {
    const shown = document.getElementById(`${this.box.id}-${this.active}`);
    if (shown) this.box.setAttribute("aria-activedescendant", shown.id);
    else this.box.removeAttribute("aria-activedescendant");
  }

  setActive(row) { this.active = row; }

  /** Marks a row and scrolls to it. */
  activate(row) {
    this.setActive(row);
    const top = this.box.scrollTop * this.scale;
    const place = row * this.height;
    if (row >= 0 && (place < top || place + this.height > top + this.box.clientHeight)) {
      this.box.scrollTop = Math.max(0, place - (this.box.clientHeight - this.height) / 2) / this.scale;
    }
    this.draw();
  }

  /** - `isPointed` says that a pointer chose it, and not a key that moves on. */
  choose(row, isPointed = false) {
    if (row < 0 || row >= this.count) return;
    this.activate(row);
    this.source.choose(row, isPointed);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count }[event.key];
    if (move === undefined || !this.count) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose(Math.max(0, Math.min(this.count - 1, this.active + move)));
  }
}
