/** The question view: a conversation with a language model about the notes. Nothing is sent before a question is submitted. */

import { asServerError } from "../../src/client";
import type { AskModelsReply, AskReply } from "../../src/contract";
import type { ViewContext, View } from "../app/viewContext";
import type { Address } from "../lib/address";
import { button, fill, h } from "../lib/dom";
import { emptyBox, errorBox } from "../parts/errors";
import { refusalOf } from "../parts/refusals";
import { currentConversation, deleteButton, earlierList, setCurrentConversation } from "./ask/earlier";
import { quotedTurn } from "./ask/quoted";
import { saveForm } from "./ask/save";
import { setup } from "./ask/setup";
import { Turn } from "./ask/turn";
import { t } from "../../src/texts";

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "::1"]);

export class AskView implements View {
  readonly title = t("Ask");
  readonly el = h("div", { class: "ask" });
  readonly #context: ViewContext;
  readonly #intro = h("div", { class: "ask-intro" });
  readonly #turns = h("div", { class: "turns" });
  readonly #tools = h("div", { class: "ask-tools" });
  readonly #field = h("textarea", { id: "question", rows: 2, maxlength: 4096, placeholder: t("Ask a question about your notes"), "aria-label": t("Question"), enterkeyhint: "send" });
  readonly #send = h("button", { class: "primary" }, t("Ask"));
  readonly #stop = button(t("Stop"), () => this.#turn?.cancel(), { class: "quiet", hidden: true });
  readonly #models = h("select", { "aria-label": t("Model") });
  readonly #picker = h("label", { class: "ask-model", hidden: true }, t("Model"), " ", this.#models);
  readonly #destination = h("p", { class: "faint ask-leaves" });
  readonly #form: HTMLFormElement;
  readonly #offer = h("div", { class: "ask-offer" });
  /** No model is set up: a question is answered with passages, which are found on the server. */
  #isQuoting = false;
  #vault: string | undefined;
  #addressQuestion = "";
  #turn: Turn | null = null;
  #conversation: string | undefined;
  #firstQuestion = "";

  constructor(context: ViewContext) {
    this.#context = context;
    const row = h("div", { class: "ask-row" }, this.#picker, this.#destination, this.#stop, this.#send);
    this.#form = h("form", { class: "ask-form", on: { submit: (event: Event) => this.#submit(event) } }, this.#field, row);
    this.#field.addEventListener("keydown", (event) => this.#fieldKey(event));
    this.el.append(h("h1", { class: "unseen" }, t("Ask your notes")), this.#intro, this.#turns, this.#tools, this.#form, this.#offer);
  }

  show({ query }: Address): void {
    if (!this.#context.has("ask")) {
      fill(this.el, emptyBox(t("This server cannot answer questions"), t("It is too old for language models; update it.")));
      return;
    }
    const vault = this.#context.vault?.id;
    if (vault !== this.#vault) {
      this.#vault = vault;
      this.#startConversation();
      void this.#resume().then(() => (vault === this.#vault ? this.#loadModels() : undefined));
    }
    const { q = "" } = query;
    if (q === this.#addressQuestion) return;
    this.#addressQuestion = q;
    this.#field.value = q;
    if (q && this.#isQuoting) this.#form.requestSubmit();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== "Escape" || !this.#turn) return false;
    this.#turn.cancel();
    return true;
  }

  /** Starts a new conversation. */
  #startConversation(): void {
    this.#turn?.cancel();
    this.#turn = null;
    this.#conversation = undefined;
    this.#firstQuestion = "";
    fill(this.#turns);
    fill(this.#tools);
    this.el.classList.remove("has-turns");
    this.#field.placeholder = t("Ask a question about your notes");
    const about = t("A language model answers from your notes, and cites them.");
    fill(this.#intro, this.#greeting(), h("p", { class: "faint" }, about));
    this.#draw();
  }

  /** Resumes the conversation of this tab after the page was reloaded. */
  async #resume(): Promise<void> {
    const vault = this.#vault;
    const id = currentConversation(vault);
    if (!id || !this.#context.has("ask_conversation")) return;
    try {
      const { turns } = await this.#context.vaultClient.conversation(id);
      if (vault === this.#vault && !this.#turn && !this.#conversation) this.#drawEarlier(id, turns);
    } catch (error) {
      const problem = asServerError(error);
      if (problem.status === 404) setCurrentConversation(vault, undefined);
      this.#context.showNotice(problem.status === 404 ? t("The earlier conversation is no longer stored. A new one starts.") : refusalOf(problem));
    }
  }

  /** Lists earlier conversations while the current one is empty. */
  async #offerEarlier(): Promise<void> {
    const vault = this.#vault;
    if (this.#conversation || this.#turn || !this.#context.has("ask_conversations")) return;
    try {
      const list = earlierList(await this.#context.vaultClient.conversations(), (id) => {
        setCurrentConversation(vault, id);
        void this.#resume();
      });
      if (list && vault === this.#vault && !this.#conversation && !this.#turn) this.#intro.append(list);
    } catch (error) {
      asServerError(error); // earlier conversations are optional
    }
  }

  #drawEarlier(id: string, turns: readonly AskReply[]): void {
    for (const answer of turns) {
      const turn = this.#createTurn(answer.question);
      turn.show(answer);
      this.#turns.append(turn.el);
    }
    this.#setConversation(id, turns[0]?.question ?? "");
    if (this.#field.value === turns.at(-1)?.question) this.#field.value = ""; // the field was filled from the address
    this.el.classList.add("has-turns");
    fill(this.#intro);
    this.#draw();
    this.#turns.lastElementChild?.scrollIntoView({ block: "start" });
  }

  /** Loads the models and where they run, which is shown before anything is sent. */
  async #loadModels(): Promise<void> {
    const vault = this.#vault;
    this.#picker.hidden = true;
    this.#isQuoting = false;
    fill(this.#destination);
    fill(this.#offer);
    try {
      const models = await this.#context.vaultClient.askModels();
      if (vault !== this.#vault) return;
      this.#drawModels(models);
      void this.#offerEarlier();
    } catch (error) {
      const problem = asServerError(error);
      if (vault !== this.#vault) return;
      const retry = (): void => {
        this.#startConversation();
        void this.#loadModels();
      };
      if (problem.kind === "refused" && problem.status === 400) {
        this.#quote();
        fill(this.#offer, setup(this.#context, problem.message, retry));
      } else if (problem.kind === "refused") fill(this.#destination, problem.message);
      else fill(this.#intro, errorBox(problem, retry));
    }
  }

  /** From now on the best passages answer, without a model. */
  #quote(): void {
    this.#isQuoting = true;
    const about = t("The best passages of your notes answer, quoted and linked. Nothing leaves the server.");
    if (!this.#turns.hasChildNodes()) fill(this.#intro, this.#greeting(), h("p", { class: "faint" }, about));
    fill(this.#destination, t("Answered with passages of your notes."));
    if (this.#field.value) this.#form.requestSubmit(); // from the address
  }

  #greeting(): HTMLElement {
    return h("h2", {}, t("Ask {name}", { name: this.#context.vault?.name ?? t("your notes") }));
  }

  #drawModels({ host, chosen, models }: AskModelsReply): void {
    const names = new Set([...(chosen ? [chosen] : []), ...models.map(({ name }) => name)]);
    fill(this.#models, ...[...names].map((name) => h("option", { value: name === chosen ? "" : name }, name)));
    this.#picker.hidden = names.size === 0;
    const where = LOCAL_HOSTS.has(host) ? t("on the server’s own computer") : t("at {host}, outside the server’s computer", { host });
    fill(this.#destination, t("Your question, the conversation and passages are sent to the model {where}.", { where }));
  }

  #fieldKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && this.#turn) this.#turn.cancel();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  #submit(event: Event): void {
    event.preventDefault();
    const question = this.#field.value.trim();
    if (!question || this.#turn) return;
    this.#addressQuestion = question;
    this.#context.change({ q: question }, true);
    this.#field.value = "";
    if (this.#isQuoting) this.#showPassages(question);
    else void this.#ask(question);
  }

  #showPassages(question: string): void {
    this.el.classList.add("has-turns");
    fill(this.#intro);
    const el = quotedTurn(this.#context, question);
    this.#turns.append(el);
    el.scrollIntoView({ block: "start" });
  }

  #createTurn(question: string): Turn {
    const vault = this.#vault;
    const asked = { question, conversation: this.#conversation, model: this.#models.value || undefined };
    const turn = new Turn(this.#context, asked, {
      again: () => {
        if (this.#turn) return;
        turn.el.remove();
        void this.#ask(question);
      },
      began: (conversation) => setCurrentConversation(vault, conversation),
    });
    return turn;
  }

  async #ask(question: string): Promise<void> {
    const turn = this.#createTurn(question);
    this.#turn = turn;
    this.#turns.append(turn.el);
    this.el.classList.add("has-turns");
    fill(this.#intro);
    this.#draw();
    turn.el.scrollIntoView({ block: "start" });
    const conversation = await turn.run();
    if (this.#turn !== turn) return; // another conversation has begun
    this.#turn = null;
    if (turn.isLost) this.#conversation = undefined;
    if (conversation) this.#setConversation(conversation, question);
    setCurrentConversation(this.#vault, this.#conversation);
    this.#draw();
  }

  #setConversation(conversation: string, question: string): void {
    this.#conversation = conversation;
    this.#firstQuestion ||= question;
    this.#field.placeholder = t("Ask a follow-up question");
  }

  #draw(): void {
    const isBusy = this.#turn !== null;
    this.#stop.hidden = !isBusy;
    this.#send.disabled = isBusy;
    const conversation = this.#conversation;
    if (isBusy || !conversation) {
      fill(this.#tools);
      return;
    }
    const save = (): void => {
      fill(this.#tools, saveForm(this.#context, conversation, this.#firstQuestion, () => this.#draw()));
      this.#tools.querySelector("input")?.focus();
    };
    const begin = (): void => {
      setCurrentConversation(this.#vault, undefined);
      this.#startConversation();
      void this.#offerEarlier();
    };
    const mayWrite = this.#context.mayWrite && this.#context.has("ask_save");
    fill(
      this.#tools,
      mayWrite ? button(t("Save as note"), save, { class: "quiet" }) : null,
      button(t("New conversation"), begin, { class: "quiet" }),
      this.#context.mayWrite && this.#context.has("ask_forget") ? deleteButton(this.#context, conversation, begin) : null,
    );
  }
}
