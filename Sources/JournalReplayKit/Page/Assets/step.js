// What is known of one step: its action, why it is there, what it led to, and its effects.

class StepView {
  constructor(model, move) {
    this.model = model;
    this.box = byID("step");
    byID("step-before").addEventListener("click", () => move(-1));
    byID("step-after").addEventListener("click", () => move(1));
  }

  /** - `run` is the effect to open, if one was chosen. */
  async show(index, run) {
    this.index = index;
    const { model } = this;
    const stream = model.stream[index];
    const runs = model.runs.of(stream, model.step[index]);
    let texts, runTexts;
    try {
      [texts, ...runTexts] = await Promise.all([model.texts(index), ...runs.slice(0, 50).map((other) => model.runs.texts(other))]);
    } catch (error) {
      if (this.index !== index) return;
      this.showMoves();
      byID("step-title").textContent = model.actionName(index);
      this.box.replaceChildren(el("p", { class: "problem" }, safe(error.message)));
      return;
    }
    if (this.index !== index) return;
    const outcome = outcomes[model.outcome[index]];
    const [name] = texts.action === null ? [null] : shortAction(texts.action);
    this.showMoves();
    byID("step-title").textContent = name ?? "Action";
    this.box.replaceChildren(
      el("p", { class: "facts" }, safe(model.streams[stream].name), " · step ", grouped(model.step[index]), " · ",
        el("time", {}, fullTime(model.time[index]) + " UTC"), " ", badge(outcome, outcome),
        texts.version && ` · machine version ${texts.version}`),
      section("Action", treeOfText(texts.action)),
      section("Cause", this.cause(index)),
      ...this.outcome(texts),
      ...(model.source.actsOnStep?.(model, index) ?? []),
      ...this.consequences(index),
      ...this.effects(index, runs, runTexts, run),
      ...this.interventions(stream, model.step[index]));
  }

  /** Whether there are steps before and after this one. */
  showMoves() {
    byID("step-before").disabled = this.model.neighbour(this.index, -1) < 0;
    byID("step-after").disabled = this.model.neighbour(this.index, 1) < 0;
  }

  link(index, more = "") {
    return stepLink(this.model, index, `${this.model.title(index)}: ${this.model.actionName(index)}${more}`);
  }

  cause(index) {
    const { model } = this;
    const origin = origins[model.origin[index]];
    if (!model.causeStep[index]) {
      return el("p", {}, origin === "dispatched" ? "Dispatched by the app." : `Origin: ${origin}.`);
    }
    const cause = model.cause[index];
    const place = cause >= 0 ? this.link(cause) : `step ${grouped(model.causeStep[index] - 1)}, which this page does not have`;
    const run = model.causeRun[index] ? this.runOf(cause, model.causeRun[index] - 1) : null;
    const what = {
      effect: `Sent by ${run ?? "an effect"} of `, restart: `Sent after a restart for ${run ?? "an effect"} of `,
      machine: "Sent by another machine: ", dispatched: "Dispatched because of ",
    }[origin];
    return el("p", {}, what, place);
  }

  runOf(index, ordinal) {
    const { model } = this;
    if (index < 0) return null;
    const run = model.runs.of(model.stream[index], model.step[index]).find((other) => model.runs.ordinal[other] === ordinal);
    return run === undefined ? null : `the effect “${model.runs.title(run)}”`;
  }

  outcome(texts) {
    const parts = [];
    if (texts.reason) parts.push(section("Why it was rejected", el("p", { class: "problem" }, safe(texts.reason))));
    if (texts.cascade) parts.push(section("Cascaded actions", treeOfText(texts.cascade)));
    return parts;
  }

  consequences(index) {
    const caused = [...this.model.causedBy(index)];
    if (!caused.length) return [];
    const items = caused.slice(0, 100).map((other) => el("li", {}, this.link(other, " after " + this.after(index, other))));
    if (caused.length > 100) items.push(el("li", { class: "quiet" }, `and ${grouped(caused.length - 100)} more`));
    return [section("Consequences", el("ul", { class: "links" }, ...items))];
  }

  after(index, other) { return duration(this.model.time[other] - this.model.time[index]); }

  effects(index, runs, texts, chosen) {
    if (!runs.length) return [];
    const cards = texts.map((text, i) => this.effect(index, runs[i], text, runs[i] === chosen));
    if (runs.length > cards.length) cards.push(el("p", { class: "quiet" }, `and ${grouped(runs.length - cards.length)} more effects`));
    return [section(runs.length === 1 ? "Effect" : "Effects", ...cards)];
  }

  /** The life of an effect. */
  effect(index, run, texts, isChosen) {
    const { model } = this;
    const { runs } = model;
    const kind = kinds[runs.kind[run]];
    const since = (time) => "after " + duration(time - model.time[index]);
    const life = [["Returned", fullTime(model.time[index])]];
    if (!Number.isNaN(runs.started[run])) life.push(["First started", since(runs.started[run])]);
    else life.push(["First started", "never"]);
    life.push(["Attempts", this.attempts(run)]);
    if (!runs.isFinal(run) && !Number.isNaN(runs.notBefore[run])) life.push(["Not before", fullTime(runs.notBefore[run])]);
    life.push(["Ended", Number.isNaN(runs.ended[run]) ? "not yet" : since(runs.ended[run])]);
    for (const [key, title] of [["id", "ID"], ["queue", "Queue"], ["restart", "At a restart"], ["retry", "Retry policy"]]) {
      if (texts[key]) life.push([title, safe(texts[key])]);
    }
    const sent = [...model.causedBy(index)].filter((other) => model.causeRun[other] === runs.ordinal[run] + 1);
    const card = el("article", { class: "effect", id: `run-${runs.ordinal[run]}`, "data-kind": kind.name },
      el("h4", {}, runs.title(run), " ", el("span", { class: "quiet" }, `${runs.step[run]}.${runs.ordinal[run]}`), " ",
        badge(runs.statusName(run), kind.name)),
      ...(model.source.actsOnRun?.(model, run, texts.acts ?? []) ?? []),
      texts.error && el("p", { class: "problem" }, el("strong", {}, "Error: "), safe(texts.error)),
      el("dl", {}, ...life.flatMap(([title, text]) => [el("dt", {}, title), el("dd", {}, text)])),
      ...["value", "sends", "onRestart", "onFailure", "onCancel"].filter((key) => texts[key]).map((key) =>
        labelled({ value: "Described as", sends: "Sends", onRestart: "Instead after a restart", onFailure: "On failure", onCancel: "When cancelled" }[key],
          treeOfText(texts[key]))),
      texts.attempts && labelled("Attempts", this.attemptList(index, run, texts.attempts)),
      texts.remembered && labelled("Remembered steps", el("ol", { class: "remembered" }, ...texts.remembered.map(
        ([path, name, use, result]) => el("li", {}, el("span", { class: "key" }, safe(path + "/" + name)),
          use > 1 ? ` (use ${use})` : "", " ", el("code", {}, ...cutText(result, 300, safe)))))),
      texts.moreRemembered && el("p", { class: "quiet" }, "… and more: `effects show` prints all of them"),
      sent.length > 0 && labelled("Sent", el("ul", { class: "links" },
        ...sent.slice(0, 100).map((other) => el("li", {}, this.link(other, " after " + this.after(index, other)))))));
    if (isChosen) requestAnimationFrame(() => card.scrollIntoView({ block: "nearest" }));
    return card;
  }

  attemptList(index, run, attempts) {
    const { model } = this;
    // As `effects show` and the view `attempts` tell it: one that is set aside or waits does not run either.
    const isRunning = model.runs.statusName(run) === "running";
    return el("ol", { class: "attempts" }, ...attempts.map(([number, started, ended, error], i) => {
      const isLast = i === attempts.length - 1;
      const end = ended ?? (isLast && !Number.isNaN(model.runs.ended[run]) ? model.runs.ended[run] : null);
      const isCutOff = end === null && !(isLast && isRunning);
      return el("li", {}, `${number}. `,
        started === null ? "started at an unknown time" : `started after ${duration(started - model.time[index])}`,
        end !== null && started !== null ? `, ended after another ${duration(end - started)}` : "",
        isCutOff ? ", cut off by the end of its process" : "", error && ": ", error && el("span", { class: "thrown" }, safe(error)));
    }));
  }

  attempts(run) {
    const { runs } = this.model;
    const parts = [grouped(runs.attempts[run])];
    if (runs.failures[run]) parts.push(`${grouped(runs.failures[run])} failed`);
    const resumed = runs.resumptions(run);
    if (resumed) parts.push(`resumed ${counted(resumed, "time", "times")} after a restart`);
    return parts.join(", ");
  }

  interventions(stream, step) {
    const found = this.model.summary.interventions.filter(([other, at]) => other === stream && at === step);
    if (!found.length) return [];
    return [section("Interventions", el("ul", { class: "links" }, ...found.map(([, , ordinal, act, time, before, reason]) =>
      el("li", {}, `An operator ${acts[act] ?? act} ${ordinal === null ? "the step" : `effect ${step}.${ordinal}`}`,
        before ? `, which was ${before}` : "", `, at ${fullTime(time)}`, reason ? `: ${safe(reason)}` : ""))))];
  }
}

const section = (title, ...content) => el("section", {}, el("h3", {}, title), ...content);
const labelled = (title, content) => el("div", { class: "labelled" }, el("h5", {}, title), content);
const badge = (text, kind) => el("span", { class: "badge", "data-kind": kind }, text);

function placeOf(stream, step) { return "#" + new URLSearchParams({ stream, step }); }

function stepLink(model, index, text) {
  return el("a", { href: placeOf(model.streams[model.stream[index]].name, model.step[index]) }, text);
}
