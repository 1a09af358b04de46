// Puts the parts together: reads the summary, then the steps, and keeps all views at the same place.

class App {
  constructor(model) {
    this.model = model;
    this.selected = -1;
    this.filter = new Filter(model, () => this.showFound());
    this.lanes = new Lanes(model);
    this.timeline = new Timeline(model, this.lanes, (index, run) => this.choose(index, run));
    this.steps = new List(byID("steps"), {
      render: (row) => this.stepRow(this.filter.found[row]), key: (row) => this.stepKey(this.filter.found[row]), choose: (row, isPointed) => this.select(this.filter.found[row], undefined, isPointed),
    });
    this.runs = new List(byID("runs"), {
      render: (row) => this.runRow(this.foundRuns[row]), key: (row) => this.runKey(this.foundRuns[row]),
      choose: (row, isPointed) => this.select(model.runs.index[this.foundRuns[row]], this.foundRuns[row], isPointed),
    });
    this.stepView = new StepView(model, (distance) => this.moveInStream(distance));
    this.stateView = new StateView(model, (stream, step) => this.select(model.find(stream, step)));
    this.listen();
    this.showLegend();
    this.showFound();
    const isAtPlace = this.goToFragment();
    if (!isAtPlace && model.count) this.select(model.count - 1);
    model.source.follow?.(this, isAtPlace);
    document.body.dataset.state = "ready";
  }

  /** The colours that occur. */
  showLegend() {
    const { runs, restarts } = this.model;
    const found = new Set(runs.kind.subarray(0, runs.count));
    byID("legend").replaceChildren(...kinds.filter((_, kind) => found.has(kind)).map(({ name, says }) => el("li", { "data-kind": name }, says)),
      ...(restarts.length ? [el("li", { "data-kind": "restart" }, "restart")] : []));
  }

  listen() {
    const fields = { "filter-stream": "stream", "filter-name": "name", "filter-origin": "origin", "filter-outcome": "outcome", "filter-text": "text" };
    let timer;
    let changes = {};
    const setSoon = (change, delay) => {
      Object.assign(changes, change);
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.filter.set(changes);
        changes = {};
      }, delay);
    };
    for (const [id, key] of Object.entries(fields)) {
      byID(id).addEventListener("input", (event) => {
        setSoon({ [key]: event.target.value }, event.target.tagName === "SELECT" ? 0 : 150);
      });
    }
    byID("filter").addEventListener("submit", (event) => event.preventDefault());
    byID("filter").addEventListener("reset", () => {
      clearTimeout(timer);
      changes = {};
      this.filter.set(noFilter);
    });
    for (const [id, act] of Object.entries({
      "zoom-in": () => this.timeline.zoom(0.5), "zoom-out": () => this.timeline.zoom(2),
      "zoom-fit": () => this.timeline.fit(), "pan-left": () => this.timeline.pan(-0.3), "pan-right": () => this.timeline.pan(0.3),
      help: () => byID("keys").showModal(), "show-steps": () => this.showList("steps"), "show-runs": () => this.showList("runs"),
    })) byID(id).addEventListener("click", act);
    addEventListener("hashchange", (event) => this.goToFragment(new URL(event.newURL).hash));
    addEventListener("keydown", (event) => this.key(event));
  }

  /** Single keys, unless they are typed into a field or switched off. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !byID("keys-on").checked || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input:not([type=range]), select, textarea")) return;
    const act = {
      j: () => this.moveInList(1), k: () => this.moveInList(-1), n: () => this.moveInStream(1), b: () => this.moveInStream(-1),
      c: () => this.follow(this.model.cause[this.selected]), v: () => this.follow(this.model.causedBy(this.selected)[0]),
      p: () => this.stateView.pin(), " ": () => this.stateView.play(), "/": () => byID("filter-text").focus(),
      "+": () => this.timeline.zoom(0.6), "-": () => this.timeline.zoom(1 / 0.6), "0": () => this.timeline.fit(),
      "?": () => byID("keys").showModal(),
    }[event.key];
    if (!act || (event.key === " " && event.target.closest("button, summary, a"))) return;
    event.preventDefault();
    act();
  }

  // Selecting

  goToFragment(fragment = location.hash) {
    const place = new URLSearchParams(fragment.slice(1));
    if (!place.has("stream")) return false;
    const stream = this.model.numbers.get(place.get("stream"));
    const index = stream === undefined ? -1 : this.model.find(stream, Number(place.get("step")));
    if (index < 0) {
      announce(`This page has no step ${safe(place.get("step"))} of ${safe(place.get("stream"))}.`);
      return false;
    }
    if (index !== this.selected) this.select(index);
    return true;
  }

  follow(index) { if (index >= 0) this.select(index); }
  choose(index, run) { if (index >= 0) this.select(index, run, true); }

  moveInStream(distance) { this.follow(this.model.neighbour(this.selected, distance)); }

  moveInList(distance) { this.steps.choose(Math.max(0, Math.min(this.steps.count - 1, this.steps.active + distance))); }

  /** - `isAutomatic` says that the page moves on by itself, and that no person chose the step. */
  select(index, run, showsDetail, isAutomatic = false) {
    if (index < 0 || index === undefined) return;
    const { model } = this;
    if (!isAutomatic) model.source.stopFollowing?.();
    this.selected = index;
    this.nameSoon();
    // A step that the filter hides is shown without it; the event of the form clears the filter.
    if (!this.filter.has(index)) byID("filter").reset();
    this.steps.activate(firstIndex(0, this.filter.found.length, (i) => this.filter.found[i] >= index));
    this.timeline.select(index);
    byID("place").textContent = model.title(index);
    if (!isAutomatic) announce(`${model.title(index)}: ${model.actionName(index)}, ${outcomes[model.outcome[index]]}`);
    this.stepView.show(index, run);
    this.stateView.show(index);
    if (showsDetail && matchMedia("(max-width: 760px)").matches) byID("detail").scrollIntoView();
  }

  /** Puts the place into the address, at last: browsers refuse to change it many times a second. */
  nameSoon() {
    clearTimeout(this.naming);
    this.naming = setTimeout(() => {
      const { model, selected } = this;
      history.replaceState(null, "", placeOf(model.streams[model.stream[selected]].name, model.step[selected]));
    }, 200);
  }

  // Lists

  showList(kind) {
    for (const other of ["steps", "runs"]) {
      byID(other).hidden = other !== kind;
      byID(`show-${other}`).setAttribute("aria-pressed", String(other === kind));
    }
    this[kind].draw();
  }

  showFound() {
    this.lanes.show(this.filter.found);
    this.showLists();
  }

  showLists() {
    const { filter, model } = this;
    const active = firstIndex(0, filter.found.length, (i) => filter.found[i] >= this.selected);
    this.steps.show(filter.found.length, filter.found[active] === this.selected ? active : -1);
    const isShown = filter.isEmpty ? () => true : (run) => model.runs.index[run] >= 0 && filter.has(model.runs.index[run]);
    this.foundRuns = Uint32Array.from({ length: model.runs.count }, (_, run) => run).filter(isShown);
    this.runs.show(this.foundRuns.length, -1);
    const all = filter.isEmpty ? "" : ` of ${counted(model.count, "step", "steps")}`;
    byID("filter-reset").hidden = filter.isEmpty;
    byID("found").textContent = filter.progress === null
      ? all && `${grouped(filter.found.length)}${all}${filter.unread.size ? `; ${grouped(filter.unread.size)} could not be searched` : ""}`
      : `${grouped(filter.found.length)} found, ${Math.round(filter.progress * 100)} % searched`;
    byID("none").hidden = filter.found.length > 0 || filter.progress !== null;
    byID("show-runs").textContent = `Effects ${grouped(this.foundRuns.length)}`;
    byID("show-steps").textContent = `Steps ${grouped(filter.found.length)}`;
    this.timeline.draw();
  }

  // Growing

  /** Shows what has happened since: the parts of a live page that the model has not seen. */
  append(batches) {
    const { model, filter, lanes } = this;
    let isTouched = false;
    let hasOtherProblems = false;
    let hasRuns = false;
    for (const batch of batches) {
      addToSummary(model.summary, batch);
      model.addStreams(batch.streams ?? []);
      model.runs.countStarts(batch.interventions ?? []);
      const changes = model.append(batch);
      hasOtherProblems ||= changes.hasOtherProblems;
      const found = filter.append(changes.first);
      if (found) lanes.append(found);
      for (const run of [...changes.placed, ...(batch.runNumbers ?? [])]) lanes.stale.add(model.runs.stream[run]);
      hasRuns ||= Boolean(batch.runs);
      isTouched ||= changes.touched.has(this.selected) || batch.interventions?.length > 0;
      for (let i = changes.first; i < model.count; i++) isTouched ||= model.cause[i] === this.selected;
    }
    for (const run of model.runs.live) {
      model.runs.reachNow(run);
      lanes.stale.add(model.runs.stream[run]);
    }
    const concernsFilter = batches.some(({ outcomes, runs }) => outcomes || runs);
    if (concernsFilter && filter.values.text !== "") filter.searchAgain();
    else if (concernsFilter && filter.values.outcome !== "") filter.set({});
    else if (hasOtherProblems) lanes.showProblems(filter.found);
    showFacts(model.summary);
    if (hasRuns) this.showLegend();
    this.showLists();
    this.timeline.grow();
    if (this.selected < 0) return;
    if (isTouched) this.stepView.show(this.selected);
    this.stepView.showMoves();
    this.stateView.grow();
  }

  stepKey(index) { return `${index} ${this.model.outcome[index]} ${this.model.isProblem[index]}`; }

  runKey(run) {
    const { runs } = this.model;
    return `${run} ${runs.status[run]} ${runs.attempts[run]} ${runs.isFinal(run) ? "" : duration(runs.to[run] - runs.from[run])}`;
  }

  stepRow(index) {
    const { model } = this;
    const payload = el("span", { class: "payload" });
    const name = el("span", { class: "name" }, model.actionName(index));
    model.texts(index).then(({ action }) => {
      if (action === null) return;
      const [found, rest] = shortAction(action.length > 2000 ? action.slice(0, 2000) : action);
      if (found) name.textContent = found;
      payload.textContent = rest;
      // The list names the action anyway, and the view of the step says what is wrong.
    }, () => {});
    const outcome = model.outcome[index];
    const isTroubled = model.isProblem[index] === 1 && outcome < 2;
    return [
      el("span", { class: "line" }, name, payload,
        outcome !== 1 && badge(outcomes[outcome], outcomes[outcome]), isTroubled && badge("effect failed or stuck", "failed")),
      el("span", { class: "line quiet" }, el("span", { class: "place" }, model.title(index)),
        origins[model.origin[index]] !== "dispatched" && el("span", {}, `from ${origins[model.origin[index]]}`),
        el("time", { title: fullTime(model.time[index]) }, shortTime(model.time[index]))),
    ];
  }

  runRow(run) {
    const { model } = this;
    const { runs } = model;
    const kind = kinds[runs.kind[run]];
    return [
      el("span", { class: "line" }, el("span", { class: "name" }, runs.title(run)),
        el("span", { class: "payload" }, counted(runs.attempts[run], "attempt", "attempts")), badge(runs.statusName(run), kind.name)),
      el("span", { class: "line quiet" },
        el("span", { class: "place" }, `${safe(model.streams[runs.stream[run]].name)} ${runs.step[run]}.${runs.ordinal[run]}`),
        el("time", {}, duration(runs.to[run] - runs.from[run]))),
    ];
  }
}

function announce(text) { byID("status").textContent = text; }

function showSummary(summary) {
  document.title = `${safe(summary.file)} – journal`;
  byID("file").textContent = safe(summary.file);
  showFacts(summary);
  showNotes(summary);
  const byName = (a, b) => (summary.names[a][0] < summary.names[b][0] ? -1 : 1);
  addNames(summary, [...summary.names.keys()].slice(1).sort(byName));
  addOptions("filter-origin", origins.map((origin) => [origin, origin]));
  addOptions("filter-outcome", [["problem", "problems"], ...outcomes.map((outcome) => [outcome, outcome])]);
  addStreamNames(summary.streams);
}

/** - `problem` is one that has come up since. */
function showNotes(summary, problem) {
  const notes = problem ? [safe(problem)] : [];
  if (summary.omitted > 0) notes.push(`${counted(summary.omitted, "older step is", "older steps are")} not in this page.`);
  if (summary.isRedacted) notes.push("Values were left out of this page.");
  byID("notes").textContent = notes.join(" ");
  byID("notes").hidden = !notes.length;
}

function showFacts(summary) {
  const facts = [counted(summary.steps, "step", "steps"), counted(summary.streams.length, "stream", "streams"),
    counted(summary.runs, "effect", "effects")];
  if (summary.first !== null) facts.push(dayOf(summary.first) === dayOf(summary.last)
    ? `${dayOf(summary.first)} ${shortTime(summary.first)} to ${shortTime(summary.last)} UTC`
    : `${dayOf(summary.first)} to ${dayOf(summary.last)}`);
  byID("facts").textContent = facts.join(" · ");
}

const addOptions = (id, values) => byID(id).append(...values.map(([value, text]) => el("option", { value }, text)));

/** The counts of a live page change all the time. */
function addNames(summary, numbers) {
  addOptions("filter-name", numbers.map((number) => {
    const [name, count] = summary.names[number];
    return [number, summary.live ? safe(name) : `${safe(name)} (${grouped(count)})`];
  }));
}

/** More names than these make a list of suggestions slow. */
const mostStreamNames = 500;

function addStreamNames(rows) {
  const room = Math.max(0, mostStreamNames - byID("stream-names").childElementCount);
  byID("stream-names").append(...rows.slice(0, room).map(([name]) => el("option", { value: name })));
}

/** Adds to the summary what a live source has sent. */
function addToSummary(summary, batch) {
  summary.made = batch.now;
  for (const columns of batch.steps ?? []) summary.steps += columns[0].length;
  summary.runs = Math.max(summary.runs, (batch.runNumbers?.at(-1) ?? -1) + 1);
  for (const key of ["first", "last", "densityFirst", "width", "density"]) summary[key] = batch[key] ?? summary[key];
  for (const key of ["streams", "names", "runNames", "restarts", "interventions"]) summary[key] = summary[key].concat(batch[key] ?? []);
  if (batch.names) addNames(summary, [...summary.names.keys()].slice(-batch.names.length));
  addStreamNames(batch.streams ?? []);
}

/** - `makeSource` makes the source of the data from the summary. */
async function open(makeSource) {
  if (!("DecompressionStream" in window)) throw new Error("This browser is too old for this page: update it.");
  const summary = JSON.parse(await inflateText(byID("summary").textContent));
  showSummary(summary);
  const whole = { from: summary.first ?? 0, to: Math.max(summary.last ?? 1, (summary.first ?? 0) + 1) };
  paintOverview({ overview: byID("overview"), model: { summary }, span: whole, whole }, devicePixelRatio || 1);
  if (document.readyState === "loading") {
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
  }
  const source = makeSource(summary);
  const model = (source.model = new Model(summary, source));
  await model.load((part) => announce(`Reading ${Math.round(part * 100)} %`));
  announce("");
  new App(model);
}

/** Opens the page: the last part of the script calls this. */
function start(makeSource) {
  open(makeSource).catch((error) => {
    document.body.dataset.state = "failed";
    byID("notes").hidden = false;
    byID("notes").textContent = `This page cannot be shown. ${error.message}`;
  });
}
