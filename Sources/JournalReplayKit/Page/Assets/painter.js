// Paints the time line. The cost depends on the number of pixels and of visible bars, not on the number of steps.

/** More bars than this are painted as density. */
const mostBars = 1500;

class TimelinePainter {
  constructor(timeline) {
    Object.assign(this, {
      timeline, model: timeline.model, lanes: timeline.lanes, c: timeline.context, span: timeline.span,
      width: timeline.width, height: timeline.height, gutter: timeline.gutter,
    });
    const style = getComputedStyle(document.documentElement);
    this.color = (name) => style.getPropertyValue("--" + name).trim();
    this.colors = kinds.map(({ name }) => this.color("run-" + name));
    this.font = `12px ${style.getPropertyValue("--sans")}`;
    this.c.font = this.font;
    this.c.textBaseline = "middle";
  }

  paint() {
    const { c, timeline } = this;
    c.clearRect(0, 0, this.width, this.height);
    const scroll = timeline.box.scrollTop;
    const first = Math.floor(scroll / timeline.laneHeight);
    const marks = ticks(this.span.from, this.span.to, this.width - this.gutter);
    this.grid(marks);
    c.save();
    c.beginPath();
    c.rect(0, axisHeight, this.width, this.height);
    c.clip();
    for (let lane = first; lane < this.lanes.streams.length; lane++) {
      const top = axisHeight + lane * timeline.laneHeight - scroll;
      if (top > this.height) break;
      this.lane(this.lanes.streams[lane], top);
    }
    c.restore();
    this.restarts();
    this.selection();
    this.axis(marks);
  }

  x(time) { return this.timeline.x(time); }

  grid(marks) {
    this.c.fillStyle = this.color("line");
    for (const { time } of marks) this.c.fillRect(Math.round(this.x(time)), axisHeight, 1, this.height);
  }

  axis(marks) {
    const { c } = this;
    c.fillStyle = this.color("panel");
    c.fillRect(0, 0, this.width, axisHeight);
    c.fillStyle = this.color("line");
    c.fillRect(0, axisHeight - 1, this.width, 1);
    c.fillStyle = this.color("quiet");
    for (const { time, label } of marks) {
      const x = this.x(time);
      if (x > this.gutter + 4 && x + c.measureText(label).width < this.width) c.fillText(label, x + 4, axisHeight / 2);
    }
  }

  lane(stream, top) {
    const { c, timeline } = this;
    c.fillStyle = this.color("line");
    c.fillRect(0, top + timeline.laneHeight - 1, this.width, 1);
    c.save();
    c.beginPath();
    c.rect(this.gutter, top, this.width - this.gutter, timeline.laneHeight);
    c.clip();
    this.steps(stream, top);
    this.bars(stream, top);
    c.restore();
    this.name(stream, top);
  }

  name(stream, top) {
    const { c } = this;
    let text = safe(this.model.streams[stream].name);
    const room = this.gutter ? this.gutter - 20 : 120;
    while (text.length > 4 && c.measureText(text).width > room) text = text.slice(0, -4) + "…";
    if (!this.gutter) {
      c.fillStyle = this.color("panel");
      c.globalAlpha = 0.8;
      c.fillRect(0, top + 1, c.measureText(text).width + 12, 14);
      c.globalAlpha = 1;
    }
    c.fillStyle = this.color(this.gutter ? "ink" : "quiet");
    c.fillText(text, this.gutter ? 12 : 6, top + (this.gutter ? 12 : 8));
  }

  /** The steps: a mark for each, or their density where marks would overlap. */
  steps(stream, top) {
    const { c, lanes } = this;
    const list = lanes.steps.of(stream);
    const low = lanes.place(stream, this.span.from);
    const high = lanes.place(stream, this.span.to);
    if ((high - low) * 4 > this.width - this.gutter) {
      this.density(list, top, low, high);
    } else {
      c.fillStyle = this.color("mark");
      for (let i = low; i < high; i++) this.mark(this.model.place[list[i]], top, 3);
    }
    c.fillStyle = this.color("run-failed");
    let last = -10;
    const problems = lanes.problems.of(stream);
    const time = (i) => this.model.place[problems[i]];
    for (let i = firstIndex(0, problems.length, (i) => time(i) >= this.span.from); i < problems.length; i++) {
      const x = this.x(time(i));
      if (x > this.width) break;
      if (x - last < 2) continue;
      last = x;
      this.mark(time(i), top, 4);
    }
  }

  mark(time, top, width) {
    this.c.beginPath();
    this.c.roundRect(this.x(time) - width / 2, top + 5, width, 13, 1.5);
    this.c.fill();
  }

  density(list, top, low, high) {
    const { c } = this;
    const counts = [];
    let most = 1;
    for (let x = this.gutter, at = low; x < this.width; x += 2) {
      const end = this.timeline.timeAt(x + 2);
      const next = firstIndex(at, high, (i) => this.model.place[list[i]] >= end);
      counts.push(next - at);
      most = Math.max(most, next - at);
      at = next;
    }
    c.fillStyle = this.color("mark");
    counts.forEach((count, i) => {
      if (!count) return;
      const height = 3 + 13 * (Math.log(count + 1) / Math.log(most + 1));
      c.fillRect(this.gutter + i * 2, top + 19 - height, 2, height);
    });
  }

  bars(stream, top) {
    const runs = this.lanes.runs(stream, this.span.from, this.span.to);
    if (runs.length > mostBars) {
      this.barDensity(runs, top);
    } else {
      for (const run of runs) this.bar(run, top);
    }
  }

  bar(run, top) {
    const { c } = this;
    const { runs } = this.model;
    const y = top + this.timeline.rowTop(run);
    const from = Math.max(this.x(runs.from[run]), this.gutter - 4);
    const to = Math.min(this.x(runs.to[run]), this.width + 4);
    const start = Number.isNaN(runs.started[run]) ? to : Math.min(to, Math.max(from, this.x(runs.started[run])));
    if (to < this.gutter) return;
    c.fillStyle = this.colors[kindNumber.waiting];
    c.fillRect(from, y + 3, start - from, 2);
    c.fillStyle = this.colors[runs.kind[run]];
    const width = Math.max(3, to - start);
    const left = Math.max(from, to - width);
    c.beginPath();
    c.roundRect(left, y, width, 8, 2);
    c.fill();
    const { glyph } = kinds[runs.kind[run]];
    if (glyph && width > 16) {
      c.fillStyle = this.color("panel");
      c.font = this.font.replace("12px", "bold 9px");
      c.fillText(glyph, left + 4, y + 4.5);
      c.font = this.font;
    }
  }

  /** Many bars: the most urgent kind in each pair of pixels. */
  barDensity(runs, top) {
    const { c, model } = this;
    const found = new Int8Array(Math.ceil(this.width / 2)).fill(-1);
    for (const run of runs) {
      const from = Math.max(0, Math.floor(this.x(model.runs.from[run]) / 2));
      const to = Math.min(found.length - 1, Math.floor(this.x(model.runs.to[run]) / 2));
      for (let i = from; i <= to; i++) if (model.runs.kind[run] > found[i]) found[i] = model.runs.kind[run];
    }
    found.forEach((kind, i) => {
      if (kind < 0) return;
      c.fillStyle = this.colors[kind];
      c.fillRect(i * 2, top + barsTop, 2, this.timeline.laneHeight - barsTop - 4);
    });
  }

  restarts() {
    const { c } = this;
    c.strokeStyle = this.color("restart");
    c.fillStyle = this.color("restart");
    c.setLineDash([4, 3]);
    let last = -100;
    for (const time of this.model.restarts) {
      const x = Math.round(this.x(time)) + 0.5;
      if (x < this.gutter || x > this.width || x - last < 3) continue;
      c.beginPath();
      c.moveTo(x, axisHeight);
      c.lineTo(x, this.height);
      c.stroke();
      if (x - last > 60) c.fillText("restart", x + 4, this.height - 8);
      last = x;
    }
    c.setLineDash([]);
  }

  selection() {
    const { c, timeline } = this;
    if (timeline.selected < 0) return;
    const x = this.x(this.model.time[timeline.selected]);
    if (x < this.gutter || x > this.width) return;
    c.fillStyle = this.color("accent");
    c.fillRect(Math.round(x) - 0.5, axisHeight, 1, this.height);
    const lane = this.lanes.streams.indexOf(this.model.stream[timeline.selected]);
    if (lane < 0) return;
    const top = axisHeight + lane * timeline.laneHeight - timeline.box.scrollTop;
    if (top < 0) return;
    this.mark(this.model.time[timeline.selected], top, 5);
  }
}

/** The density of all steps, and which part of it the time line shows. */
function paintOverview(timeline, ratio) {
  const { overview, model, span, whole } = timeline;
  const { density, width: part, densityFirst: first } = model.summary;
  const [width, height] = [overview.clientWidth, overview.clientHeight];
  overview.width = Math.round(width * ratio);
  overview.height = Math.round(height * ratio);
  const c = overview.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(document.documentElement);
  const x = (time) => ((time - whole.from) / (whole.to - whole.from)) * width;
  const most = Math.max(1, ...density);
  c.fillStyle = style.getPropertyValue("--mark");
  density.forEach((count, i) => {
    if (!count) return;
    const bar = 2 + (height - 6) * (Math.log(count + 1) / Math.log(most + 1));
    c.fillRect(x(first + i * part), height - bar, Math.max(1.5, x(first + part) - x(first)), bar);
  });
  const [from, to] = [x(span.from), x(span.to)];
  c.fillStyle = style.getPropertyValue("--shade");
  c.fillRect(0, 0, from, height);
  c.fillRect(to, 0, width - to, height);
  c.strokeStyle = style.getPropertyValue("--accent");
  c.strokeRect(Math.max(0.5, from), 0.5, Math.max(2, Math.min(width - 0.5, to) - Math.max(0.5, from)), height - 1);
}
