/** The memory panel: lists memories, recalls them for a task, shows one with its history, and checks them. */

import type { MemoryListReply, MemoryView } from "../../../src/contract";
import { TYPES } from "../../app/memoryReplies";
import { managing } from "../../app/manageClient";
import type { ViewContext } from "../../app/viewContext";
import type { Address } from "../../lib/address";
import { fill, h } from "../../lib/dom";
import { count } from "../../../src/format";
import { moveAmong } from "../../parts/resultRow";
import { inspected } from "./memory/inspect";
import { healthReport, memoryRow, recalled, typeLabel } from "./memory/lists";
import { about, Loader, nothing, type Panel } from "./panel";
import { Settings } from "./settings";
import { t, tparts } from "../../../src/texts";

const SHOWN = 200;
const RECALLED = 10;
const orders = (): readonly [value: string, label: string][] => [
  ["created", t("Newest")],
  ["accessed", t("Last used")],
  ["confidence", t("Most trusted")],
  ["importance", t("Most important")],
];

export class MemoryPanel implements Panel {
  readonly el = h("div", { class: "memory" });
  readonly #context: ViewContext;
  readonly #tools = h("div", { class: "memory-tools" });
  readonly #field = h("input", { type: "search", id: "recall", placeholder: t("Describe a task"), autocomplete: "off", maxlength: 4096 });
  readonly #body = h("div", { class: "panel-body" });
  readonly #loader = new Loader(this.#body);
  readonly #folder: Settings;
  #namespaces: Readonly<Record<string, number>> = {};

  constructor(context: ViewContext) {
    this.#context = context;
    this.#folder = new Settings(context, ["memory.folder"], () => void this.show(context.address));
    const text = t("What assistants and you chose to remember: notes in a folder of this vault, which you can read and edit.");
    this.el.append(about(text), this.#recallForm(), this.#tools, this.#body);
  }

  show({ query }: Address): void {
    this.#field.value = query["recall"] ?? "";
    this.#drawTools(query);
    const { id, recall: task, see } = query;
    if (id || task || see) this.#markSetUp(true);
    if (id) void this.#inspect(id);
    else if (task) void this.#recall(task, query);
    else if (see === "health") void this.#health(query);
    else void this.#list(query);
  }

  key(event: KeyboardEvent): boolean {
    if (event.key === "Escape" && this.#context.address.query["id"]) {
      this.#context.change({ id: null });
      return true;
    }
    return moveAmong(this.#body, event.key);
  }

  #list({ type, namespace, order }: Address["query"]): Promise<void> {
    const parameters = { type: type || undefined, namespace: namespace || undefined, order: order || undefined, limit: SHOWN };
    return this.#loader.load(
      () => managing(this.#context).memories(parameters),
      (found) => this.#drawList(found),
    );
  }

  #drawList(found: MemoryListReply): (Node | null)[] {
    this.#markSetUp(found.folder !== null);
    if (found.folder === null) {
      this.#folder.show();
      return [optIn(), this.#folder.el];
    }
    this.#namespaces = found.namespaces;
    this.#drawTools(this.#context.address.query);
    const { memories, total, warnings } = found;
    const shown = total > memories.length ? t("{n} of {memories}", { n: memories.length, memories: count(total, "memory", "memories") }) : count(total, "memory", "memories");
    if (memories.length === 0) return [...warningsOf(warnings), noMemory(Object.keys(found.namespaces).length > 0)];
    return [h("p", { class: "faint" }, ...tparts("{memories} in {folder}", { memories: shown, folder: h("code", {}, found.folder) })), ...warningsOf(warnings), rows(this.#context, memories)];
  }

  #recall(task: string, { type, namespace, depth }: Address["query"]): Promise<void> {
    const parameters = { type: type || undefined, namespace: namespace || undefined, depth: depth || undefined, limit: RECALLED };
    return this.#loader.load(
      () => managing(this.#context).recall(task, parameters),
      (found) => recalled(this.#context, found),
    );
  }

  #inspect(id: string): Promise<void> {
    return this.#loader.load(
      () => managing(this.#context).memory(id),
      (found) => inspected(this.#context, found, () => void this.#inspect(id)),
    );
  }

  #health({ namespace }: Address["query"]): Promise<void> {
    return this.#loader.load(
      () => managing(this.#context).memoryHealth({ namespace: namespace || undefined }),
      (found) => healthReport(this.#context, found),
    );
  }

  /** Hides the recall form and filters while no folder is set. */
  #markSetUp(isThere: boolean): void {
    this.el.classList.toggle("is-off", !isThere);
  }

  #recallForm(): HTMLElement {
    const submit = (event: Event): void => {
      event.preventDefault();
      this.#context.change({ recall: this.#field.value.trim(), id: null, see: null });
    };
    return h(
      "form",
      { class: "tester memory-recall", on: { submit } },
      h("label", { for: "recall" }, t("Recall memories for a task")),
      h("div", { class: "login-row" }, this.#field, h("button", { class: "quiet" }, t("Recall"))),
    );
  }

  #drawTools(query: Address["query"]): void {
    const { type = "", id, recall: task, see } = query;
    if (id) {
      fill(this.#tools, h("a", { class: "chip", href: this.#context.to("manage", { ...query, id: null }, "memory") }, t("‹ Back")));
      return;
    }
    const at = task || see ? null : type;
    const chips = ["", ...TYPES].map((one) => this.#chip(one ? typeLabel(one) : t("All"), { type: one, namespace: query["namespace"], order: query["order"] }, one === at));
    const health = this.#chip(t("Health check"), { see: "health", namespace: query["namespace"] }, see === "health" && !task);
    fill(
      this.#tools,
      h("div", { class: "chips", role: "group", "aria-label": t("Type") }, ...chips, health),
      h("div", { class: "memory-choices" }, this.#namespaceChoice(query), task ? this.#depthChoice(query) : see ? null : this.#orderChoice(query)),
    );
  }

  #chip(label: string, query: Readonly<Record<string, string | undefined>>, isHere: boolean): HTMLElement {
    const href = this.#context.to("manage", query, "memory");
    return h("a", { class: isHere ? "chip is-set" : "chip", href, "aria-current": isHere ? "true" : null }, label);
  }

  #namespaceChoice({ namespace = "" }: Address["query"]): HTMLElement | null {
    const names = Object.keys(this.#namespaces);
    if (namespace && !names.includes(namespace)) names.push(namespace);
    if (names.length < 2 && !namespace) return null;
    const options = names.map((name): [string, string] => [name, `${name} (${this.#namespaces[name] ?? 0})`]);
    return this.#choice(t("Namespace"), "namespace", namespace, [["", t("All")], ...options]);
  }

  #orderChoice({ order = "created" }: Address["query"]): HTMLElement {
    return this.#choice(t("Sort by"), "order", order, orders());
  }

  #depthChoice({ depth = "0" }: Address["query"]): HTMLElement {
    const steps: [string, string][] = [["0", t("None")], ["1", count(1, "step")], ["2", count(2, "step")]];
    return this.#choice(t("Follow relations"), "depth", depth, steps);
  }

  #choice(label: string, name: string, present: string, options: readonly (readonly [string, string])[]): HTMLElement {
    const change = (event: Event): void => this.#context.change({ [name]: (event.target as HTMLSelectElement).value });
    const all = options.map(([value, text]) => h("option", { value, selected: value === present }, text));
    return h("label", {}, `${label} `, h("select", { on: { change } }, ...all));
  }
}

function rows(context: ViewContext, memories: readonly MemoryView[]): HTMLElement {
  return h("ol", { class: "memories", "aria-label": t("Memories") }, ...memories.map((memory) => memoryRow(context, memory)));
}

function warningsOf(warnings: readonly string[]): HTMLElement[] {
  return warnings.map((text) => h("p", { class: "warning" }, text));
}

function noMemory(isFiltered: boolean): HTMLElement {
  if (isFiltered) return nothing(t("No memory of this kind"), t("Choose another type or namespace."));
  return nothing(t("No memories yet"), t("Assistants store memories with their tools; you can use"), h("code", {}, 'notewell memory store "…"'));
}

/** What choosing a folder means; nothing is written before. */
function optIn(): HTMLElement {
  return h("section", {}, h("h3", {}, t("No folder for memories is chosen")), h("p", {}, t("Until then, nothing is written to this vault. It is chosen on the server’s computer: here, if this page is open there.")));
}
