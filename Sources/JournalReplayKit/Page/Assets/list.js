// A list that has elements only for the rows that can be seen, however long it is.

/** Browsers limit the height of an element. Above this, the scroll bar moves by more than a row per row. */
const tallest = 12_000_000;

class List {
  /**
   * `source.render(row)` makes the content of a row, `source.choose(row)` is called when one is chosen, and
   * `source.label` names the list.
   */
  constructor(box, source) {
    this.box = box;
    this.source = source;
    this.count = 0;
    this.active = -1;
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
    this.count = count;
    this.setActive(active);
    this.height = this.rowHeight;
    this.spacer.style.height = `${Math.min(tallest, count * this.height)}px`;
    this.draw();
  }

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
    this.rows.replaceChildren(...Array.from({ length: Math.max(0, last - first) }, (_, i) => this.row(first + i)));
    this.nameActive();
  }

  row(row) {
    return el("div", {
      class: "row", role: "option", id: `${this.box.id}-${row}`, "data-row": row, "aria-posinset": row + 1,
      "aria-setsize": this.count, "aria-selected": row === this.active ? "true" : "false",
    }, ...this.source.render(row));
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
