/** One turn of a conversation: the question, the steps taken, and the answer with its sources. */

import { asServerError, type ServerError } from "../../../src/client";
import { ask } from "../../app/askStream";
import type { AskFailed, AskNotice, AskPermission, AskReply, AskStep, Result } from "../../../src/contract";
import { badges, grounding, noticeText, permissionText, stepCode, stepWords, stoppedText } from "../../../src/askWords";
import type { AskEvent } from "../../../src/askReplies";
import type { ViewContext } from "../../app/viewContext";
import { drawCitations } from "../../lib/citations";
import { copyText } from "../../lib/copyText";
import { button, fill, h } from "../../lib/dom";
import type { Links } from "../../lib/markdown";
import { marked } from "../../lib/marks";
import { count } from "../../../src/format";
import { noteAddress } from "../../parts/resultRow";
import { codeOf, troubleBox, troubleOf } from "./setup";
import { sourceList } from "./sources";
import { t } from "../../../src/texts";

export interface TurnRequest {
  readonly question: string;
  readonly conversation: string | undefined;
  readonly model: string | undefined;
}

export interface TurnHandlers {
  /** Called to ask the same question again. */
  readonly again: () => void;
  /** Called when the server has accepted the question, with the conversation. */
  readonly began: (conversation: string) => void;
}

export class Turn {
  readonly el: HTMLElement;
  readonly #context: ViewContext;
  readonly #request: TurnRequest;
  readonly #handlers: TurnHandlers;
  readonly #control = new AbortController();
  readonly #notice = h("p", { class: "ask-notice", hidden: true });
  readonly #steps = h("ol");
  readonly #stepCount = h("summary", {}, t("Thinking"));
  readonly #stepsEl = h("details", { class: "ask-steps", open: true }, this.#stepCount, this.#steps);
  readonly #found = h("div", { class: "ask-found", hidden: true });
  readonly #answer = h("div", { class: "prose ask-answer", "aria-label": t("Answer"), role: "group" });
  readonly #after = h("div", { class: "ask-after" });
  #text = "";
  #isDrawing = false;
  #done: AskReply | null = null;
  #conversation: string | undefined;
  /** The conversation to continue is no longer stored. */
  isLost = false;
  #links: Links = { note: () => null, tag: () => "" };

  constructor(context: ViewContext, request: TurnRequest, handlers: TurnHandlers) {
    this.#context = context;
    this.#request = request;
    this.#handlers = handlers;
    this.#links = { ...this.#links, tag: (tag) => context.to("search", { q: `tag:${tag.slice(1)}` }) };
    const title = h("h2", { dir: "auto", tabindex: "-1" }, request.question);
    this.el = h("article", { class: "turn" }, title, this.#notice, this.#stepsEl, this.#found, this.#answer, this.#after);
  }

  cancel(): void {
    this.#control.abort();
  }

  /** Shows an answer of a stored conversation. */
  show(answer: AskReply): void {
    this.#stepsEl.hidden = true;
    this.#settle(answer);
  }

  /** Asks; returns the id of the conversation, or undefined where it failed. */
  async run(): Promise<string | undefined> {
    this.#answer.setAttribute("aria-busy", "true");
    try {
      const { client, vault } = this.#context;
      const question = { vault: vault?.id, ...this.#request, may_ask: true };
      await ask(client.endpoint, question, this.#control.signal, (event) => this.#receive(event));
    } catch (error) {
      if (this.#control.signal.aborted) this.#stopped();
      else this.#failed(asServerError(error));
    } finally {
      this.#answer.removeAttribute("aria-busy");
      this.#fold();
    }
    return this.#conversation;
  }

  #receive(event: AskEvent): void {
    if (event.kind === "notice") this.#drawNotice(event.data);
    else if (event.kind === "found") this.#drawFound(event.data.results);
    else if (event.kind === "step") this.#drawStep(event.data);
    else if (event.kind === "permission") this.#drawPermission(event.data);
    else if (event.kind === "text") this.#write(this.#text + event.data.text);
    else if (event.kind === "answer") this.#finish(event.data);
    else this.#refused(event.data);
  }

  #drawNotice(notice: AskNotice): void {
    const { local, conversation } = notice;
    this.#conversation = conversation ?? undefined;
    if (conversation) this.#handlers.began(conversation);
    fill(this.#notice, noticeText(notice));
    this.#notice.classList.toggle("is-away", !local);
    this.#notice.hidden = false;
  }

  #drawFound(results: readonly Result[]): void {
    const rows = results.map(({ path, title, line, snippet, highlights }) =>
      h(
        "li",
        {},
        h("a", { href: noteAddress(this.#context, path, line), dir: "auto" }, title),
        h("p", { class: "snippet", dir: "auto" }, ...marked(snippet, highlights)),
      ),
    );
    if (rows.length === 0) return;
    fill(this.#found, h("h3", {}, t("Keyword results")), h("ol", {}, ...rows));
    this.#found.hidden = false;
  }

  #drawStep(step: AskStep): void {
    this.#write(""); // text before a tool call is not the answer
    const { did, subject, result } = stepWords(step);
    const what = h("span", { dir: "auto" }, `${did} `, h("q", {}, subject));
    const code = stepCode(step).map((text) => h("pre", { dir: "ltr" }, text));
    this.#steps.append(h("li", {}, what, h("span", { class: "faint", dir: "auto" }, result), ...code));
    fill(this.#stepCount, t("Thinking: {steps} so far", { steps: count(this.#steps.childElementCount, "step", "steps") }));
  }

  /** Asks the person, with the whole address; nothing is sent before. */
  #drawPermission(permission: AskPermission): void {
    const { client } = this.#context;
    const decide = (allow: boolean): void => {
      fill(this.#after);
      void client.permitAddress(permission.id, allow).catch(asServerError); // the question may be over by now
    };
    const refuse = button(t("Do not read it"), () => decide(false));
    const allow = button(t("Read this page"), () => decide(true));
    fill(
      this.#after,
      h("div", { class: "ask-permission", role: "alert" }, h("p", {}, permissionText(permission)), h("code", { dir: "ltr" }, permission.address), h("p", { class: "tools" }, refuse, allow)),
    );
    this.#after.scrollIntoView({ block: "nearest" });
  }

  /** Draws at most once a frame, however small the pieces are. */
  #write(text: string): void {
    this.#text = text;
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => void this.#draw());
  }

  async #draw(): Promise<void> {
    const { render } = await import("../../lib/markdown");
    this.#isDrawing = false;
    const drawn = render(this.#text, this.#links);
    const sources = this.#done?.sources ?? [];
    drawCitations(drawn, sources, this.#done ? (n) => this.#choose(n) : null);
    fill(this.#answer, drawn);
  }

  #finish(answer: AskReply): void {
    this.#conversation = answer.conversation;
    this.#settle(answer);
    this.#context.notices.announce(answer.partial ? t("Answer ended early") : t("Answer complete"));
  }

  #settle(answer: AskReply): void {
    this.#done = answer;
    const byName = new Map(answer.sources.flatMap(({ title, path }) => [[title, path], [path.replace(/\.md$/, ""), path]]));
    this.#links = {
      ...this.#links,
      note: (target) => {
        const path = byName.get(target.split("#", 1)[0]?.trim() ?? "");
        return path ? noteAddress(this.#context, path) : null;
      },
    };
    this.#write(answer.answer);
    this.#answer.classList.toggle("is-missing", grounding(answer) === "missing");
    this.#found.hidden ||= answer.grounded;
    this.#drawAfter(answer);
  }

  #drawAfter(answer: AskReply): void {
    const { sources, warnings, model } = answer;
    const facts = [model, count(answer.steps, "round", "rounds")].join(" · ");
    fill(
      this.#after,
      ...(answer.cancelled ? this.#stoppedNotice(answer.answer) : []),
      ...badges(answer).map(([kind, text]) => h("p", { class: `ask-badge is-${kind}` }, text)),
      ...warnings.map((text) => h("p", { class: "warning" }, text)),
      sourceList(this.#context, sources),
      h("p", { class: "tools" }, h("span", { class: "faint" }, facts), button(t("Copy"), () => void this.#copy(answer), { class: "quiet" })),
    );
  }

  #choose(n: number): void {
    const link = this.#after.querySelector<HTMLElement>(`[data-source="${n}"]`);
    link?.closest("details")?.setAttribute("open", "");
    link?.scrollIntoView({ block: "nearest" });
    link?.focus();
  }

  async #copy({ answer }: AskReply): Promise<void> {
    this.#context.showNotice((await copyText(answer)) ? t("Answer copied") : t("This browser does not allow copying here"));
  }

  #refused({ code, detail }: AskFailed): void {
    this.isLost = code === "conversation_not_found";
    this.#conversation = undefined;
    fill(this.#after, troubleBox(troubleOf(code, detail), detail, this.#handlers.again));
  }

  #failed(error: ServerError): void {
    this.#conversation = undefined;
    const trouble = troubleOf(codeOf(error), error.message);
    fill(this.#after, troubleBox(trouble, error.message, this.#handlers.again));
  }

  #stopped(): void {
    fill(this.#after, ...this.#stoppedNotice(this.#text));
  }

  /** The notice for an answer that was stopped after the text `answer`. */
  #stoppedNotice(answer: string): HTMLElement[] {
    return [h("p", { class: "ask-badge is-partial", role: "status" }, stoppedText(answer)), button(t("Ask again"), this.#handlers.again, { class: "quiet" })];
  }

  #fold(): void {
    const { childElementCount: n } = this.#steps;
    this.#stepsEl.open = false;
    this.#stepsEl.hidden = n === 0;
    if (!this.#done) this.#after.scrollIntoView({ block: "nearest" });
    fill(this.#stepCount, count(n, "step", "steps"));
  }
}
