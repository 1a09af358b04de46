// What an operator can do to effects and steps, if the server allows it. The server decides whether an act is possible.

const actNames = { cancel: "Cancel", retry: "Retry", release: "Release", skip: "Skip" };
const actNotes = {
  cancel: "Its body is stopped, and nothing of it reaches the reducer any more.",
  retry: "It runs again as soon as an app has the stream open. Its body can run twice, whatever its restart policy is.",
  release: "It runs as soon as an app has the stream open.",
  skip: "The state stays as it was before the step, and the app continues after it.",
};
/** What the button says that does it: “Cancel” alone would mean to leave. */
const actButtons = { cancel: "Cancel the effect", retry: "Run it again", release: "Release the effect", skip: "Skip the step" };

class Acts {
  constructor() {
    this.title = el("h2", { id: "act-title" });
    this.text = el("p", {});
    this.reason = el("input", { id: "act-reason", type: "text", required: true, autocomplete: "off", maxlength: 1000 });
    this.answer = el("p", { id: "act-answer", role: "status" });
    this.confirm = el("button", { type: "button", id: "act-confirm", on: { click: () => this.send() } });
    this.cancel = el("button", { type: "button", id: "act-close", on: { click: () => this.dialog.close() } }, "Back");
    this.dialog = el("dialog", { id: "act", "aria-labelledby": "act-title" }, this.title, this.text,
      el("label", {}, "Reason, which the journal records", this.reason), this.answer,
      el("p", { class: "buttons" }, this.confirm, this.cancel));
    document.body.append(this.dialog);
  }

  onRun(model, run, acts) {
    const { runs } = model;
    return this.buttons(acts, { stream: model.streams[runs.stream[run]].name, step: runs.step[run], ordinal: runs.ordinal[run] },
      `the effect “${runs.title(run)}”, which is ${runs.statusName(run)}`);
  }

  onStep(model, index) {
    if (model.outcome[index] !== 0) return [];
    return this.buttons(["skip"], { stream: model.streams[model.stream[index]].name, step: model.step[index], ordinal: null }, "the step");
  }

  buttons(acts, place, what) {
    if (!acts.length) return [];
    return [el("p", { class: "buttons acts" }, ...acts.map((act) =>
      el("button", { type: "button", "data-act": act, on: { click: () => this.ask({ act, ...place }, what) } }, `${actNames[act]} …`)))];
  }

  ask(act, what) {
    this.act = act;
    this.title.textContent = `${actNames[act.act]} ${what}?`;
    this.text.textContent = `${safe(act.stream)}, step ${grouped(act.step)}. ${actNotes[act.act]} `
      + "If an app has the journal open, this takes effect at once.";
    this.reason.value = "";
    this.answer.textContent = "";
    this.confirm.textContent = actButtons[act.act];
    this.confirm.hidden = false;
    this.dialog.showModal();
    this.reason.focus();
  }

  async send() {
    if (!this.reason.reportValidity()) return;
    this.confirm.disabled = true;
    try {
      const answer = await fetch("act", {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...this.act, reason: this.reason.value }),
      });
      // A refusal of the server itself is plain text.
      const isJSON = answer.headers.get("Content-Type") === "application/json";
      const { done, problem } = isJSON ? await answer.json() : { problem: (await answer.text()).trim() };
      this.answer.textContent = safe(done ?? problem);
      this.confirm.hidden = Boolean(done);
    } catch (error) {
      this.answer.textContent = `The server does not answer. ${error.message}`;
    }
    this.confirm.disabled = false;
  }
}
