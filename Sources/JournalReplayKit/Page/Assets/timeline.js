// The time line: steps as marks, effects as bars, restarts as vertical lines. Drawn on a canvas; everything that it shows
// is also in the lists, which a screen reader reads.

const axisHeight = 24;
/** Where the bars of a lane begin, below the marks of its steps, and how far apart they are. */
const barsTop = 22;
const barStep = 9;

class Timeline {
  constructor(model, lanes, choose) {
    this.model = model;
    this.lanes = lanes;
    this.choose = choose;
    this.box = byID("timeline");
    this.canvas = byID("lanes");
    this.context = this.canvas.getContext("2d");
    this.overview = byID("overview");
    this.spacer = byID("lanes-height");
    this.tip = byID("tip");
    this.selected = -1;
    this.whole = this.wholeSpan();
    this.span = { ...this.whole };
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener("scroll", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    this.listen();
  }

  get laneHeight() { return barsTop + this.lanes.rowCount * barStep + 3; }

  wholeSpan() {
    const { summary } = this.model;
    const first = summary.first ?? summary.made;
    const last = Math.max(summary.last ?? first, this.lastEnd());
    const margin = Math.max(1000, (last - first) * 0.02);
    return { from: first - margin, to: last + margin };
  }

  lastEnd() {
    const { runs } = this.model;
    let last = this.knownEnd ?? -Infinity;
    // A live effect lasts until now, which can be long after everything else: it does not stretch the whole view.
    for (let run = this.seenRuns ?? 0; run < runs.count; run++) if (runs.isFinal(run)) last = Math.max(last, runs.to[run]);
    [this.knownEnd, this.seenRuns] = [last, runs.count];
    return last;
  }

  /** The time has gone on. What shows all, or the end, shows the new end. */
  grow() {
    const before = this.whole;
    this.whole = this.wholeSpan();
    const { from, to } = this.span;
    const isAtEnd = to >= before.to - 1;
    if (isAtEnd && from <= before.from + 1) this.span = { ...this.whole };
    else if (isAtEnd) this.span = { from: from + this.whole.to - before.to, to: this.whole.to };
    this.draw();
  }

  get gutter() { return this.width > 640 ? 132 : 0; }
  x(time) { return this.gutter + ((time - this.span.from) / (this.span.to - this.span.from)) * (this.width - this.gutter); }
  timeAt(x) {
    return this.span.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.span.to - this.span.from);
  }

  // Moving

  zoom(factor, center = (this.span.from + this.span.to) / 2) {
    const whole = this.whole.to - this.whole.from;
    const length = Math.min(whole, Math.max(20, (this.span.to - this.span.from) * factor));
    const from = center - ((center - this.span.from) / (this.span.to - this.span.from)) * length;
    this.setSpan(from, from + length);
  }

  pan(part) {
    const move = (this.span.to - this.span.from) * part;
    this.setSpan(this.span.from + move, this.span.to + move);
  }

  fit() { this.setSpan(this.whole.from, this.whole.to); }

  setSpan(from, to) {
    const length = to - from;
    from = Math.max(this.whole.from, Math.min(from, this.whole.to - length));
    this.span = { from, to: from + length };
    this.draw();
  }

  /** Selects a step, and moves so that it can be seen. */
  select(index) {
    this.selected = index;
    const time = this.model.time[index];
    const length = this.span.to - this.span.from;
    if (time < this.span.from || time > this.span.to) this.setSpan(time - length / 2, time + length / 2);
    const lane = this.lanes.streams.indexOf(this.model.stream[index]);
    this.layOut();
    if (lane >= 0) {
      const top = lane * this.laneHeight;
      const room = this.box.clientHeight - axisHeight;
      if (top < this.box.scrollTop || top + this.laneHeight > this.box.scrollTop + room) {
        this.box.scrollTop = top - (room - this.laneHeight) / 2;
      }
    }
    this.draw();
  }

  // Input

  listen() {
    const pointers = new Map();
    let moved = 0;
    this.canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, event.offsetX);
      this.canvas.setPointerCapture(event.pointerId);
      moved = 0;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) {
        this.hover(event);
        return;
      }
      moved += Math.abs(event.offsetX - before);
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
        this.zoom(Math.abs(other - before) / Math.max(1, Math.abs(other - event.offsetX)), this.timeAt(other));
      } else if (moved > 3) {
        this.pan((before - event.offsetX) / (this.width - this.gutter));
      }
      pointers.set(event.pointerId, event.offsetX);
    });
    const end = (event) => {
      if (event.type === "pointerup" && pointers.size === 1 && moved <= 3) {
        const found = this.hit(event.offsetX, event.offsetY);
        if (found) this.choose(found.index, found.run);
      }
      pointers.delete(event.pointerId);
    };
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.overview.addEventListener("pointerdown", (event) => this.jump(event));
    this.overview.addEventListener("pointermove", (event) => event.buttons && this.jump(event));
    this.box.addEventListener("keydown", (event) => this.key(event));
  }

  wheel(event) {
    const scrolls = this.spacer.offsetHeight > this.box.clientHeight - axisHeight + 1;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      this.pan((event.deltaX || event.deltaY) / this.width);
    } else if (event.ctrlKey || event.metaKey || event.altKey || !scrolls) {
      this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240))), this.timeAt(event.offsetX));
    } else {
      return;
    }
    event.preventDefault();
  }

  jump(event) {
    const length = this.span.to - this.span.from;
    const center = this.whole.from + (event.offsetX / this.overview.clientWidth) * (this.whole.to - this.whole.from);
    this.setSpan(center - length / 2, center + length / 2);
  }

  key(event) {
    const does = {
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6), "0": () => this.fit(),
      ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15),
      Home: () => this.pan(-1e9), End: () => this.pan(1e9),
    }[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    does();
  }

  /** The step or effect at a point, or null. */
  hit(x, y) {
    const at = y - axisHeight + this.box.scrollTop;
    const stream = this.lanes.streams[Math.floor(at / this.laneHeight)];
    if (stream === undefined || y < axisHeight) return null;
    const within = at % this.laneHeight;
    const { runs } = this.model;
    if (within > barsTop - 2 && runs.count) {
      const reach = this.timeAt(x + 4) - this.timeAt(x);
      const near = this.lanes.runs(stream, this.timeAt(x) - reach, this.timeAt(x) + reach);
      for (const run of [...near.slice(-2000)].reverse()) {
        if (runs.to[run] + reach < this.timeAt(x)) continue;
        if (within >= this.rowTop(run) - 1 && within <= this.rowTop(run) + 9) return { index: runs.index[run], run };
      }
    }
    const index = this.lanes.nearest(stream, this.timeAt(x));
    return index >= 0 && Math.abs(this.x(this.model.time[index]) - x) < 14 ? { index } : null;
  }

  rowTop(run) { return barsTop + this.lanes.row(run) * barStep; }

  hover(event) {
    const found = this.hit(event.offsetX, event.offsetY);
    this.canvas.style.cursor = found ? "pointer" : "grab";
    this.tip.hidden = !found;
    if (!found) return;
    this.tip.textContent = this.describe(found);
    const left = Math.min(event.offsetX + 12, this.width - this.tip.offsetWidth - 4);
    this.tip.style.transform = `translate(${Math.max(0, left)}px, ${event.offsetY + 14}px)`;
  }

  describe({ index, run }) {
    const { model } = this;
    if (run === undefined) return `${model.title(index)}: ${model.actionName(index)}, ${fullTime(model.time[index])}`;
    return `${model.runs.title(run)}: ${kinds[model.runs.kind[run]].says}, `
      + duration(model.runs.to[run] - model.runs.from[run]);
  }

  // Drawing

  /** Takes its height at once, so that nothing below it moves later, and paints with the next frame. */
  draw() {
    if (this.lanes.streams) this.layOut();
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      if (this.lanes.streams) this.paint();
    });
  }

  layOut() {
    const tall = this.lanes.streams.length * this.laneHeight;
    this.spacer.style.height = `${tall}px`;
    this.box.style.setProperty("--lanes", `${Math.max(2 * this.laneHeight, tall) + axisHeight}px`);
  }

  paint() {
    const ratio = devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.width = `${this.width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    new TimelinePainter(this).paint();
    paintOverview(this, ratio);
    const { from, to } = this.span;
    this.canvas.setAttribute("aria-label",
      `Time line from ${fullTime(from)} to ${fullTime(to)}, ${counted(this.lanes.streams.length, "stream", "streams")}`);
  }
}
