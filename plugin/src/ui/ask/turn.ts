/** One turn of a conversation: the question, the steps taken, and the answer with its sources. */

import { Component, Keymap, MarkdownRenderer, type App } from "obsidian";
import { Answer } from "../../answer";
import type { AskEvent } from "../../askReplies";
import { noticeText, permissionText, stepCode } from "../../askWords";
import { replaceCitations } from "../../citations";
import { asServerError, type Client } from "../../client";
import type { AskFailed, AskNotice, AskPermission, AskReply, AskRequest, AskStep, Result } from "../../contract";
import { count } from "../../format";
import { Timer } from "../../support";
import { link, STATUS, title, wordButton } from "../controls";
import { copyText } from "../menu";
import { drawFound, drawSources, type OpenSource } from "./sources";
import { failureOf, failureTitle, stepTexts, warningsOf } from "./texts";
import { t } from "../../texts";

const DRAW_EVERY_MS = 120; // rendering Markdown takes a few milliseconds, and pieces come faster than that

export interface TurnParts {
  readonly app: App;
  readonly openSource: OpenSource;
  /** Asks the same question again, in the place of this turn. */
  readonly again: () => void;
}

export class Turn extends Component {
  readonly el: HTMLElement;
  /** The conversation that the question belongs to, once the server has said so. */
  conversation: string | undefined;
  /** The conversation to continue is no longer stored. */
  isLost = false;
  reply: AskReply | null = null;
  readonly #parts: TurnParts;
  readonly #noticeEl: HTMLElement;
  readonly #stepsEl: HTMLDetailsElement;
  readonly #summaryEl: HTMLElement;
  readonly #listEl: HTMLElement;
  readonly #foundEl: HTMLElement;
  readonly #answerEl: HTMLElement;
  readonly #afterEl: HTMLElement;
  readonly #timer = new Timer();
  #answer: Answer | null = null;
  #text = "";
  #drawn: Component | null = null;

  constructor(parent: HTMLElement, question: string, parts: TurnParts) {
    super();
    this.#parts = parts;
    this.el = parent.createEl("article", "notewell-turn");
    this.el.createEl("h2", { cls: "notewell-question", text: question, attr: { dir: "auto" } });
    this.#noticeEl = this.el.createDiv("notewell-faint");
    this.#stepsEl = this.el.createEl("details", "notewell-steps notewell-faint");
    this.#summaryEl = this.#stepsEl.createEl("summary", { text: t("Thinking") });
    this.#listEl = this.#stepsEl.createEl("ol");
    this.#foundEl = this.el.createDiv("notewell-found");
    this.#answerEl = this.el.createDiv({ cls: "notewell-answer markdown-rendered", attr: { role: "group", "aria-label": t("Answer"), dir: "auto" } });
    this.#afterEl = this.el.createDiv("notewell-after");
    this.#answerEl.addEventListener("click", (event) => this.#followLink(event));
  }

  override onunload(): void {
    this.stop();
    this.#timer.clear();
    this.el.remove();
  }

  stop(): void {
    this.#answer?.stop();
  }

  /** Shows an answer of a stored conversation. */
  show(reply: AskReply): void {
    this.#stepsEl.hide();
    this.#settle(reply);
  }

  /** Asks, and shows the answer while it arrives. */
  async run(client: Client, question: Omit<AskRequest, "vault" | "stream">): Promise<void> {
    const answer = new Answer(client);
    this.#answer = answer;
    this.#stepsEl.open = true;
    this.el.setAttr("aria-busy", true);
    try {
      await answer.follow({ ...question, may_ask: true }, (event) => this.#receive(event, client));
      if (!this.reply && !this.#afterEl.hasChildNodes()) this.#drawStopped();
    } catch (error) {
      const failure = asServerError(error);
      if (answer.isStopped) this.#drawStopped();
      else this.#fail(failureOf(failure));
    }
    this.#answer = null;
    this.el.setAttr("aria-busy", false);
    this.#foldSteps();
  }

  /** Quotes what answers, where there is no language model. */
  async quote(client: Client, question: string): Promise<void> {
    this.#stepsEl.hide();
    this.el.setAttr("aria-busy", true);
    try {
      const { said, answers, nearest } = await client.evidence(question);
      const heading = said ? t("From your notes") : t("Your notes do not say. The nearest passages:");
      drawFound(this.#foundEl, heading, said ? answers.map((one) => ({ ...one, snippet: one.text })) : nearest, this.#parts.openSource);
      if (!this.#foundEl.hasChildNodes()) this.#foundEl.setText(t("No note matches."));
    } catch (error) {
      this.#fail(failureOf(asServerError(error)));
    }
    this.el.setAttr("aria-busy", false);
  }

  #receive(event: AskEvent, client: Client): void {
    if (event.kind === "notice") this.#drawNotice(event.data);
    else if (event.kind === "found") this.#drawFound(event.data.results);
    else if (event.kind === "step") this.#drawStep(event.data);
    else if (event.kind === "permission") this.#drawPermission(event.data, client);
    else if (event.kind === "text") this.#write(this.#text + event.data.text);
    else if (event.kind === "answer") this.#settle(event.data);
    else this.#fail(event.data);
  }

  #drawNotice(notice: AskNotice): void {
    this.conversation = notice.conversation;
    this.#noticeEl.setText(noticeText(notice));
    this.#noticeEl.toggleClass("is-away", !notice.local);
  }

  #drawFound(results: readonly Result[]): void {
    drawFound(this.#foundEl, t("Found by words"), results, this.#parts.openSource);
  }

  #drawStep(step: AskStep): void {
    this.#write(""); // text before a tool call is not the answer
    const [what, outcome] = stepTexts(step);
    const row = this.#listEl.createEl("li", { attr: { dir: "auto" } });
    row.createSpan({ text: what });
    row.createSpan({ cls: "notewell-outcome", text: outcome });
    for (const text of stepCode(step)) row.createEl("pre", { text, attr: { dir: "ltr" } });
    this.#summaryEl.setText(t("Thinking: {steps} so far", { steps: count(this.#listEl.childElementCount, "step") }));
  }

  /** Asks the person, with the whole address; nothing is sent before. */
  #drawPermission(permission: AskPermission, client: Client): void {
    const el = this.#afterEl;
    el.empty();
    const box = el.createDiv({ cls: "notewell-message", attr: { role: "alert" } });
    box.createDiv({ text: permissionText(permission) });
    box.createEl("code", { cls: "notewell-address", text: permission.address });
    const row = box.createDiv("notewell-buttons");
    const decide = (allow: boolean): void => {
      el.empty();
      void client.permitAddress(permission.id, allow).catch(asServerError); // the question may be over by now
    };
    wordButton(row, t("Do not read it"), () => decide(false));
    wordButton(row, t("Read this page"), () => decide(true));
    box.scrollIntoView({ block: "nearest" });
  }

  #foldSteps(): void {
    const steps = this.#listEl.childElementCount;
    this.#stepsEl.open = false;
    this.#stepsEl.toggle(steps > 0);
    this.#summaryEl.setText(count(steps, "step"));
  }

  #settle(reply: AskReply): void {
    this.reply = reply;
    this.conversation = reply.conversation;
    if (reply.grounded) this.#foundEl.empty();
    this.#timer.clear();
    this.#text = reply.answer;
    void this.#draw();
    const el = this.#afterEl;
    el.empty();
    for (const text of warningsOf(reply)) el.createDiv({ cls: "notewell-warning", text });
    drawSources(el, reply.sources, this.#parts.openSource);
    const row = el.createDiv("notewell-line notewell-faint");
    row.createSpan({ text: [reply.model, count(reply.steps, "round")].join(" · ") });
    link(row, t("Copy"), () => copyText(reply.answer));
    if (reply.cancelled) link(row, t("Ask again"), this.#parts.again);
  }

  #fail(failure: AskFailed): void {
    this.isLost = failure.code === "conversation_not_found";
    const el = this.#afterEl;
    el.empty();
    const box = el.createDiv({ cls: "notewell-message", attr: { role: "alert" } });
    title(box, failureTitle(failure));
    box.createDiv({ text: failure.detail });
    wordButton(box.createDiv("notewell-buttons"), t("Ask again"), this.#parts.again);
  }

  #drawStopped(): void {
    const el = this.#afterEl;
    el.empty();
    const text = this.#text ? t("Stopped. This answer is incomplete.") : t("Stopped before an answer was complete.");
    el.createDiv({ cls: "notewell-warning", text, attr: STATUS });
    link(el, t("Ask again"), this.#parts.again);
  }

  #write(text: string): void {
    this.#text = text;
    this.#timer.setOnce(DRAW_EVERY_MS, () => this.#draw());
  }

  /** Renders the text as the app renders a note, then puts it in the place of what was shown. */
  async #draw(): Promise<void> {
    const text = this.#text;
    const holder = this.addChild(new Component());
    const el = createDiv();
    await MarkdownRenderer.render(this.#parts.app, text, el, "", holder);
    if (text !== this.#text) {
      this.removeChild(holder); // more came meanwhile, and is drawn next
      return;
    }
    replaceCitations(el, (n) => this.#citation(n));
    this.#answerEl.replaceChildren(...Array.from(el.childNodes));
    if (this.#drawn) this.removeChild(this.#drawn);
    this.#drawn = holder;
  }

  /** A button that opens the source; before the sources are known, the bare number. */
  #citation(n: number): HTMLElement | null {
    const sources = this.reply?.sources;
    if (!sources) return createEl("sup", { text: String(n) });
    const source = sources.find((one) => one.n === n);
    if (!source) return null;
    const el = createEl("button", { cls: "notewell-cite", text: String(n), attr: { "aria-label": t("Source {n}: {title}", { n, title: source.title }) } });
    el.onclick = (event): void => this.#parts.openSource(source, event);
    return el;
  }

  /** The app leaves links in a view of a plugin to the plugin. */
  #followLink(event: MouseEvent): void {
    const node = event.targetNode;
    const anchor = node?.instanceOf(Element) ? node.closest("a.internal-link") : null;
    const target = anchor?.getAttribute("data-href");
    if (!target) return;
    event.preventDefault();
    void this.#parts.app.workspace.openLinkText(target, "", Keymap.isModEvent(event));
  }
}
