/** Where no language model is set up: what runs on the server's computer already, one click each. */

import { asServerError, type Client } from "../../client";
import type { LocalModels } from "../../contract";
import { faint, title } from "../controls";
import { renderCommands } from "../message";
import { t } from "../../texts";

const consent = (): string => t("Your questions and passages of your notes are then sent to it, and stay on that computer. " + "The choice is written to the helper's settings file.");
const none = (): string => t("None was found running there. With Ollama everything stays on that computer: install it from ollama.com, get a model " + "that can use tools, and look again. docs/ask.md describes other programs and providers.");

export interface SetupParts {
  readonly client: Client;
  /** What the server says is missing. */
  readonly problem: string;
  readonly canLook: boolean;
  /** A model is set up now, or may be: looks again. */
  readonly again: () => void;
}

export async function drawSetup(el: HTMLElement, parts: SetupParts): Promise<void> {
  el.empty();
  title(el, t("No language model is set up"));
  el.createEl("p", { text: t("Answers are written by a language model, from your notes, and cite them. Programs on the server's computer can do that.") });
  const foundEl = el.createDiv({ attr: { role: "status" } });
  faint(foundEl, t("Looking for Ollama, LM Studio and llama.cpp…"));
  const found = parts.canLook ? await look(parts.client) : parts.problem;
  foundEl.empty();
  if (typeof found === "string") foundEl.createEl("p", { text: found });
  else if (found.length === 0) drawNone(foundEl);
  else {
    for (const one of found) drawFound(foundEl, one, parts);
    faint(foundEl, consent());
  }
  el.createDiv("notewell-buttons").createEl("button", { text: t("Look again") }).onclick = parts.again;
}

/** The programs that answer, or why they cannot be told. */
async function look(client: Client): Promise<readonly LocalModels[] | string> {
  try {
    return await client.localModels();
  } catch (error) {
    const { status, message } = asServerError(error);
    return status === 403 ? t("This device may not choose one: do it on the server's computer, in Obsidian or in its settings file.") : message;
  }
}

function drawNone(el: HTMLElement): void {
  el.createEl("p", { text: none() });
  renderCommands(el, ["ollama pull qwen3"]);
}

function drawFound(parent: HTMLElement, { server, title: name, address, models }: LocalModels, parts: SetupParts): void {
  const row = parent.createDiv("notewell-local-model");
  title(row, t("{name} is running", { name }));
  faint(row, address);
  const line = row.createDiv("notewell-buttons");
  const choice = line.createEl("select", { cls: "dropdown", attr: { "aria-label": t("Model of {name}", { name }) } });
  for (const model of models) choice.createEl("option", { text: model, value: model });
  const button = line.createEl("button", { cls: "mod-cta", text: t("Use {name}", { name }) });
  button.onclick = async (): Promise<void> => {
    button.disabled = true;
    try {
      await parts.client.useLocalModel(server, choice.value);
      parts.again();
    } catch (error) {
      button.disabled = false;
      faint(row, asServerError(error).message);
    }
  };
}
