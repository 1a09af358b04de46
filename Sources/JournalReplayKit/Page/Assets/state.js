// The state after the selected step, what the step changed, and how to walk through the states of a stream.

class StateView {
  constructor(model, go) {
    Object.assign(this, { model, states: model.source.states, go, pinned: null, timer: null });
    this.box = byID("state");
    this.slider = byID("state-step");
    this.slider.addEventListener("input", () => go(this.stream, Number(this.slider.value)));
    const moves = { "state-first": -Infinity, "state-before": -1, "state-after": 1, "state-last": Infinity };
    for (const [id, distance] of Object.entries(moves)) byID(id).addEventListener("click", () => this.move(distance));
    byID("state-play").addEventListener("click", () => this.play());
    byID("state-pin").addEventListener("click", () => this.pin());
  }

  async show(index) {
    this.index = index;
    const { model } = this;
    this.stream = model.stream[index];
    const step = (this.step = model.step[index]);
    const range = this.states.range(this.stream);
    byID("state-moves").hidden = !range;
    if (!range) {
      this.stop();
      this.box.removeAttribute("aria-busy");
      this.box.replaceChildren(...this.states.advice(model, this.stream, this.note()));
      return;
    }
    const first = Math.max(range.first, model.streams[this.stream].firstState ?? 0);
    this.showRange(range);
    let states;
    // Until they are there, the box has the state of another step.
    this.box.setAttribute("aria-busy", "true");
    try {
      states = await Promise.all([this.states.at(this.stream, step - 1), this.states.at(this.stream, step), this.pinnedState()]);
    } catch (error) {
      if (this.index !== index) return;
      this.box.removeAttribute("aria-busy");
      this.box.replaceChildren(el("p", { class: "problem" }, safe(error.message)));
      return;
    }
    if (this.index !== index) return;
    this.box.removeAttribute("aria-busy");
    const [before, after, base] = states;
    if (after === undefined) {
      this.box.replaceChildren(el("p", {}, `This page has the states of steps ${grouped(first)} to ${grouped(range.last)} of this stream.`),
        ...this.note());
      return;
    }
    const compares = base !== undefined;
    const found = before === undefined && !compares ? null : differences(compares ? base : before, after);
    const title = compares ? `Since ${this.pinned.title}` : "Changed by this step";
    this.box.replaceChildren(
      ...(found ? [section(title, found.length ? changeList(found) : el("p", { class: "quiet" }, "Nothing changed."))] : []),
      section(`State after step ${grouped(step)}`, tree(after, found ? marks(found) : {})),
      ...(step === range.last ? this.note() : []));
  }

  showRange(range) {
    this.slider.min = this.firstStep(range);
    this.slider.max = range.last;
    this.slider.value = this.step;
    this.slider.setAttribute("aria-valuetext", `step ${this.step} of ${range.last}`);
  }

  /** The stream may have more steps. */
  grow() {
    const range = this.states.range(this.stream);
    if (range) this.showRange(range);
  }

  /** The first step whose action is in the page too. */
  firstStep(range) {
    return Math.max(range.first, this.model.step[this.model.byStream.of(this.stream)[0]] ?? range.first);
  }

  note() {
    const { note } = this.model.streams[this.stream];
    return note ? [el("p", { class: "problem" }, safe(note))] : [];
  }

  // Moving

  move(distance) {
    const range = this.states.range(this.stream);
    if (!range) return;
    this.go(this.stream, Math.max(this.firstStep(range), Math.min(range.last, this.step + distance)));
  }

  play() {
    if (this.timer) return this.stop();
    byID("state-play").setAttribute("aria-pressed", "true");
    this.timer = setInterval(() => {
      const range = this.states.range(this.stream);
      if (!range || this.step >= range.last) this.stop();
      else this.move(1);
    }, 700);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    byID("state-play").setAttribute("aria-pressed", "false");
  }

  /** Compares with this step from now on; a second time, with the step before again. */
  pin() {
    this.pinned = this.pinned ? null : { stream: this.stream, step: this.step, title: this.model.title(this.index) };
    byID("state-pin").setAttribute("aria-pressed", String(Boolean(this.pinned)));
    byID("state-pinned").textContent = this.pinned ? `Compared with ${this.pinned.title}` : "";
    this.show(this.index);
  }

  pinnedState() {
    const { pinned } = this;
    const isOther = pinned && (pinned.stream !== this.stream || pinned.step !== this.step);
    return isOther ? this.states.at(pinned.stream, pinned.step) : undefined;
  }
}
