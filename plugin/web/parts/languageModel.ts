/** Choosing what answers questions: programs on the server's computer, one click each, and services, with consent and a key. */

import { asServerError } from "../../src/client";
import type { AskSetupReply, ChatService, LocalModels } from "../../src/contract";
import { managing } from "../app/manageClient";
import type { ViewContext } from "../app/viewContext";
import { button, fill, h } from "../lib/dom";
import { refusalOf } from "./refusals";
import { t } from "../../src/texts";

/** Called when another model answers now. */
type Changed = () => void;

/** The programs that run on the server's computer; filled once they are known. */
export function localPrograms(context: ViewContext, changed: Changed): HTMLElement {
  const el = h("div", { class: "local-models", role: "status" }, h("p", { class: "faint" }, t("Looking for Ollama, LM Studio and llama.cpp…")));
  const look = async (): Promise<void> => {
    try {
      fill(el, ...foundPrograms(context, await context.vaultClient.localModels(), changed));
    } catch (error) {
      fill(el, h("p", {}, refusalOf(asServerError(error))));
    }
  };
  void look();
  return el;
}

function foundPrograms(context: ViewContext, found: readonly LocalModels[], changed: Changed): HTMLElement[] {
  if (found.length > 0) return found.map((one) => program(context, one, changed));
  return [
    h("p", {}, t("No program with language models was found on the server’s computer. With Ollama everything stays there: install it from ollama.com, get a model that can use tools, and look again:")),
    h("pre", { tabindex: "0" }, h("code", {}, "ollama pull qwen3")),
  ];
}

function program(context: ViewContext, { server, title, address, models }: LocalModels, changed: Changed): HTMLElement {
  const choice = h("select", { "aria-label": t("Model of {title}", { title }) }, ...models.map((name) => h("option", { value: name }, name)));
  const trouble = h("p", { class: "warning", role: "alert" });
  const use = button(t("Use {title}", { title }), async () => {
    use.disabled = true;
    try {
      await context.vaultClient.useLocalModel(server, choice.value);
      changed();
    } catch (error) {
      use.disabled = false;
      fill(trouble, refusalOf(asServerError(error)));
    }
  }, { class: "primary" });
  return h(
    "section",
    { class: "note-box", "aria-label": title },
    h("h3", {}, t("{title} is running", { title })),
    h("p", { class: "faint" }, t("{address}. Questions and passages of notes stay on the server’s computer.", { address })),
    h("div", { class: "login-row" }, choice, use),
    trouble,
  );
}

/** A form that chooses a service: its key, its model, and the consent that names its host. */
export function serviceForm(context: ViewContext, { services, service, model, key, keyring }: AskSetupReply, changed: Changed): HTMLElement {
  const choice = h("select", { id: "ask-service" }, ...services.map(({ name, title }) => h("option", { value: name, selected: name === service }, title)));
  const secret = h("input", { id: "ask-key", type: "password", autocomplete: "off", spellcheck: "false", maxlength: 1000 });
  const named = h("input", { id: "ask-model", value: service ? model : null, placeholder: t("the best it offers"), spellcheck: "false", maxlength: 200 });
  const agreed = h("input", { id: "ask-consent", type: "checkbox", required: true });
  const consent = h("label", { for: "ask-consent" });
  const trouble = h("p", { class: "warning", role: "alert" });
  const host = (): string => services.find(({ name }) => name === choice.value)?.host ?? "";
  const tell = (): void => fill(consent, t("My questions, and passages of my notes that fit them, may be sent to {host}.", { host: host() }));
  choice.addEventListener("change", () => {
    agreed.checked = false;
    tell();
  });
  tell();
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    const typed = secret.value.trim();
    try {
      await managing(context).changeAskSetup({ service: choice.value as ChatService, host: host(), ...(named.value.trim() && { model: named.value.trim() }), ...(typed && { key: typed }) });
      changed();
    } catch (error) {
      fill(trouble, refusalOf(asServerError(error)));
    }
  };
  return h(
    "form",
    { class: "service-form", on: { submit: (event: Event) => void save(event) } },
    field("ask-service", t("Service"), choice),
    field("ask-key", t("Key"), secret, keyAdvice(key, keyring)),
    field("ask-model", t("Model"), named),
    h("p", { class: "consent" }, agreed, consent),
    h("p", {}, h("button", { class: "primary" }, t("Use this service"))),
    trouble,
  );
}

function field(id: string, label: string, control: HTMLElement, advice = ""): HTMLElement {
  return h("p", { class: "service-field" }, h("label", { for: id }, label), control, advice ? h("span", { class: "faint" }, advice) : null);
}

function keyAdvice(key: AskSetupReply["key"], keyring: boolean): string {
  if (key === "environment") return t("The environment of the server has one, which is used.");
  if (!keyring) return t("The server’s computer cannot store keys yet: it lacks the Python package keyring.");
  return key === "keyring" ? t("One is stored; leave this empty to keep it.") : t("It is stored in the keyring of the server’s computer, and never shown again.");
}
