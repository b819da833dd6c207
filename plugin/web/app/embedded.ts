/**
 * The page of `/embed/ask`: the question view alone, in a frame of the app's window.
 *
 * It has no cookie. The parent window sends it a greeting with a token, which stays in memory, and
 * with a message port, on which the page reports what to open. The server's headers restrict which
 * windows may frame it; without a token the page shows nothing and can do nothing.
 */

import { asServerError, type ServerError } from "../../src/client";
import { flag, object, ShapeError, text, type Shape } from "../../src/shape";
import { parseAddress } from "../lib/address";
import { closest, fill, h } from "../lib/dom";
import { emptyBox, errorBox } from "../parts/errors";
import { Notices } from "../parts/notices";
import { AskView } from "../views/ask";
import { WebClient } from "./client";
import { ViewContext } from "./viewContext";
import { pageTransport } from "./transport";

const greetingShape = object({
  token: text,
  vault: text,
  isDark: flag,
});
type Greeting = Shape<typeof greetingShape>;

/** A click on a link to a note, with the modifier keys that decide where the app opens it. */
export interface Opening {
  readonly path: string;
  readonly line: number;
  readonly button: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/**
 * The greeting of the app; null for any other message. An app that moves a panel to another window
 * still posts from its first window, which is not the parent but has the same origin.
 */
export function greetingOf(event: MessageEvent<unknown>, parent: Window, origin?: string): Greeting | null {
  const { source, data } = event;
  const isOfApp = source === parent || (source !== null && event.origin !== "null" && event.origin === origin);
  if (!isOfApp) return null;
  try {
    return greetingShape(data);
  } catch (error) {
    if (error instanceof ShapeError) return null;
    throw error;
  }
}

/** The note that a click asks to open, else null. Links are not followed in this page. */
export function openingOf(event: MouseEvent): Opening | null {
  const href = closest(event, "a")?.getAttribute("href") ?? "";
  if (!href.startsWith("#")) return null;
  event.preventDefault();
  const { note: path, line } = parseAddress(href).query;
  if (!path) return null;
  const { button, ctrlKey, metaKey, shiftKey, altKey } = event;
  return { path, line: Number(line) || 1, button, ctrlKey, metaKey, shiftKey, altKey };
}

export class Embedded {
  readonly #root: HTMLElement;
  #port: MessagePort | null = null;
  #sessionKey = "";
  #view: AskView | null = null;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  listen(): void {
    window.addEventListener("message", (event) => {
      const greeting = greetingOf(event, window.parent, location.ancestorOrigins?.[0]);
      if (greeting) this.#onGreeting(greeting, event.ports[0] ?? null);
    });
    for (const kind of ["click", "auxclick"] as const) {
      document.addEventListener(kind, (event) => this.#onClick(event));
    }
    window.addEventListener("focus", () => {
      if (document.activeElement === document.body) this.#view?.focus();
    });
  }

  /** Called at each greeting: also when the window's theme changes, or with another token. */
  #onGreeting(greeting: Greeting, port: MessagePort | null): void {
    this.#port = port;
    port?.postMessage("here");
    applyTheme(greeting);
    const sessionKey = JSON.stringify([greeting.token, greeting.vault]);
    if (sessionKey === this.#sessionKey) return;
    this.#sessionKey = sessionKey;
    void this.#start(greeting);
  }

  async #start(greeting: Greeting): Promise<void> {
    const { token, vault } = greeting;
    const sessionKey = this.#sessionKey;
    const url = new URL("..", location.href).href.replace(/\/$/, "");
    const client = new WebClient(pageTransport("omit"), () => undefined, { url, token });
    try {
      const [{ features }, vaults, { scope }] = await Promise.all([client.health(), client.vaults(), client.session()]);
      if (sessionKey !== this.#sessionKey) return; // another greeting came meanwhile
      const ours = vaults.filter(({ id }) => id === vault);
      const context = new ViewContext(client, ours, features, new Notices());
      context.mayWrite = scope !== "read";
      if (ours.length > 0) this.#show(context);
      else fill(this.#root, emptyBox("Vault not found", "The server does not serve this vault."));
    } catch (error) {
      fill(this.#root, this.#problem(asServerError(error), () => void this.#start(greeting)));
    }
  }

  #problem(error: ServerError, retry: () => void): HTMLElement {
    if (error.kind !== "unauthorized") return errorBox(error, retry);
    return emptyBox("The token is not valid", "Enter the server’s token in the settings of the plugin.");
  }

  #show(context: ViewContext): void {
    history.replaceState(null, "", "#/ask");
    this.#view = new AskView(context);
    fill(this.#root, h("main", {}, this.#view.el), ...context.notices.els);
    this.#view.show(context.address);
    if (document.hasFocus()) this.#view.focus();
  }

  #onClick(event: MouseEvent): void {
    const opening = openingOf(event);
    if (opening) this.#port?.postMessage(opening);
  }
}

/** Takes over the colour scheme of the parent window. */
function applyTheme({ isDark }: Greeting): void {
  document.documentElement.style.colorScheme = isDark ? "dark" : "light";
  document.getElementById("dark")?.setAttribute("media", isDark ? "all" : "not all");
}
